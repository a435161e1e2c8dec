//! `/mcp`: what happens around rmcp's own service. `auth` has let the request in already.
//!
//! - A body is read here, whole, with a limit for its size and its time: what is too large is read to its end and
//!   dropped, so that the other side gets the 413 instead of a broken connection.
//! - A request without a session is served too, as XIV MCP does: rmcp does that only where it keeps no sessions, so there
//!   are two of its services, and this decides.
//! - Arguments go to the tool as they were sent (R-CALL-5). rmcp hands on a parsed value, in which the order of keys and
//!   the spelling of numbers are lost; they are taken from the body here.
//! - An app that hangs up cancels its call (R-CALL-9). rmcp lets some calls run on, so the response's body is guarded:
//!   when it is dropped, the call learns it.
//! - Calls of tools are most of what is asked, and rmcp's way for them is long: in a session they are answered by `sessions`,
//!   and the usual ones do not reach rmcp at all (`plain`).

mod body;
mod calls;
mod handler;
mod peers;
mod plain;
mod sessions;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use xivmcp_protocol::JsonText;

use self::body::Guarded;
use self::handler::Handler;
pub(super) use self::handler::listed;
use self::peers::Peers;
use self::plain::PlainCall;
use self::sessions::Sessions;
use super::ServerState;

/// Where the endpoint is.
pub(super) const PATH: &str = "/mcp";
/// The largest body of a request, in bytes.
pub(super) const BODY_BYTES: usize = 4 * 1024 * 1024;
/// Sessions at a time. An app that forgets to end its own cannot fill the memory.
const SESSIONS: usize = 1000;
/// The header that names the session.
const SESSION: &str = "mcp-session-id";

/// What the requests to `/mcp` share.
#[derive(Clone)]
struct Endpoint {
    in_session: StreamableHttpService<Handler, Sessions>,
    without: StreamableHttpService<Handler, NeverSessionManager>,
    sessions: Arc<Sessions>,
}

/// Which of the two answers a message.
enum Way {
    InSession,
    Without,
    /// It would begin a session, and there is no room for another one.
    Full,
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
    let sessions = Sessions::start(state.clone(), stop);
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(BODY_BYTES)
        .with_cancellation_token(stop.clone());
    let state = state.clone();
    let make = move || Ok(Handler::new(state.clone(), Arc::clone(&peers)));
    let endpoint = Endpoint {
        in_session: StreamableHttpService::new(make.clone(), Arc::clone(&sessions), config.clone()),
        without: StreamableHttpService::new(
            make,
            Arc::default(),
            config.with_legacy_session_mode(false).with_json_response(true),
        ),
        sessions,
    };
    Router::new().route(PATH, any(answer)).with_state(endpoint)
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
        let ends = parts.method == Method::DELETE;
        let mut response = endpoint.in_session.handle(Request::from_parts(parts, body)).await.map(Body::new);
        if ends && response.status() == StatusCode::ACCEPTED {
            // Nothing is left to be done, and some clients take only this for a success.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        return response;
    }
    let body = match body::whole(body, BODY_BYTES).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    if let Some(call) = PlainCall::read(&parts.headers, &body)
        && let Some(answer) = endpoint.sessions.call(call.session, call.id, call.wanted)
    {
        return plain::respond(answer).await;
    }
    let hung_up = CancellationToken::new();
    // From here on: dropped when the connection goes while the answer is made, or with the answer.
    let guard = hung_up.clone().drop_guard();
    parts.extensions.insert(HungUp(hung_up));
    let (way, sent) = endpoint.way(&parts.headers, &body);
    if let Some(arguments) = sent {
        parts.extensions.insert(SentArguments(arguments));
    }
    let request = Request::from_parts(parts, Body::from(body));
    let response = match way {
        Way::InSession => endpoint.in_session.handle(request).await,
        Way::Without => endpoint.without.handle(request).await,
        Way::Full => {
            let reason = "too many sessions are open: end some with DELETE\n";
            return (StatusCode::SERVICE_UNAVAILABLE, reason).into_response();
        }
    };
    response.map(|body| Body::new(Guarded::new(body, guard)))
}

impl Endpoint {
    /// Which way this message goes, and the arguments in it.
    fn way(&self, headers: &HeaderMap, body: &Bytes) -> (Way, Option<JsonText>) {
        // What is no such message is for rmcp to refuse.
        let message = serde_json::from_slice::<Message<'_>>(body).unwrap_or_default();
        let way = match message.method.as_deref().unwrap_or_default() {
            _ if headers.contains_key(SESSION) => Way::InSession,
            "initialize" if self.sessions.count() >= SESSIONS => Way::Full,
            // The first message of each of the two lifecycles.
            "initialize" | "server/discover" => Way::InSession,
            _ => Way::Without,
        };
        (way, message.params.and_then(|params| params.arguments))
    }
}
