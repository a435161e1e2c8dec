//! Plays a session with Restock Helper on the simulated host, and prints it:
//! `cargo run -p restock-helper --example session`.

mod play;
// The same way of telling as Hello MCP's session.
#[path = "../../../hello-mcp/examples/session/transcript.rs"]
mod transcript;

use std::io::{self, IsTerminal, Write as _};

use transcript::Style;

fn main() -> io::Result<()> {
    let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let style = if colour { Style::Coloured } else { Style::Plain };
    io::stdout().lock().write_all(play::session(style).as_bytes())
}
