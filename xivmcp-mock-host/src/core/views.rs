//! What drivers and tests see of the core's state: data only, made when asked for.

use xivmcp_protocol::JsonText;

use super::time::Time;

/// A tool as tools/list offers it. The description is the author's, without mark or cut.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedTool {
    /// The tool's name.
    pub name: String,
    /// The plugin whose tool it is, as Dalamud spells it; nothing for the host's own.
    pub plugin: Option<String>,
    /// The plugin's display name; nothing for the host's own.
    pub plugin_name: Option<String>,
    /// The description, as registered.
    pub description: String,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// Whether its changes are hard to undo.
    pub destructive: bool,
    /// The schema of its arguments.
    pub input_schema: JsonText,
}

/// A call of one of the host's own tools.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuiltinCall {
    /// When it began.
    pub time: Time,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: JsonText,
    /// Who called: `assistant`, `assistant:<client>` or `plugin:<owner>`.
    pub caller: String,
}

/// How one of the host's own tools answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuiltinScript {
    /// The result, or the error.
    pub answer: Result<JsonText, String>,
    /// How long it takes.
    pub takes: std::time::Duration,
}

impl BuiltinScript {
    /// Answers `answer` after `takes`.
    #[must_use]
    pub fn new(answer: Result<JsonText, String>, takes: std::time::Duration) -> Self {
        Self { answer, takes }
    }
}

/// How much is open. All zero: nothing is left behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingCounts {
    /// Calls that have not ended.
    pub calls: usize,
    /// Questions without an answer.
    pub questions: usize,
    /// Approval ids that were not read to their end.
    pub approvals: usize,
    /// Timers, but for the seven days of finished jobs.
    pub timers: usize,
    /// Steps of jobs that run.
    pub steps: usize,
}

/// Why the player cannot do that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct PlayerError {
    /// What is wrong, and what would be right.
    pub message: String,
}
