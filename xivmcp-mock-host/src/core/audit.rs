//! The audit log (R-AUD-1): one entry for each gated call and each approval.

use std::collections::{HashMap, VecDeque};

use xivmcp_protocol::cut_utf16;

use super::Core;
use super::dalamud::plugin_key;
use super::time::Time;

/// How much of the arguments an entry keeps.
const ARGS_UNITS: usize = 300;

/// How many entries are kept; the oldest go first, so that a host that runs for days does not grow without end.
const KEPT: usize = 100_000;

/// The last entries, oldest first, and where each plugin's are.
#[derive(Debug, Default)]
pub(super) struct Audit {
    entries: VecDeque<AuditEntry>,
    /// The numbers of the entries that are kept, by the plugin's key; the first entry ever has the number 0.
    by_plugin: HashMap<String, VecDeque<usize>>,
    /// How many entries are no longer kept: the number of the first one that is.
    dropped: usize,
}

impl Audit {
    pub(super) fn add(&mut self, entry: AuditEntry) {
        if self.entries.len() == KEPT {
            self.drop_oldest();
        }
        let number = self.dropped + self.entries.len();
        self.by_plugin.entry(plugin_key(&entry.plugin)).or_default().push_back(number);
        self.entries.push_back(entry);
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.entries.pop_front() else { return };
        self.dropped += 1;
        let key = plugin_key(&oldest.plugin);
        if let Some(numbers) = self.by_plugin.get_mut(&key) {
            numbers.pop_front(); // a plugin's oldest entry is first among its own, too
            if numbers.is_empty() {
                self.by_plugin.remove(&key);
            }
        }
    }

    /// How many entries there ever were.
    #[cfg(any(test, feature = "server"))]
    pub(super) fn written(&self) -> usize {
        self.dropped + self.entries.len()
    }
}

impl Core {
    /// The audit log, newest entry first, the last 100,000 entries; with `plugin` only what of them is about its tools
    /// (`XivMcp`: the host's own).
    pub(crate) fn audit<'a>(&'a self, plugin: Option<&str>) -> Box<dyn Iterator<Item = &'a AuditEntry> + 'a> {
        let Audit { entries, by_plugin, dropped } = &self.audit;
        match plugin {
            None => Box::new(entries.iter().rev()),
            Some(plugin) => {
                let numbers = by_plugin.get(&plugin_key(plugin));
                Box::new(numbers.into_iter().flatten().rev().filter_map(move |number| entries.get(number - dropped)))
            }
        }
    }
}

/// Arguments as an entry keeps them.
pub(super) fn cut_args(args: &str) -> String {
    cut_utf16(args, ARGS_UNITS).to_owned()
}

/// One entry of the audit log (R-AUD-1), from [`MockHost::audit`](crate::MockHost::audit): a gated call, or an approval
/// during one.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let buy = xivmcp_client::McpToolDefinition::new("cat_buy", "Buys.").capabilities([xivmcp_client::McpCapabilities::SpendGil]);
/// # let buy = cat.offers(buy).returns("fish");
/// # host.player().enable(&cat);
/// use xivmcp_mock_host::{Answer, Decision};
///
/// host.player().answer_all(Answer::Denied);
/// host.assistant().named("Tataru").call("cat_buy", serde_json::json!({"fish": 3}));
/// let entry = &host.audit()[0];
/// assert_eq!((entry.caller.as_str(), entry.decision), ("assistant:Tataru", Decision::Denied));
/// assert_eq!(entry.args.as_deref(), Some(r#"{"fish":3}"#));
/// assert_eq!((entry.outcome, entry.duration_ms), (None, None)); // it never ran
/// ```
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
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # use xivmcp_mock_host::AuditKind;
/// host.assistant().call("navigate_to", ());
/// assert_eq!(host.audit()[0].kind, AuditKind::Call);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AuditKind {
    /// A call.
    Call,
    /// An approval during a call.
    Approval,
}

/// What was decided about a call or an approval (R-AUD-1).
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
/// # let purr = cat.offers(purr).returns("purr");
/// use xivmcp_mock_host::{Answer, Decision};
///
/// host.player().answer_all(Answer::Denied);
/// host.assistant().call("cat_purr", ());
/// assert_eq!(host.audit()[0].decision, Decision::Blocked);  // by a setting: it is not enabled
/// host.player().enable(&cat);
/// host.assistant().call("cat_purr", ());
/// assert_eq!(host.audit()[0].decision, Decision::Denied);   // by the player
/// ```
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
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
/// # let purr = cat.offers(purr).fails("Not now.");
/// # host.player().enable(&cat);
/// use xivmcp_mock_host::ReportedEnd;
///
/// host.assistant().call("cat_purr", ());
/// assert_eq!(host.audit()[0].outcome, Some(ReportedEnd::Error));
/// assert_eq!(host.audit()[0].error.as_deref(), Some("Not now."));
/// ```
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
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
/// # let purr = cat.offers(purr).takes(std::time::Duration::from_secs(5));
/// # host.player().enable(&cat);
/// let call = host.assistant().call("cat_purr", ());
/// host.game().move_to(130);                                 // while it runs
/// call.wait();
/// let effect = &host.audit()[0].effects[0];
/// assert_eq!((effect.effect.as_str(), effect.detail.as_str()), ("moved", "zone 129 to 130"));
/// ```
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
    ///
    /// ```
    /// assert_eq!(xivmcp_mock_host::AuditKind::Approval.as_str(), "approval");
    /// ```
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
    ///
    /// ```
    /// assert_eq!(xivmcp_mock_host::Decision::ApprovedSession.as_str(), "approved_session");
    /// ```
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
    ///
    /// ```
    /// assert_eq!(xivmcp_mock_host::ReportedEnd::Cancelled.as_str(), "cancelled");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(plugin: &str, error: usize) -> AuditEntry {
        AuditEntry {
            time: Time::from_millis(0),
            plugin: plugin.to_owned(),
            tool: "mine_go".to_owned(),
            kind: AuditKind::Call,
            caller: "assistant".to_owned(),
            args: None,
            capabilities: Vec::new(),
            decision: Decision::Blocked,
            outcome: None,
            error: Some(error.to_string()),
            duration_ms: None,
            in_job: false,
            effects: Vec::new(),
            flagged: false,
            suspended: false,
            summary: None,
        }
    }

    // R-AUD-1
    #[test]
    fn the_oldest_entries_go_first_and_each_plugin_keeps_its_own() {
        let mut core = Core::new(1);
        core.audit.add(entry("Once", 0));
        for number in 1..=KEPT + 10 {
            core.audit.add(entry(if number % 3 == 0 { "Mine" } else { "Other" }, number));
        }
        assert_eq!((core.audit(None).count(), core.audit.written()), (KEPT, KEPT + 11));
        let numbers = |plugin| -> Vec<usize> {
            core.audit(plugin)
                .map(|entry| entry.error.as_deref().unwrap_or_default().parse().unwrap_or_default())
                .collect()
        };
        assert_eq!(numbers(None), (11..=KEPT + 10).rev().collect::<Vec<_>>());
        assert_eq!(numbers(Some("mine")), (11..=KEPT + 10).rev().filter(|number| number % 3 == 0).collect::<Vec<_>>());
        assert!(numbers(Some("Once")).is_empty());
        assert_eq!(core.audit.by_plugin.len(), 2);
    }
}
