//! Whether what came is what was expected: subsets of objects, and the marks `~`, `/…/`, `*`, `$absent`, `$has`.

use regex_lite::Regex;
use serde_json::Value;

/// What came differs: where, what was expected there, what came there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    pub(super) path: String,
    pub(super) expected: Value,
    pub(super) came: Value,
}

/// Compares; the first difference, if there is one.
pub(super) fn compare(expected: &Value, came: &Value) -> Result<(), Difference> {
    compare_at("", expected, Some(came))
}

fn compare_at(path: &str, expected: &Value, came: Option<&Value>) -> Result<(), Difference> {
    let null = Value::Null;
    let present = came.unwrap_or(&null);
    let differs = || {
        let (path, expected) = (path.to_owned(), expected.clone());
        Err(Difference { path, expected, came: present.clone() })
    };
    if is_absent(expected) {
        return if present.is_null() { Ok(()) } else { differs() };
    }
    if let Some(wanted) = has(expected) {
        let found = present.as_array().is_some_and(|items| items.iter().any(|item| compare(wanted, item).is_ok()));
        return if found { Ok(()) } else { differs() };
    }
    match (expected, came) {
        (_, None) => differs(),
        (Value::Object(fields), Some(Value::Object(came))) => {
            for (key, wanted) in fields {
                compare_at(&format!("{path}.{key}"), wanted, came.get(key))?;
            }
            Ok(())
        }
        (Value::Array(wanted), Some(Value::Array(items))) if wanted.len() == items.len() => {
            for (index, (wanted, item)) in wanted.iter().zip(items).enumerate() {
                compare_at(&format!("{path}.{index}"), wanted, Some(item))?;
            }
            Ok(())
        }
        (Value::String(pattern), Some(came)) => {
            if text_matches(pattern, came) {
                Ok(())
            } else {
                differs()
            }
        }
        (Value::Number(wanted), Some(Value::Number(number))) => {
            let same = wanted == number || wanted.as_f64() == number.as_f64();
            if same { Ok(()) } else { differs() }
        }
        (wanted, Some(came)) => {
            if wanted == came {
                Ok(())
            } else {
                differs()
            }
        }
    }
}

/// `{"$absent": true}`.
fn is_absent(expected: &Value) -> bool {
    expected.as_object().is_some_and(|fields| fields.len() == 1 && fields.get("$absent") == Some(&Value::Bool(true)))
}

/// `{"$has": X}`.
fn has(expected: &Value) -> Option<&Value> {
    expected.as_object().filter(|fields| fields.len() == 1)?.get("$has")
}

fn text_matches(pattern: &str, came: &Value) -> bool {
    match Pattern::of(pattern) {
        Pattern::Anything => !came.is_null(),
        Pattern::Contains(part) => came.as_str().is_some_and(|text| text.to_lowercase().contains(&part.to_lowercase())),
        Pattern::Regex(regex) => {
            came.as_str().is_some_and(|text| Regex::new(regex).is_ok_and(|regex| regex.is_match(text)))
        }
        Pattern::Exactly(literal) => came.as_str() == Some(literal),
    }
}

enum Pattern<'a> {
    Anything,
    Contains(&'a str),
    Regex(&'a str),
    Exactly(&'a str),
}

impl<'a> Pattern<'a> {
    /// A mark whose first character stands twice is a literal.
    fn of(text: &'a str) -> Self {
        if text == "*" {
            return Self::Anything;
        }
        if ["~~", "//", "**"].iter().any(|doubled| text.starts_with(doubled)) {
            return Self::Exactly(&text[1..]);
        }
        if let Some(part) = text.strip_prefix('~') {
            return Self::Contains(part);
        }
        let inner = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        inner.map_or(Self::Exactly(text), Self::Regex)
    }
}

/// What is wrong with an expectation before anything is played: a regular expression that is none.
pub(super) fn check(expected: &Value) -> Result<(), String> {
    match expected {
        Value::String(text) => match Pattern::of(text) {
            Pattern::Regex(regex) => {
                Regex::new(regex).map(drop).map_err(|error| format!("/{regex}/ is no regular expression: {error}"))
            }
            _ => Ok(()),
        },
        Value::Array(items) => items.iter().try_for_each(check),
        Value::Object(fields) => fields.values().try_for_each(check),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_matches_and_what_does_not() {
        let cases = [
            (json!({"a": 1}), json!({"a": 1, "b": 2}), true),
            (json!({"a": 1, "b": 2}), json!({"a": 1}), false),
            (json!([1, 2]), json!([1, 2]), true),
            (json!([1]), json!([1, 2]), false),
            (json!([2, 1]), json!([1, 2]), false),
            (json!([{"a": 1}]), json!([{"a": 1, "b": 2}]), true),
            (json!("x"), json!("x"), true),
            (json!("x"), json!("X"), false),
            (json!("~ANSWER"), json!("the answer is"), true),
            (json!("~answer"), json!(42), false),
            (json!("/^[0-9a-f]{8}$/"), json!("0a1b2c3d"), true),
            (json!("/b+/"), json!("abbc"), true),
            (json!("/^b/"), json!("abbc"), false),
            (json!("*"), json!(false), true),
            (json!("*"), json!(null), false),
            (json!({"a": "*"}), json!({}), false),
            (json!("~~x"), json!("~x"), true),
            (json!("//x/"), json!("/x/"), true),
            (json!("**"), json!("*"), true),
            (json!("/x"), json!("/x"), true),
            (json!({"a": {"$absent": true}}), json!({}), true),
            (json!({"a": {"$absent": true}}), json!({"a": null}), true),
            (json!({"a": {"$absent": true}}), json!({"a": 0}), false),
            (json!({"$has": {"a": 2}}), json!([{"a": 1}, {"a": 2}]), true),
            (json!({"$has": 3}), json!([1, 2]), false),
            (json!({"$has": 3}), json!(3), false),
            (json!(1), json!(1.0), true),
            (json!(null), json!(null), true),
            (json!({"a": null}), json!({}), false),
            (json!(true), json!("true"), false),
        ];
        for (expected, came, matches) in cases {
            assert_eq!(compare(&expected, &came).is_ok(), matches, "{expected} against {came}");
        }
    }

    #[test]
    fn a_difference_says_where() {
        let difference = compare(&json!({"a": [{"b": "~no"}]}), &json!({"a": [{"b": "yes"}]})).unwrap_err();
        assert_eq!(difference.path, ".a.0.b");
        assert_eq!((difference.expected, difference.came), (json!("~no"), json!("yes")));
    }

    #[test]
    fn a_regular_expression_that_is_none_is_found_before_playing() {
        assert!(check(&json!({"a": ["/(/"]})).unwrap_err().contains("/(/"));
        assert!(check(&json!({"a": ["//(/", "/x/"]})).is_ok());
    }
}
