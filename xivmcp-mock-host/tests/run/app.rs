//! An AI app that is connected to the program: MCP over HTTP, as little of it as the tests need.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::Program;
use crate::{PATIENCE, wait_for};

/// The app, initialized.
pub(crate) struct App {
    address: String,
    token: String,
    session: Option<String>,
}

impl App {
    pub(crate) fn connected(program: &Program) -> Self {
        let mut app = Self { address: program.address.clone(), token: program.token.clone(), session: None };
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "tester", "version": "1" },
        });
        let answer = app.post(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        let session = answer.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        app.session = Some(session.unwrap_or_else(|| panic!("no session: {answer}")));
        app.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        app
    }

    fn send(&self, method: &str, body: &str) -> TcpStream {
        let session = self.session.as_ref();
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\nMcp-Protocol-Version: 2025-11-25\r\n"));
        let request = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n{}\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            session.unwrap_or_default(),
            body.len(),
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn post(&self, message: &Value) -> String {
        let mut answer = Vec::new();
        let _ = self.send("POST", &message.to_string()).read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn request(method: &str, params: &Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
    }

    fn ask(&self, method: &str, params: &Value) -> Value {
        let answer = self.post(&Self::request(method, params));
        // As JSON or as an event, on one line either way.
        let messages = answer.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let mut messages = messages.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.rfind(|message| message["id"] == 7).unwrap_or_else(|| panic!("no answer: {answer}"))
    }

    /// The names of the tools that are listed.
    pub(crate) fn tools(&self) -> Vec<String> {
        let answer = self.ask("tools/list", &json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("no list: {answer}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn call(&self, tool: &str) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": {} }))
    }

    /// What the tool gave, as text.
    #[track_caller]
    pub(crate) fn result_of(&self, tool: &str) -> String {
        let answer = self.call(tool);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Calls a tool without waiting for how it ends. The call ends when what this gives is dropped.
    pub(crate) fn begin(&self, tool: &str) -> TcpStream {
        self.send("POST", &Self::request("tools/call", &json!({ "name": tool, "arguments": {} })).to_string())
    }

    /// Listens to notifications.
    pub(crate) fn listen(&self) -> Notifications {
        let mut stream = self.send("GET", "");
        stream.set_read_timeout(None).unwrap();
        let text = Arc::<Mutex<String>>::default();
        let hears = Arc::clone(&text);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                hears.lock().unwrap().push_str(&String::from_utf8_lossy(&piece[..length]));
            }
        });
        let notifications = Notifications(text);
        wait_for("the stream is open", || notifications.0.lock().unwrap().contains("\r\n\r\n").then_some(()));
        notifications
    }
}

/// What has come on the stream.
pub(crate) struct Notifications(Arc<Mutex<String>>);

impl Notifications {
    /// How often it has said that the list of tools has changed.
    pub(crate) fn list_changes(&self) -> usize {
        self.0.lock().unwrap().matches("notifications/tools/list_changed").count()
    }

    #[track_caller]
    pub(crate) fn wait_for_more_than(&self, known: usize) {
        wait_for("the list of tools has changed", || (self.list_changes() > known).then_some(()));
    }
}

/// The player's window of the program.
pub(crate) fn page(program: &Program) -> String {
    let get = |path: &str, cookie: &str| {
        let host = &program.address;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{cookie}\r\n");
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let opened = get(&program.window[program.window.find("/?").unwrap()..], "");
    let cookie = opened.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:"));
    let cookie = cookie.unwrap_or_else(|| panic!("no cookie: {opened}"));
    let cookie = cookie["set-cookie:".len()..].split(';').next().unwrap_or_default().trim().to_owned();
    get("/api/state", &format!("Cookie: {cookie}\r\n"))
}
