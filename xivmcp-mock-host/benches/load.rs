//! Calls per second over loopback HTTP: the mock host's endpoint beside a bare echo server of rmcp, in the same run, with
//! 1 and with 32 clients. Ends with 1 if the mock host answers less than 0.9 times as many.
//!
//! Both answer the same call: a tool that gives its arguments back, in a session. Rounds alternate, and the medians are
//! compared, so that what else the machine does meets both.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::serve::ListenerExt;
use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use xivmcp_client::{McpCall, McpToolDefinition, XivMcpClient};
use xivmcp_mock_host::MockHost;
use xivmcp_mock_host::server::{Options, serve};

/// The mock host answers at least this part of the bare server's calls.
const AT_LEAST: f64 = 0.9;
/// How long one round takes.
const ROUND: Duration = Duration::from_millis(700);
/// How many rounds each of the two gets.
const ROUNDS: usize = 7;

/// Gives a call's arguments back: nothing but rmcp.
#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = serde_json::to_string(&request.arguments).unwrap_or_default();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn bare() -> (SocketAddr, tokio::runtime::Runtime) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
    let address = listener.local_addr().expect("an address");
    let sessions: Arc<rmcp::transport::streamable_http_server::session::local::LocalSessionManager> = Arc::default();
    let service = StreamableHttpService::new(|| Ok(Echo), sessions, StreamableHttpServerConfig::default());
    let router = axum::Router::new().nest_service("/mcp", service);
    // Without this the bare server waits 40 ms for each acknowledgment, and the comparison would flatter.
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("no delay"));
    runtime.spawn(async move { axum::serve(listener, router).await });
    (address, runtime)
}

/// One app on one connection.
struct App {
    stream: TcpStream,
    call: Vec<u8>,
}

impl App {
    fn initialized(address: SocketAddr, token: &str) -> Self {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        let head = |session: &str| {
            format!(
                "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{session}\
                 Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
            )
        };
        let post = |session: &str, body: &Value| {
            let body = body.to_string();
            format!("{}Content-Length: {}\r\n\r\n{body}", head(session), body.len()).into_bytes()
        };
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                             "clientInfo": { "name": "load", "version": "1" } });
        let answer = exchange(
            &mut stream,
            &post("", &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })),
        );
        let session = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session");
        let session = format!("Mcp-Session-Id: {}\r\nMcp-Protocol-Version: 2025-11-25\r\n", session.trim());
        let answer =
            exchange(&mut stream, &post(&session, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })));
        assert!(answer.contains(" 202 "), "{answer}");
        let arguments = json!({ "text": "x".repeat(900), "count": 3 });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": { "name": "load_echo", "arguments": arguments } });
        let call = post(&session, &call);
        let answer = exchange(&mut stream, &call);
        assert!(answer.contains("xxxxxxxx"), "{answer}");
        Self { stream, call }
    }

    fn call(&mut self) {
        let answer = exchange(&mut self.stream, &self.call);
        assert!(answer.contains("xxxxxxxx"), "{answer}");
    }
}

/// Sends a request, and reads the answer to its end.
fn exchange(stream: &mut TcpStream, request: &[u8]) -> String {
    stream.write_all(request).expect("sent");
    let mut come = Vec::new();
    let mut piece = [0; 16 * 1024];
    loop {
        let length = stream.read(&mut piece).expect("an answer");
        assert!(length > 0, "closed: {}", String::from_utf8_lossy(&come));
        come.extend_from_slice(&piece[..length]);
        let Some(end) = find(&come, b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&come[..end]).to_ascii_lowercase();
        let is_whole = match head.lines().find_map(|line| line.strip_prefix("content-length: ")) {
            Some(length) => come.len() >= end + 4 + length.trim().parse::<usize>().expect("a length"),
            None => come.ends_with(b"\r\n0\r\n\r\n") || !head.contains("chunked"),
        };
        if is_whole {
            return String::from_utf8_lossy(&come).into_owned();
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// Calls per second in one round.
fn round(apps: &mut [App]) -> f64 {
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    let counting = |app: &mut App| {
        let mut calls = 0_u64;
        while !stop.load(Ordering::Relaxed) {
            app.call();
            calls += 1;
        }
        calls
    };
    let counting = &counting;
    let calls: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = apps.iter_mut().map(|app| scope.spawn(move || counting(app))).collect();
        std::thread::sleep(ROUND);
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().expect("a count")).sum()
    });
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
    let calls = calls as f64;
    calls / began.elapsed().as_secs_f64()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--test") {
        return ExitCode::SUCCESS; // `cargo test --benches` only wants to know that it builds
    }
    let (bare_address, _runtime) = bare();
    let host = MockHost::live();
    let plugin = host.load("Load", |client: &XivMcpClient| {
        let definition = McpToolDefinition::new("load_echo", "Gives its arguments back.").read_only(true);
        client.add_tool(definition, |call: McpCall| Ok(call.args_text().to_owned()))
    });
    host.player().enable(&plugin);
    let server = serve(host, &Options::new().port(0)).expect("a server");
    let token = server.token().unwrap_or_default().to_owned();
    let mock_address: SocketAddr = server.mcp_url()["http://".len()..].trim_end_matches("/mcp").parse().expect("one");

    println!("{:>8} {:>14} {:>14} {:>7}", "clients", "bare calls/s", "mock calls/s", "ratio");
    let mut held = true;
    for clients in [1, 32] {
        let apps = |address| (0..clients).map(|_| App::initialized(address, &token)).collect::<Vec<_>>();
        let (mut bare, mut mock) = (apps(bare_address), apps(mock_address));
        let (mut of_bare, mut of_mock) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            of_bare.push(round(&mut bare));
            of_mock.push(round(&mut mock));
        }
        let (bare, mock) = (median(of_bare), median(of_mock));
        let ratio = mock / bare;
        println!("{clients:>8} {bare:>14.0} {mock:>14.0} {ratio:>7.2}");
        held &= ratio >= AT_LEAST;
    }
    drop(server);
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
