//! Tool definitions, R-DEF-1 to R-DEF-4.

use proptest::prelude::*;
use serde_json::{Value, json};
use xivmcp_protocol::{Capability, CheckedDefinition, DefinitionError, JsonText, ToolDefinition, ToolName};

/// A good definition with one field set to something else.
fn with(field: &str, value: Value) -> Result<CheckedDefinition, DefinitionError> {
    let mut definition = json!({ "name": "myplugin_farm", "description": "Farms.", "capabilities": ["combat"] });
    definition[field] = value;
    CheckedDefinition::parse(&definition.to_string())
}

fn message(result: Result<CheckedDefinition, DefinitionError>) -> String {
    result.expect_err("it should be refused").to_string()
}

#[test]
fn a_name_has_3_to_64_of_the_allowed_characters_and_begins_with_a_letter() {
    // R-DEF-1
    let longest = "a".repeat(64);
    for good in ["abc", "a_1", "a__", longest.as_str()] {
        assert!(ToolName::parse(good).is_ok(), "{good}");
        assert_eq!(with("name", json!(good)).unwrap().name().as_str(), good);
    }
    let too_long = "a".repeat(65);
    for bad in
        ["", "ab", "1ab", "_ab", "Abc", "aBc", "a-b", "a.b", "abc ", " abc", "abc\n", "abé", "abc\0", too_long.as_str()]
    {
        assert_eq!(ToolName::parse(bad).unwrap_err().text(), bad);
        let said = message(with("name", json!(bad)));
        assert!(said.starts_with("`name`: `"), "{said}");
        assert!(
            said.ends_with("is no tool name: 3 to 64 characters a-z, 0-9 and _, beginning with a letter"),
            "{said}"
        );
    }
}

#[test]
fn a_description_is_trimmed_and_not_blank() {
    // R-DEF-1
    assert_eq!(with("description", json!("\u{3000} Farms.\n")).unwrap().description(), "Farms.");
    for blank in ["", " ", "\n\t\u{a0}\u{3000}"] {
        assert_eq!(
            with("description", json!(blank)).unwrap_err(),
            DefinitionError::BlankDescription { value: blank.to_owned() }
        );
    }
}

#[test]
fn no_schema_or_null_means_no_arguments() {
    // R-DEF-2
    let nothing = r#"{"type":"object","properties":{}}"#;
    assert_eq!(with("inputSchema", Value::Null).unwrap().input_schema().get(), nothing);
    assert_eq!(with("other", json!(1)).unwrap().input_schema().get(), nothing);
}

