//! The player's window: the page at `/` and its JSON API. `auth` stands before every route here: each request has the
//! window's cookie, and each change (any method but GET and HEAD) came from the page itself.

use axum::Router;

use super::ServerState;

/// The window's routes, to be nested at `/`.
pub(super) fn routes(state: ServerState) -> Router {
    Router::new().with_state(state)
}
