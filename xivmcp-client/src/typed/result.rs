//! A handler's result into JSON text. For the erased handlers alone.

use serde::Serialize;

use crate::tool_error::McpToolError;

/// Writes a handler's result.
pub(crate) fn to_json<R: Serialize>(result: &R) -> Result<String, McpToolError> {
    serde_json::to_string(result).map_err(|error| McpToolError::new(error.to_string()))
}
