//! The audit log (R-AUD-1): one entry for each gated call and each approval.

use super::time::Time;

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AuditEntry {
    /// When it was asked.
    pub time: Time,
    /// The plugin whose tool it is; `XivMcp` for the host's own.
    pub plugin: String,
    /// The tool.
    pub tool: String,
    /// A call, or an approval during one.
    pub kind: AuditKind,
    /// Who asked: `assistant`, `assistant:<client>` or `plugin:<owner>`.
    pub caller: String,
    /// The arguments' JSON, cut at 300 characters; nothing for an approval.
    pub args: Option<String>,
    /// What the tool declared; for an approval, what was asked for.
    pub capabilities: Vec<String>,
    /// What was decided.
    pub decision: Decision,
    /// How it ended; nothing if it never ran.
    pub outcome: Option<ReportedEnd>,
    /// What went wrong.
    pub error: Option<String>,
    /// How long it took, in milliseconds; nothing if it never ran.
    pub duration_ms: Option<u64>,
    /// Whether it was a step of a job.
    pub in_job: bool,
    /// What it did to the game.
    pub effects: Vec<AuditEffect>,
    /// Whether it did, or asked for, what was not declared.
    pub flagged: bool,
    /// Whether the plugin was suspended for it.
    pub suspended: bool,
    /// What the plugin wrote for the player; only for an approval.
    pub summary: Option<String>,
}

/// What an entry of the audit log is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AuditKind {
    /// A call.
    Call,
    /// An approval during a call.
    Approval,
}

/// What was decided about a call or an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Decision {
    /// The setting is allow.
    Allowed,
    /// The player said yes, once.
    Approved,
    /// The player said yes for this session, now or before.
    ApprovedSession,
    /// The player said always.
    ApprovedAlways,
    /// The player said no, or nothing.
    Denied,
    /// A setting or a state forbids it.
    Blocked,
    /// The tool did not declare the capability.
    Refused,
}

/// How a call ended, as the audit log says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportedEnd {
    /// It gave a result.
    Ok,
    /// It failed.
    Error,
    /// It was cancelled.
    Cancelled,
}

/// Something that a call did to the game (SPEC §8).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditEffect {
    /// Which: `spent_gil`, `moved`, …
    pub effect: String,
    /// How much, or from where to where.
    pub detail: String,
}