#[test]
fn a_schema_is_kept_byte_for_byte() {
    // R-DEF-2
    let schema = r#"{ "z": 1.50, "type":"object", "a": 1e400, "a": 100000000000000000001, "t": "\u00e9\ud800" }"#;
    let json = format!(r#"{{"name":"abc","description":"d","readOnly":true,"inputSchema": {schema} }}"#);
    assert_eq!(CheckedDefinition::parse(&json).unwrap().input_schema().get(), schema);

    let sent = ToolDefinition::new("abc", "d").read_only(true).input_schema(JsonText::parse(schema).unwrap());
    assert!(serde_json::to_string(&sent).unwrap().contains(schema));
    assert_eq!(sent.check().unwrap().input_schema().get(), schema);
}

#[test]
fn a_schema_of_great_depth_is_neither_a_crash_nor_a_refusal() {
    // R-ENV-2
    let deep = format!(r#"{{"type":"object","x":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let json = format!(r#"{{"name":"abc","description":"d","readOnly":true,"inputSchema":{deep}}}"#);
    assert_eq!(CheckedDefinition::parse(&json).unwrap().input_schema().get(), deep);
}

#[test]
fn a_schema_needs_the_type_object_exactly() {
    // R-DEF-2
    assert!(with("inputSchema", json!({ "type": "object", "properties": { "type": 1 } })).is_ok());
    let escaped = r#"{"name":"abc","description":"d","readOnly":true,"inputSchema":{"ty\u0070e":"\u006fbject"}}"#;
    assert!(CheckedDefinition::parse(escaped).is_ok());

    let said = |schema| message(with("inputSchema", schema));
    assert_eq!(said(json!({})), "`inputSchema` must have the `type` \"object\", but has no `type`");
    assert_eq!(said(json!({ "type": "Object" })), "`inputSchema` must have the `type` \"object\", not \"Object\"");
    assert_eq!(said(json!({ "type": ["object"] })), "`inputSchema` must have the `type` \"object\", not [\"object\"]");
    assert_eq!(said(json!(true)), "`inputSchema` must be an object, not true");
    assert_eq!(said(json!("{\"type\":\"object\"}")), r#"`inputSchema` must be an object, not "{\"type\":\"object\"}""#);
}

#[test]
fn a_flag_is_true_only_where_the_json_value_is_true() {
    // R-DEF-3
    for not_true in [json!(null), json!(false), json!(1), json!("true"), json!([true]), json!({})] {
        let checked = with("readOnly", not_true.clone()).unwrap();
        assert!(!checked.is_read_only(), "{not_true}");
        let sent: ToolDefinition =
            serde_json::from_value(json!({ "name": "abc", "description": "d", "destructive": not_true })).unwrap();
        assert_eq!(sent.destructive, Some(false));
    }
    assert!(with("destructive", json!(true)).unwrap().is_destructive());
}

#[test]
fn read_only_and_destructive_at_once_are_refused() {
    // R-DEF-3
    let json = r#"{"name":"abc","description":"d","readOnly":true,"destructive":true}"#;
    assert_eq!(CheckedDefinition::parse(json), Err(DefinitionError::ReadOnlyAndDestructive));
}

#[test]
fn a_read_only_tool_may_not_declare_spend_gil() {
    // R-DEF-4
    let both = ToolDefinition::new("abc", "d").read_only(true);
    assert_eq!(
        both.clone().capabilities(["read_game", "spend_gil"]).check().unwrap_err().to_string(),
        "`capabilities` of a tool that is `readOnly` may list only `read_game`, not `spend_gil`"
    );
    assert_eq!(both.clone().capabilities(["read_game"]).check().unwrap().capabilities(), [Capability::ReadGame]);
    assert_eq!(both.check().unwrap().capabilities(), [Capability::ReadGame]);
}

#[test]
fn a_tool_that_is_not_read_only_needs_an_acting_capability() {
    // R-DEF-4
    assert_eq!(
        message(with("capabilities", json!([]))),
        "`capabilities` (none) needs at least one that acts, because `readOnly` is not true; acting ones: game_ui, \
         move_character, combat, move_items, spend_gil, spend_currency, trade_items, discard_items, chat_send, login, \
         edit_settings, network"
    );
    assert!(matches!(
        with("capabilities", json!(["read_game"])),
        Err(DefinitionError::NoActingCapability { declared }) if declared == [Capability::ReadGame]
    ));
}

#[test]
fn the_effective_list_has_read_game_first_and_each_once() {
    // R-DEF-4
    let checked = with("capabilities", json!(["spend_gil", "combat", "read_game", "spend_gil"])).unwrap();
    assert_eq!(checked.capabilities(), [Capability::ReadGame, Capability::SpendGil, Capability::Combat]);
    assert_eq!(checked.acting_capabilities(), [Capability::SpendGil, Capability::Combat]);
}

#[test]
fn an_unknown_capability_is_refused_with_the_valid_ones() {
    // R-DEF-4, R-ENV-4
    let valid = "valid ones: read_game, game_ui, move_character, combat, move_items, spend_gil, spend_currency, \
                 trade_items, discard_items, chat_send, login, edit_settings, network";
    for (entry, shown) in
        [(json!("Combat"), "\"Combat\""), (json!(7), "7"), (json!(null), "null"), (json!("\""), r#""\"""#)]
    {
        let said = message(with("capabilities", json!(["combat", entry])));
        assert_eq!(said, format!("`capabilities` holds {shown}, which is no capability; {valid}"));
    }
    assert!(matches!(
        ToolDefinition::new("abc", "d").capabilities(["time_travel"]).check(),
        Err(DefinitionError::UnknownCapability { value }) if value == "\"time_travel\""
    ));
}

#[test]
fn capabilities_that_are_no_array_are_refused() {
    // R-DEF-4
    for (value, shown) in [(json!("combat"), "\"combat\""), (json!({}), "{}"), (json!(null), "null")] {
        assert_eq!(
            message(with("capabilities", value)),
            format!("`capabilities` must be an array of capability ids, not {shown}")
        );
    }
}

#[test]
fn what_is_no_definition_is_said_as_it_is() {
    // R-ENV-2, R-ENV-4
    for (text, said) in [
        ("", "the tool definition is not valid JSON: EOF while parsing a value at line 1 column 0"),
        ("[1]", "the tool definition must be a JSON object, not [1]"),
        ("\"abc\"", "the tool definition must be a JSON object, not \"abc\""),
        ("{}", "`name` is missing"),
        (r#"{"name":"abc"}"#, "`description` is missing"),
        (r#"{"name":null,"description":"d"}"#, "`name` must be a string, not null"),
        (r#"{"name":"abc","description":["d"]}"#, "`description` must be a string, not [\"d\"]"),
    ] {
        assert_eq!(message(CheckedDefinition::parse(text)), said);
    }
}

#[test]
fn a_huge_value_is_cut_in_the_message() {
    let said = message(with("name", json!("x".repeat(100_000))));
    assert!(said.len() < 300, "{}", said.len());
    assert!(said.contains('…'));
}

fn definitions() -> impl Strategy<Value = ToolDefinition> {
    let capability = prop_oneof![
        4 => prop::sample::select(Capability::ALL),
        1 => any::<String>().prop_map(Capability::from),
    ];
    let schema =
        prop_oneof![Just("null"), Just("{}"), Just(r#"{"type":"object"}"#), Just(r#"{ "type" : "object", "n":1.0 }"#)]
            .prop_map(|text| JsonText::parse(text).unwrap());
    (
        prop_oneof!["[a-z][a-z0-9_]{2,63}", any::<String>()],
        any::<String>(),
        prop::option::of(schema),
        any::<Option<bool>>(),
        any::<Option<bool>>(),
        prop::option::of(prop::collection::vec(capability, 0..5)),
    )
        .prop_map(|(name, description, input_schema, read_only, destructive, capabilities)| {
            let mut tool = ToolDefinition::new(name, description);
            tool.input_schema = input_schema;
            tool.read_only = read_only;
            tool.destructive = destructive;
            tool.capabilities = capabilities;
            tool
        })
}

proptest! {
    #[test]
    fn definitions_round_trip(tool in definitions()) {
        let json = serde_json::to_string(&tool).unwrap();
        let back: ToolDefinition = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&back, &tool);
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), json);
    }

    #[test]
    fn both_sides_check_alike(tool in definitions()) {
        let json = serde_json::to_string(&tool).unwrap();
        prop_assert_eq!(CheckedDefinition::parse(&json), tool.check());
    }

    #[test]
    fn any_text_gives_an_answer(text in any::<String>()) {
        let _ = CheckedDefinition::parse(&text);
    }
}
