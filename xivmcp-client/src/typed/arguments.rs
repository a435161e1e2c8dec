//! JSON text into the handler's argument type. For the erased handlers alone.

use serde::de::DeserializeOwned;

use crate::tool_error::McpToolError;

/// Reads a call's arguments. Blank text counts as `{}`.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, McpToolError> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| McpToolError::new(error.to_string()))
}
