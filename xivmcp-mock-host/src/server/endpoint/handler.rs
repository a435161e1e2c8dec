//! What MCP asks of the host: tools/list and tools/call, in both lifecycles. Nothing that XIV MCP does not have: no
//! structured content, no progress notifications, no resources, no prompts.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use tokio::sync::watch;
use xivmcp_protocol::{JsonText, cut_utf16};

use super::peers::Peers;
use super::{HungUp, SESSION, SentArguments};
use crate::core::marks;
use crate::server::ServerState;
use crate::{ListedTool, Outcome, PendingCall};

/// What an AI app is told about this server.
const INSTRUCTIONS: &str = "A mock of XIV MCP for development of plugins: tools of loaded plugins act on a game that is \
                            made up, and the host's own tools answer an empty object. Calls may wait for the player.";

/// Answers one session's requests, or one request without a session.
#[derive(Clone)]
pub(super) struct Handler {
    state: ServerState,
    peers: Arc<Peers>,
    /// Wakes at changes of the list of tools since this handler was made.
    tools: watch::Receiver<u64>,
}

impl Handler {
    pub(super) fn new(state: ServerState, peers: Arc<Peers>) -> Self {
        let tools = state.changes.watch_tools();
        Self { state, peers, tools }
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<axum::http::request::Parts>();
        let sent = parts.map(|parts| &parts.extensions);
        let hung_up = sent.and_then(|sent| sent.get::<HungUp>()).map(|hung_up| hung_up.0.clone()).unwrap_or_default();
        let arguments = sent.and_then(|sent| sent.get::<SentArguments>()).map(|sent| sent.0.clone());
        let arguments = match arguments.filter(|arguments| arguments.get() != "null") {
            Some(arguments) => arguments,
            None => JsonText::from(serde_json::Value::Object(request.arguments.unwrap_or_default())),
        };
        let host = &self.state.host;
        // Without a session rmcp makes up who is there.
        let in_session = parts.is_some_and(|parts| parts.headers.contains_key(SESSION));
        let client = if in_session { context.client_info() } else { context.meta.client_info() };
        let assistant = match client {
            Some(client) => host.assistant().named(&client.name),
            None => host.assistant(),
        };
        // Asked before the call: the plugin may be gone when it has ended.
        let plugin = host.world().look(|core| core.plugin_of_tool(&request.name));
        let mut call = GivenUp(assistant.call_json(&request.name, arguments));
        let outcome = tokio::select! {
            outcome = &mut call.0 => outcome,
            () = context.ct.cancelled() => Outcome::Cancelled,
            () = hung_up.cancelled() => Outcome::Cancelled,
        };
        match (outcome, plugin) {
            (Outcome::Result(result), Some(plugin)) => Ok(text(marks::result(&plugin, &result))),
            (Outcome::Result(result), None) => Ok(text(marks::plain(&result).into_owned())),
            (Outcome::Error(message), _) => Ok(error(&message)),
            (Outcome::UnknownTool(message), _) => Err(ErrorData::invalid_params(message, None)),
            (Outcome::Cancelled, _) => Ok(error("the call was cancelled")),
        }
    }
}

/// A call that is given up when nobody waits for it any more (R-CALL-9). One that has ended does not notice.
struct GivenUp(PendingCall);

impl Drop for GivenUp {
    fn drop(&mut self) {
        if self.0.is_running() {
            self.0.give_up();
        }
    }
}

fn text(text: String) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

fn error(message: &str) -> CallToolResponse {
    let message = cut_utf16(message, marks::RESULT_UNITS);
    CallToolResult::error(vec![ContentBlock::text(message)]).into()
}

pub(in crate::server) fn listed(tool: ListedTool) -> Tool {
    let description = match &tool.plugin_name {
        Some(plugin) => marks::description(plugin, &tool.description),
        None => tool.description,
    };
    let schema: serde_json::Map<String, serde_json::Value> = tool.input_schema.read().unwrap_or_default();
    let annotations = ToolAnnotations::new().read_only(tool.read_only).destructive(tool.destructive).open_world(false);
    Tool::new(tool.name, description, Arc::new(schema)).with_annotations(annotations)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let me = Implementation::new("xivmcp-mock-host", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(tools).with_server_info(me).with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        // Now, not when `notifications/initialized` comes: that is handled beside the requests that follow it, and the app
        // could miss a change after the list that it has got.
        self.peers.add(context.peer);
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.state.host.assistant().all_tools().into_iter().map(listed).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.to_string();
        // rmcp leaves an app without an answer if this unwinds.
        AssertUnwindSafe(self.call(request, context)).catch_unwind().await.unwrap_or_else(|_| {
            Ok(error(&format!("the mock host failed while it called {tool}: this is a fault of the mock host")))
        })
    }

    fn accepted_subscription_filter(&self, _requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        // From before the acknowledgment on: the app counts on it from there.
        let mut tools = self.tools.clone();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = tools.changed() => {
                    if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
