//! The strict form over awkward types, also under serde's rename attributes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{SchemaError, derive, derive_value};

fn schema<T: JsonSchema>() -> Value {
    let schema = derive_value::<T>().unwrap();
    assert_strict(&schema, "");
    schema
}

fn property<T: JsonSchema>(name: &str) -> Value {
    schema::<T>()["properties"][name].clone()
}

/// The rules that hold at any depth, checked without the code under test.
fn assert_strict(schema: &Value, path: &str) {
    let object = schema.as_object().unwrap_or_else(|| panic!("{path} is no object: {schema}"));
    for keyword in ["$schema", "$ref", "$defs", "definitions", "unevaluatedProperties"] {
        assert!(!object.contains_key(keyword), "{path} has {keyword}");
    }
    assert!(object.get("type").is_none_or(Value::is_string), "{path}: {schema}");
    assert!(!object.get("enum").is_some_and(|values| values.as_array().unwrap().contains(&Value::Null)), "{path}");
    assert_ne!(object.get("default"), Some(&Value::Null), "{path}");
    if matches!(object.get("type").and_then(Value::as_str), Some("integer" | "number")) {
        assert!(!object.contains_key("format"), "{path}");
    }
    for (keyword, part) in object {
        match keyword.as_str() {
            "properties" | "patternProperties" => {
                part.as_object()
                    .unwrap()
                    .iter()
                    .for_each(|(name, part)| assert_strict(part, &format!("{path}.{name}")));
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                part.as_array().unwrap().iter().for_each(|part| assert_strict(part, &format!("{path}.{keyword}")));
            }
            "items" | "not" | "propertyNames" => assert_strict(part, &format!("{path}.{keyword}")),
            "additionalProperties" if !part.is_boolean() => assert_strict(part, &format!("{path}.*")),
            _ => {}
        }
    }
}

