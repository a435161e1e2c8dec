//! Plays a session with Hello MCP on the simulated host, and prints it: `cargo run -p hello-mcp --example session`.
//!
//! Coloured on a terminal, unless `NO_COLOR` is set.

mod play;
mod transcript;

use std::io::{self, IsTerminal, Write as _};
use std::time::Instant;

use transcript::Style;

fn main() -> io::Result<()> {
    let started = Instant::now();
    let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let style = if colour { Style::Coloured } else { Style::Plain };
    let (session, game_time) = play::session(style);
    let mut out = io::stdout().lock();
    write!(out, "{session}")?;
    writeln!(out, "\n{} s of game time, played in {} ms.", game_time.as_secs(), started.elapsed().as_millis())
}
