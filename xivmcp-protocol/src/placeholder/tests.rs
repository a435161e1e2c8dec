//! Tests of [`super`].

use std::time::Instant;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::JsonText;

fn at(step: &str, path: &str) -> Segment<'static> {
    Segment::Placeholder(Placeholder::new(step, path).unwrap())
}

fn text(text: &str) -> Segment<'_> {
    Segment::Literal(text)
}

/// A job with the steps `farm` (has run), `Shop` (gave null) and `later` (has not run).
fn resolved(value: &Value) -> Result<Value, PlaceholderError> {
    let farmed = JsonText::from(json!({
        "kills": 31, "name": "Hide", "ratio": 1.5, "done": true, "nothing": null, "": "empty key",
        "drops": [{ "name": "a" }, { "Name": "b" }], "map": { "1": "one" },
        "Ärger": 1, "key": "lower", "KEY": "upper", "trap": "{{farm.kills}}", "half": "{{farm."
    }));
    let resolved = resolve(&value.into(), |step| match step {
        "farm" => (&farmed).into(),
        "Shop" => Value::Null.into(),
        "later" => StepResult::NoResult,
        _ => StepResult::MissingStep,
    })?;
    Ok(resolved.read().unwrap())
}

// R-JOB-4
#[test]
fn a_string_is_taken_apart_at_its_placeholders() {
    for (input, expected) in [
        ("", vec![]),
        ("plain", vec![text("plain")]),
        ("{{a.b}}", vec![at("a", "b")]),
        ("{{A-z_09.b c.0}}", vec![at("A-z_09", "b c.0")]),
        ("{{a.b}}{{c.d}}", vec![at("a", "b"), at("c", "d")]),
        ("x{{a.b}} y {{c.d}}z", vec![text("x"), at("a", "b"), text(" y "), at("c", "d"), text("z")]),
        ("ä{{a.ü}}ö", vec![text("ä"), at("a", "ü"), text("ö")]),
        ("{{a.b\nc}}", vec![at("a", "b\nc")]),
        ("{{a..}}", vec![at("a", ".")]),
        ("{{a.b}}}", vec![at("a", "b"), text("}")]),
        ("{{{a.b}}", vec![text("{"), at("a", "b")]),
        ("{{{{a.b}}}}", vec![text("{{"), at("a", "b"), text("}}")]),
        ("{{a {{b.c}}", vec![text("{{a "), at("b", "c")]),
        // The leftmost start wins, and a path may have opening braces.
        ("{{a.{{b.c}}", vec![at("a", "{{b.c")]),
        ("{{a.b} {{c.d}}", vec![text("{{a.b} "), at("c", "d")]),
    ] {
        assert_eq!(parse(input), expected, "{input}");
    }
}

// R-JOB-4
#[test]
fn what_only_looks_alike_stays() {
    for input in [
        "{{ x",
        "{{x}}",
        "{{x.}}",
        "{{.x}}",
        "{{}}",
        "{{",
        "{",
        "}}",
        "{{ a.b }}",
        "{{a .b}}",
        "{{ä.b}}",
        "{a.b}",
        "{{a.b",
        "{{a.b}",
        "{{a.b} }",
        "{ {a.b}}",
        "{{a}}.b}}",
        "{{a.}b}}",
        "{{a.b}{{",
    ] {
        assert_eq!(parse(input), [text(input)], "{input}");
        assert_eq!(resolved(&json!(input)), Ok(json!(input)), "{input}");
    }
}

