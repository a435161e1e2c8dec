//! Calls that pages start in the assistant's stead, and how they ended, so that every window shows them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use xivmcp_protocol::{JsonText, cut_utf16};

use super::Window;
use crate::Outcome;
use crate::core::{CallRow, marks};

/// How calls from a page name their app: they stand as `assistant:window` in the audit log.
const CLIENT: &str = "window";
/// How many calls that have ended are kept.
const KEPT: usize = 20;

/// The newest calls of pages that have ended, newest first.
#[derive(Default)]
pub(super) struct PageCalls {
    ended: Mutex<VecDeque<CallOnPage>>,
}

/// A call as a page shows it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallOnPage {
    id: String,
    tool: String,
    client: String,
    args: String,
    since: i64,
    state: &'static str,
    is_error: bool,
    /// What the assistant would be given; nothing while it runs.
    text: Option<String>,
    /// Milliseconds.
    took: Option<i64>,
}

impl PageCalls {
    fn lock(&self) -> MutexGuard<'_, VecDeque<CallOnPage>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What runs, and what has ended, newest first.
    pub(super) fn with_running(&self, running: Vec<CallRow>) -> Vec<CallOnPage> {
        let running = running.into_iter().rev().map(|call| CallOnPage {
            client: client(&call.caller),
            id: call.id,
            tool: call.tool,
            args: call.args,
            since: call.since,
            state: if call.asking { "asking" } else { "running" },
            is_error: false,
            text: None,
            took: None,
        });
        running.chain(self.lock().iter().cloned()).collect()
    }
}

fn client(caller: &str) -> String {
    match caller.strip_prefix("assistant:") {
        Some(CLIENT) => "from this page".to_owned(),
        Some(client) => client.to_owned(),
        None => "an assistant".to_owned(),
    }
}

/// Starts a call. It runs on whether or not the page stays.
pub(super) fn start(window: &Window, tool: String, args: JsonText) {
    let host = &window.state.host;
    let plugin = host.world().look(|core| core.plugin_of_tool(&tool));
    let since = window.now();
    let sent = cut_utf16(args.get(), 8_000).to_owned();
    let call = host.assistant().named(CLIENT).call_json(&tool, args);
    let id = call.id().to_owned();
    let window = window.clone();
    tokio::spawn(async move {
        let (text, is_error) = match (call.await, plugin) {
            (Outcome::Result(result), Some(plugin)) => (marks::result(&plugin, &result), false),
            (Outcome::Result(result), None) => (marks::plain(&result).into_owned(), false),
            (Outcome::Error(message) | Outcome::UnknownTool(message), _) => (message, true),
            (Outcome::Cancelled, _) => ("the call was cancelled".to_owned(), true),
        };
        let took = Some(window.now() - since);
        let client = client(&format!("assistant:{CLIENT}"));
        let ended =
            CallOnPage { id, tool, client, args: sent, since, state: "ended", is_error, text: Some(text), took };
        let mut kept = window.calls.lock();
        kept.push_front(ended);
        kept.truncate(KEPT);
        drop(kept);
        window.state.changes.something();
    });
}
