//! What crossed the gates, kept for reading and for reports. Written by the bus; tests read it through
//! [`MockHost::traffic`](crate::MockHost::traffic).

use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many entries are kept; the oldest go first.
const KEPT: usize = 10_000;
/// How much of one value is kept, in characters.
const VALUE_CUT: usize = 4_096;
/// How much of one value a printed line shows, in characters.
const SHOWN_CUT: usize = 120;
/// How many entries a report prints.
const SHOWN: usize = 30;

/// What kind of thing crossed a gate.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
/// # let purr = cat.offers(purr).returns("purr");
/// assert_eq!(host.traffic()[0].kind, xivmcp_mock_host::TrafficKind::Function);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrafficKind {
    /// A function was called.
    Function,
    /// An action was called.
    Action,
    /// A message was sent.
    Message,
}

/// One call or message that crossed the gates.
///
/// ```
/// use xivmcp_mock_host::MockHost;
/// use xivmcp_client::ipc::{IpcTransport, IpcType};
///
/// let host = MockHost::simulated();
/// let raw = host.install("RawPlugin");
/// raw.transport().call_function("XivMcp.ApiVersion", &[], IpcType::I32).unwrap();
///
/// let traffic = host.traffic();
/// assert_eq!(traffic.last().unwrap().from.as_deref(), Some("RawPlugin"));
/// assert_eq!(traffic.last().unwrap().outcome, Some(Ok("2".to_owned())));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrafficEntry {
    /// The number of the entry, counted from 0 over the whole life of the host.
    pub number: u64,
    /// When, since the host was made.
    pub at: Duration,
    /// How deep inside other calls of the same thread: 0 for a call from outside.
    pub depth: usize,
    /// The plugin that called; `XivMcp` is the host.
    pub from: Option<String>,
    /// The gate's whole name.
    pub gate: String,
    /// What it was.
    pub kind: TrafficKind,
    /// What was given, as text, each cut at 4,096 characters.
    pub arguments: Vec<String>,
    /// What came back (the error's text on the right); nothing while the call is running.
    pub outcome: Option<Result<String, String>>,
}

impl fmt::Display for TrafficEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.kind == TrafficKind::Message { "!" } else { "" };
        write!(f, "{} ", Clock(self.at))?;
        for _ in 0..self.depth {
            f.write_str("  ")?;
        }
        write!(f, "{} > {}{sign}(", self.from.as_deref().unwrap_or("?"), self.gate)?;
        for (index, argument) in self.arguments.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}", shown(argument))?;
        }
        f.write_char(')')?;
        match &self.outcome {
            None => f.write_str(" … still running"),
            Some(Ok(text)) if text.is_empty() => Ok(()),
            Some(Ok(text)) => write!(f, " = {}", shown(text)),
            Some(Err(error)) => write!(f, " FAILED: {}", shown(error)),
        }
    }
}

/// A span of time as reports print it: `01:02:03.250`.
pub(crate) struct Clock(pub(crate) Duration);

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let millis = self.0.subsec_millis();
        write!(f, "{:02}:{:02}:{:02}.{millis:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

fn cut(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(index, _)| &text[..index])
}

fn shown(text: &str) -> String {
    let short = cut(text, SHOWN_CUT);
    let mark = if short.len() < text.len() { "…" } else { "" };
    format!("{}{mark}", short.replace('\n', "⏎"))
}

/// The record itself. One per host.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    entries: VecDeque<TrafficEntry>,
    next: u64,
}

impl Traffic {
    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the begin of a call; the number is for [`end`](Self::end).
    pub(super) fn begin(
        &self,
        at: Duration,
        depth: usize,
        from: Option<&str>,
        gate: &str,
        kind: TrafficKind,
        arguments: impl Iterator<Item = String>,
    ) -> u64 {
        let arguments = arguments.map(shortened).collect();
        let mut record = self.lock();
        let number = record.next;
        record.next += 1;
        if record.entries.len() == KEPT {
            record.entries.pop_front();
        }
        record.entries.push_back(TrafficEntry {
            number,
            at,
            depth,
            from: from.map(str::to_owned),
            gate: gate.to_owned(),
            kind,
            arguments,
            outcome: None,
        });
        number
    }

    /// Notes the end of a call.
    pub(super) fn end(&self, number: u64, outcome: Result<String, String>) {
        let mut record = self.lock();
        let Some(first) = record.entries.front().map(|entry| entry.number) else { return };
        let Some(index) = number.checked_sub(first) else { return };
        if let Some(entry) = usize::try_from(index).ok().and_then(|index| record.entries.get_mut(index)) {
            entry.outcome = Some(outcome.map(shortened));
        }
    }

    /// Everything that is kept, the oldest first.
    pub(crate) fn all(&self) -> Vec<TrafficEntry> {
        self.lock().entries.iter().cloned().collect()
    }

    /// The last entries as text for a report, a line each.
    pub(crate) fn tail(&self) -> String {
        let record = self.lock();
        let skipped = record.entries.len().saturating_sub(SHOWN);
        let mut text = String::new();
        if record.next > SHOWN as u64 {
            let _ = writeln!(text, "  … {} earlier", record.next - SHOWN as u64);
        }
        for entry in record.entries.iter().skip(skipped) {
            let _ = writeln!(text, "  {entry}");
        }
        if record.entries.is_empty() {
            text.push_str("  (none)\n");
        }
        text
    }
}

fn shortened(mut text: String) -> String {
    let kept = cut(&text, VALUE_CUT).len();
    text.truncate(kept);
    text
}