// R-JOB-4
#[test]
fn a_placeholder_alone_keeps_its_type_and_inside_text_becomes_text() {
    for (input, expected) in [
        (json!("{{farm.kills}}"), json!(31)),
        (json!("{{farm.done}}"), json!(true)),
        (json!("{{farm.drops}}"), json!([{ "name": "a" }, { "Name": "b" }])),
        (json!("{{farm.drops.0}}"), json!({ "name": "a" })),
        (json!(" {{farm.kills}}"), json!(" 31")),
        (json!("{{farm.ratio}}{{farm.done}}"), json!("1.5true")),
        (json!("got {{farm.drops.0}} of {{farm.name}}"), json!(r#"got {"name":"a"} of Hide"#)),
        (json!({ "a": [1, null, { "b": "{{farm.kills}}" }] }), json!({ "a": [1, null, { "b": 31 }] })),
        // Keys are not values.
        (json!({ "{{farm.kills}}": "x" }), json!({ "{{farm.kills}}": "x" })),
        (json!(null), json!(null)),
        (json!(7), json!(7)),
    ] {
        assert_eq!(resolved(&input).as_ref(), Ok(&expected), "{input}");
    }
}

// R-JOB-4
#[test]
fn paths_are_split_at_dots_ignore_case_and_index_arrays() {
    for (path, expected) in [
        ("KILLS", json!(31)),
        ("Drops.1.naME", json!("b")),
        ("drops.00.name", json!("a")),
        ("map.1", json!("one")),
        ("äRGER", json!(1)),
        // An exact spelling wins over another case, then the first in the object (`json!` sorts: `KEY` before `key`).
        ("key", json!("lower")),
        ("KEY", json!("upper")),
        ("Key", json!("upper")),
    ] {
        assert_eq!(resolved(&json!(format!("{{{{farm.{path}}}}}"))), Ok(expected), "{path}");
    }
}

/// Resolves the JSON text `args`, every step's result being `result`.
fn resolved_text(args: &str, result: &str) -> String {
    let result = JsonText::parse(result).unwrap();
    resolve(&JsonText::parse(args).unwrap(), |_| (&result).into())
        .unwrap_or_else(|error| panic!("{error}"))
        .into_string()
}

// R-JOB-4
#[test]
fn what_is_not_replaced_keeps_its_bytes_and_so_does_what_is_put_in() {
    for (args, result, expected) in [
        (
            r#"{ "z": 1.50, "a" :"{{s.v}}", "a":[ ], "k": "\u0041\/", "n": 1e400 }"#,
            r#"{"v": [1.10, {"z":1, "a": 2}]}"#,
            r#"{ "z": 1.50, "a" :[1.10, {"z":1, "a": 2}], "a":[ ], "k": "\u0041\/", "n": 1e400 }"#,
        ),
        // Inside text: compact, in its own order.
        (
            r#"["got {{s.v}}"]"#,
            r#"{"v": { "z" : [ 1.10, "a b" ], "a": {} } }"#,
            r#"["got {\"z\":[1.10,\"a b\"],\"a\":{}}"]"#,
        ),
        // A string may end with a backslash.
        (r#"["\\", "{{s.v}}", {"\\": "{{s.v}}"}]"#, r#"{"v": 1}"#, r#"["\\", 1, {"\\": 1}]"#),
        // Braces may be written as escapes.
        (r#""\u007b{s.v}\u007d""#, r#"{"v": true}"#, "true"),
        (r#""\"{{s.v}}\"""#, r#"{"v": "a\"b\\"}"#, r#""\"a\"b\\\"""#),
        // A key stays, whatever stands before its colon.
        ("{\"{{s.v}}\" \n\t: \"{{s.v}}\"}", r#"{"v": 5}"#, "{\"{{s.v}}\" \n\t: 5}"),
        // Half of a surrogate pair is no text for Rust; it goes through where nothing has to be read.
        (r#"["\ud800", "{{s.v}}", "x{{s.v}}"]"#, r#"{"v": "\ud800"}"#, r#"["\ud800", "\ud800", "x\"\\ud800\""]"#),
        // The last of equal keys, the first of those in another case.
        (r#""{{s.v}}""#, r#"{"V": 1, "v": 2, "v": 3}"#, "3"),
        (r#""{{s.v.W}}""#, r#"{"V": {"w": 2}, "V": {"w": 3}}"#, "2"),
        (r#""{{s..}}""#, r#"{"": {"": 5}}"#, "5"),
    ] {
        assert_eq!(resolved_text(args, result), expected, "{args}");
    }
}

#[test]
fn depth_is_no_matter() {
    let depth = 100_000;
    let nested = |inner: &str| "[".repeat(depth) + inner + &"]".repeat(depth);
    let result = format!(r#"{{"v":{}}}"#, nested("1"));
    assert_eq!(resolved_text(&nested(r#""{{s.v}}""#), &result), nested(&nested("1")));
    assert_eq!(resolved_text(r#""x{{s.v}}""#, &result), format!(r#""x{}""#, nested("1")));
    assert_eq!(placeholders(&JsonText::parse(nested(r#""{{s.v}}""#)).unwrap()).len(), 1);
}

// R-JOB-4
#[test]
fn what_was_put_in_is_not_looked_at_again() {
    assert_eq!(resolved(&json!("{{farm.trap}}")), Ok(json!("{{farm.kills}}")));
    assert_eq!(resolved(&json!("a {{farm.trap}} b")), Ok(json!("a {{farm.kills}} b")));
    // Not even when the text around it would complete one.
    assert_eq!(resolved(&json!("{{farm.half}}kills}}")), Ok(json!("{{farm.kills}}")));
}

// R-JOB-4
#[test]
fn what_cannot_be_replaced_is_an_error_that_names_step_and_path() {
    for (input, expected) in [
        ("{{nobody.x.y}}", r#"{{nobody.x.y}}: the job has no step with the id "nobody""#),
        ("{{Farm.kills}}", r#"{{Farm.kills}}: the job has no step with the id "Farm""#),
        (
            "{{later.x.y}}",
            r#"{{later.x.y}}: step "later" has no result (it has not run yet, was skipped, or its result is null)"#,
        ),
        (
            "go {{Shop.x}}",
            r#"{{Shop.x}}: step "Shop" has no result (it has not run yet, was skipped, or its result is null)"#,
        ),
        ("{{farm.map.x.y}}", r#"{{farm.map.x.y}}: the result of step "farm" has no "map.x.y": there is no "x""#),
        ("{{farm.drops.2}}", r#"{{farm.drops.2}}: the result of step "farm" has no "drops.2": there is no "2""#),
        ("{{farm.drops.-1}}", r#"{{farm.drops.-1}}: the result of step "farm" has no "drops.-1": there is no "-1""#),
        ("{{farm.drops.+1}}", r#"{{farm.drops.+1}}: the result of step "farm" has no "drops.+1": there is no "+1""#),
        ("{{farm.drops.}}", r#"{{farm.drops.}}: the result of step "farm" has no "drops.": there is no """#),
        (
            "{{farm.drops.99999999999999999999999}}",
            r#"{{farm.drops.99999999999999999999999}}: the result of step "farm" has no "drops.99999999999999999999999": there is no "99999999999999999999999""#,
        ),
        ("{{farm.name.0}}", r#"{{farm.name.0}}: the result of step "farm" has no "name.0": there is no "0""#),
        ("{{farm.nothing.x}}", r#"{{farm.nothing.x}}: the result of step "farm" has no "nothing.x": there is no "x""#),
        ("{{farm.kills }}", r#"{{farm.kills }}: the result of step "farm" has no "kills ": there is no "kills ""#),
        ("{{farm.nothing}}", r#"{{farm.nothing}}: "nothing" in the result of step "farm" is null"#),
        ("with {{farm.nothing}}", r#"{{farm.nothing}}: "nothing" in the result of step "farm" is null"#),
    ] {
        let error = resolved(&json!({ "deep": [input] })).expect_err(input);
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn only_what_would_be_read_back_can_be_written() {
    for (step, path) in [("", "x"), ("a b", "x"), ("a.b", "x"), ("ä", "x"), ("a", ""), ("a", "x}"), ("a", "}")] {
        let error = Placeholder::new(step, path).expect_err(&format!("{step:?} {path:?}")).to_string();
        let fault = if path == "x" { step } else { path };
        assert!(error.contains(&format!("{fault:?}")), "{error}");
    }
}

#[test]
fn parsing_takes_time_in_proportion_to_the_text() {
    // Each of these has as many false starts as it can; quadratic time would be minutes.
    for unit in ["{{a.", "{{", "{{a.b}", "{{a", "{", "{{a.}"] {
        let text = unit.repeat(2_000_000 / unit.len());
        let before = Instant::now();
        let segments = parse(&text);
        assert!(before.elapsed().as_secs() < 10, "{unit:?} took {:?}", before.elapsed());
        assert_eq!(segments.len(), 1, "{unit}");
    }
}

/// What a plain reading of the rule finds, one start after the other.
fn slow_parse(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let read = rest.strip_prefix("{{").and_then(|inner| {
            let (inside, _) = inner.split_once('}')?;
            let (step, path) = inside.split_once('.')?;
            let whole = format!("{{{{{step}.{path}}}}}");
            (Placeholder::new(step, path).is_ok() && rest.starts_with(&whole)).then_some(whole)
        });
        let done = read.as_ref().map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), String::len);
        found.extend(read);
        rest = &rest[done..];
    }
    found
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        r"[{}a.0\\\u{e4} ]{0,12}|(\{\{[ab]\.[ab01]\}\}|x){0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[ab01]{0,2}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn the_pieces_are_the_text_and_the_right_ones(text in r"[{}a.\-_ä ]{0,24}|\PC{0,24}") {
        let segments = parse(&text);
        let mut printed = String::new();
        let mut found = Vec::new();
        for segment in &segments {
            match segment {
                Segment::Literal(literal) => {
                    prop_assert!(!literal.is_empty());
                    printed.push_str(literal);
                }
                Segment::Placeholder(placeholder) => {
                    printed.push_str(&placeholder.to_string());
                    found.push(placeholder.to_string());
                }
            }
        }
        prop_assert_eq!(&printed, &text);
        prop_assert_eq!(found, slow_parse(&text));
    }

    #[test]
    fn what_is_written_is_read_back(step in "[A-Za-z0-9_-]{1,8}", path in r"[^}]{1,12}") {
        let placeholder = Placeholder::new(step, path).unwrap();
        let written = placeholder.to_string();
        prop_assert_eq!(parse(&written), vec![Segment::Placeholder(placeholder)]);
    }

    #[test]
    fn any_value_resolves_or_fails_without_a_panic(value in any_json(), a in any_json(), b in any_json()) {
        let value = JsonText::from(value);
        let count = placeholders(&value).len();
        let mut asked = 0;
        let resolved = resolve(&value, |step| {
            asked += 1;
            match step { "a" => a.clone().into(), "b" => b.clone().into(), _ => StepResult::MissingStep }
        });
        prop_assert!(asked <= count);
        if count == 0 {
            prop_assert_eq!(resolved, Ok(value));
        }
    }

    #[test]
    fn inserted_text_stays_what_it_is(inserted in r"[{}ab.]{1,16}", before in "[x{]{1,3}", after in "[x}]{1,3}") {
        let result = JsonText::from(json!({ "b": inserted }));
        let lookup = |step: &str| if step == "a" { (&result).into() } else { StepResult::MissingStep };
        prop_assert_eq!(resolve(&json!("{{a.b}}").into(), lookup), Ok(json!(inserted).into()));
        prop_assert_eq!(
            resolve(&json!(format!("{before}{{{{a.b}}}}{after}")).into(), lookup),
            Ok(json!(format!("{before}{inserted}{after}")).into())
        );
    }
}
