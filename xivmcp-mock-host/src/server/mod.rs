//! The mock host over HTTP: the MCP endpoint for assistants at `/mcp`, and the player's window at `/`. For the program
//! `xivmcp-mock-host`, and for an author's own `main`. Only with the feature `server`: tests of plugins do not need it.
//!
//! It listens on this machine's loopback and nowhere else.
//!
//! ```
//! use xivmcp_client::{McpToolDefinition, XivMcpClient};
//! use xivmcp_mock_host::MockHost;
//! use xivmcp_mock_host::server::{Options, serve};
//!
//! let host = MockHost::live();
//! host.load("MyPlugin", |client: &XivMcpClient| {
//!     client.add_tool(McpToolDefinition::new("myplugin_ping", "Answers.").read_only(true), || Ok("pong"))
//! });
//! let server = serve(host, &Options::new().port(0))?;
//! println!("{}", server.how_to_connect());
//! // server.wait() goes on until Ctrl-C.
//! assert!(server.stop().is_empty());
//! # Ok::<(), xivmcp_mock_host::server::ServeError>(())
//! ```
//!
//! Inside, one `ServerState` is shared by everything that answers requests; `auth` decides who may, before anything
//! else sees a request; `listener` owns connections, `endpoint` owns `/mcp`, `window` the page.

mod auth;
mod changes;
mod console;
mod endpoint;
mod listener;
mod options;
mod running;
mod state_file;
mod token;
mod window;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use tokio_util::sync::CancellationToken;

use self::changes::Changes;
pub use self::options::Options;
pub use self::running::{ServeError, Server, Stopper, serve};
use self::token::Token;
use crate::MockHost;

/// What everything that answers requests shares. A cheap clone.
#[derive(Clone)]
pub(crate) struct ServerState {
    /// The host: live, so that nothing in it waits for a test.
    pub(crate) host: Arc<MockHost>,
    /// What an assistant must send; nothing: the endpoint is open to every program on this machine.
    pub(crate) mcp_token: Option<Arc<Token>>,
    /// What opens the player's window, in the link and afterwards in the cookie. Never the assistant's: who may call
    /// tools may not answer the questions about them.
    pub(crate) window_token: Arc<Token>,
    /// Tells that something has changed.
    pub(crate) changes: Arc<Changes>,
}

/// Every route, behind what protects it.
fn router(state: &ServerState, stop: &CancellationToken) -> Router {
    let endpoint = endpoint::routes(state, stop).layer(from_fn_with_state(state.clone(), auth::bearer));
    let window = window::routes(state.clone()).layer(from_fn_with_state(state.clone(), auth::window));
    Router::new().merge(endpoint).merge(window).layer(from_fn(auth::local_only))
}
