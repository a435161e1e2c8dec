//! The program: `xivmcp-mock-host replay FILE…`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn replay(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_xivmcp-mock-host"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input.as_bytes()); // a program that reads nothing closes it
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_scenario_that_holds_prints_a_line_per_step_and_ends_with_0() {
    let scenario = "# a comment\n\n{\"gate\": \"ApiVersion\", \"as\": \"A\", \"expect\": 2}\n{\"advance\": \"2m\"}\n";
    let output = replay(&["replay", "-"], scenario);
    assert_eq!(text(&output.stdout), "2\n{}\n");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn an_expectation_that_does_not_hold_ends_with_1_and_says_line_expected_and_came() {
    let output = replay(&["replay", "-"], "\n{\"gate\": \"IsReady\", \"as\": \"A\", \"expect\": false}\n");
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("-: line 2:"), "{error}");
    assert!(error.contains("expected: false\n      came: true"), "{error}");
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let cases: [(&[&str], &str, &str); 5] = [
        (&["replay", "-"], "{\"gatte\": 1}", "line 1: no verb"),
        (&["replay", "/no/such/file"], "", "/no/such/file: cannot be read"),
        (&["replay"], "", "needs a file"),
        (&["play", "-"], "", "no command play"),
        (&["replay", "--fast", "-"], "", "--fast"),
    ];
    for (arguments, input, expected) in cases {
        let output = replay(arguments, input);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[test]
fn several_files_give_the_worst_status_and_help_is_no_failure() {
    let output = replay(&["replay", "/no/such/file", "-"], "{\"advance\": \"1s\"}");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout), "{}\n");
    assert_eq!(replay(&["--help"], "").status.code(), Some(0));
}
