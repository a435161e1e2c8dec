//! `/mcp`: what happens around rmcp's own service. `auth` has let the request in already.
//!
//! - A body is read here, whole, with a limit for its size and its time: what is too large is read to its end and
//!   dropped, so that the other side gets the 413 instead of a broken connection.
//! - A request without a session is served too, as XIV MCP does: rmcp does that only where it keeps no sessions, so there
//!   are two of its services, and this decides.
//! - Arguments go to the tool as they were sent (R-CALL-5). rmcp hands on a parsed value, in which the order of keys and
//!   the spelling of numbers are lost; they are taken from the body here.
//! - An app that hangs up cancels its call (R-CALL-9). rmcp's sessions let the call run on, so the response's body is
//!   guarded: when it is dropped, the call learns it.

mod body;
mod handler;
mod peers;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use xivmcp_protocol::JsonText;

use self::body::Guarded;
use self::handler::Handler;
pub(super) use self::handler::listed;
use self::peers::Peers;
use super::ServerState;

/// Where the endpoint is.
pub(super) const PATH: &str = "/mcp";
/// The largest body of a request, in bytes.
pub(super) const BODY_BYTES: usize = 4 * 1024 * 1024;
/// A session that nothing is heard of for so long is forgotten; its app gets a 404 and initializes again.
const SESSION_KEPT: Duration = Duration::from_secs(30 * 60);
/// Sessions at a time. An app that forgets to end its own cannot fill the memory.
const SESSIONS: usize = 1000;
/// The header that names the session.
const SESSION: &str = "mcp-session-id";

type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// What the requests to `/mcp` share.
#[derive(Clone)]
struct Endpoint {
    with_sessions: Service,
    without: Service,
    sessions: Arc<LocalSessionManager>,
}

/// The app has hung up, or has got its answer: in a request's extensions.
#[derive(Debug, Clone)]
struct HungUp(CancellationToken);

/// A tool's arguments as they were sent: in a request's extensions.
#[derive(Debug, Clone)]
struct SentArguments(JsonText);

/// The route of the endpoint.
pub(super) fn routes(state: &ServerState, stop: &CancellationToken) -> Router {
    let peers = Peers::start(state.changes.watch_tools(), stop);
    let sessions = Arc::new(LocalSessionManager::default().keep_for(SESSION_KEPT));
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(BODY_BYTES)
        .with_cancellation_token(stop.clone());
    let state = state.clone();
    let make = move || Ok(Handler::new(state.clone(), Arc::clone(&peers)));
    let endpoint = Endpoint {
        with_sessions: StreamableHttpService::new(make.clone(), Arc::clone(&sessions), config.clone()),
        without: StreamableHttpService::new(
            make,
            Arc::default(),
            config.with_legacy_session_mode(false).with_json_response(true),
        ),
        sessions,
    };
    Router::new().route(PATH, any(answer)).with_state(endpoint)
}

trait KeepFor {
    fn keep_for(self, time: Duration) -> Self;
}

impl KeepFor for LocalSessionManager {
    fn keep_for(mut self, time: Duration) -> Self {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(time);
        self.session_config = config;
        self
    }
}

/// The parts of a message that this module looks at.
#[derive(Debug, Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    method: Option<std::borrow::Cow<'a, str>>,
    #[serde(default)]
    params: Option<Params>,
}

#[derive(Debug, Deserialize)]
struct Params {
    #[serde(default)]
    arguments: Option<JsonText>,
}

async fn answer(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    if parts.method != Method::POST {
        return endpoint.with_sessions.handle(Request::from_parts(parts, body)).await.map(Body::new);
    }
    let body = match body::whole(body, BODY_BYTES).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    let hung_up = CancellationToken::new();
    // From here on: dropped when the connection goes while the answer is made, or with the answer.
    let guard = hung_up.clone().drop_guard();
    parts.extensions.insert(HungUp(hung_up));
    let (service, sent) = endpoint.route(&parts.headers, &body);
    if let Some(arguments) = sent {
        parts.extensions.insert(SentArguments(arguments));
    }
    let Some(service) = service else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many sessions are open: end some with DELETE\n").into_response();
    };
    let response = service.handle(Request::from_parts(parts, Body::from(body))).await;
    response.map(|body| Body::new(Guarded::new(body, guard)))
}

impl Endpoint {
    /// Which service answers this message (none: there is no room for another session), and the arguments in it.
    fn route(&self, headers: &HeaderMap, body: &Bytes) -> (Option<&Service>, Option<JsonText>) {
        // What is no such message is for rmcp to refuse.
        let message = serde_json::from_slice::<Message<'_>>(body).unwrap_or_default();
        let service = match message.method.as_deref().unwrap_or_default() {
            _ if headers.contains_key(SESSION) => Some(&self.with_sessions),
            "initialize" if self.is_full() => None,
            // The first message of each of the two lifecycles.
            "initialize" | "server/discover" => Some(&self.with_sessions),
            _ => Some(&self.without),
        };
        (service, message.params.and_then(|params| params.arguments))
    }

    fn is_full(&self) -> bool {
        // If the list is being changed right now, the next one will find it full.
        self.sessions.sessions.try_read().is_ok_and(|sessions| sessions.len() >= SESSIONS)
    }
}
