//! The input schema of a typed tool, derived from its argument type, in the form that strict AI apps accept. The
//! erased handlers offer it, the client asks for it when a tool is added that brings no schema of its own.
//!
//! What schemars writes is brought into this form:
//!
//! - the root has `"type": "object"` and always `properties`, and no alternatives beside them (those of a flattened
//!   enum are merged into the properties: some apps refuse alternatives there);
//! - no `$schema`, `$ref` or `$defs`: nested types stand where they are used;
//! - no boolean schemas but for `additionalProperties`: a free-form `Value` is `{}`;
//! - no `format` of numbers (`uint8` is no format that JSON Schema knows); `minimum` and `maximum` stay;
//! - `Option<X>` is X's schema and not required; nowhere a list of types, a null in an `enum`, or a default of null.
//!   Null is still accepted for what may be absent;
//! - arrays of a fixed form (tuples) have `items` too.
//!
//! Doc comments of types, fields and variants become descriptions. Properties are listed by name, as `serde_json`'s maps
//! are.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

mod root;
mod strict;

/// Why no input schema could be derived from a handler's argument type. The fault is the plugin's, and shows when the
/// tool is added.
///
/// ```
/// use xivmcp_client::{AddToolError, McpToolDefinition, SchemaError, TestCall};
///
/// let client = TestCall::new("myplugin_go").call().client();
/// let definition = McpToolDefinition::new("myplugin_go", "Goes there.").read_only(true);
/// let error = client.add_tool(definition, |place: String| Ok(place)).unwrap_err();
/// let AddToolError::Schema { error: SchemaError::NotAnObject { name, is }, .. } = error else { panic!("{error}") };
/// assert_eq!((name.as_str(), is), ("string", "a text"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The arguments are always a JSON object, and this type is something else.
    #[error(
        "the arguments of a tool are one JSON object, but `{name}` is {is}: take a struct that has it as a field, or \
         give the tool's definition an input schema"
    )]
    NotAnObject {
        /// The type's name.
        name: String,
        /// What it is instead, such as `a text`.
        is: &'static str,
    },
    /// A type contains itself, which a schema without references cannot say.
    #[error(
        "no input schema can be derived from `{name}`, because `{within}` contains itself: take a `serde_json::Value` \
         there, or give the tool's definition an input schema"
    )]
    Recursive {
        /// The type of the arguments.
        name: String,
        /// The type that contains itself.
        within: String,
    },
}

/// Derives the schema of `T`, as JSON text.
pub(crate) fn derive<T: JsonSchema>() -> Result<String, SchemaError> {
    let schema = derive_value::<T>()?;
    // schemars writes the keywords in the order in which people read them.
    Ok(match Schema::try_from(schema) {
        Ok(schema) => serde_json::to_string(&schema).unwrap_or_default(),
        Err(_) => String::new(),
    })
}

/// Derives the schema of `T`.
pub(super) fn derive_value<T: JsonSchema>() -> Result<Value, SchemaError> {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().subschema_for::<T>().to_value();
    shape(schema, &T::schema_name())
}

fn shape(mut schema: Value, name: &str) -> Result<Value, SchemaError> {
    strict::make_strict(&mut schema)
        .map_err(|within| SchemaError::Recursive { name: name.to_owned(), within: within.0 })?;
    root::make_root(&mut schema).map_err(|is| SchemaError::NotAnObject { name: name.to_owned(), is })?;
    Ok(schema)
}

#[cfg(test)]
mod tests;
