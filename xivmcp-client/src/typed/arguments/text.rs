//! Values and schemas in words, for the errors of [`arguments`](super) alone.

use std::borrow::Cow;

use serde_json::Value;

/// Longer texts are cut in an error.
const SHOWN: usize = 60;

/// What came, with its article.
pub(super) fn came(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(value) => format!("the number {value}"),
        Value::String(text) => match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("the text {:?} and more", &text[..end]),
            None => format!("the text {text:?}"),
        },
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// What a schema allows, with its article.
pub(super) fn expected(schema: &Value) -> String {
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return one_of(values.iter());
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(alternatives)) = schema.get(keyword) {
            let mut each: Vec<String> = alternatives.iter().map(expected).collect();
            each.dedup();
            return each.join(", or ");
        }
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => format!("an integer{}", bounds(schema)),
        Some("number") => format!("a number{}", bounds(schema)),
        Some("boolean") => "true or false".to_owned(),
        Some("string") if schema.get("maxLength") == Some(&1.into()) => "a text of one character".to_owned(),
        Some("string") => match schema.get("format").and_then(Value::as_str) {
            Some(format) => format!("a text of the format {format}"),
            None => "a text".to_owned(),
        },
        Some("array") => match (schema.get("minItems"), schema.get("maxItems")) {
            (Some(least), Some(most)) if least == most => format!("an array of {least}"),
            _ => "an array".to_owned(),
        },
        Some("object") => match only_key(schema) {
            Some(key) => format!("an object with `{key}`"),
            None => "an object".to_owned(),
        },
        Some("null") => "null".to_owned(),
        _ => "something else".to_owned(),
    }
}

/// The allowed values, the way JSON writes them.
pub(super) fn one_of<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    let each: Vec<String> = values.map(Value::to_string).collect();
    match each.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", each.join(", ")),
    }
}

/// The key of an enum's variant in serde's usual form: `{"Variant": …}`.
pub(super) fn only_key(schema: &Value) -> Option<&str> {
    let mut keys = schema.get("properties")?.as_object()?.keys();
    let key = keys.next()?;
    let alone = keys.next().is_none() && schema.get("additionalProperties") == Some(&Value::Bool(false));
    (alone && schema.get("required")?.as_array()?.len() == 1).then_some(key.as_str())
}

fn bounds(schema: &Value) -> String {
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    }
}

/// serde's words, with the range in place of a Rust type's name, which tells an assistant nothing.
pub(super) fn without_rusts_names(words: &str) -> Cow<'_, str> {
    let Some((before, name)) = words.rsplit_once(", expected ") else {
        return words.into();
    };
    let range = match name {
        "u8" => (u8::MIN.to_string(), u8::MAX.to_string()),
        "i8" => (i8::MIN.to_string(), i8::MAX.to_string()),
        "u16" => (u16::MIN.to_string(), u16::MAX.to_string()),
        "i16" => (i16::MIN.to_string(), i16::MAX.to_string()),
        "u32" => (u32::MIN.to_string(), u32::MAX.to_string()),
        "i32" => (i32::MIN.to_string(), i32::MAX.to_string()),
        "u64" => (u64::MIN.to_string(), u64::MAX.to_string()),
        "i64" => (i64::MIN.to_string(), i64::MAX.to_string()),
        "usize" => (usize::MIN.to_string(), usize::MAX.to_string()),
        "isize" => (isize::MIN.to_string(), isize::MAX.to_string()),
        "f32" | "f64" => return format!("{before}, expected a number").into(),
        _ => return words.into(),
    };
    format!("{before}, expected an integer from {} to {}", range.0, range.1).into()
}
