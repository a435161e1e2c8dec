//! The player's window: the page at `/` and its JSON API. `auth` stands before every route here: each request has the
//! window's cookie, and each change (any method but GET and HEAD) came from the page itself.
//!
//! - `GET /` and `/assets/…`: the page, plain files that are part of the program.
//! - `GET /api/state`: everything that the page shows, as `{now, sections}`.
//! - `GET /api/events`: the same as server-sent events: first a `state` with everything, then a `patch` with the sections
//!   that are different, soon after something has changed. A page that comes back begins with a `state` again.
//! - `POST /api/act`: one [`Action`](action::Action) as JSON. `{"ok":true}`, or `{"ok":false,"error":…}` with a sentence
//!   for the person.
//!
//! What a page shows is always the host's state, never what the page believes that its own action did: so two windows,
//! and an assistant beside them, cannot disagree.

mod action;
mod assets;
mod calls;
mod feed;
mod snapshot;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use self::action::Action;
use self::calls::PageCalls;
use self::feed::Feed;
use super::ServerState;

/// The largest action, in bytes: the arguments of a call, mostly.
const ACTION_BYTES: usize = 1024 * 1024;

/// What the window's routes share. A cheap clone.
#[derive(Clone)]
struct Window {
    state: ServerState,
    /// The calls that pages have started.
    calls: Arc<PageCalls>,
    feed: Arc<Feed>,
}

/// The window's routes, to be nested at `/`.
pub(super) fn routes(state: ServerState) -> Router {
    let window = Window { state, calls: Arc::default(), feed: Arc::default() };
    Router::new()
        .route("/", get(assets::page))
        .route("/assets/{*path}", get(assets::file))
        .route("/api/state", get(whole))
        .route("/api/events", get(feed::events))
        .route("/api/act", post(act).layer(DefaultBodyLimit::max(ACTION_BYTES)))
        .with_state(window)
}

async fn whole(State(window): State<Window>) -> Response {
    json(StatusCode::OK, window.feed.snapshot(&window).whole(window.now()))
}

/// Does what the page asks for. The work may wait for the framework thread, so it is not done on this one.
async fn act(State(window): State<Window>, headers: HeaderMap, body: Bytes) -> Response {
    // A form of another site cannot send this type without asking first.
    let is_json = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_json {
        return refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "an action is sent as application/json");
    }
    let action = match Action::parse(&body) {
        Ok(action) => action,
        Err(error) => return refusal(StatusCode::BAD_REQUEST, &error),
    };
    match tokio::task::spawn_blocking(move || action.perform(&window)).await {
        Ok(Ok(())) => json(StatusCode::OK, r#"{"ok":true}"#.to_owned()),
        Ok(Err(error)) => refusal(StatusCode::UNPROCESSABLE_ENTITY, &error),
        Err(_) => refusal(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the mock host failed while it did that: this is a fault of the mock host",
        ),
    }
}

fn refusal(status: StatusCode, error: &str) -> Response {
    json(status, serde_json::json!({ "ok": false, "error": error }).to_string())
}

fn json(status: StatusCode, text: String) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], text).into_response()
}

impl Window {
    /// The host's clock, in milliseconds since the Unix epoch.
    fn now(&self) -> i64 {
        self.state.host.now().as_millis()
    }
}
