//! JSON text into a handler's argument type, or an error that an assistant can correct itself by. For the erased
//! handlers alone.
//!
//! The text is parsed straight into the type, while the names at the top are looked at as they pass
//! ([`names`](self::names)). Only if that fails, it is read again:
//!
//! **What is accepted beyond serde.** Assistants send what their model wrote, and models write `30.0` for 30, `"30"`,
//! `"true"`, a list as text, and null for "none". So after a failure the arguments are held against the schema, and
//!
//! - an integral float counts as an integer (`30.0`, `3e1`, up to 2^53);
//! - a text that is the JSON of what is expected counts as that, where the schema allows no text: numbers, booleans
//!   (also `True`), arrays and objects. Where a text is allowed it stays a text, and nothing else ever becomes a text;
//! - null counts as absent for what may be absent, also where the type has a default instead of an `Option`;
//! - blank text and null count as no arguments.
//!
//! If serde takes the result, the handler runs. If not, the error says which argument is wrong, what came and what was
//! expected, and for enums and names the allowed ones. Where the schema shows no fault, serde's own words are used.
//!
//! A name at the top that the type does not read is an error, for it is most likely a misspelt one whose value would be
//! dropped in silence. Aliases count. Deeper down, that is serde's `deny_unknown_fields`.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::schema;
use crate::tool_error::McpToolError;
use fault::Fault;
use names::{Allowed, Watch};

mod fault;
mod fit;
mod names;
mod text;

/// Reads a call's arguments as a type of which no schema is known: serde alone says what is right.
pub(crate) fn parse<T: DeserializeOwned>(json: &str) -> Result<T, McpToolError> {
    Arguments { derive: || None, schema: OnceLock::new() }.parse(json)
}

/// Reads the arguments of one tool.
pub(crate) struct Arguments {
    derive: fn() -> Option<Value>,
    /// The type's schema, derived when it is first needed; nothing if there is none.
    schema: OnceLock<Option<Value>>,
}

impl Arguments {
    /// For arguments of this type.
    pub(crate) fn of<T: JsonSchema>() -> Self {
        Self { derive: || schema::derive_value::<T>().ok(), schema: OnceLock::new() }
    }

    /// Reads a call's arguments.
    pub(crate) fn parse<T: DeserializeOwned>(&self, json: &str) -> Result<T, McpToolError> {
        let json = if json.trim_ascii().is_empty() { "{}" } else { json };
        let closed_names = || self.closed_names();
        let watch = Watch::new(&closed_names);
        match watch.parse(json) {
            Ok(value) if watch.saw_no_other() => Ok(value),
            Ok(value) => {
                self.no_name_is_lost::<T>(json, &watch)?;
                Ok(value)
            }
            Err(_) => self.parse_again(json, &watch),
        }
    }

    fn schema(&self) -> Option<&Value> {
        self.schema.get_or_init(self.derive).as_ref()
    }

    fn properties(&self) -> Option<&Map<String, Value>> {
        self.schema()?.get("properties")?.as_object()
    }

    /// The names that there are, for types whose names serde does not tell (those with a flattened part); nothing if
    /// any name will do.
    fn closed_names(&self) -> Option<&Map<String, Value>> {
        let schema = self.schema()?;
        let closed = matches!(schema.get("additionalProperties"), None | Some(Value::Bool(false)))
            && schema.get("patternProperties").is_none();
        self.properties().filter(|_| closed)
    }

    #[cold]
    fn parse_again<T: DeserializeOwned>(&self, json: &str, first: &Watch<'_>) -> Result<T, McpToolError> {
        let mut value: Value = serde_json::from_str(json)
            .map_err(|error| McpToolError::new(format!("The arguments are no valid JSON: {error}.")))?;
        if let Value::String(inner) = &value
            && let Ok(inside) = serde_json::from_str(inner)
        {
            value = inside;
        }
        if value.is_null() {
            value = Value::Object(Map::new());
        }
        let Value::Object(arguments) = &value else {
            let came = text::came(&value);
            return Err(McpToolError::new(format!("The arguments must be one JSON object, but came as {came}.")));
        };
        if let Some(fields) = first.fields() {
            let other = arguments.keys().find(|name| !fields.contains(&name.as_str()));
            other.map_or(Ok(()), |name| Err(self.unknown(name, first)))?;
        }
        let fault = self.schema().and_then(|schema| fit::fit(&mut value, schema, &mut String::new()));
        let json = value.to_string();
        let closed_names = || self.closed_names();
        let watch = Watch::new(&closed_names);
        match watch.parse(&json) {
            Ok(value) => {
                if !watch.saw_no_other() {
                    self.no_name_is_lost::<T>(&json, &watch)?;
                }
                Ok(value)
            }
            Err(error) => Err(fault.map_or_else(|| in_serdes_words::<T>(&json, &error), Fault::into_tool_error)),
        }
    }

    /// Called after a successful parse that saw names which are not in the list.
    #[cold]
    fn no_name_is_lost<T: DeserializeOwned>(&self, json: &str, watch: &Watch<'_>) -> Result<(), McpToolError> {
        for name in watch.take_others() {
            // serde names all fields of a struct, with their aliases. The schema, which knows a struct with a flattened
            // part, does not know aliases: there the name is lost only if its value makes no difference.
            if watch.fields().is_some() || makes_no_difference::<T>(json, &name) {
                return Err(self.unknown(&name, watch));
            }
        }
        Ok(())
    }

    fn unknown(&self, name: &str, watch: &Watch<'_>) -> McpToolError {
        let allowed: Vec<&str> = match (self.properties(), watch.fields()) {
            (Some(properties), _) => properties.keys().map(String::as_str).collect(),
            (None, Some(fields)) => fields.to_vec(),
            (None, None) => Vec::new(),
        };
        Fault::unknown_name("", name, &allowed).into_tool_error()
    }
}

/// Whether values of every kind are taken under that name. A field would refuse some of them.
fn makes_no_difference<T: DeserializeOwned>(json: &str, name: &str) -> bool {
    let Ok(Value::Object(mut arguments)) = serde_json::from_str(json) else {
        return false;
    };
    let kinds = [Value::Null, true.into(), (-0.5).into(), "\u{1}".into(), vec![Value::Null].into(), Map::new().into()];
    kinds.into_iter().all(|value| {
        arguments.insert(name.to_owned(), value);
        serde_json::from_str::<T>(&Value::Object(arguments.clone()).to_string()).is_ok()
    })
}

fn in_serdes_words<T: DeserializeOwned>(json: &str, error: &serde_json::Error) -> McpToolError {
    let located: Result<T, _> = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(json));
    let (path, words) = match &located {
        Err(located) => (located.path().to_string(), located.inner().to_string()),
        Ok(_) => (String::new(), error.to_string()),
    };
    // Lines and columns are of a text that nobody has seen.
    let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
    let words = text::without_rusts_names(words);
    McpToolError::new(match path.as_str() {
        "" | "." => format!("The arguments are wrong: {words}."),
        path => format!("The argument `{path}` is wrong: {words}."),
    })
}

impl Allowed for Map<String, Value> {
    fn has(&self, name: &str) -> bool {
        self.contains_key(name)
    }
}

#[cfg(test)]
mod tests;
