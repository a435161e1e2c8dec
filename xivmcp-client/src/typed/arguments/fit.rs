//! Holds arguments against their schema: brings what means the right thing into the right form, and finds the first
//! fault. For [`arguments`](super) alone, after a parse has failed. What serde then takes is right, whatever the schema
//! says, so a fault does not end the walk.

use serde_json::{Map, Number, Value};

use super::fault::Fault;
use super::text;

/// Integers beyond this have no exact float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Changes the value in place where the rule of the [module above](super) says so. Gives the first fault.
pub(super) fn fit(value: &mut Value, schema: &Value, path: &mut String) -> Option<Fault> {
    let fixed = match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(std::slice::from_ref(only)),
        (None, Some(Value::Array(values))) => Some(values.as_slice()),
        _ => None,
    };
    if let Some(fixed) = fixed {
        if !fixed.contains(value) && schema.get("type").is_some_and(|name| name != "string") {
            let _ = fit_type(value, schema, path);
        }
        return (!fixed.contains(value)).then(|| Fault::wrong(path, value, text::one_of(fixed.iter())));
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(alternatives)) = schema.get(keyword) {
            return fit_one_of(value, alternatives, path);
        }
    }
    fit_type(value, schema, path)
}

fn fit_type(value: &mut Value, schema: &Value, path: &mut String) -> Option<Fault> {
    let name = schema.get("type").and_then(Value::as_str)?;
    if let Value::String(text) = value
        && let Some(meant) = meant(text, name)
    {
        *value = meant;
    }
    match (name, &mut *value) {
        ("integer", Value::Number(number)) => {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64())
                && float.fract() == 0.0
                && float.abs() <= EXACT
            {
                #[expect(clippy::cast_possible_truncation, reason = "it is integral and small enough")]
                let integer = float as i64;
                *number = integer.into();
            }
            let right = !number.is_f64() && within(number, schema);
            (!right).then(|| Fault::wrong(path, value, text::expected(schema)))
        }
        ("number", Value::Number(number)) if within(number, schema) => None,
        ("boolean", Value::Bool(_)) | ("null", Value::Null) => None,
        ("string", Value::String(text)) => {
            let length = text.chars().count() as u64;
            let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
            let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
            (!(least..=most).contains(&length)).then(|| Fault::wrong(path, value, text::expected(schema)))
        }
        ("array", Value::Array(items)) => {
            let length = items.len() as u64;
            let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            let inside = fit_items(items, schema, path);
            if (least..=most).contains(&length) {
                return inside;
            }
            let came = format!("an array of {length}");
            Some(Fault::Wrong { path: path.clone(), came, expected: text::expected(schema) })
        }
        ("object", Value::Object(object)) => fit_object(object, schema, path),
        ("integer" | "number" | "boolean" | "null" | "array" | "object" | "string", _) => {
            Some(Fault::wrong(path, value, text::expected(schema)))
        }
        _ => None,
    }
}

/// What a text says in JSON, if that is what is expected.
fn meant(text: &str, expected: &str) -> Option<Value> {
    let text = text.trim();
    match expected {
        "integer" | "number" => serde_json::from_str::<Number>(text).ok().map(Value::Number),
        "boolean" if text.eq_ignore_ascii_case("true") => Some(true.into()),
        "boolean" if text.eq_ignore_ascii_case("false") => Some(false.into()),
        "array" => serde_json::from_str(text).ok().filter(Value::is_array),
        "object" => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => None,
    }
}

fn within(number: &Number, schema: &Value) -> bool {
    let number = number.as_f64().unwrap_or(f64::NAN);
    let bound = |keyword| schema.get(keyword).and_then(Value::as_f64);
    bound("minimum").is_none_or(|least| number >= least)
        && bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMinimum").is_none_or(|least| number > least)
        && bound("exclusiveMaximum").is_none_or(|most| number < most)
}

fn fit_items(items: &mut [Value], schema: &Value, path: &mut String) -> Option<Fault> {
    let first = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let rest = schema.get("items");
    let mut found = None;
    for (index, item) in items.iter_mut().enumerate() {
        // The schema does not tell which items may be null: serde knows.
        if let Some(schema) = first.get(index).or(rest)
            && !item.is_null()
        {
            let fault = within_path(path, &format!("[{index}]"), |path| fit(item, schema, path));
            found = found.or(fault);
        }
    }
    found
}

