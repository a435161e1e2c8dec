//! What MCP asks of the host: tools/list and tools/call, in both lifecycles. Nothing that XIV MCP does not have: no
//! structured content, no progress notifications, no resources, no prompts.

use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, InitializeRequestParams, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use tokio::sync::watch;

use super::HungUp;
use super::calls::{self, Wanted};
use super::peers::Peers;
use crate::ListedTool;
use crate::core::marks;
use crate::server::ServerState;

/// What an AI app is told about this server.
const INSTRUCTIONS: &str = "A mock of XIV MCP for development of plugins: tools of loaded plugins act on a game that is \
                            made up, and the host's own tools answer an empty object. Calls may wait for the player.";

/// Answers one session's requests (but the calls of tools: those are `sessions`'), or one request without a session.
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
        let parts = context.extensions.get::<Parts>();
        let hung_up = parts.and_then(|parts| parts.extensions.get::<HungUp>()).map(|hung_up| hung_up.0.clone());
        let wanted = Wanted::of_rmcp(request, parts);
        // rmcp makes up who is there; what the app says of itself is in the request.
        let app = context.meta.client_info().map(|client| client.name);
        let call = wanted.call(&self.state, app.as_deref(), &context.ct);
        match hung_up {
            Some(hung_up) => hung_up.run_until_cancelled(call).await.unwrap_or_else(|| Ok(calls::cancelled())),
            None => call.await,
        }
        .map(Into::into)
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
