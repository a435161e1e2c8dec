//! What is wrong with the arguments, and where. For [`arguments`](super) alone.

use serde_json::Value;

use super::text;
use crate::tool_error::McpToolError;

/// One wrong argument. Paths are like `steps[2].count`, and empty at the top.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum Fault {
    #[error("The argument `{path}` is wrong: it is {came}, but must be {expected}.")]
    Wrong { path: String, came: String, expected: String },
    #[error("The argument `{path}` is missing: it must be {expected}.")]
    Missing { path: String, expected: String },
    #[error("This tool takes no arguments, but `{name}` came.")]
    TakesNone { name: String },
    #[error("There is no argument `{name}`. The arguments are: {allowed}.")]
    UnknownArgument { name: String, allowed: String },
    #[error("The argument `{path}` has no `{name}`. It has: {allowed}.")]
    UnknownPart { path: String, name: String, allowed: String },
}

impl Fault {
    pub(super) fn wrong(path: &str, value: &Value, expected: String) -> Self {
        if path.is_empty() {
            return Self::Wrong { path: "arguments".to_owned(), came: text::came(value), expected };
        }
        Self::Wrong { path: path.to_owned(), came: text::came(value), expected }
    }

    pub(super) fn unknown_name(path: &str, name: &str, allowed: &[&str]) -> Self {
        let name = name.to_owned();
        if path.is_empty() && allowed.is_empty() {
            return Self::TakesNone { name };
        }
        let allowed = allowed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        match path {
            "" => Self::UnknownArgument { name, allowed },
            path => Self::UnknownPart { path: path.to_owned(), name, allowed },
        }
    }

    /// The words for the assistant, without a type's name before them.
    pub(super) fn into_tool_error(self) -> McpToolError {
        McpToolError::new(self.to_string())
    }

    /// How deep it is: the length of its path.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Wrong { path, .. } | Self::Missing { path, .. } | Self::UnknownPart { path, .. } => path.len(),
            Self::TakesNone { .. } | Self::UnknownArgument { .. } => 0,
        }
    }
}
