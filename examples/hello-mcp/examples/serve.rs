//! Hello MCP for a real AI app, without the game: serves it until Ctrl-C, or until its input ends.
//!
//! `cargo run -p hello-mcp --features serve --example serve`, then open the player's window by the link that it prints,
//! click *Enable*, and paste the line for Claude Code into another terminal.

use std::error::Error;
use std::io::Read;

use xivmcp_mock_host::MockHost;
use xivmcp_mock_host::server::{Options, serve};

fn main() -> Result<(), Box<dyn Error>> {
    let host = MockHost::live();
    host.load_plugin("HelloMcp", hello_mcp::start);
    let server = serve(host, &Options::new())?;
    println!("{}", server.how_to_connect());

    let stopper = server.stopper();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new()); // an input that fails has ended too
        stopper.stop();
    });
    server.wait();
    let problems = server.stop();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}
