//! Brings a schema of schemars into the strict form, at any depth. For [`schema`](super) alone.

use serde_json::{Map, Value, json};

/// A reference was met: the type with this name contains itself.
pub(super) struct Reference(pub(super) String);

/// Changes the schema in place. The rules are those of the [module above](super).
pub(super) fn make_strict(schema: &mut Value) -> Result<(), Reference> {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({ "not": {} }),
        Value::Object(object) => {
            if let Some(target) = object.get("$ref").and_then(Value::as_str) {
                let name = target.rsplit('/').next().unwrap_or(target);
                return Err(Reference(name.replace("~1", "/").replace("~0", "~")));
            }
            make_parts_strict(object)?;
            for keyword in ["$schema", "$defs", "definitions"] {
                object.remove(keyword);
            }
            close(object);
            drop_null(object);
            drop_number_format(object);
            give_items(object);
        }
        _ => {}
    }
    Ok(())
}

fn make_parts_strict(object: &mut Map<String, Value>) -> Result<(), Reference> {
    for (keyword, part) in object {
        match (keyword.as_str(), part) {
            ("properties" | "patternProperties" | "dependentSchemas", Value::Object(parts)) => {
                parts.values_mut().try_for_each(make_strict)?;
            }
            ("prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                parts.iter_mut().try_for_each(make_strict)?;
            }
            ("additionalProperties" | "unevaluatedProperties" | "items" | "unevaluatedItems", Value::Bool(_)) => {}
            (
                "additionalProperties"
                | "unevaluatedProperties"
                | "items"
                | "unevaluatedItems"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else"
                | "propertyNames",
                part,
            ) => make_strict(part)?,
            _ => {}
        }
    }
    Ok(())
}

/// Boolean schemas that say what comes after the named parts.
fn close(object: &mut Map<String, Value>) {
    // A length says the same as "no further items".
    for keyword in ["items", "unevaluatedItems"] {
        match object.get(keyword) {
            Some(Value::Bool(true)) => drop(object.insert(keyword.to_owned(), json!({}))),
            Some(Value::Bool(false)) => drop(object.remove(keyword)),
            _ => {}
        }
    }
    if let Some(further) = object.remove("unevaluatedProperties") {
        // "No others" beside alternatives would forbid those of the alternatives if it were said here.
        let alternatives = ["anyOf", "oneOf", "allOf"].iter().any(|keyword| object.contains_key(*keyword));
        if !(alternatives && further == Value::Bool(false)) {
            object.entry("additionalProperties").or_insert(further);
        }
    }
}

/// Null is never shown, though it is accepted for what may be absent.
fn drop_null(object: &mut Map<String, Value>) {
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Array(values)) = object.get_mut("enum")
        && values.iter().any(|value| !value.is_null())
    {
        values.retain(|value| !value.is_null());
    }
    for keyword in ["anyOf", "oneOf"] {
        drop_null_alternative(object, keyword);
    }
    if let Some(Value::Array(types)) = object.get("type") {
        let mut named: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
        object.remove("type");
        match named.len() {
            0 => drop(object.insert("type".to_owned(), "null".into())),
            1 => drop(object.insert("type".to_owned(), named.remove(0))),
            _ => {
                let each: Vec<Value> = named.into_iter().map(|name| json!({ "type": name })).collect();
                insert_alternatives(object, each);
            }
        }
    }
}

fn insert_alternatives(object: &mut Map<String, Value>, each: Vec<Value>) {
    if object.contains_key("anyOf") {
        object.entry("allOf").or_insert_with(|| json!([])).as_array_mut().into_iter().for_each(|all| {
            all.push(json!({ "anyOf": each }));
        });
    } else {
        object.insert("anyOf".to_owned(), Value::Array(each));
    }
}

fn drop_null_alternative(object: &mut Map<String, Value>, keyword: &str) {
    let is_null = |schema: &Value| schema.get("type").is_some_and(|name| name == "null");
    let Some(Value::Array(alternatives)) = object.get_mut(keyword) else {
        return;
    };
    if alternatives.iter().all(is_null) {
        return;
    }
    alternatives.retain(|schema| !is_null(schema));
    if let [Value::Object(only)] = alternatives.as_mut_slice() {
        let only = std::mem::take(only);
        // One alternative is none: it moves up, where nothing stands in its way. What the field says of itself counts
        // more than what its type says.
        if only.keys().all(|key| key == "description" || key == "title" || key == keyword || !object.contains_key(key))
        {
            object.remove(keyword);
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        } else {
            object.insert(keyword.to_owned(), json!([only]));
        }
    }
}

fn drop_number_format(object: &mut Map<String, Value>) {
    let of_number = object.get("type").is_some_and(|name| name == "integer" || name == "number");
    if of_number {
        object.remove("format");
    }
}

/// Some apps refuse an array without `items`, and some do not know `prefixItems`.
fn give_items(object: &mut Map<String, Value>) {
    let Some(Value::Array(each)) = object.get("prefixItems") else {
        return;
    };
    let mut different: Vec<Value> = Vec::new();
    for item in each {
        if !different.contains(item) {
            different.push(item.clone());
        }
    }
    if object.contains_key("items") || different.is_empty() {
        return;
    }
    if different.len() == 1 {
        object.remove("prefixItems");
        object.insert("items".to_owned(), different.remove(0));
    } else {
        object.insert("items".to_owned(), json!({ "anyOf": different }));
    }
}
