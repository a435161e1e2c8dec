//! Plain calls: a call of a tool in a session, sent as nearly every app sends it. They are most of what an assistant asks
//! for, and are answered without rmcp, which finds out what a message is by trying every kind of message. Whatever is not
//! quite plain (a header or a field that is not expected here, a version without sessions) is rmcp's to answer or to refuse.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{self, StreamExt};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde::de::IgnoredAny;
use xivmcp_protocol::JsonText;

use super::SESSION;
use super::calls::Wanted;

/// The versions of MCP with sessions.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// An answer that comes so soon is sent together with its response's head: that is half the writes.
const SOON: Duration = Duration::from_millis(5);
/// How often something is sent while the answer is waited for, so that nobody on the way gives up.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A plain call.
pub(super) struct PlainCall<'a> {
    /// What the app believes to be its session.
    pub(super) session: &'a str,
    pub(super) id: RequestId,
    pub(super) wanted: Wanted,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    jsonrpc: &'a str,
    id: RequestId,
    method: &'a str,
    params: Params,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    name: String,
    #[serde(default)]
    arguments: Option<JsonText>,
    #[serde(default, rename = "_meta")]
    _meta: Meta,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    /// There are no progress notifications to send.
    #[serde(default, rename = "progressToken")]
    _progress_token: IgnoredAny,
}

impl<'a> PlainCall<'a> {
    /// The call, if this request is one.
    pub(super) fn read(headers: &'a HeaderMap, body: &[u8]) -> Option<Self> {
        let session = headers.get(SESSION)?.to_str().ok()?;
        let accepted = headers.get(ACCEPT)?.to_str().ok()?;
        let accepts = |kind| accepted.split(',').any(|accepted| accepted.trim() == kind);
        let sent = headers.get(CONTENT_TYPE)?.as_bytes();
        let is_legacy = match headers.get(VERSION) {
            Some(version) => VERSIONS.iter().any(|known| version == known),
            None => true,
        };
        if !is_legacy || sent != b"application/json" || !accepts("application/json") || !accepts("text/event-stream") {
            return None;
        }
        let request: Request<'_> = serde_json::from_slice(body).ok()?;
        let arguments = request.params.arguments;
        let is_plain = request.jsonrpc == "2.0"
            && request.method == "tools/call"
            && arguments.as_ref().is_none_or(|arguments| arguments.get().starts_with('{'));
        is_plain.then(|| Self { session, id: request.id, wanted: Wanted::new(request.params.name, arguments) })
    }
}

/// The response with `answer`, which is nothing if the app has cancelled. Dropping it drops `answer`.
pub(super) async fn respond(answer: impl Future<Output = Option<ServerJsonRpcMessage>> + Send + 'static) -> Response {
    let mut answer = Box::pin(answer);
    match tokio::time::timeout(SOON, &mut answer).await {
        Ok(Some(answer)) => {
            let body = format!("data: {}\n\n", written(&answer));
            ([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")], body).into_response()
        }
        Ok(None) => [(CONTENT_TYPE, "text/event-stream")].into_response(),
        Err(_) => {
            let event = |answer| Ok::<_, Infallible>(Event::default().data(written(&answer)));
            let events = stream::once(answer).filter_map(move |answer| std::future::ready(answer.map(event)));
            Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
        }
    }
}

/// The message in one line. It holds nothing that JSON cannot.
fn written(message: &ServerJsonRpcMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(changed: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let usual = [
            ("mcp-session-id", "s"),
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        for (name, value) in usual.iter().chain(changed) {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        headers
    }

    const CALL: &str =
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"ping","arguments":{"z":1.50}}}"#;

    #[test]
    fn what_apps_usually_send_is_plain() {
        let of_call = headers(&[]);
        let call = PlainCall::read(&of_call, CALL.as_bytes()).unwrap();
        assert_eq!((call.session, call.id), ("s", RequestId::String("a".into())));
        for body in [
            r#"{"method":"tools/call","params":{"name":"ping"},"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1},"name":"ping"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":null}}"#,
        ] {
            assert!(PlainCall::read(&of_call, body.as_bytes()).is_some(), "{body}");
        }
        let older =
            headers(&[("accept", "text/event-stream,application/json"), ("mcp-protocol-version", "2025-06-18")]);
        assert!(PlainCall::read(&older, CALL.as_bytes()).is_some());
    }

    #[test]
    fn everything_else_is_left_to_rmcp() {
        for changed in [
            ("accept", "application/json"),
            ("accept", "application/json, text/event-stream;q=0"),
            ("content-type", "text/plain"),
            ("content-type", "application/json; charset=utf-8"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-protocol-version", "1"),
        ] {
            assert!(PlainCall::read(&headers(&[changed]), CALL.as_bytes()).is_none(), "{changed:?}");
        }
        let mut without = headers(&[]);
        without.remove("mcp-session-id");
        assert!(PlainCall::read(&without, CALL.as_bytes()).is_none());
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"ping"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ping"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"ping"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","task":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","_meta":{"x/y":1}}}"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping"}}]"#,
            "",
        ] {
            assert!(PlainCall::read(&headers(&[]), body.as_bytes()).is_none(), "{body}");
        }
    }
}
