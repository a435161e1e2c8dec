//! What the player is asked, and what the player can answer.

use super::time::Time;

/// A question that the player sees.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// The question's number; later questions have higher ones.
    pub id: u64,
    /// The plugin whose tool it is, as Dalamud spells it; `XivMcp` for the host's own tools.
    pub plugin: String,
    /// The tool.
    pub tool: String,
    /// What the tool may do: the acting capabilities, or `read_game`. For an approval, the one that was asked for.
    pub capabilities: Vec<String>,
    /// What the plugin wrote for the player; nothing if the question is about a whole call.
    pub summary: Option<String>,
    /// Who wants it: `assistant`, `assistant:<client>` or `plugin:<owner>`.
    pub caller: String,
    /// The call that it is about.
    pub call: String,
    /// When it was asked.
    pub since: Time,
}

/// What the player answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Answer {
    /// No.
    Denied,
    /// Yes, this time.
    Once,
    /// Yes, and ask no more in this session.
    Session,
    /// Yes, and ask no more.
    Always,
}
