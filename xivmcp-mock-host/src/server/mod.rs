//! The mock host over HTTP: the MCP endpoint for assistants at `/mcp`, and the player's window at `/`. For the program
//! `xivmcp-mock-host`, and for an author's own `main`. Only with the feature `server`: tests of plugins do not need it.
//!
//! One [`ServerState`] is shared by everything that answers requests; `auth` decides who may, before anything else sees
//! a request.

mod auth;
mod changes;
mod token;
mod window;

use std::sync::Arc;

use self::changes::Changes;
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
