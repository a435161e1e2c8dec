//! SPEC §4: definitions of tools.

use serde_json::{Value, json};

use crate::support::{NO_ARGS, Raw, Stage, acting, names, reading};

fn definition(changes: &Value) -> Value {
    let mut definition = reading("raw_look");
    for (key, value) in changes.as_object().expect("an object") {
        definition[key] = value.clone();
    }
    definition
}

fn stage() -> (Stage, Raw) {
    let host = Stage::new();
    let raw = host.raw("Raw");
    (host, raw)
}

// R-DEF-1
#[test]
fn a_name_has_3_to_64_lower_case_characters_and_begins_with_a_letter() {
    let (_host, raw) = stage();
    let longest = format!("a{}", "9".repeat(63));
    for name in ["abc", "a_1", "a__", "raw_look", &longest] {
        assert_eq!(raw.register(definition(&json!({"name": name})))["name"], *name);
    }
    let too_long = format!("a{}", "b".repeat(64));
    for name in [
        "",
        "ab",
        "1ab",
        "_ab",
        "Abc",
        "aBc",
        "a-b",
        "a b",
        " abc",
        "abc ",
        "abc\n",
        "a.b",
        "äbc",
        "abc\u{0661}",
        "ａbc",
        &too_long,
    ] {
        let error = raw.register_refused(definition(&json!({"name": name})));
        names(&error, &["name"]);
    }
    for name in [json!(null), json!(7), json!(["raw_look"]), json!(true)] {
        let error = raw.register_refused(definition(&json!({"name": name})));
        names(&error, &["name", &name.to_string()]);
    }
    names(&raw.register_refused(json!({"description": "d", "readOnly": true})), &["name"]);
    assert_eq!(raw.status()["tools"].as_array().unwrap().len(), 5, "nothing refused was kept");
}

// R-DEF-1
#[test]
fn a_description_is_not_blank_and_is_trimmed() {
    let (host, raw) = stage();
    for description in [json!(""), json!(" \t\r\n"), json!("\u{3000}\u{a0}"), json!(null), json!(1), json!({})] {
        names(&raw.register_refused(definition(&json!({"description": description}))), &["description"]);
    }
    names(&raw.register_refused(json!({"name": "raw_look", "readOnly": true})), &["description"]);
    raw.register(definition(&json!({"description": " \n Reads  much. \u{a0}\t"})));
    host.player().enable(&raw.plugin);
    assert_eq!(host.assistant().tools()[0].description, "Reads  much.");
}

