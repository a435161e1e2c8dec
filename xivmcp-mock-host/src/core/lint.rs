//! What the real host accepts in silence, but an author would want to know.

use std::fmt;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lint {
    /// Which kind of finding.
    pub kind: LintKind,
    /// The plugin that it is about, as Dalamud spells it.
    pub plugin: String,
    /// The tool that it is about; empty where it is about none.
    pub tool: String,
    /// What was found, and what would be right.
    pub message: String,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LintKind {
    /// A definition has a field that the host does not know.
    UnknownField,
    /// `readOnly` or `destructive` is no boolean, and counts as false.
    FlagNoBoolean,
    /// A description is longer than what the assistant is shown.
    LongDescription,
    /// A result is longer than what the assistant is shown.
    LongResult,
    /// A tool's name does not start with the plugin's internal name and `_`.
    ToolName,
    /// A job's step uses a tool that the plugin did not declare.
    UndeclaredTool,
    /// A result has names in `snake_case`.
    SnakeCaseResult,
    /// A call went on for two minutes after it was cancelled.
    IgnoredCancel,
    /// An argument that the tool's schema does not have, and that the plugin accepted.
    UnknownArgument,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plugin)?;
        if !self.tool.is_empty() {
            write!(f, ", {}", self.tool)?;
        }
        write!(f, ": {}", self.message)
    }
}
