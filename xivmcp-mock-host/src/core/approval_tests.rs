//! SPEC §7: approvals during a call.

use std::time::Duration;

use serde_json::json;
use xivmcp_protocol::{HostGate, PermissionMode};

use super::{Answer, AuditKind, Decision};
use crate::core::testing::{Stage, says};

/// A stage with a pending call of `mine_go` (`spend_gil`, and whatever else), and the call's id.
fn pending(more: &[&str]) -> (Stage, String) {
    let mut stage = Stage::with_tool(&[&["spend_gil"], more].concat());
    stage.replies("mine_go", r#"{"pending":true}"#);
    let call = stage.call("mine_go");
    stage.answer(Answer::Once);
    (stage, call.to_string())
}

/// Asks for an approval: its id and state.
fn ask(stage: &mut Stage, call: &str, capability: &str) -> (String, String) {
    let request = json!({"capability": capability, "summary": "3,200 gil"}).to_string();
    let reply = stage.ok("Mine", HostGate::RequestApproval, &[call, &request]);
    (reply["approvalId"].as_str().unwrap().to_owned(), reply["state"].as_str().unwrap().to_owned())
}

fn state(stage: &mut Stage, id: &str) -> String {
    stage.ok("Mine", HostGate::GetApproval, &[id])["state"].as_str().unwrap().to_owned()
}

// R-APP-1
#[test]
fn a_request_needs_a_running_call_a_capability_and_a_summary() {
    let (mut stage, call) = pending(&[]);
    for (request, parts) in [
        ("", ["JSON"].as_slice()),
        ("[]", &["object"]),
        (r#"{"summary":"s"}"#, &["capability"]),
        (r#"{"capability":5,"summary":"s"}"#, &["capability", "5"]),
        (r#"{"capability":"spend_gil"}"#, &["summary"]),
        (r#"{"capability":"spend_gil","summary":" "}"#, &["summary", "blank"]),
    ] {
        says(&stage.refused("Mine", HostGate::RequestApproval, &[&call, request]), parts);
    }
    assert_eq!(stage.core.pending().approvals, 0);
    let long = json!({"capability": "spend_gil", "summary": "x".repeat(201)}).to_string();
    stage.ok("Mine", HostGate::RequestApproval, &[&call, &long]);
    let question = &stage.core.questions()[0];
    assert_eq!(question.summary.as_deref(), Some("x".repeat(200).as_str()));
    assert_eq!(question.capabilities, ["spend_gil"]);
}

// R-APP-2
#[test]
fn what_the_tool_did_not_declare_is_denied_at_once_and_flagged() {
    let (mut stage, call) = pending(&[]);
    for capability in ["chat_send", "fly"] {
        let (id, given) = ask(&mut stage, &call, capability);
        assert_eq!(given, "denied");
        let entry = stage.newest();
        assert_eq!((entry.kind, entry.decision, entry.flagged), (AuditKind::Approval, Decision::Refused, true));
        assert_eq!((entry.suspended, entry.summary.as_deref()), (false, Some("3,200 gil")));
        assert_eq!(state(&mut stage, &id), "denied");
    }
    assert_eq!(stage.status("Mine")["state"], "enabled");
}

// R-APP-3
#[test]
fn the_tools_own_setting_comes_first_then_the_capabilitys() {
    use PermissionMode::{Allow, Ask, Deny};
    let cases = [
        (None, None, "pending", None),
        (None, Some(Deny), "denied", Some(Decision::Blocked)),
        (None, Some(Allow), "approved", Some(Decision::Allowed)),
        (Some(Ask), Some(Deny), "pending", None),
        (Some(Deny), Some(Allow), "denied", Some(Decision::Blocked)),
        (Some(Allow), Some(Deny), "approved", Some(Decision::Allowed)),
    ];
    for (tool, capability, expected, decision) in cases {
        let (mut stage, call) = pending(&[]);
        stage.core.player_set_tool("Mine", "mine_go", tool.clone()).unwrap();
        stage.core.player_set_capability("Mine", "spend_gil", capability.clone()).unwrap();
        let audited = stage.audit_len();
        let (_, given) = ask(&mut stage, &call, "spend_gil");
        assert_eq!(given, expected, "{tool:?} {capability:?}");
        assert_eq!(stage.audit_len() - audited, usize::from(decision.is_some()));
        if let Some(decision) = decision {
            assert_eq!(stage.newest().decision, decision);
        }
    }
}

// R-APP-3, R-POL-4
#[test]
fn a_plugin_that_is_not_enabled_any_more_gets_no_approval() {
    let (mut stage, call) = pending(&[]);
    stage.core.player_keep_disabled("Mine", None).unwrap();
    assert_eq!(ask(&mut stage, &call, "read_game").1, "denied");
}

// R-APP-3
#[test]
fn a_critical_capability_set_to_allow_is_asked_for_and_answered_once() {
    let (mut stage, call) = pending(&["discard_items"]);
    stage.set_capability("Mine", "discard_items", PermissionMode::Allow);
    for answer in [Answer::Session, Answer::Always] {
        for capability in ["discard_items", "spend_gil"] {
            let (id, given) = ask(&mut stage, &call, capability);
            assert_eq!(given, "pending", "{capability}");
            stage.answer(answer);
            assert_eq!(state(&mut stage, &id), "approved");
            assert_eq!(stage.newest().decision, Decision::Approved);
        }
    }
}

// R-APP-3
#[test]
fn session_covers_this_capability_and_always_the_tool() {
    let (mut stage, call) = pending(&["chat_send"]);
    ask(&mut stage, &call, "spend_gil");
    stage.answer(Answer::Session);
    assert_eq!(stage.newest().decision, Decision::ApprovedSession);
    assert_eq!(ask(&mut stage, &call, "spend_gil").1, "approved");
    assert_eq!(stage.newest().decision, Decision::ApprovedSession);
    assert_eq!(ask(&mut stage, &call, "chat_send").1, "pending");
    stage.answer(Answer::Always);
    assert_eq!(stage.newest().decision, Decision::ApprovedAlways);
    assert_eq!(stage.status("Mine")["tools"][0]["mode"], "allow");
    let next = stage.call("mine_go");
    assert_eq!(ask(&mut stage, next.as_str(), "chat_send").1, "approved");
}

// R-APP-3
#[test]
fn a_session_answer_for_the_whole_call_covers_its_approvals() {
    let mut stage = Stage::with_tool(&["spend_gil"]);
    stage.replies("mine_go", r#"{"pending":true}"#);
    let call = stage.call("mine_go");
    stage.answer(Answer::Session);
    assert_eq!(ask(&mut stage, call.as_str(), "spend_gil").1, "approved");
}

// R-APP-4
#[test]
fn an_answer_is_handed_out_once() {
    let (mut stage, call) = pending(&[]);
    let (id, _) = ask(&mut stage, &call, "spend_gil");
    assert!(id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!((state(&mut stage, &id), state(&mut stage, &id)), ("pending".to_owned(), "pending".to_owned()));
    stage.answer(Answer::Once);
    assert_eq!(state(&mut stage, &id), "approved");
    says(&stage.refused("Mine", HostGate::GetApproval, &[&id]), &[&id]);
    let (given, _) = ask(&mut stage, &call, "read_game");
    assert_eq!(state(&mut stage, &given), "approved", "what RequestApproval gave can be read once more");
    says(&stage.refused("Mine", HostGate::GetApproval, &[&given]), &[&given]);
    let (open, _) = ask(&mut stage, &call, "spend_gil");
    stage.ok("Mine", HostGate::CompleteCall, &[&call, "1"]);
    stage.settle();
    says(&stage.refused("Mine", HostGate::GetApproval, &[&open]), &[&open]);
    stage.assert_quiet();
}

// R-APP-5, R-TIME-1
#[test]
fn no_answer_or_a_cancelled_call_is_denied() {
    let (mut stage, call) = pending(&[]);
    let (id, _) = ask(&mut stage, &call, "spend_gil");
    stage.pass(Duration::from_millis(119_999));
    assert_eq!(state(&mut stage, &id), "pending");
    stage.pass(Duration::from_millis(1));
    assert_eq!(state(&mut stage, &id), "denied");
    assert_eq!(stage.newest().decision, Decision::Denied);
    let (id, _) = ask(&mut stage, &call, "spend_gil");
    stage.give_up(&xivmcp_protocol::CallId::new(call.as_str()));
    assert_eq!(state(&mut stage, &id), "denied");
    assert!(stage.core.questions().is_empty());
    assert_eq!(ask(&mut stage, &call, "read_game").1, "denied", "also what is asked for afterwards");
}
