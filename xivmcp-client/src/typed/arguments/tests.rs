//! What is accepted, and what an assistant reads when it is not.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Arguments;

fn parse<T: DeserializeOwned + JsonSchema>(json: &str) -> Result<T, String> {
    Arguments::of::<T>().parse(json).map_err(|error| error.to_string())
}

fn fault<T: DeserializeOwned + JsonSchema>(json: &Value) -> String {
    match parse::<T>(&json.to_string()) {
        Ok(_) => panic!("{json} was taken"),
        Err(error) => error,
    }
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct All {
    byte: u8,
    signed: i64,
    big: Option<u64>,
    ratio: f64,
    on: bool,
    name: String,
    mode: Option<Mode>,
    place: Option<Place>,
    places: Vec<Place>,
    by_zone: BTreeMap<String, u8>,
    pair: (u8, String),
    letter: char,
    action: Option<Action>,
    variant: Option<Variant>,
    id_or_name: Option<IdOrName>,
    free: Value,
    maybe: Vec<Option<u8>>,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    VeryFast,
    Slow,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Place {
    x: f32,
    floor: Option<i8>,
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Action {
    Wait { seconds: u32 },
    GoTo { place: Place },
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
enum Variant {
    Nothing,
    Item { id: u32 },
}

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum IdOrName {
    Id(u32),
    Name(String),
}

fn all(json: &Value) -> All {
    parse(&json.to_string()).unwrap()
}

#[test]
fn right_arguments_arrive_as_they_are() {
    let sent = json!({
        "byte": 255, "signed": -1, "big": u64::MAX, "ratio": 1, "on": true, "name": "30", "mode": "slow",
        "place": {"x": 1.5}, "by_zone": {"a": 1}, "pair": [1, "x"], "letter": "ä", "action": {"kind": "wait", "seconds": 1},
        "variant": {"Item": {"id": 1}}, "id_or_name": 7, "free": {"any": [1]}, "maybe": [null, 1]
    });
    let read = all(&sent);
    assert_eq!(read, serde_json::from_value(sent).unwrap());
    assert_eq!((read.name.as_str(), read.big), ("30", Some(u64::MAX)));
}

#[test]
fn blank_text_and_null_are_no_arguments() {
    for json in ["", "  \n", "null", "{}"] {
        assert_eq!(parse::<All>(json).unwrap(), All::default(), "{json:?}");
    }
}

#[test]
fn null_counts_as_absent_for_what_may_be_absent() {
    assert_eq!(all(&json!({"byte": null, "name": null, "mode": null, "place": {"x": 1, "floor": null}})).byte, 0);
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Needed {
        #[serde(rename = "minutes")]
        _minutes: u8,
    }
    assert_eq!(
        fault::<Needed>(&json!({"minutes": null})),
        "The argument `minutes` is wrong: it is null, but must be an integer from 0 to 255."
    );
}

#[test]
fn integral_floats_are_integers_and_texts_are_what_they_say_where_no_text_is_allowed() {
    let read = all(&json!({
        "byte": 30.0, "signed": "-3e1", "big": "18446744073709551615", "ratio": " 2.5 ", "on": "True", "name": "30",
        "place": "{\"x\": \"1.5\", \"floor\": 2.0}", "places": "[{\"x\": 1}]", "by_zone": {"a": "1"}, "pair": ["7", "7"],
        "letter": "1", "action": {"kind": "wait", "seconds": "60"}, "variant": {"Item": {"id": 3.0}}, "id_or_name": "7",
        "free": "7", "maybe": [null, "1"]
    }));
    assert_eq!((read.byte, read.signed, read.big, read.ratio, read.on), (30, -30, Some(u64::MAX), 2.5, true));
    assert_eq!(read.place, Some(Place { x: 1.5, floor: Some(2) }));
    assert_eq!(read.places, [Place { x: 1.0, floor: None }]);
    assert_eq!(read.by_zone["a"], 1);
    assert_eq!(read.action, Some(Action::Wait { seconds: 60 }));
    assert_eq!(read.variant, Some(Variant::Item { id: 3 }));
    assert_eq!(read.maybe, [None, Some(1)]);
    // Where a text is allowed, it stays one.
    assert_eq!((read.name.as_str(), read.pair, read.letter), ("30", (7, "7".into()), '1'));
    assert_eq!((read.id_or_name, read.free), (Some(IdOrName::Name("7".into())), json!("7")));
}

#[test]
fn the_arguments_as_a_whole_may_come_as_a_text() {
    assert_eq!(parse::<All>(r#""{\"byte\": 3}""#).unwrap().byte, 3);
}

#[test]
fn nothing_else_becomes_a_text_and_no_value_is_rounded_or_guessed() {
    for (sent, error) in [
        (json!({"name": 30}), "The argument `name` is wrong: it is the number 30, but must be a text."),
        (json!({"name": true}), "The argument `name` is wrong: it is the boolean true, but must be a text."),
        (
            json!({"byte": 30.5}),
            "The argument `byte` is wrong: it is the number 30.5, but must be an integer from 0 to 255.",
        ),
        (
            json!({"byte": "30.5"}),
            "The argument `byte` is wrong: it is the number 30.5, but must be an integer from 0 to 255.",
        ),
        (
            json!({"byte": "many"}),
            "The argument `byte` is wrong: it is the text \"many\", but must be an integer from 0 to 255.",
        ),
        (
            json!({"byte": 256}),
            "The argument `byte` is wrong: it is the number 256, but must be an integer from 0 to 255.",
        ),
        (json!({"big": -1}), "The argument `big` is wrong: it is the number -1, but must be an integer of at least 0."),
        (
            json!({"signed": "1,000"}),
            "The argument `signed` is wrong: it is the text \"1,000\", but must be an integer.",
        ),
        (json!({"on": 1}), "The argument `on` is wrong: it is the number 1, but must be true or false."),
        (json!({"on": "yes"}), "The argument `on` is wrong: it is the text \"yes\", but must be true or false."),
        (
            json!({"letter": "ab"}),
            "The argument `letter` is wrong: it is the text \"ab\", but must be a text of one character.",
        ),
    ] {
        assert_eq!(fault::<All>(&sent), error);
    }
}

#[test]
fn a_fault_names_its_path() {
    for (sent, error) in [
        (
            json!({"places": [{"x": 1}, {"x": "east"}]}),
            "The argument `places[1].x` is wrong: it is the text \"east\", but must be a number.",
        ),
        (json!({"places": {}}), "The argument `places` is wrong: it is an object, but must be an array."),
        (json!({"places": [{}]}), "The argument `places[0].x` is missing: it must be a number."),
        (
            json!({"by_zone": {"a": []}}),
            "The argument `by_zone.a` is wrong: it is an array, but must be an integer from 0 to 255.",
        ),
        (json!({"pair": [1, 2]}), "The argument `pair[1]` is wrong: it is the number 2, but must be a text."),
        (json!({"pair": [1]}), "The argument `pair` is wrong: it is an array of 1, but must be an array of 2."),
        (json!({"place": {"x": 1, "flor": 2}}), "The argument `place` has no `flor`. It has: `floor`, `x`."),
        (json!({"place": {"X": 1}}), "The argument `place` has no `X`. It has: `floor`, `x`."),
        (
            json!({"action": {"kind": "go_to", "place": {"x": []}}}),
            "The argument `action.place.x` is wrong: it is an array, but must be a number.",
        ),
        (
            json!({"action": {"kind": "wait"}}),
            "The argument `action.seconds` is missing: it must be an integer of at least 0.",
        ),
    ] {
        assert_eq!(fault::<All>(&sent), error);
    }
}

#[test]
fn an_unknown_value_of_an_enum_lists_the_allowed_ones() {
    for (sent, error) in [
        (
            json!({"mode": "fast"}),
            "The argument `mode` is wrong: it is the text \"fast\", but must be one of \"very_fast\", \"slow\".",
        ),
        (
            json!({"mode": 1}),
            "The argument `mode` is wrong: it is the number 1, but must be one of \"very_fast\", \"slow\".",
        ),
        (
            json!({"action": {"kind": "run"}}),
            "The argument `action.kind` is wrong: it is the text \"run\", but must be one of \"wait\", \"go_to\".",
        ),
        (json!({"action": {}}), "The argument `action.kind` is missing: it must be one of \"wait\", \"go_to\"."),
        (json!({"action": "wait"}), "The argument `action` is wrong: it is the text \"wait\", but must be an object."),
        (
            json!({"variant": "Something"}),
            "The argument `variant` is wrong: it is the text \"Something\", but must be \"Nothing\", or an object with `Item`.",
        ),
        (
            json!({"variant": {"Items": 1}}),
            "The argument `variant` is wrong: it is an object, but must be \"Nothing\", or an object with `Item`.",
        ),
        (
            json!({"variant": {"Item": {"id": "x"}}}),
            "The argument `variant.Item.id` is wrong: it is the text \"x\", but must be an integer of at least 0.",
        ),
        (
            json!({"id_or_name": true}),
            "The argument `id_or_name` is wrong: it is the boolean true, but must be an integer of at least 0, or a text.",
        ),
    ] {
        assert_eq!(fault::<All>(&sent), error);
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Farm {
    #[serde(alias = "time")]
    #[allow(dead_code, reason = "only whether it is read counts")]
    minutes: Option<u32>,
    #[serde(rename = "where")]
    #[allow(dead_code, reason = "only whether it is read counts")]
    zone: Option<String>,
    #[serde(skip)]
    _inside: u8,
}

#[test]
fn a_misspelt_name_lists_the_allowed_ones() {
    let error = "There is no argument `minuts`. The arguments are: `minutes`, `where`.";
    assert_eq!(fault::<Farm>(&json!({"minuts": 3})), error);
    assert_eq!(fault::<Farm>(&json!({"minuts": 3, "where": 7})), error);
    assert_eq!(parse::<Farm>(r#"{"minuts": 3, "minutes": "x"}"#).unwrap_err(), error);
    assert_eq!(
        fault::<Farm>(&json!({"_inside": 3})),
        "There is no argument `_inside`. The arguments are: `minutes`, `where`."
    );
    assert!(parse::<Farm>(r#"{"time": 3, "where": "x"}"#).is_ok());
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Nothing {}
    assert_eq!(fault::<Nothing>(&json!({"a": 1})), "This tool takes no arguments, but `a` came.");
}

#[test]
fn a_misspelt_name_is_found_beside_a_flattened_part_and_an_alias_there_is_taken() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Flat {
        #[serde(rename = "count")]
        _count: Option<u8>,
        #[serde(flatten)]
        _farm: Farm,
    }
    assert_eq!(
        fault::<Flat>(&json!({"count": 1, "minuts": 3})),
        "There is no argument `minuts`. The arguments are: `count`, `minutes`, `where`."
    );
    assert!(parse::<Flat>(r#"{"count": 1, "time": 3, "where": "x"}"#).is_ok());
    assert!(parse::<Flat>(r#"{"count": "1", "time": 3, "where": "x"}"#).is_ok());
    assert!(parse::<Flat>(r#"{"count": "1", "minuts": 3}"#).is_err());
}

#[test]
fn every_name_is_taken_where_any_name_will_do() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Rest {
        #[serde(rename = "count")]
        _count: u8,
        #[serde(flatten)]
        rest: HashMap<String, Value>,
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Free {
        #[serde(flatten)]
        rest: Value,
    }
    assert_eq!(parse::<Rest>(r#"{"count": 1, "x": 3}"#).unwrap().rest.len(), 1);
    assert_eq!(parse::<Rest>(r#"{"count": "1", "x": 3}"#).unwrap().rest.len(), 1);
    assert_eq!(parse::<Free>(r#"{"x": 3}"#).unwrap().rest, json!({"x": 3}));
    assert_eq!(parse::<Map<String, Value>>(r#"{"x": 3}"#).unwrap().len(), 1);
    assert_eq!(parse::<HashMap<u8, u8>>(r#"{"1": 3}"#).unwrap().len(), 1);
}

#[test]
fn names_are_looked_at_through_wrappers() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct New(#[allow(dead_code, reason = "only whether it is read counts")] Farm);
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(transparent)]
    struct Transparent {
        _farm: Farm,
    }
    for error in [
        fault::<New>(&json!({"minuts": 3})),
        fault::<Transparent>(&json!({"minuts": 3})),
        fault::<Box<Farm>>(&json!({"minuts": 3})),
    ] {
        assert_eq!(error, "There is no argument `minuts`. The arguments are: `minutes`, `where`.");
    }
    assert!(parse::<New>(r#"{"minutes": 3}"#).is_ok());
}

#[test]
fn what_is_no_object_or_no_json_is_said() {
    for (json, error) in [
        ("[1]", "The arguments must be one JSON object, but came as an array."),
        ("7", "The arguments must be one JSON object, but came as the number 7."),
        (r#""x""#, "The arguments must be one JSON object, but came as the text \"x\"."),
    ] {
        assert_eq!(parse::<Farm>(json).unwrap_err(), error);
    }
    for json in ["{", "{}}", "{} {}", "nonsense", r#"{"minutes": }"#] {
        assert!(parse::<Farm>(json).unwrap_err().starts_with("The arguments are no valid JSON: "), "{json}");
    }
    let long = "ä".repeat(100);
    let error = fault::<Farm>(&json!({"minutes": long}));
    assert!(error.contains(&format!("the text \"{}\" and more", "ä".repeat(60))), "{error}");
}

#[test]
fn a_fault_that_the_schema_does_not_show_is_told_in_serdes_words_with_its_path() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Hosts {
        #[serde(rename = "hosts")]
        _hosts: Vec<Host>,
    }
    #[derive(Debug, Deserialize)]
    struct Host(#[allow(dead_code, reason = "only whether it is read counts")] std::net::IpAddr);
    impl JsonSchema for Host {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Host".into()
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({"type": "string"})
        }
    }
    assert_eq!(
        fault::<Hosts>(&json!({"hosts": ["::1", "here"]})),
        "The argument `hosts[1]` is wrong: invalid IP address syntax."
    );
    // The schema of 32 and 64 bits has no upper bound, and a Rust type's name would tell an assistant nothing.
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Gil {
        #[serde(rename = "gil")]
        _gil: u32,
    }
    assert_eq!(
        fault::<Gil>(&json!({"gil": 5_000_000_000_u64})),
        "The argument `gil` is wrong: invalid value: integer `5000000000`, expected an integer from 0 to 4294967295."
    );
    assert_eq!(
        fault::<All>(&json!({"maybe": [1, {}]})),
        "The argument `maybe[1]` is wrong: it is an object, but must be an integer from 0 to 255."
    );
}

#[test]
fn json_that_is_only_passed_on_stays_byte_for_byte() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Raw {
        #[schemars(with = "Value")]
        raw: Box<serde_json::value::RawValue>,
        count: u8,
    }
    let read: Raw = parse(r#"{"raw": { "a" : 1.50 }, "count": 1}"#).unwrap();
    assert_eq!((read.raw.get(), read.count), (r#"{ "a" : 1.50 }"#, 1));
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let deep = format!(r#"{{"free": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse::<All>(&deep).unwrap_err().starts_with("The arguments are no valid JSON"));
    let text = format!(r#"{{"places": "{}{}"}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse::<All>(&text).unwrap_err().starts_with("The argument `places` is wrong"));
}

#[test]
fn without_a_schema_serde_alone_says_what_is_right() {
    #[derive(Debug, Deserialize)]
    struct Plain {
        #[serde(alias = "time")]
        minutes: u8,
    }
    let read = |json| super::parse::<Plain>(json).map(|plain| plain.minutes).map_err(|error| error.to_string());
    assert_eq!(read(r#"{"time": 3}"#), Ok(3));
    let error = "The argument `minutes` is wrong: invalid type: string \"3\", expected an integer from 0 to 255.";
    assert_eq!(read(r#"{"minutes": "3"}"#), Err(error.to_owned()));
    let error = "There is no argument `minuts`. The arguments are: `minutes`, `time`.";
    assert_eq!(read(r#"{"minutes": 3, "minuts": 3}"#), Err(error.to_owned()));
    assert_eq!(super::parse::<Value>(" ").unwrap(), json!({}));
}

proptest::proptest! {
    #[test]
    fn any_text_gives_arguments_or_an_error_and_no_panic(text in ".*", json in json_like(), name in "[a-z_]{1,10}") {
        let arguments = Arguments::of::<All>();
        let _ = arguments.parse::<All>(&text);
        let _ = arguments.parse::<All>(&json);
        let _ = arguments.parse::<All>(&format!(r#"{{"{name}": {json}}}"#));
        for field in ["byte", "place", "pair", "action", "variant", "id_or_name", "by_zone", "letter", "maybe"] {
            let _ = arguments.parse::<All>(&format!(r#"{{"{field}": {json}}}"#));
        }
    }

    #[test]
    fn what_serde_takes_arrives_the_same(byte: u8, signed: i64, big: Option<u64>, on: bool, name in ".*") {
        let sent = json!({"byte": byte, "signed": signed, "big": big, "on": on, "name": name});
        proptest::prop_assert_eq!(all(&sent), serde_json::from_value::<All>(sent).unwrap());
    }

    #[test]
    fn integers_sent_as_texts_or_floats_arrive_exactly(byte: u8, signed: i64, big: u64) {
        let sent = json!({"byte": f64::from(byte), "signed": signed.to_string(), "big": format!(" {big} ")});
        let read = all(&sent);
        proptest::prop_assert_eq!((read.byte, read.signed, read.big), (byte, signed, Some(big)));
    }
}

fn json_like() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ \\[\\]{}\":a-z0-9.-]{0,12}".prop_map(Value::from),
    ];
    let key = prop_oneof!["kind", "x", "Item", "id", "place", "[a-z]{0,4}"];
    leaf.prop_recursive(3, 20, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
    .prop_map(|value| value.to_string())
}
