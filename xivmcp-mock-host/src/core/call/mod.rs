//! Tool calls (SPEC §6), from the check to the hand-on of their end. The same path serves the assistant's calls and the
//! steps of jobs, for plugins' tools and the host's own.

mod check;
mod end;
mod run;
#[cfg(test)]
mod tests;

pub(super) use run::unknown_call;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xivmcp_protocol::{CallId, Capability, JsonText};

use super::audit::Decision;
use super::builtin::{BuiltinTool, HOST};
use super::dalamud::plugin_key;
use super::game::GameState;
use super::registry::Tool;
use super::time::Time;
use super::timers::TimerId;

/// Who wants a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(super) enum Asker {
    /// The assistant, under the name that its app gave.
    Assistant(Option<Arc<str>>),
    /// A plugin's job. The name is as Dalamud spells it.
    Plugin(Arc<str>),
}

impl From<Asker> for String {
    fn from(asker: Asker) -> Self {
        asker.to_string()
    }
}

impl From<String> for Asker {
    fn from(text: String) -> Self {
        match text.split_once(':') {
            Some(("plugin", name)) => Self::Plugin(name.into()),
            Some((_, app)) => Self::Assistant(Some(app.into())),
            None => Self::Assistant(None),
        }
    }
}

/// What is called.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Plugin(Arc<Tool>),
    Builtin(&'static BuiltinTool),
}

/// The step of a job that a call is: the job by its order, the step by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepRef {
    pub(super) job: u64,
    pub(super) step: usize,
}

/// A call that has not ended.
#[derive(Debug)]
pub(super) struct Call {
    /// Later calls have higher ones.
    pub(super) order: u64,
    pub(super) target: Target,
    pub(super) asker: Asker,
    pub(super) step: Option<StepRef>,
    pub(super) args: JsonText,
    pub(super) asked: Time,
    pub(super) phase: Phase,
    pub(super) decision: Decision,
    /// When it began to run; nothing if it never did.
    began: Option<Time>,
    /// The game as it was then; only for plugins' tools.
    before: Option<Box<GameState>>,
    /// Since it was cancelled: the limit for the plugin to end it (R-CALL-9).
    cancelled: Option<TimerId>,
    /// How it ended; the end is not handed on yet.
    end: Option<End>,
    /// The approvals that were asked for in it, by id.
    pub(super) approvals: Vec<String>,
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The player is asked.
    Asking(u64),
    /// Invoke is about to be called.
    Queued,
    /// Inside Invoke.
    Invoking,
    /// Invoke has replied that it goes on.
    Pending,
    /// It has ended, and its end is about to be handed on.
    Ending,
    /// One of the host's own tools is at work, until the timer.
    Working(TimerId),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    Result(JsonText),
    Error(String),
    Cancelled,
}

/// All calls that have not ended.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) by_id: HashMap<CallId, Call>,
    next: u64,
}

impl Calls {
    pub(super) fn next_order(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The calls that `wanted` picks, oldest first.
    pub(super) fn ids_where(&self, wanted: impl Fn(&Call) -> bool) -> Vec<CallId> {
        let mut found: Vec<_> =
            self.by_id.iter().filter(|(_, call)| wanted(call)).map(|(id, call)| (call.order, id)).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id.clone()).collect()
    }
}

impl Asker {
    /// The key of the plugin that asks; nothing for the assistant.
    pub(super) fn plugin_key(&self) -> Option<String> {
        match self {
            Self::Assistant(_) => None,
            Self::Plugin(name) => Some(plugin_key(name)),
        }
    }

    pub(super) fn is_assistant(&self) -> bool {
        matches!(self, Self::Assistant(_))
    }
}

impl fmt::Display for Asker {
    /// As the audit log and the questions name it (R-AUD-1).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Assistant(None) => f.write_str("assistant"),
            Self::Assistant(Some(client)) => write!(f, "assistant:{client}"),
            Self::Plugin(name) => write!(f, "plugin:{name}"),
        }
    }
}

impl Target {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Plugin(tool) => tool.name(),
            Self::Builtin(tool) => &tool.name,
        }
    }

    /// The plugin whose tool it is; the host itself for its own.
    pub(super) fn owner(&self) -> &str {
        match self {
            Self::Plugin(tool) => &tool.owner,
            Self::Builtin(_) => HOST,
        }
    }

    pub(super) fn owner_key(&self) -> String {
        match self {
            Self::Plugin(tool) => tool.owner_key.clone(),
            Self::Builtin(_) => plugin_key(HOST),
        }
    }

    pub(super) fn capabilities(&self) -> &[Capability] {
        match self {
            Self::Plugin(tool) => tool.capabilities(),
            Self::Builtin(tool) => &tool.capabilities,
        }
    }

    pub(super) fn is_read_only(&self) -> bool {
        match self {
            Self::Plugin(tool) => tool.definition.is_read_only(),
            Self::Builtin(tool) => tool.read_only,
        }
    }

    /// Whether answers for longer than once do not count (R-CALL-2).
    pub(super) fn is_critical(&self) -> bool {
        self.capabilities().iter().any(Capability::is_critical)
    }

    /// What a question about the call shows: the acting capabilities, or reading (R-CALL-2).
    pub(super) fn shown_capabilities(&self) -> Vec<String> {
        let acting: Vec<String> = self
            .capabilities()
            .iter()
            .filter(|capability| capability.is_acting())
            .map(|capability| capability.as_str().to_owned())
            .collect();
        if acting.is_empty() { vec![Capability::ReadGame.as_str().to_owned()] } else { acting }
    }
}
