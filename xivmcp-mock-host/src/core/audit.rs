//! The audit log (R-AUD-1): one entry for each gated call and each approval.

use std::collections::HashMap;

use xivmcp_protocol::cut_utf16;

use super::Core;
use super::dalamud::plugin_key;
use super::time::Time;

/// How much of the arguments an entry keeps.
const ARGS_UNITS: usize = 300;

/// All entries, oldest first, and where each plugin's are.
#[derive(Debug, Default)]
pub(super) struct Audit {
    entries: Vec<AuditEntry>,
    by_plugin: HashMap<String, Vec<usize>>,
}

impl Audit {
    pub(super) fn add(&mut self, entry: AuditEntry) {
        self.by_plugin.entry(plugin_key(&entry.plugin)).or_default().push(self.entries.len());
        self.entries.push(entry);
    }
}

impl Core {
    /// The audit log, newest entry first; with `plugin` only what is about its tools (`XivMcp`: the host's own).
    pub(crate) fn audit<'a>(&'a self, plugin: Option<&str>) -> Box<dyn Iterator<Item = &'a AuditEntry> + 'a> {
        match plugin {
            None => Box::new(self.audit.entries.iter().rev()),
            Some(plugin) => {
                let places = self.audit.by_plugin.get(&plugin_key(plugin));
                Box::new(places.into_iter().flatten().rev().filter_map(|at| self.audit.entries.get(*at)))
            }
        }
    }
}

/// Arguments as an entry keeps them.
pub(super) fn cut_args(args: &str) -> String {
    cut_utf16(args, ARGS_UNITS).to_owned()
}

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

impl AuditKind {
    /// The word for it in the audit log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Approval => "approval",
        }
    }
}

impl Decision {
    /// The word for it in the audit log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Approved => "approved",
            Self::ApprovedSession => "approved_session",
            Self::ApprovedAlways => "approved_always",
            Self::Denied => "denied",
            Self::Blocked => "blocked",
            Self::Refused => "refused",
        }
    }
}

impl ReportedEnd {
    /// The word for it in the audit log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}
