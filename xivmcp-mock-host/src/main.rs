//! The program: plays scenario files. See `xivmcp_mock_host::scenario`.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use xivmcp_mock_host::scenario::Scenario;

const HELP: &str = "\
Plays scenario files against XIV MCP's mock host, in virtual time.

Usage: xivmcp-mock-host replay FILE...

  FILE  a scenario, JSON Lines; - is standard input

Prints what each step gives, one JSON line per step. Exit status: 0 all expectations held; 1 one did not; 2 a file
cannot be read, or a line is no step.
";

/// All expectations held.
const HELD: u8 = 0;
/// One did not.
const FAILED: u8 = 1;
/// A file cannot be read, or a line is no step.
const UNREADABLE: u8 = 2;

fn main() -> ExitCode {
    match files() {
        Ok(files) if files.is_empty() => {
            print!("{HELP}");
            ExitCode::from(HELD)
        }
        // Two outputs, one status: the worst file decides.
        Ok(files) => ExitCode::from(files.iter().map(replay).max().unwrap_or(HELD)),
        Err(error) => {
            eprintln!("xivmcp-mock-host: {error}\n\n{HELP}");
            ExitCode::from(UNREADABLE)
        }
    }
}

/// The files to play; none if help was asked for.
fn files() -> Result<Vec<PathBuf>, lexopt::Error> {
    use lexopt::prelude::{Long, Short, Value};

    let mut parser = lexopt::Parser::from_env();
    let mut replay = false;
    let mut files = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Vec::new()),
            Value(command) if !replay => {
                if command != "replay" {
                    return Err(format!("there is no command {}, only `replay`", command.to_string_lossy()).into());
                }
                replay = true;
            }
            Value(file) => files.push(file.into()),
            other => return Err(other.unexpected()),
        }
    }
    if files.is_empty() {
        let missing = if replay { "`replay` needs a file" } else { "a command is missing: `replay FILE...`" };
        return Err(missing.into());
    }
    Ok(files)
}

fn replay(file: &PathBuf) -> u8 {
    let name = file.display();
    let text = match read(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{name}: cannot be read: {error}");
            return UNREADABLE;
        }
    };
    let scenario = match Scenario::parse(&text) {
        Ok(scenario) => scenario,
        Err(bad) => {
            eprintln!("{name}: {bad}");
            return UNREADABLE;
        }
    };
    let mut out = io::stdout().lock();
    let mismatches = scenario.play(|played| {
        // Whoever reads may stop reading; the status still tells.
        let _ = writeln!(out, "{}", played.gives);
    });
    for mismatch in &mismatches {
        eprintln!("{name}: {mismatch}");
    }
    if mismatches.is_empty() { HELD } else { FAILED }
}

fn read(file: &PathBuf) -> io::Result<String> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(file)
}