// R-DEF-2
#[test]
fn an_input_schema_is_an_object_of_type_object_kept_as_sent() {
    let (host, raw) = stage();
    host.player().enable(&raw.plugin);
    raw.register(reading("raw_look"));
    host.player().enable(&raw.plugin);
    let schema = || host.assistant().tool("raw_look").expect("it is listed").input_schema.get().to_owned();
    assert_eq!(schema(), r#"{"type":"object","properties":{}}"#, "absent");
    let sent =
        r#"{ "type" : "object", "properties": {"b": {"maximum": 1.0e2, "z": 12345678901234567890123}, "a": {}} }"#;
    raw.ok(
        "RegisterTool",
        &[
            raw.name(),
            json!(format!(r#"{{"name":"raw_look","description":"d","readOnly":true,"inputSchema":{sent}}}"#)),
        ],
    );
    assert_eq!(schema(), sent, "byte for byte");
    raw.register(definition(&json!({"inputSchema": null})));
    assert_eq!(schema(), r#"{"type":"object","properties":{}}"#, "null");
    for wrong in [
        json!({}),
        json!({"type": "Object"}),
        json!({"type": "string"}),
        json!({"type": ["object"]}),
        json!({"type": null}),
        json!({"Type": "object"}),
        json!([]),
        json!("object"),
        json!(1),
        json!(true),
        json!(false),
        json!("{\"type\":\"object\"}"),
    ] {
        names(&raw.register_refused(definition(&json!({"inputSchema": wrong}))), &["inputSchema"]);
    }
}

// R-DEF-3
#[test]
fn flags_are_true_only_if_they_are_the_json_value_true() {
    let (host, raw) = stage();
    for not_true in [json!(false), json!(null), json!("true"), json!(1), json!({}), json!([true])] {
        // Not read-only: it needs something that acts.
        let error = raw.register_refused(definition(&json!({"readOnly": not_true})));
        names(&error, &["capabilities"]);
        raw.register(definition(&json!({"destructive": not_true})));
        raw.register(json!({"name": "raw_go", "description": "d", "readOnly": not_true, "destructive": true, "capabilities": ["game_ui"]}));
    }
    host.player().enable(&raw.plugin);
    let listed = |name: &str| host.assistant().tool(name).map(|tool| (tool.read_only, tool.destructive));
    assert_eq!((listed("raw_look"), listed("raw_go")), (Some((true, false)), Some((false, true))));
    let both = raw.register_refused(definition(&json!({"destructive": true})));
    names(&both, &["readOnly", "destructive"]);
}

const ALL: [&str; 13] = [
    "read_game",
    "game_ui",
    "move_character",
    "combat",
    "move_items",
    "spend_gil",
    "spend_currency",
    "trade_items",
    "discard_items",
    "chat_send",
    "login",
    "edit_settings",
    "network",
];

// R-DEF-4
#[test]
fn unknown_capabilities_are_refused_naming_them_and_the_valid_ones() {
    let (_host, raw) = stage();
    for unknown in
        [json!("fly"), json!("Combat"), json!("combat "), json!(""), json!(null), json!(7), json!(["combat"])]
    {
        let error =
            raw.register_refused(json!({"name": "raw_go", "description": "d", "capabilities": ["combat", unknown]}));
        names(&error, &ALL);
        names(&error, &[&unknown.to_string()]);
    }
    for no_array in [json!("combat"), json!({"combat": true}), json!(1), json!(true)] {
        let error = raw.register_refused(json!({"name": "raw_go", "description": "d", "capabilities": no_array}));
        names(&error, &["capabilities"]);
    }
    assert_eq!(raw.status()["tools"], json!([]));
}

// R-DEF-4
#[test]
fn a_read_only_tool_may_list_only_read_game_and_any_other_needs_one_that_acts() {
    let (_host, raw) = stage();
    for capability in &ALL[1..] {
        let error = raw.register_refused(definition(&json!({"capabilities": ["read_game", capability]})));
        names(&error, &["readOnly", capability]);
        raw.register(acting("raw_go", &[capability]));
    }
    raw.register(definition(&json!({"capabilities": ["read_game", "read_game"]})));
    raw.register(definition(&json!({"capabilities": []})));
    for nothing in [json!([]), json!(["read_game"])] {
        let error = raw.register_refused(json!({"name": "raw_go", "description": "d", "capabilities": nothing}));
        names(&error, &["capabilities"]);
    }
    names(&raw.register_refused(json!({"name": "raw_go", "description": "d"})), &["capabilities"]);
}

// R-DEF-4
#[test]
fn the_effective_list_is_read_game_then_the_acting_ones_as_declared_each_once() {
    let (_host, raw) = stage();
    let cases: [(&[&str], &[&str]); 3] = [
        (&["network", "combat", "network", "read_game", "combat"], &["read_game", "network", "combat"]),
        (&["login"], &["read_game", "login"]),
        (&["read_game", "move_items"], &["read_game", "move_items"]),
    ];
    for (declared, effective) in cases {
        let reply = raw.register(acting("raw_go", declared));
        let ids: Vec<&Value> = reply["capabilities"].as_array().unwrap().iter().map(|entry| &entry["id"]).collect();
        assert_eq!(ids, effective.iter().collect::<Vec<_>>());
    }
    let reply = raw.register(reading("raw_look"));
    assert_eq!(reply["capabilities"].as_array().unwrap().len(), 1);
    assert_eq!(reply["capabilities"][0]["id"], "read_game");
}

// R-DEF-5
#[test]
fn the_same_name_replaces_in_place_and_a_name_that_is_taken_is_refused_saying_by_whom() {
    let (host, raw) = stage();
    let other = host.raw("Other");
    raw.register(reading("raw_a"));
    raw.register(reading("raw_b"));
    let mut again = reading("raw_a");
    again["description"] = json!("Reads anew.");
    raw.register(again);
    host.player().enable(&raw.plugin);
    let listed: Vec<String> =
        host.assistant().tools().into_iter().map(|tool| tool.name + ": " + &tool.description).collect();
    assert_eq!(listed, ["raw_a: Reads anew.", "raw_b: Reads."]);

    let error = other.register_refused(reading("raw_a"));
    names(&error, &["raw_a", "another plugin"]);
    for builtin in ["navigate_to", "wait", "get_game_status", "start_job", "cancel_job"] {
        if host.assistant().all_tools().iter().any(|tool| tool.name == builtin) || builtin == "navigate_to" {
            let error = other.register_refused(reading(builtin));
            names(&error, &[builtin, "XIV MCP"]);
        }
    }
    assert_eq!(other.status()["tools"], json!([]));
    raw.ok("UnregisterTool", &[raw.name(), json!("raw_a")]);
    other.register(reading("raw_a"));
}

// R-DEF-6
#[test]
fn the_mode_in_the_reply_is_the_capabilitys_own_or_deny_while_not_enabled() {
    let (host, raw) = stage();
    let modes = |reply: &Value| -> Vec<String> {
        let entries = reply["capabilities"].as_array().unwrap().iter();
        entries.map(|entry| format!("{}={}", entry["id"].as_str().unwrap(), entry["mode"].as_str().unwrap())).collect()
    };
    let go = || acting("raw_go", &["game_ui", "discard_items"]);
    let reply = raw.register(go());
    assert_eq!(
        (&reply["enabled"], &reply["awaitingConsent"], &reply["state"]),
        (&json!(false), &json!(false), &json!("undecided"))
    );
    assert_eq!(modes(&reply), ["read_game=deny", "game_ui=deny", "discard_items=deny"]);
    host.player().enable(&raw.plugin);
    host.player().set_mode(&raw.plugin, "discard_items", "allow");
    assert_eq!(modes(&raw.register(go())), ["read_game=allow", "game_ui=ask", "discard_items=ask"]);
    host.player().set_mode(&raw.plugin, "game_ui", "deny");
    // Awaiting consent does not count here.
    let reply = raw.register(acting("raw_new", &["game_ui", "combat"]));
    assert_eq!(
        (&reply["enabled"], &reply["awaitingConsent"], &reply["state"]),
        (&json!(true), &json!(true), &json!("awaiting_consent"))
    );
    assert_eq!(modes(&reply), ["read_game=allow", "game_ui=deny", "combat=ask"]);
    // The tool's own setting is not the capability's.
    host.player().set_tool_mode(&raw.plugin, "raw_go", "allow");
    assert_eq!(modes(&raw.register(go())), ["read_game=allow", "game_ui=deny", "discard_items=ask"]);
    host.player().keep_disabled(&raw.plugin);
    assert_eq!(modes(&raw.register(go())), ["read_game=deny", "game_ui=deny", "discard_items=deny"]);
}

// R-DEF-6
#[test]
fn while_suspended_the_mode_in_the_reply_is_still_the_capabilitys_own() {
    let (host, raw) = stage();
    let game = host.game().handle();
    raw.register(acting("raw_go", &["game_ui"]));
    raw.on_invoke(move |_, _| {
        game.change(xivmcp_mock_host::GameChange::new().gil(-1));
        Ok(String::new())
    });
    host.player().enable(&raw.plugin);
    host.player().answer_all(xivmcp_mock_host::Answer::Once);
    let _ = host.assistant().call("raw_go", NO_ARGS).wait();
    let reply = raw.register(acting("raw_go", &["game_ui"]));
    assert_eq!((&reply["state"], &reply["enabled"]), (&json!("suspended"), &json!(true)));
    assert_eq!(reply["capabilities"][1], json!({"id": "game_ui", "mode": "ask"}));
    assert_eq!(raw.mode("raw_go"), "deny");
}

// R-DEF-7
#[test]
fn unregistering_a_tool_that_is_not_there_or_not_ones_own_removes_nothing() {
    let (host, raw) = stage();
    let other = host.raw("Other");
    raw.register(reading("raw_look"));
    for name in ["raw_loo", "", "navigate_to", "RAW_LOOK", "raw_look ", "\u{0}"] {
        assert_eq!(raw.ok("UnregisterTool", &[raw.name(), json!(name)])["removed"], false, "{name:?}");
    }
    assert_eq!(other.ok("UnregisterTool", &[other.name(), json!("raw_look")])["removed"], false);
    assert_eq!(raw.ok("UnregisterTool", &[raw.name(), json!("raw_look")])["removed"], true);
    assert_eq!(raw.ok("UnregisterTool", &[raw.name(), json!("raw_look")])["removed"], false);
}
