//! Scenarios through their public face.

use super::Scenario;

fn mismatches(text: &str) -> Vec<String> {
    Scenario::parse(text).unwrap().play(|_| {}).iter().map(ToString::to_string).collect()
}

fn bad(text: &str) -> String {
    Scenario::parse(text).map(drop).unwrap_err().to_string()
}

#[test]
fn bad_lines_say_their_number_and_the_reason() {
    assert_eq!(bad("\n# c\n{\"jump\": 1}").split(';').next(), Some("line 3: no verb"));
    assert!(bad("{\"job\": \"${id}\"}").contains("no step before saves `id`"));
    assert!(bad("\u{feff}{}").contains("byte order mark"));
}

#[test]
fn a_mismatch_says_the_line_what_was_expected_and_what_came() {
    let found = mismatches("\n{\"gate\": \"IsReady\", \"as\": \"A\", \"expect\": false}");
    let expected = "line 2: what came is not what was expected\n  expected: false\n      came: true";
    assert_eq!(found, [expected]);
}

#[test]
fn a_step_that_cannot_be_done_does_not_pass_unseen() {
    let found = mismatches(r#"{"player": "answer", "with": "once"}"#);
    assert!(found[0].contains("no question is open"), "{found:?}");
    let found = mismatches(r#"{"player": "answer", "with": "once", "expect": {"error": "~no question"}}"#);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_gate_that_is_not_there_and_a_wrong_count_are_errors_of_the_bus() {
    let text = r#"
{"gate": "Nothing", "as": "A", "expect": {"ipcError": "not_ready", "message": "~XivMcp.Nothing"}}
{"gate": "GetJob", "as": "A", "args": ["a", "b"], "expect": {"ipcError": "length_mismatch", "message": "/1.*2|2.*1/"}}
{"gate": "ApiVersion", "as": "A", "expect": 2}
"#;
    assert_eq!(mismatches(text), [""; 0]);
}

#[test]
fn arguments_that_are_no_text_are_sent_byte_for_byte() {
    let text = r#"
{"install": "A"}
{"gate": "RegisterTool", "as": "A", "args": ["A", {"name": "a_tool", "description": "x", "readOnly": true, "inputSchema": {"type": "object", "b": 1.50, "a": {}}}], "expect": {"ok": true}}
{"provide": "Invoke", "as": "A", "reply": {"result": {"z": 1, "a": 2}}}
{"player": "enable", "plugin": "A"}
{"assistant": "call", "tool": "a_tool", "args": {"z": 1, "a": "${notaname"}, "expect": {"result": {"a": 2}}}
{"calls": "A", "expect": [{"gate": "Invoke", "tool": "a_tool", "args": {"z": 1}, "callId": "/^[0-9a-f]{32}$/"}]}
{"calls": "A", "expect": []}
"#;
    assert_eq!(mismatches(text), [""; 0]);
}

#[test]
fn steps_inside_a_call_know_its_id_and_their_expectations_count() {
    let text = r#"
{"install": "A"}
{"gate": "RegisterTool", "as": "A", "args": ["A", {"name": "a_tool", "description": "x", "readOnly": true}]}
{"provide": "Invoke", "as": "A", "reply": {"pending": true}, "during": [{"gate": "CompleteCall", "as": "A", "args": ["${callId}", "7"], "expect": {"accepted": true}}, {"gate": "CompleteCall", "as": "A", "args": ["${callId}", "8"], "expect": {"accepted": true}}]}
{"player": "enable", "plugin": "A"}
{"assistant": "call", "tool": "a_tool", "expect": {"result": 7}}
"#;
    let found = mismatches(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("line 4:"), "{found:?}");
}
