//! The input schema of a typed tool, derived from its argument type.

use schemars::JsonSchema;

/// Why no input schema could be derived from a handler's argument type. The fault is the plugin's, and shows when the
/// tool is added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The arguments are always a JSON object, and this type is something else.
    #[error(
        "the arguments of a tool are a JSON object, but `{name}` is not one: take a struct, or a map from `String`"
    )]
    NotAnObject {
        /// The type's name.
        name: String,
    },
}

/// Derives the schema of `T`, as JSON text.
pub(crate) fn derive<T: JsonSchema>() -> Result<String, SchemaError> {
    let schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>();
    if schema.get("type").and_then(serde_json::Value::as_str) != Some("object") {
        return Err(SchemaError::NotAnObject { name: T::schema_name().into_owned() });
    }
    Ok(schema.as_value().to_string())
}
