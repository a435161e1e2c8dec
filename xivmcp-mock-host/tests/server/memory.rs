//! What a process that serves can be made to keep: looked at from outside, on the real program.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::http::PATIENCE;

const MEGABYTE: usize = 1024 * 1024;

/// The program, and where it listens. It ends with this.
struct Program {
    child: Child,
    authority: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Program {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_xivmcp-mock-host"))
            .args(["serve", "--port", "0", "--no-token", "--log", "error"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let start = line.find("http://").unwrap() + "http://".len();
        let authority = line[start..].split('/').next().unwrap().to_owned();
        Self { child, authority }
    }

    fn open(&self, sent: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.authority).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let _ = stream.write_all(sent); // it may be refused before it has come whole
        stream
    }

    fn head(&self, length: usize) -> String {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            self.authority
        )
    }

    fn post(&self, body: &str) -> TcpStream {
        self.open((self.head(body.len()) + body).as_bytes())
    }

    /// A number of kilobytes in the system's account of the process.
    fn kilobytes(&self, of: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(of)).unwrap();
        line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
    }
}

fn status(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).chars().skip("HTTP/1.1 ".len()).take(3).collect()
}

#[test]
fn whatever_is_sent_the_memory_stays_bounded() {
    let program = Program::start();
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",
                         "capabilities":{},"clientInfo":{"name":"many","version":"1"}}}"#;
    let too_large = "x".repeat(5 * MEGABYTE);
    let deep = "[".repeat(MEGABYTE);
    // Sessions that nobody ends, each of an app that is gone: some kilobytes each, and no more than 1,000.
    let sessions = || {
        let sessions: Vec<_> = (0..200).map(|_| program.post(initialize)).collect();
        sessions.into_iter().map(status).collect::<Vec<_>>()
    };
    for _ in 0..5 {
        assert!(sessions().iter().all(|status| status == "200"));
    }
    // Bodies that are too large, that are no message, and that never come to their end: all at once.
    let round = || {
        let large: Vec<_> = (0..8).map(|_| program.post(&too_large)).collect();
        let wrong: Vec<_> = (0..8).map(|_| program.post(&deep)).collect();
        let unfinished = program.head(4 * MEGABYTE) + &too_large[..3 * MEGABYTE];
        let unfinished: Vec<_> = (0..16).map(|_| program.open(unfinished.as_bytes())).collect();
        assert!(sessions().iter().all(|status| status == "503"));
        assert!(large.into_iter().map(status).all(|status| status == "413"));
        assert!(wrong.into_iter().map(status).all(|status| status.starts_with('4')));
        drop(unfinished);
    };
    for _ in 0..8 {
        round();
    }
    // Whoever kept the large bodies of these rounds would have 320 MB, and twice that with the unfinished ones.
    let most = program.kilobytes("VmHWM");
    println!("{} MB at most", most / 1024);
    assert!(most < 300 * 1024, "{most} kB");
    // And it still serves.
    let list = program.post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(status(list), "200");
}