/// Where to stand.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema counts")]
struct Place {
    /// East.
    x: f32,
    z: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    VeryFast,
    Slow,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema counts")]
enum External {
    Unit,
    New(Place),
    #[serde(rename_all = "camelCase")]
    Named {
        item_id: u8,
    },
    Pair(u8, String),
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema counts")]
enum Internal {
    DoNothing,
    GoTo(Place),
    Buy { item_id: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "with")]
#[expect(dead_code, reason = "only its schema counts")]
enum Adjacent {
    Unit,
    New(Option<Place>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema counts")]
enum Untagged {
    Nothing,
    Id(u32),
    Name(String),
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema counts")]
struct Node {
    children: Vec<Node>,
}

macro_rules! args {
    ($($name:ident { $($(#[$attr:meta])* $field:ident: $type:ty,)* })*) => {$(
        #[derive(Deserialize, JsonSchema)]
        #[allow(dead_code, reason = "only its schema counts, and one has no fields")]
        struct $name { $($(#[$attr])* $field: $type,)* }
    )*};
}

args! {
    Numbers { a: u8, b: u16, c: u32, d: u64, e: i8, f: i64, g: f32, h: f64, i: usize, j: u128, k: std::num::NonZeroU8, }
    Options {
        a: Option<u8>, b: Option<String>, c: Option<Place>, d: Option<Mode>, e: Option<External>, f: Option<Untagged>,
        g: Option<Value>, h: Option<Vec<Option<Place>>>, i: Option<Option<bool>>, j: HashMap<String, Option<Place>>,
        #[serde(default)] k: Option<u8>,
        /// Own words.
        l: Option<Place>,
        /// About the mode.
        m: Option<External>,
    }
    Shapes {
        a: (u8, String), b: (f32, f32, f32), c: [u8; 3], d: Vec<Place>, e: BTreeSet<u8>, f: HashMap<String, Place>,
        g: BTreeMap<u32, u8>, h: Map<String, Value>, i: Vec<Value>, j: char, k: (), l: std::time::Duration,
        m: Result<u8, String>, n: BTreeMap<String, Value>,
    }
    Enums { a: Mode, b: External, c: Internal, d: Adjacent, e: Untagged, }
    Free { a: Value,
        /// Anything.
        b: Value,
    }
    FlatStruct { a: u8, #[serde(flatten)] place: Place, }
    FlatOption { a: u8, #[serde(flatten)] place: Option<Place>, }
    FlatInternal { a: u8, #[serde(flatten)] what: Internal, }
    FlatExternal { a: u8, #[serde(flatten)] what: External, }
    FlatTwo { a: u8, #[serde(flatten)] what: Internal, #[serde(flatten)] more: External, }
    FlatTwice { #[serde(flatten)] what: Internal, #[serde(flatten)] again: Internal, }
    FlatValue { a: u8, #[serde(flatten)] rest: Value, }
    FlatMap { a: u8, #[serde(flatten)] rest: HashMap<String, u8>, }
    Nested { node: Option<Box<Node>>, }
    Nothing {}
}

#[test]
fn the_root_is_an_object_that_always_has_properties() {
    assert_eq!(schema::<Nothing>(), json!({"type": "object", "properties": {}}));
    assert_eq!(
        schema::<HashMap<String, u8>>(),
        json!({"type": "object", "properties": {}, "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255}})
    );
    assert_eq!(
        schema::<Map<String, Value>>(),
        json!({"type": "object", "properties": {}, "additionalProperties": true})
    );
    assert_eq!(schema::<Option<Place>>(), schema::<Place>());
}

#[test]
fn numbers_have_bounds_and_no_formats() {
    assert_eq!(
        schema::<Numbers>()["properties"],
        json!({
            "a": {"type": "integer", "minimum": 0, "maximum": 255},
            "b": {"type": "integer", "minimum": 0, "maximum": 65535},
            "c": {"type": "integer", "minimum": 0},
            "d": {"type": "integer", "minimum": 0},
            "e": {"type": "integer", "minimum": -128, "maximum": 127},
            "f": {"type": "integer"},
            "g": {"type": "number"},
            "h": {"type": "number"},
            "i": {"type": "integer", "minimum": 0},
            "j": {"type": "integer", "minimum": 0},
            "k": {"type": "integer", "minimum": 1, "maximum": 255},
        })
    );
}

#[test]
fn an_option_is_the_schema_of_its_value_and_not_required() {
    let options = schema::<Options>();
    assert_eq!(options["required"], json!(["j"]));
    let options = &options["properties"];
    let place = schema::<Place>();
    assert_eq!(options["a"], json!({"type": "integer", "minimum": 0, "maximum": 255}));
    assert_eq!(options["k"], options["a"]);
    assert_eq!(options["b"], json!({"type": "string"}));
    assert_eq!(options["c"], place);
    assert_eq!(options["d"], json!({"type": "string", "enum": ["very_fast", "slow"]}));
    assert_eq!(options["e"], property::<Enums>("b"));
    assert_eq!(options["f"], property::<Enums>("e"));
    assert_eq!(options["g"], json!({}));
    assert_eq!(options["h"], json!({"type": "array", "items": place}));
    assert_eq!(options["i"], json!({"type": "boolean"}));
    assert_eq!(options["j"], json!({"type": "object", "additionalProperties": place}));
}

#[test]
fn doc_comments_become_descriptions_and_the_fields_own_words_win() {
    let place = schema::<Place>();
    assert_eq!(place["description"], "Where to stand.");
    assert_eq!(place["properties"]["x"], json!({"type": "number", "description": "East."}));
    assert_eq!(property::<Options>("l")["description"], "Own words.");
    assert_eq!(property::<Options>("m")["description"], "About the mode.");
    assert_eq!(schema::<Free>()["properties"], json!({"a": {}, "b": {"description": "Anything."}}));
    assert_eq!(schema::<Free>()["required"], json!(["a", "b"]));
}

#[test]
fn arrays_tuples_and_maps() {
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    let shapes = schema::<Shapes>();
    let shapes = &shapes["properties"];
    assert_eq!(
        shapes["a"],
        json!({
            "type": "array", "prefixItems": [byte, {"type": "string"}], "items": {"anyOf": [byte, {"type": "string"}]},
            "minItems": 2, "maxItems": 2
        })
    );
    assert_eq!(shapes["b"], json!({"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}));
    assert_eq!(shapes["c"], json!({"type": "array", "items": byte, "minItems": 3, "maxItems": 3}));
    assert_eq!(shapes["d"], json!({"type": "array", "items": schema::<Place>()}));
    assert_eq!(shapes["f"], json!({"type": "object", "additionalProperties": schema::<Place>()}));
    assert_eq!(shapes["g"]["patternProperties"], json!({"^\\d+$": byte}));
    assert_eq!(shapes["h"], json!({"type": "object", "additionalProperties": true}));
    assert_eq!(shapes["n"], shapes["h"]);
    assert_eq!(shapes["i"], json!({"type": "array", "items": {}}));
}

#[test]
fn every_representation_of_an_enum_is_said() {
    assert_eq!(property::<Enums>("a"), json!({"type": "string", "enum": ["very_fast", "slow"]}));
    let external = property::<Enums>("b");
    let external = external["oneOf"].as_array().unwrap();
    assert_eq!(external[0], json!({"type": "string", "enum": ["Unit"]}));
    assert_eq!(external[2]["properties"]["Named"]["required"], json!(["itemId"]));
    let internal = property::<Enums>("c");
    assert_eq!(internal["oneOf"][2]["properties"]["kind"], json!({"type": "string", "const": "buy"}));
    assert_eq!(internal["oneOf"][1]["required"], json!(["kind", "x"]));
    let adjacent = property::<Enums>("d");
    assert_eq!(adjacent["oneOf"][1]["properties"]["with"], schema::<Place>());
    let untagged = json!({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]});
    assert_eq!(property::<Enums>("e"), untagged);
}

#[test]
fn flattened_parts_become_properties_of_the_root() {
    let flat = schema::<FlatStruct>();
    assert_eq!(flat["required"], json!(["a", "x"]));
    assert_eq!(flat["properties"]["x"]["description"], "East.");
    assert_eq!(schema::<FlatOption>()["required"], json!(["a"]));
    assert_eq!(schema::<FlatValue>()["additionalProperties"], json!(true));
    assert_eq!(schema::<FlatMap>()["additionalProperties"]["type"], "integer");

    let flat = schema::<FlatInternal>();
    assert_eq!(flat["required"], json!(["a", "kind"]));
    assert_eq!(flat["properties"]["kind"], json!({"type": "string", "enum": ["do_nothing", "go_to", "buy"]}));
    for name in ["a", "x", "z", "item_id"] {
        assert!(flat["properties"].get(name).is_some(), "{name}");
    }
    let flat = schema::<FlatExternal>();
    assert_eq!(flat["required"], json!(["a"]));
    assert!(flat["properties"].get("Named").is_some());
    let flat = schema::<FlatTwice>();
    assert_eq!(flat["properties"]["kind"]["enum"], json!(["do_nothing", "go_to", "buy"]));
    let flat = schema::<FlatTwo>();
    assert_eq!(flat["required"], json!(["a", "kind"]));
    assert!(flat["properties"].get("Named").is_some() && flat["properties"].get("item_id").is_some());
    for flat in [schema::<FlatInternal>(), schema::<FlatExternal>(), schema::<FlatTwo>()] {
        assert!(["oneOf", "anyOf", "allOf"].iter().all(|keyword| flat.get(keyword).is_none()), "{flat}");
    }
}

#[test]
fn renames_skips_and_denied_fields_show_as_serde_reads_them() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Renamed {
        item_id: u8,
        #[serde(rename(deserialize = "howMany", serialize = "count"))]
        amount: Option<u8>,
        #[serde(skip)]
        inside: u8,
        #[serde(default = "seven")]
        with_default: u8,
        #[serde(rename = "type")]
        kind: Mode,
    }
    fn seven() -> u8 {
        7
    }
    let renamed = schema::<Renamed>();
    let names: Vec<_> = renamed["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["howMany", "itemId", "type", "withDefault"]);
    assert_eq!(renamed["required"], json!(["itemId", "type"]));
    assert_eq!(renamed["additionalProperties"], json!(false));
    assert_eq!(renamed["properties"]["withDefault"]["default"], json!(7));
}

#[test]
fn a_type_that_contains_itself_is_an_error_that_names_it() {
    let recursive = |name: &str| SchemaError::Recursive { name: name.into(), within: "Node".into() };
    assert_eq!(derive::<Node>(), Err(recursive("Node")));
    assert_eq!(derive::<Nested>(), Err(recursive("Nested")));
    assert_eq!(
        derive::<Nested>().unwrap_err().to_string(),
        "no input schema can be derived from `Nested`, because `Node` contains itself: take a `serde_json::Value` \
         there, or give the tool's definition an input schema"
    );
}

#[test]
fn a_root_that_is_no_object_is_an_error_that_says_what_to_do() {
    fn is<T: JsonSchema>() -> &'static str {
        match derive::<T>() {
            Err(SchemaError::NotAnObject { is, .. }) => is,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(is::<String>(), "a text");
    assert_eq!(is::<Mode>(), "a text");
    assert_eq!(is::<u8>(), "a number");
    assert_eq!(is::<bool>(), "a boolean");
    assert_eq!(is::<(u8, u8)>(), "an array");
    assert_eq!(is::<()>(), "nothing");
    assert_eq!(is::<Value>(), "anything");
    assert_eq!(
        (is::<External>(), is::<Internal>(), is::<Adjacent>(), is::<Untagged>()),
        ("an enum", "an enum", "an enum", "an enum")
    );
    assert_eq!(
        derive::<Internal>().unwrap_err().to_string(),
        "the arguments of a tool are one JSON object, but `Internal` is an enum: take a struct that has it as a \
         field, or give the tool's definition an input schema"
    );
}

#[test]
fn a_property_may_be_named_like_a_keyword() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Keywords {
        #[serde(rename = "$ref")]
        a: bool,
        #[serde(rename = "type")]
        b: Option<bool>,
        properties: bool,
        format: u8,
    }
    assert_eq!(schema::<Keywords>()["properties"].as_object().unwrap().len(), 4);
}

#[test]
fn the_text_is_the_schema_with_its_keywords_in_reading_order() {
    let text = derive::<Place>().unwrap();
    assert_eq!(
        text,
        r#"{"description":"Where to stand.","type":"object","properties":{"x":{"description":"East.","type":"number"},"z":{"type":"number"}},"required":["x"]}"#
    );
}
