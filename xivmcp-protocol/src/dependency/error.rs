//! What can be wrong with a declaration.

use super::RepoUrlError;
use super::declaration::MAX_TOOLS;
use crate::object::shown;
use crate::{ToolName, ToolNameError, VersionError};

/// What is wrong with a declaration. Fields are named by their path in the JSON, counted from 0.
///
/// ```
/// use xivmcp_protocol::{DeclarationError, DependencyDeclaration};
///
/// let error = DependencyDeclaration::parse(r#"{"tools":[{}]}"#).unwrap_err();
/// assert_eq!(error, DeclarationError::Missing { field: "tools[0].tool".to_owned() });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeclarationError {
    /// The text is no JSON at all.
    #[error("the declaration is no JSON: {reason}")]
    NotJson {
        /// What is wrong, and where.
        reason: String,
    },
    /// A field is needed and is not there, or is null.
    #[error("`{field}` is missing")]
    Missing {
        /// The field.
        field: String,
    },
    /// A field is not what it must be.
    #[error("{field} must be {expected}, not {value}", field = if field.contains(' ') { field.clone() } else { format!("`{field}`") })]
    WrongType {
        /// The field, or `the declaration`.
        field: String,
        /// What it must be.
        expected: &'static str,
        /// What came, as JSON, cut.
        value: String,
    },
    /// More than 64 tools.
    #[error("`tools` has {count} tools; at most {MAX_TOOLS} can be declared")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A tool's name has not the form of one.
    #[error("`{field}`: {source}")]
    Tool {
        /// The field.
        field: String,
        /// What is wrong.
        source: ToolNameError,
    },
    /// A tool is declared twice.
    #[error("{tool} is declared twice, in `tools[{first}]` and `tools[{second}]`")]
    Twice {
        /// The tool.
        tool: ToolName,
        /// Where it stands first.
        first: usize,
        /// Where it stands again.
        second: usize,
    },
    /// A tool of the host came with a plugin.
    #[error("`tools[{index}]`: {tool} is a tool of XIV MCP and must stand alone, without {given}")]
    HostToolNotAlone {
        /// Which of the tools.
        index: usize,
        /// The tool.
        tool: ToolName,
        /// The keys that must go, as a list.
        given: String,
    },
    /// A tool that is not the host's lacks keys, or has them blank.
    #[error(
        "`tools[{index}]`: {tool} is no tool of XIV MCP, and for a tool of another plugin {missing} {}",
        are_missing(missing)
    )]
    NoHostTool {
        /// Which of the tools.
        index: usize,
        /// The tool.
        tool: ToolName,
        /// The keys that are missing or blank, as a list.
        missing: String,
    },
    /// A tool has some keys of another plugin's tool and lacks the others; found without the host's list of tools.
    #[error(
        "`tools[{index}]`: {tool} must stand alone if it is a tool of XIV MCP, and for a tool of another plugin {missing} {}",
        are_missing(missing)
    )]
    KeysMissing {
        /// Which of the tools.
        index: usize,
        /// The tool.
        tool: ToolName,
        /// The keys that are missing or blank, as a list.
        missing: String,
    },
    /// A plugin's internal name has not the form of one.
    #[error("`{field}`: `{}` is no internal name: it must be 1 to 64 of A-Z a-z 0-9 . _ -", shown(value))]
    Plugin {
        /// The field.
        field: String,
        /// What came, whole.
        value: String,
    },
    /// A repository has not the form of one.
    #[error("`{field}`: {source}")]
    Repo {
        /// The field.
        field: String,
        /// What is wrong.
        source: RepoUrlError,
    },
    /// A version has not the form of one.
    #[error("`{field}`: {source}")]
    MinVersion {
        /// The field.
        field: String,
        /// What is wrong.
        source: VersionError,
    },
}

fn are_missing(keys: &str) -> &'static str {
    if keys.contains(',') { "are missing" } else { "is missing" }
}
