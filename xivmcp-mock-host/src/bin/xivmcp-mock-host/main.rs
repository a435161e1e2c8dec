//! The program: XIV MCP without the game, for AI assistants (`run`, `serve`) and for scenario files (`replay`).

mod replay;
#[cfg(feature = "server")]
mod serve;
#[cfg(all(feature = "server", feature = "loader"))]
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

const HELP: &str = include_str!("help.txt");

/// The command line is wrong, or a file cannot be read.
const UNREADABLE: u8 = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next();
    let rest: Vec<OsString> = arguments.collect();
    let asks_for_help = |argument: &OsString| argument == "--help" || argument == "-h";
    let Some(command) = command else { return complain("a command is missing: run, serve or replay") };
    if asks_for_help(&command) || rest.iter().any(asks_for_help) {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match command.to_str() {
        Some("replay") => replay::replay(rest),
        #[cfg(feature = "server")]
        Some("serve") => serve::serve(rest),
        #[cfg(all(feature = "server", feature = "loader"))]
        Some("run") => serve::run(rest),
        #[cfg(not(feature = "server"))]
        Some("serve") => not_built("serve"),
        #[cfg(not(all(feature = "server", feature = "loader")))]
        Some("run") => not_built("run"),
        Some("--version" | "-V") => {
            println!("xivmcp-mock-host {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        _ => complain(&format!("there is no command {}, only run, serve and replay", command.to_string_lossy())),
    }
}

#[cfg(not(all(feature = "server", feature = "loader")))]
fn not_built(command: &str) -> ExitCode {
    complain(&format!(
        "this program was built without `{command}`: build it with `--features program` \
         (`cargo install xivmcp-mock-host --features program`)"
    ))
}

/// Prints a line for the person at the terminal. Whoever reads may be gone: the program goes on.
#[cfg(feature = "server")]
pub(crate) fn say(line: std::fmt::Arguments<'_>) {
    use std::io::Write;

    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Says what is wrong with the command line, and where help is.
fn complain(what: &str) -> ExitCode {
    eprintln!("xivmcp-mock-host: {what}\nTry `xivmcp-mock-host --help`.");
    ExitCode::from(UNREADABLE)
}
