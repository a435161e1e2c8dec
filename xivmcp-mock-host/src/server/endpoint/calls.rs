//! One call of a tool, for both ways in which it can come: in a session (`sessions`) and without one (`handler`).

use std::panic::AssertUnwindSafe;

use axum::http::request::Parts;
use futures::FutureExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ErrorData};
use tokio_util::sync::CancellationToken;
use xivmcp_protocol::{JsonText, cut_utf16};

use super::SentArguments;
use crate::core::marks;
use crate::server::ServerState;
use crate::{Outcome, PendingCall};

/// A call that is wanted.
pub(super) struct Wanted {
    tool: String,
    arguments: JsonText,
}

impl Wanted {
    /// `arguments` as they stood in the request's body (R-CALL-5); nothing is an empty object.
    pub(super) fn new(tool: String, arguments: Option<JsonText>) -> Self {
        let empty = || JsonText::from(serde_json::Value::Object(serde_json::Map::new()));
        Self { tool, arguments: arguments.unwrap_or_else(empty) }
    }

    /// What a request of rmcp asks for. It has the arguments as a parsed value; `parts` may have the text.
    pub(super) fn of_rmcp(request: CallToolRequestParams, parts: Option<&Parts>) -> Self {
        let sent = parts.and_then(|parts| parts.extensions.get::<SentArguments>());
        let arguments = match sent {
            Some(SentArguments(sent)) if sent.get() != "null" => sent.clone(),
            _ => JsonText::from(serde_json::Value::Object(request.arguments.unwrap_or_default())),
        };
        Self::new(request.name.into_owned(), Some(arguments))
    }

    /// Calls the tool for `app` (nothing: it has not said its name). The call is given up when `stop` fires, and when
    /// this is dropped (R-CALL-9).
    pub(super) async fn call(
        self,
        state: &ServerState,
        app: Option<&str>,
        stop: &CancellationToken,
    ) -> Result<CallToolResult, ErrorData> {
        let tool = self.tool.clone();
        // rmcp leaves an app without an answer if this unwinds.
        AssertUnwindSafe(self.run(state, app, stop)).catch_unwind().await.unwrap_or_else(|_| {
            Ok(error(&format!("the mock host failed while it called {tool}: this is a fault of the mock host")))
        })
    }

    async fn run(
        self,
        state: &ServerState,
        app: Option<&str>,
        stop: &CancellationToken,
    ) -> Result<CallToolResult, ErrorData> {
        let host = &state.host;
        let assistant = match app {
            Some(app) => host.assistant().named(app),
            None => host.assistant(),
        };
        // Asked before the call: the plugin may be gone when it has ended.
        let plugin = host.world().look(|core| core.plugin_of_tool(&self.tool));
        let mut call = GivenUp(assistant.call_json(&self.tool, self.arguments));
        let outcome = stop.run_until_cancelled(&mut call.0).await.unwrap_or(Outcome::Cancelled);
        match (outcome, plugin) {
            (Outcome::Result(result), Some(plugin)) => Ok(text(marks::result(&plugin, &result))),
            (Outcome::Result(result), None) => Ok(text(marks::plain(&result).into_owned())),
            (Outcome::Error(message), _) => Ok(error(&message)),
            (Outcome::UnknownTool(message), _) => Err(ErrorData::invalid_params(message, None)),
            (Outcome::Cancelled, _) => Ok(cancelled()),
        }
    }
}

/// A call that is given up when nobody waits for it any more. One that has ended does not notice.
struct GivenUp(PendingCall);

impl Drop for GivenUp {
    fn drop(&mut self) {
        if self.0.is_running() {
            self.0.give_up();
        }
    }
}

/// What is answered where the app no longer listens, or the player has ended the call.
pub(super) fn cancelled() -> CallToolResult {
    error("the call was cancelled")
}

fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn error(message: &str) -> CallToolResult {
    let message = cut_utf16(message, marks::RESULT_UNITS);
    CallToolResult::error(vec![ContentBlock::text(message)])
}
