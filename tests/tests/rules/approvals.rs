//! SPEC §7: approvals during a call.

use std::time::Duration;

use serde_json::{Value, json};
use xivmcp_mock_host::{Answer, AuditKind, Decision, PendingCall};

use crate::support::{NO_ARGS, Raw, Stage, acting, inside, names};

/// A plugin whose tools wait for `complete`: `raw_buy` may spend gil and fight, `raw_discard` is critical.
fn stage() -> (Stage, Raw) {
    let host = Stage::new();
    let raw = host.raw("Raw");
    raw.register(acting("raw_buy", &["spend_gil", "combat"]));
    raw.register(acting("raw_discard", &["discard_items", "game_ui"]));
    raw.replies(r#"{"pending":true}"#);
    host.player().enable(&raw.plugin);
    (host, raw)
}

/// A running call; its own question is answered with `once`.
fn running(host: &Stage, tool: &str) -> PendingCall {
    let call = host.assistant().call(tool, NO_ARGS);
    if let Some(question) = host.player().questions().iter().find(|question| question.call == call.id()) {
        host.player().answer_question(question, Answer::Once);
    }
    call
}

fn ask(raw: &Raw, call: &PendingCall, capability: &str) -> (Value, String) {
    let reply = raw.ok("RequestApproval", &[json!(call.id()), json!({"capability": capability, "summary": "Do it."})]);
    (reply["approvalId"].clone(), reply["state"].as_str().unwrap().to_owned())
}

fn answer_of(raw: &Raw, approval: &Value) -> String {
    let reply = raw.ok("GetApproval", std::slice::from_ref(approval));
    assert_eq!(reply["approvalId"], *approval);
    reply["state"].as_str().unwrap().to_owned()
}

// R-APP-1
#[test]
fn an_approval_needs_a_running_call_a_capability_and_a_summary() {
    let (host, raw) = stage();
    let call = running(&host, "raw_buy");
    let id = json!(call.id());
    let request = |capability: Value, summary: Value| json!({"capability": capability, "summary": summary});
    for (request, field) in [
        (json!({"summary": "s"}), "capability"),
        (request(json!(null), json!("s")), "capability"),
        (request(json!(1), json!("s")), "capability"),
        (json!({"capability": "spend_gil"}), "summary"),
        (request(json!("spend_gil"), json!("")), "summary"),
        (request(json!("spend_gil"), json!(" \n\t\u{3000}")), "summary"),
        (request(json!("spend_gil"), json!(null)), "summary"),
        (request(json!("spend_gil"), json!(7)), "summary"),
    ] {
        names(&raw.refused("RequestApproval", &[id.clone(), request]), &[field]);
    }
    for no_object in ["", "null", "[]", "\"s\"", "{"] {
        raw.refused("RequestApproval", &[id.clone(), json!(no_object)]);
    }
    assert!(host.player().questions().is_empty());
    raw.complete(call.id(), "");
    names(&raw.refused("RequestApproval", &[id.clone(), request(json!("spend_gil"), json!("s"))]), &[call.id()]);
    let ended = raw.refused("RequestApproval", &[json!("0".repeat(32)), request(json!("spend_gil"), json!("s"))]);
    names(&ended, &[&"0".repeat(32)]);
}

// R-APP-1
#[test]
fn a_call_that_was_completed_inside_invoke_is_not_running_any_more() {
    let (host, raw) = stage();
    host.player().answer_all(Answer::Once);
    raw.on_invoke(|transport, invoked| {
        inside(transport, "CompleteCall", &[&invoked.id, "1"]);
        let refused =
            inside(transport, "RequestApproval", &[&invoked.id, r#"{"capability":"spend_gil","summary":"s"}"#]);
        Ok(json!({"result": refused}).to_string())
    });
    let refused = host.assistant().call("raw_buy", NO_ARGS).expect_result();
    assert_eq!(refused["ok"], false);
    names(refused["error"].as_str().unwrap(), &["completed"]);
}

// R-APP-1
#[test]
fn a_summary_is_cut_at_200_characters() {
    let (host, raw) = stage();
    let call = running(&host, "raw_buy");
    for (sent, shown) in [
        ("x".repeat(200), 200),
        ("x".repeat(201), 200),
        // UTF-16 units, never inside a character.
        (format!("{}\u{1F600}", "x".repeat(199)), 199),
        (format!("{}\u{1F600}", "x".repeat(198)), 200),
    ] {
        raw.ok("RequestApproval", &[json!(call.id()), json!({"capability": "spend_gil", "summary": sent})]);
        let question = host.player().answer(Answer::Denied);
        assert_eq!(question.summary.unwrap().encode_utf16().count(), shown);
    }
    raw.complete(call.id(), "");
}

// R-APP-2
#[test]
fn a_capability_that_was_not_declared_is_denied_at_once_and_flagged() {
    let (host, raw) = stage();
    let call = running(&host, "raw_buy");
    for undeclared in ["login", "game_ui", "fly", "Spend_Gil"] {
        let (approval, state) = ask(&raw, &call, undeclared);
        assert_eq!(state, "denied", "{undeclared:?}");
        assert_eq!(answer_of(&raw, &approval), "denied");
        let entry = &host.audit()[0];
        assert_eq!(
            (entry.kind, entry.decision, entry.flagged, entry.suspended),
            (AuditKind::Approval, Decision::Refused, true, false)
        );
        assert_eq!(entry.capabilities, [undeclared]);
    }
    assert_eq!(raw.status()["state"], "enabled", "no suspension");
    assert!(host.player().questions().is_empty());
    raw.complete(call.id(), "");
}

// R-APP-3
#[test]
fn the_tools_own_setting_comes_first_then_the_capabilitys() {
    let (host, raw) = stage();
    let call = running(&host, "raw_buy");
    let state = || {
        let (approval, state) = ask(&raw, &call, "spend_gil");
        if state == "pending" {
            host.player().answer(Answer::Once);
        }
        answer_of(&raw, &approval);
        state
    };
    for (own, capability, expected) in [
        (None, "allow", "approved"),
        (None, "ask", "pending"),
        (None, "deny", "denied"),
        (Some("allow"), "deny", "approved"),
        (Some("ask"), "allow", "pending"),
        (Some("ask"), "deny", "pending"),
        (Some("deny"), "allow", "denied"),
    ] {
        host.player().set_mode(&raw.plugin, "spend_gil", capability);
        match own {
            Some(mode) => host.player().set_tool_mode(&raw.plugin, "raw_buy", mode),
            None => host.player().reset_tool_mode(&raw.plugin, "raw_buy"),
        }
        assert_eq!(state(), expected, "own {own:?}, capability {capability}");
    }
    raw.complete(call.id(), "");
}

// R-APP-3
#[test]
fn reading_is_approved_by_default_and_critical_is_asked_even_if_allowed() {
    let (host, raw) = stage();
    host.player().set_mode(&raw.plugin, "discard_items", "allow");
    host.player().set_mode(&raw.plugin, "game_ui", "allow");
    let call = running(&host, "raw_discard");
    assert_eq!(ask(&raw, &call, "read_game").1, "approved");
    assert_eq!(ask(&raw, &call, "game_ui").1, "approved", "its own capability is not critical");
    let (approval, state) = ask(&raw, &call, "discard_items");
    assert_eq!(state, "pending");
    let question = host.player().answer(Answer::Once);
    assert_eq!(
        (question.capabilities, question.summary.as_deref()),
        (vec!["discard_items".to_owned()], Some("Do it."))
    );
    assert_eq!(answer_of(&raw, &approval), "approved");
    raw.complete(call.id(), "");
}

// R-APP-3
#[test]
fn a_session_answer_covers_the_capability_of_this_tool_and_always_sets_the_tools_mode() {
    let (host, raw) = stage();
    let call = running(&host, "raw_buy");
    let (first, _) = ask(&raw, &call, "spend_gil");
    host.player().answer(Answer::Session);
    assert_eq!(answer_of(&raw, &first), "approved");
    assert_eq!(ask(&raw, &call, "spend_gil").1, "approved");
    assert_eq!(ask(&raw, &call, "combat").1, "pending", "another capability");
    host.player().answer(Answer::Denied);
    raw.complete(call.id(), "");
    let again = host.assistant().call("raw_buy", NO_ARGS);
    assert_eq!(host.player().questions().len(), 1, "a call of the tool is still asked about");
    host.player().answer(Answer::Session);
    assert_eq!(ask(&raw, &again, "combat").1, "approved", "a session answer for the whole call covers all");
    host.player().clear_session(&raw.plugin);
    let (always, state) = ask(&raw, &again, "combat");
    assert_eq!(state, "pending");
    host.player().answer(Answer::Always);
    assert_eq!(answer_of(&raw, &always), "approved");
    assert_eq!(raw.status()["tools"][0], json!({"name": "raw_buy", "mode": "allow", "own": true}));
    assert_eq!(ask(&raw, &again, "spend_gil").1, "approved");
    raw.complete(again.id(), "");
}

// R-APP-3
#[test]
fn for_a_critical_tool_both_count_as_once() {
    let (host, raw) = stage();
    let call = running(&host, "raw_discard");
    for answer in [Answer::Session, Answer::Always, Answer::Once] {
        let (approval, state) = ask(&raw, &call, "game_ui");
        assert_eq!(state, "pending", "before {answer:?}");
        host.player().answer(answer);
        assert_eq!(answer_of(&raw, &approval), "approved");
        assert_eq!(raw.status()["tools"][1]["own"], false);
    }
    raw.complete(call.id(), "");
}

// R-APP-4
#[test]
fn an_answer_is_handed_out_once() {
    let (host, raw) = stage();
    let call = running(&host, "raw_buy");
    let (approval, _) = ask(&raw, &call, "spend_gil");
    let id = approval.as_str().unwrap();
    assert!(id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    for _ in 0..3 {
        assert_eq!(answer_of(&raw, &approval), "pending");
    }
    host.player().answer(Answer::Denied);
    assert_eq!(answer_of(&raw, &approval), "denied");
    names(&raw.refused("GetApproval", std::slice::from_ref(&approval)), &[id]);
    // What RequestApproval gave already can be read once.
    let (at_once, state) = ask(&raw, &call, "read_game");
    assert_eq!((state.as_str(), answer_of(&raw, &at_once).as_str()), ("approved", "approved"));
    raw.refused("GetApproval", &[at_once]);
    // The call ends: what was not read is forgotten, what is open is closed.
    let (unread, _) = ask(&raw, &call, "read_game");
    let (open, _) = ask(&raw, &call, "spend_gil");
    raw.complete(call.id(), "");
    assert!(host.player().questions().is_empty());
    for gone in [unread, open, json!(""), json!("000000000000")] {
        raw.refused("GetApproval", &[gone]);
    }
}

// R-APP-5, R-TIME-1
#[test]
fn no_answer_within_two_minutes_is_denied() {
    let (host, raw) = stage();
    let call = running(&host, "raw_buy");
    let (approval, _) = ask(&raw, &call, "spend_gil");
    host.advance(Duration::from_millis(119_999));
    assert_eq!(answer_of(&raw, &approval), "pending");
    host.advance(Duration::from_millis(1));
    assert_eq!(answer_of(&raw, &approval), "denied");
    call.expect_running();
    raw.complete(call.id(), "");
}

// R-APP-5
#[test]
fn a_cancelled_call_has_its_approvals_denied() {
    let (host, raw) = stage();
    raw.on_cancel(|_, _| {});
    let call = running(&host, "raw_buy");
    let (open, _) = ask(&raw, &call, "spend_gil");
    call.give_up();
    assert!(host.player().questions().is_empty());
    assert_eq!(answer_of(&raw, &open), "denied");
    host.player().set_mode(&raw.plugin, "spend_gil", "allow");
    let (later, state) = ask(&raw, &call, "spend_gil");
    assert_eq!((state.as_str(), answer_of(&raw, &later).as_str()), ("denied", "denied"));
    raw.complete(call.id(), "");
}
