//! A small HTTP and MCP client over plain TCP, so that tests can also send what no client would.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xivmcp_mock_host::server::Server;

/// How long a test waits for an answer before it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no answer of HTTP: {text:?}"));
        Self { status, head: head.to_owned(), body: unchunk(head, body) }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The JSON-RPC message in it, sent as JSON or as the last event with data.
    pub(crate) fn message(&self) -> Value {
        let text = self.body.trim();
        let data = text.lines().filter_map(|line| line.strip_prefix("data:")).rfind(|data| !data.trim().is_empty());
        serde_json::from_str(data.unwrap_or(text)).unwrap_or_else(|_| panic!("no message: {self:?}"))
    }
}

fn unchunk(head: &str, body: &str) -> String {
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || after.len() < size {
            break;
        }
        whole.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    whole
}

/// Where a server listens.
pub(crate) fn authority(server: &Server) -> String {
    let url = server.mcp_url();
    url["http://".len()..url.len() - "/mcp".len()].to_owned()
}

/// Opens a connection and sends `text`.
pub(crate) fn open(server: &Server, text: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(authority(server)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(text).unwrap();
    stream
}

/// The rest of what comes on a connection, until it is closed.
pub(crate) fn rest(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    Answer::parse(&String::from_utf8_lossy(&bytes))
}

/// A request as text. `Host` and `Connection: close` are added unless `headers` name a host.
pub(crate) fn request(server: &Server, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        text += &format!("Host: {}\r\n", authority(server));
    }
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text + "\r\n" + body
}

pub(crate) fn send(server: &Server, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    rest(open(server, request(server, method, path, headers, body).as_bytes()))
}

/// Ends the other direction and waits for the close.
pub(crate) fn hang_up(stream: &TcpStream) {
    stream.shutdown(Shutdown::Both).unwrap();
}

/// An app: its session, and its requests.
pub(crate) struct App<'a> {
    pub(crate) server: &'a Server,
    session: Option<String>,
}

impl<'a> App<'a> {
    /// An app that has initialized.
    pub(crate) fn initialized(server: &'a Server, name: &str) -> Self {
        let mut app = Self::without_session(server);
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": name, "version": "1" },
        });
        let answer = app.post(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        assert_eq!(answer.status, 200, "{answer:?}");
        app.session = Some(answer.header("mcp-session-id").expect("a session").to_owned());
        let answer = app.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(answer.status, 202, "{answer:?}");
        app
    }

    /// An app that has not.
    pub(crate) fn without_session(server: &'a Server) -> Self {
        Self { server, session: None }
    }

    /// An app that believes to have a session.
    pub(crate) fn with_session(server: &'a Server, session: &str) -> Self {
        Self { server, session: Some(session.to_owned()) }
    }

    fn text(&self, method: &str, body: &str) -> String {
        self.text_with(method, &[], body)
    }

    /// A request with headers beside the usual ones, or instead of them.
    fn text_with(&self, method: &str, changed: &[(&str, &str)], body: &str) -> String {
        let bearer = format!("Bearer {}", self.server.token().unwrap_or("none"));
        let mut headers = vec![
            ("Authorization", bearer.as_str()),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
        ];
        if let Some(session) = &self.session {
            headers.push(("Mcp-Session-Id", session));
            headers.push(("Mcp-Protocol-Version", "2025-11-25"));
        }
        headers.retain(|(name, _)| !changed.iter().any(|(other, _)| name.eq_ignore_ascii_case(other)));
        headers.extend_from_slice(changed);
        request(self.server, method, "/mcp", &headers, body)
    }

    pub(crate) fn post_text(&self, body: &str) -> Answer {
        rest(open(self.server, self.text("POST", body).as_bytes()))
    }

    pub(crate) fn post_with(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        rest(open(self.server, self.text_with("POST", headers, body).as_bytes()))
    }

    /// Ends the session.
    pub(crate) fn end(&self) -> Answer {
        rest(open(self.server, self.text("DELETE", "").as_bytes()))
    }

    pub(crate) fn post(&self, message: &Value) -> Answer {
        self.post_text(&message.to_string())
    }

    /// Sends a request and gives the connection on which the answer will come.
    pub(crate) fn begin(&self, id: u32, method: &str, params: &Value) -> TcpStream {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        open(self.server, self.text("POST", &body).as_bytes())
    }

    /// The stream of notifications.
    pub(crate) fn listen(&self) -> TcpStream {
        open(self.server, self.text("GET", "").as_bytes())
    }

    pub(crate) fn ask(&self, method: &str, params: &Value) -> Value {
        rest(self.begin(7, method, params)).message()
    }

    pub(crate) fn tools(&self) -> Vec<Value> {
        self.ask("tools/list", &json!({}))["result"]["tools"].as_array().expect("a list").clone()
    }

    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }
}

/// Reads from a stream until `text` has come.
pub(crate) fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut come = Vec::new();
    let mut piece = [0; 4096];
    let end = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < end, "{text:?} did not come: {}", String::from_utf8_lossy(&come));
        let so_far = String::from_utf8_lossy(&come).into_owned();
        if so_far.contains(text) {
            return so_far;
        }
        match stream.read(&mut piece) {
            Ok(0) => panic!("closed before {text:?} came: {so_far}"),
            Ok(length) => come.extend_from_slice(&piece[..length]),
            Err(error) => panic!("{text:?} did not come ({error}): {so_far}"),
        }
    }
}