fn fit_object(object: &mut Map<String, Value>, schema: &Value, path: &mut String) -> Option<Fault> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let may_be_absent = |name: &str| !required.iter().any(|needed| needed == name);
    object.retain(|name, value| {
        !(value.is_null() && properties.get(name).is_some_and(|schema| takes_no_null(schema) && may_be_absent(name)))
    });
    let rest = schema
        .get("additionalProperties")
        .or_else(|| schema.get("patternProperties")?.as_object()?.values().next())
        .filter(|rest| rest.is_object());
    let mut found = None;
    for (name, value) in object.iter_mut() {
        let fault = match (properties.get(name), rest) {
            (Some(schema), _) => within_path(path, &step(path, name), |path| fit(value, schema, path)),
            (None, Some(_)) if value.is_null() => None,
            (None, Some(schema)) => within_path(path, &step(path, name), |path| fit(value, schema, path)),
            (None, None) if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                let allowed: Vec<&str> = properties.keys().map(String::as_str).collect();
                (schema.get("patternProperties").is_none()).then(|| Fault::unknown_name(path, name, &allowed))
            }
            (None, None) => None,
        };
        // A name that there is not explains a missing one.
        found = match (found, fault) {
            (
                Some(Fault::Wrong { .. }),
                Some(unknown @ (Fault::UnknownPart { .. } | Fault::UnknownArgument { .. })),
            ) => Some(unknown),
            (found, fault) => found.or(fault),
        };
    }
    let missing = || {
        let name = required.iter().filter_map(Value::as_str).find(|name| !object.contains_key(*name))?;
        let expected = properties.get(name).map_or_else(|| "there".to_owned(), text::expected);
        Some(Fault::Missing { path: format!("{path}{}", step(path, name)), expected })
    };
    found.or_else(missing)
}

fn takes_no_null(schema: &Value) -> bool {
    let says_something =
        ["type", "enum", "const", "anyOf", "oneOf"].iter().any(|keyword| schema.get(keyword).is_some());
    says_something && schema.get("type").is_none_or(|name| name != "null")
}

/// Which of the alternatives is meant is told by a tag (a property that is one text), or by the only key.
fn is_meant(value: &Value, alternative: &Value) -> Option<bool> {
    if let Some(key) = text::only_key(alternative) {
        return Some(value.get(key).is_some());
    }
    let mut tags = tags(alternative).peekable();
    tags.peek()?;
    Some(tags.all(|(name, tag)| value.get(name) == Some(tag)))
}

fn tags(alternative: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = alternative.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().filter_map(|(name, schema)| Some((name, schema.get("const")?)))
}

fn fit_one_of(value: &mut Value, alternatives: &[Value], path: &mut String) -> Option<Fault> {
    if let Some(meant) = alternatives.iter().find(|alternative| is_meant(value, alternative) == Some(true)) {
        return fit(value, meant, path);
    }
    let mut changed = None;
    let mut deepest: Option<Fault> = None;
    for alternative in alternatives {
        let mut copy = value.clone();
        match fit(&mut copy, alternative, path) {
            None if copy == *value => return None,
            None => changed = changed.or(Some(copy)),
            Some(fault) if is_meant(value, alternative).is_none() => {
                let deeper = deepest.as_ref().is_none_or(|before| fault.depth() > before.depth());
                deepest = if deeper { Some(fault) } else { deepest };
            }
            Some(_) => {}
        }
    }
    if let Some(changed) = changed {
        *value = changed;
        return None;
    }
    if let Some(fault) = wrong_tag(value, alternatives, path) {
        return Some(fault);
    }
    let fault = deepest.filter(|fault| fault.depth() > path.len() && matches!(fault, Fault::Wrong { .. }));
    fault.or_else(|| {
        let mut each: Vec<String> = alternatives.iter().map(text::expected).collect();
        each.dedup();
        Some(Fault::wrong(path, value, each.join(", or ")))
    })
}

/// The fault of an object whose tag is missing or unknown.
fn wrong_tag(value: &Value, alternatives: &[Value], path: &str) -> Option<Fault> {
    let object = value.as_object()?;
    let (name, _) = alternatives.iter().flat_map(tags).next()?;
    let allowed = alternatives.iter().flat_map(tags).filter(|(other, _)| *other == name).map(|(_, tag)| tag);
    let expected = text::one_of(allowed);
    let path = format!("{path}{}", step(path, name));
    Some(match object.get(name) {
        Some(tag) => Fault::wrong(&path, tag, expected),
        None => Fault::Missing { path, expected },
    })
}

fn step(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!(".{name}") }
}

fn within_path<R>(path: &mut String, step: &str, run: impl FnOnce(&mut String) -> R) -> R {
    let length = path.len();
    path.push_str(step);
    let result = run(path);
    path.truncate(length);
    result
}
