//! What counts for the root of a schema alone: it is an object, with `properties`, and without alternatives beside
//! them. For [`schema`](super) alone.

use serde_json::{Map, Value, json};

/// Changes the root in place. The error says what the type is instead of an object.
pub(super) fn make_root(schema: &mut Value) -> Result<(), &'static str> {
    let Value::Object(root) = schema else {
        return Err("anything");
    };
    match root.get("type").and_then(Value::as_str) {
        Some("object") => {}
        Some("string") => return Err("a text"),
        Some("integer" | "number") => return Err("a number"),
        Some("boolean") => return Err("a boolean"),
        Some("array") => return Err("an array"),
        Some("null") => return Err("nothing"),
        _ if root.contains_key("oneOf") || root.contains_key("anyOf") => return Err("an enum"),
        _ if root.contains_key("properties") => {
            root.insert("type".to_owned(), "object".into());
        }
        _ => return Err("anything"),
    }
    root.entry("properties").or_insert_with(|| json!({}));
    for keyword in ["allOf", "oneOf", "anyOf"] {
        merge(root, keyword);
    }
    Ok(())
}

/// Makes properties of the alternatives. What is not in all of them is not required: serde still checks it.
fn merge(root: &mut Map<String, Value>, keyword: &str) {
    let parts = match root.remove(keyword) {
        Some(Value::Array(parts)) => parts,
        Some(other) => {
            root.insert(keyword.to_owned(), other);
            return;
        }
        None => return,
    };
    let mut required: Option<Vec<Value>> = None;
    for mut part in parts {
        let Some(part) = part.as_object_mut() else {
            continue;
        };
        for inner in ["allOf", "oneOf", "anyOf"] {
            merge(part, inner);
        }
        let own = part.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        required = Some(match required.take() {
            None => own,
            Some(before) if keyword == "allOf" => before.into_iter().chain(own).collect(),
            Some(before) => before.into_iter().filter(|name| own.contains(name)).collect(),
        });
        if let Some(Value::Object(properties)) = part.remove("properties") {
            for (name, property) in properties {
                add_property(root, name, property);
            }
        }
        if let Some(further) = part.remove("additionalProperties").filter(|further| *further != Value::Bool(false)) {
            root.entry("additionalProperties").or_insert(further);
        }
    }
    for name in required.unwrap_or_default() {
        if let Some(all) = root.entry("required").or_insert_with(|| json!([])).as_array_mut()
            && !all.contains(&name)
        {
            all.push(name);
        }
    }
}

fn add_property(root: &mut Map<String, Value>, name: String, property: Value) {
    let Some(properties) = root.entry("properties").or_insert_with(|| json!({})).as_object_mut() else {
        return;
    };
    let Some(before) = properties.get_mut(&name) else {
        properties.insert(name, property);
        return;
    };
    if *before == property {
        return;
    }
    if let (Some(mut values), Some(more)) = (fixed_values(before), fixed_values(&property)) {
        for value in more {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        *before = json!({ "type": "string", "enum": values });
    } else if let Some(alternatives) = before.get_mut("anyOf").and_then(Value::as_array_mut) {
        alternatives.push(property);
    } else {
        *before = json!({ "anyOf": [before.take(), property] });
    }
}

/// The texts that a tag may be.
fn fixed_values(property: &Value) -> Option<Vec<Value>> {
    if property.get("type") != Some(&"string".into()) {
        return None;
    }
    match (property.get("const"), property.get("enum")) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}
