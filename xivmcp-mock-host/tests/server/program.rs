//! The program: `serve` and `run`.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xivmcp-mock-host"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

#[test]
fn what_is_wrong_with_the_command_line_is_said_in_a_sentence() {
    let cases: [(&[&str], &str); 6] = [
        (&["serve", "--answer", "maybe"], "once, session, always or deny"),
        (&["serve", "--log", "loud"], "verbose, debug, information, warning or error"),
        (&["serve", "--port", "70000"], "70000"),
        (&["serve", "--token", "short"], "at least 8"),
        (&["serve", "library.so"], "`run LIBRARY...`"),
        (&["server"], "only run, serve and replay"),
    ];
    for (arguments, expected) in cases {
        let output = run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(expected) && error.contains("--help"), "{arguments:?}: {error}");
    }
}

#[test]
fn help_tells_of_every_option() {
    let help = run(&["serve", "--help"]);
    assert!(help.status.success());
    let help = String::from_utf8(help.stdout).unwrap();
    for option in ["--port", "--token", "--no-token", "--enable-all", "--answer", "--state", "--watch", "--log"] {
        assert!(help.contains(option), "{option}");
    }
}

#[cfg(unix)]
#[test]
fn it_says_where_it_listens_and_ctrl_c_ends_it_cleanly() {
    let mut child = program(&["serve", "--port", "0"]).spawn().unwrap();
    let lines: Vec<String> =
        BufReader::new(child.stdout.take().unwrap()).lines().take(5).map(|line| line.unwrap()).collect();
    assert!(lines[0].contains("http://127.0.0.1:"), "{lines:?}");
    assert!(lines[2].contains("claude mcp add --transport http"), "{lines:?}");
    assert!(lines[4].contains("/?token="), "{lines:?}");
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
