//! Who may not is told so, with the right status, and the server goes on.

use std::io::Write;

use serde_json::json;
use xivmcp_mock_host::server::{Options, Server};

use crate::http::{Answer, App, authority, open, request, rest, send};
use crate::{said, serve_plugin};

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const JSON: (&str, &str) = ("Content-Type", "application/json");

fn list(server: &Server, headers: &[(&str, &str)]) -> Answer {
    send(server, "POST", "/mcp", &[headers, &[ACCEPT, JSON]].concat(), LIST)
}

/// The server still serves who may.
fn still_serves(server: &Server) {
    assert_eq!(said(&App::initialized(server, "tester").call("myplugin_ping", &json!({}))), "pong");
}

#[test]
fn without_the_token_nothing_is_answered() {
    let server = serve_plugin(Options::new());
    let token = server.token().unwrap().to_owned();
    let right = format!("Bearer {token}");
    assert_eq!(list(&server, &[("Authorization", &right)]).status, 200);
    let half = format!("Bearer {}", &token[1..]);
    let double = [("Authorization", &*right), ("Authorization", &*right)];
    let cases: [(&[(&str, &str)], &str); 7] = [
        (&[], "none"),
        (&[("Authorization", "Bearer wrong")], "a wrong one"),
        (&[("Authorization", &half)], "a part of it"),
        (&[("Authorization", "Bearer ")], "an empty one"),
        (&[("Authorization", &token)], "no scheme"),
        (&double, "two"),
        (&[("Cookie", &*format!("token={token}"))], "a cookie"),
    ];
    for (headers, case) in cases {
        let answer = list(&server, headers);
        assert_eq!(answer.status, 401, "{case}: {answer:?}");
        assert!(answer.header("WWW-Authenticate").unwrap().starts_with("Bearer"), "{case}");
    }
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        assert_eq!(send(&server, method, "/mcp", &[ACCEPT], "").status, 401, "{method}");
    }
    still_serves(&server);
}

#[test]
fn without_a_token_everybody_on_this_machine_is_answered_but_no_foreign_site() {
    let server = serve_plugin(Options::new().without_token());
    assert_eq!(server.token(), None);
    assert_eq!(list(&server, &[]).status, 200);
    assert_eq!(list(&server, &[("Origin", "https://example.org")]).status, 403);
    assert_eq!(send(&server, "GET", "/", &[], "").status, 401, "the window keeps its own token");
}

#[test]
fn foreign_sites_are_refused_also_those_that_rebind_their_name() {
    let server = serve_plugin(Options::new());
    let right = ("Authorization", &*format!("Bearer {}", server.token().unwrap()));
    let own = format!("http://{}", authority(&server));
    assert_eq!(list(&server, &[right, ("Origin", &own)]).status, 200);
    let port = authority(&server).rsplit_once(':').unwrap().1.to_owned();
    for origin in ["https://example.org", "null", "http://127.0.0.1:1", "http://127.0.0.1.example.org", "file://"] {
        assert_eq!(list(&server, &[right, ("Origin", origin)]).status, 403, "{origin}");
    }
    for host in ["example.org", &*format!("example.org:{port}"), "127.0.0.1.example.org", "192.168.0.1", "0.0.0.0"] {
        assert_eq!(list(&server, &[right, ("Host", host)]).status, 403, "{host}");
        assert_eq!(send(&server, "GET", &link_path(&server), &[("Host", host)], "").status, 403, "{host}");
    }
    for host in [format!("localhost:{port}"), format!("[::1]:{port}")] {
        assert_eq!(list(&server, &[right, ("Host", &host)]).status, 200, "{host}");
    }
    still_serves(&server);
}

#[test]
fn it_listens_on_the_loopback_only() {
    let server = serve_plugin(Options::new());
    assert!(server.mcp_url().starts_with("http://127.0.0.1:"));
}

fn link_path(server: &Server) -> String {
    let url = server.window_url();
    url[url.find("/?").unwrap()..].to_owned()
}

