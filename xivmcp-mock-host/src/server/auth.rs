//! Who may send requests. Stands before every route; nothing behind it decides about access again.
//!
//! - Every request: `Host` must be a name of this machine's loopback (a page that rebinds its own name to 127.0.0.1
//!   still sends that name), and `Origin`, if there is one, must be that very host and port.
//! - `/mcp`: the bearer token.
//! - The player's window: the token in the link, once; then a cookie that scripts cannot read and other sites do not
//!   cause to be sent. A change must also say that it comes from the page itself: `SameSite` alone does not tell a page on
//!   another port of this machine apart.

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, LOCATION};
use axum::http::header::{
    ORIGIN, REFERRER_POLICY, SET_COOKIE, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::ServerState;

/// What the page may load and send: only its own files and its own API. No inline scripts or styles.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                           connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Before every route. Whatever is not the endpoint is the window's.
pub(super) async fn gate(State(state): State<ServerState>, request: Request, next: Next) -> Response {
    if let Some(refusal) = not_local(request.headers()) {
        return refusal;
    }
    if request.uri().path() != super::endpoint::PATH {
        return window(&state, request, next).await;
    }
    match no_bearer(&state, request.headers()) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    }
}

/// Every request: what is wrong with `Host` or `Origin`.
fn not_local(headers: &HeaderMap) -> Option<Response> {
    let Some(host) = only(headers, &HOST) else {
        return Some(refuse(StatusCode::BAD_REQUEST, "one Host header is needed"));
    };
    if !is_loopback_name(host) {
        let reason = "the Host header must name this machine: 127.0.0.1, localhost or [::1]";
        return Some(refuse(StatusCode::FORBIDDEN, reason));
    }
    let is_foreign = headers.contains_key(ORIGIN) && !is_own_origin(headers);
    is_foreign.then(|| refuse(StatusCode::FORBIDDEN, "the Origin header names another site"))
}

/// `/mcp`: what is wrong with the bearer token.
fn no_bearer(state: &ServerState, headers: &HeaderMap) -> Option<Response> {
    let token = state.mcp_token.as_ref()?;
    let given = only(headers, &AUTHORIZATION).and_then(bearer_token);
    if given.is_some_and(|given| token.matches(given.as_bytes())) {
        return None;
    }
    let mut response = refuse(
        StatusCode::UNAUTHORIZED,
        "the Authorization header must be `Bearer` and the token that the mock host printed when it started",
    );
    let challenge = if given.is_some() { "Bearer error=\"invalid_token\"" } else { "Bearer" };
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    Some(response)
}

/// The player's window: the link's token, then the cookie.
async fn window(state: &ServerState, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let cookie = cookie_name(headers);
    if reads && let Some(given) = link_token(request.uri().query()) {
        if !state.window_token.matches(given.as_bytes()) {
            return refuse(StatusCode::UNAUTHORIZED, "this link is of another start of the mock host: take its newest");
        }
        let secret = state.window_token.reveal();
        let set = format!("{cookie}={secret}; HttpOnly; SameSite=Strict; Path=/");
        let mut response = StatusCode::SEE_OTHER.into_response();
        // The token leaves the address bar, the history and the `Referer`.
        if let Ok(location) = HeaderValue::from_str(request.uri().path()) {
            response.headers_mut().insert(LOCATION, location);
        }
        if let Ok(set) = HeaderValue::from_str(&set) {
            response.headers_mut().insert(SET_COOKIE, set);
        }
        return harden(response);
    }
    let known = cookies(headers).any(|(name, value)| name == cookie && state.window_token.matches(value.as_bytes()));
    if !known {
        return refuse(
            StatusCode::UNAUTHORIZED,
            "the player's window is opened by the link that the mock host printed when it started",
        );
    }
    if !reads && !is_own_origin(headers) {
        return refuse(StatusCode::FORBIDDEN, "a change must come from the page itself: its Origin header is missing");
    }
    harden(next.run(request).await)
}

/// Headers that keep what plugins say from becoming more than text.
fn harden(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn refuse(status: StatusCode, reason: &'static str) -> Response {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{reason}\n")).into_response()
}

/// The header's value, if there is exactly one.
fn only<'a>(headers: &'a HeaderMap, name: &axum::http::HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn is_loopback_name(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// Whether `Origin` is the host that this request was sent to. It is a loopback name: `Host` was looked at before.
fn is_own_origin(headers: &HeaderMap) -> bool {
    let (Some(origin), Some(host)) = (only(headers, &ORIGIN), only(headers, &HOST)) else { return false };
    origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
}

/// The token of a bearer authorization; the scheme is compared without case.
fn bearer_token(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim())
}

fn link_token(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// The cookie's name has the port: cookies know none, and two hosts may run side by side.
fn cookie_name(headers: &HeaderMap) -> String {
    let port = only(headers, &HOST).and_then(|host| host.rsplit_once(':')).map_or("80", |(_, port)| port);
    format!("xivmcp_window_{}", port.trim_end_matches(']'))
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_loopback_are_hosts() {
        for host in ["127.0.0.1:37521", "localhost", "LocalHost:1", "[::1]:37521", "[::1]"] {
            assert!(is_loopback_name(host), "{host}");
        }
        for host in
            ["example.org", "127.0.0.1.example.org:37521", "localhost.", "127.0.0.2", "", ":37521", "::1", "a:b"]
        {
            assert!(!is_loopback_name(host), "{host}");
        }
    }

    #[test]
    fn the_own_origin_is_scheme_host_and_port() {
        let is_own = |origin: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("127.0.0.1:37521"));
            headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
            is_own_origin(&headers)
        };
        assert!(is_own("http://127.0.0.1:37521"));
        for foreign in [
            "null",
            "http://127.0.0.1",
            "http://127.0.0.1:6274",
            "https://127.0.0.1:37521",
            "http://localhost:37521",
            "",
        ] {
            assert!(!is_own(foreign), "{foreign}");
        }
    }

    #[test]
    fn tokens_are_found_where_they_may_stand() {
        assert_eq!(bearer_token("Bearer abc"), Some("abc"));
        assert_eq!(bearer_token("bearer  abc "), Some("abc"));
        assert_eq!(bearer_token("Basic abc"), None);
        assert_eq!(bearer_token("abc"), None);
        assert_eq!(link_token(Some("view=jobs&token=abc")), Some("abc"));
        assert_eq!(link_token(Some("mytoken=abc")), None);
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_static("a=1; xivmcp_window_1=x; b=2"));
        assert_eq!(cookies(&headers).collect::<Vec<_>>(), [("a", "1"), ("xivmcp_window_1", "x"), ("b", "2")]);
    }
}
