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
//! # Long sessions, and plugins that hang
//!
//! A session may go on for days: what the host keeps for those who look (audit log, traffic, logs, chat, questions,
//! findings) is bounded, and the newest stay; each accessor says how many.
//!
//! A plugin that holds the framework thread stops what the game would stop: no other tool of a plugin runs, no timer
//! fires. After a second the lint says which plugin and which tool it is. Lists, the window and the player's decisions go
//! on, and the server stops in bounded time, whatever a plugin does.
//!
//! # Inside
//!
//! One `ServerState` is shared by everything that answers requests; `auth` decides who may, before anything
//! else sees a request; `listener` owns connections, `endpoint` owns `/mcp`, `window` the page.

mod auth;
mod changes;
mod console;
mod endpoint;
mod interrupt;
mod listener;
mod options;
mod running;
mod state_file;
mod token;
mod window;

use std::ops::Deref;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
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
    pub(crate) host: Arc<Hosted>,
    /// What an assistant must send; nothing: the endpoint is open to every program on this machine.
    pub(crate) mcp_token: Option<Arc<Token>>,
    /// What opens the player's window, in the link and afterwards in the cookie. Never the assistant's: who may call
    /// tools may not answer the questions about them.
    pub(crate) window_token: Arc<Token>,
    /// Tells that something has changed.
    pub(crate) changes: Arc<Changes>,
}

/// The host of a server. What answers requests shares this, and not the author's own handle: so the server knows whether
/// somebody else keeps the host.
pub(crate) struct Hosted(Arc<MockHost>);

impl Hosted {
    fn new(host: Arc<MockHost>) -> Self {
        Self(host)
    }

    fn is_kept_by_nobody_else(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

impl Deref for Hosted {
    type Target = MockHost;

    fn deref(&self) -> &MockHost {
        &self.0
    }
}

/// Every route, behind what protects it.
fn router(state: &ServerState, stop: &CancellationToken) -> Router {
    let routes = endpoint::routes(state, stop).merge(window::routes(state.clone()));
    routes.layer(from_fn_with_state(state.clone(), auth::gate))
}