#[test]
fn the_players_window_opens_by_its_link_and_stays_open_by_a_cookie() {
    let server = serve_plugin(Options::new());
    assert_eq!(send(&server, "GET", "/", &[], "").status, 401);
    assert_eq!(send(&server, "GET", "/?token=wrong", &[], "").status, 401);
    let mcp_token = server.token().unwrap().to_owned();
    assert_eq!(send(&server, "GET", &format!("/?token={mcp_token}"), &[], "").status, 401, "the assistant's token");
    let bearer = format!("Bearer {mcp_token}");
    assert_eq!(send(&server, "GET", "/", &[("Authorization", &bearer)], "").status, 401, "the assistant's token");

    let opened = send(&server, "GET", &link_path(&server), &[], "");
    assert_eq!(opened.status, 303);
    assert_eq!(opened.header("Location"), Some("/"));
    let cookie = opened.header("Set-Cookie").unwrap();
    assert!(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let page = send(&server, "GET", "/", &[("Cookie", cookie)], "");
    assert_ne!(page.status, 401);
    assert!(page.header("Content-Security-Policy").unwrap().contains("script-src 'self'"));

    let own = format!("http://{}", authority(&server));
    let change = |origin: Option<&str>, cookie: Option<&str>| {
        let mut headers = vec![JSON];
        headers.extend(origin.map(|origin| ("Origin", origin)));
        headers.extend(cookie.map(|cookie| ("Cookie", cookie)));
        send(&server, "POST", "/api/nothing", &headers, "{}").status
    };
    assert_eq!(change(Some(&own), None), 401, "no cookie");
    assert_eq!(change(None, Some(cookie)), 403, "from nowhere");
    assert_eq!(change(Some("http://127.0.0.1:1"), Some(cookie)), 403, "from another page of this machine");
    assert!(!matches!(change(Some(&own), Some(cookie)), 401 | 403), "from the page itself");
    // The player's cookie is no right to call tools.
    assert_eq!(list(&server, &[("Cookie", cookie)]).status, 401);
}

#[test]
fn a_body_that_is_too_large_is_refused_and_one_that_is_just_right_is_not() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let with = |bytes: usize| {
        let text = "x".repeat(bytes);
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": { "name": "myplugin_ping", "arguments": { "text": text } } })
    };
    assert_eq!(app.post(&with(5 * 1024 * 1024)).status, 413);
    assert_eq!(app.post(&with(4 * 1024 * 1024 - 1024)).status, 200);
    still_serves(&server);
}

#[test]
fn what_is_no_message_is_refused_in_words() {
    let server = serve_plugin(Options::new());
    let bearer = format!("Bearer {}", server.token().unwrap());
    let deep = "[".repeat(100_000);
    let cases = ["", "{", "[]", "null", "{\"jsonrpc\":\"2.0\"}", "\u{0}", "{\"method\":7}", "[1,2,3]", &*deep];
    for body in cases {
        let answer = send(&server, "POST", "/mcp", &[("Authorization", &bearer), ACCEPT, JSON], body);
        let start = body.chars().take(20).collect::<String>();
        assert!((400..500).contains(&answer.status), "{start:?}: {answer:?}");
    }
    let wrong = [("Content-Type", "text/plain"), ("Content-Type", "multipart/form-data; boundary=x")];
    for kind in wrong {
        let answer = send(&server, "POST", "/mcp", &[("Authorization", &bearer), ACCEPT, kind], LIST);
        assert_eq!(answer.status, 415, "{kind:?}");
    }
    assert_eq!(send(&server, "PUT", "/mcp", &[("Authorization", &bearer)], "").status, 405);
    for garbage in ["\r\n\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}", "POST /mcp HTTP/9.9\r\n\r\n"] {
        drop(open(&server, garbage.as_bytes()));
    }
    let long = request(&server, "GET", "/mcp", &[("X-Long", &"x".repeat(100_000))], "");
    let mut stream = std::net::TcpStream::connect(authority(&server)).unwrap();
    let _ = stream.write_all(long.as_bytes()); // it may be cut off meanwhile
    still_serves(&server);
}

#[test]
fn two_hundred_open_streams_and_as_many_slow_senders_leave_room_for_others() {
    let server = serve_plugin(Options::new());
    let app = App::initialized(&server, "tester");
    let listening: Vec<_> = (0..200).map(|_| App::initialized(&server, "listener").listen()).collect();
    let bearer = format!("Bearer {}", server.token().unwrap());
    let slow: Vec<_> = (0..200)
        .map(|at| {
            let whole = request(&server, "POST", "/mcp", &[("Authorization", &bearer), ACCEPT, JSON], LIST);
            // Some stop in the head, some in the body.
            let sent = if at % 2 == 0 { 20 } else { whole.len() - 5 };
            (open(&server, &whole.as_bytes()[..sent]), whole[sent..].to_owned())
        })
        .collect();
    assert_eq!(said(&app.call("myplugin_ping", &json!({}))), "pong");
    still_serves(&server);
    // The slow ones are answered when they are done.
    for (mut stream, left) in slow.into_iter().take(4) {
        stream.write_all(left.as_bytes()).unwrap();
        assert_eq!(rest(stream).status, 200);
    }
    drop(listening);
    assert_eq!(server.stop(), [""; 0]);
}
