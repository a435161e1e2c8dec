//! XIV MCP and Dalamud without the game, for tests and for development of plugins. See the crate's README.
#![forbid(unsafe_code)]

#[allow(dead_code, reason = "the drivers that use it are being written")]
mod core;

pub use self::core::{
    Answer, AuditEffect, AuditEntry, AuditKind, BuiltinCall, BuiltinScript, Decision, GameChange, GameState, Lint,
    LintKind, ListedTool, Outcome, PendingCounts, PlayerError, Question, ReportedEnd, Time,
};
