//! SPEC §8: side effects, suspension, and the audit log.

use std::time::Duration;

use serde_json::json;
use xivmcp_protocol::{HostGate, JsonText, PermissionMode};

use super::{Answer, AuditEffect, AuditKind, BuiltinScript, Decision, GameChange, ReportedEnd};
use crate::core::testing::{Stage, says};

fn gil(amount: i64) -> GameChange {
    GameChange { gil: amount, ..GameChange::default() }
}

/// A stage whose `mine_go` spends 120 gil and then replies so.
fn spending(capabilities: &[&str], reply: &str) -> Stage {
    let mut stage = Stage::with_tool(capabilities);
    stage.set_tool("Mine", "mine_go", PermissionMode::Allow);
    let reply = reply.to_owned();
    stage.invoked("mine_go", move |stage, _| {
        stage.core.change_game(&gil(-120));
        Ok(reply.clone())
    });
    stage
}

// R-SIDE-2
#[test]
fn a_covered_effect_is_only_noted_and_another_one_suspends() {
    for reply in [r#"{"result":1}"#, r#"{"error":"no"}"#] {
        let effects = [AuditEffect { effect: "spent_gil".to_owned(), detail: "120 gil".to_owned() }];
        let mut stage = spending(&["spend_gil"], reply);
        stage.call("mine_go");
        assert_eq!(stage.newest().effects, effects);
        assert_eq!((stage.newest().flagged, stage.newest().suspended), (false, false));
        let mut stage = spending(&["game_ui"], reply);
        stage.call("mine_go");
        assert_eq!(stage.newest().effects, effects);
        assert_eq!((stage.newest().flagged, stage.newest().suspended), (true, true));
        let status = stage.status("Mine");
        assert_eq!(status["state"], "suspended");
        let reason = status["suspendReason"].as_str().unwrap();
        says(reason, &["mine_go", "spent_gil"]);
        assert!(!reason.contains("player"), "{reason}");
    }
}

// R-SIDE-2
#[test]
fn after_a_long_call_the_reason_adds_that_it_may_have_been_the_player() {
    for (seconds, may) in [(119, false), (120, true)] {
        let mut stage = spending(&["game_ui"], r#"{"pending":true}"#);
        let call = stage.call("mine_go");
        stage.pass(Duration::from_secs(seconds));
        stage.ok("Mine", HostGate::FailCall, &[call.as_str(), "no"]);
        stage.settle();
        let reason = stage.status("Mine")["suspendReason"].as_str().unwrap().to_owned();
        assert_eq!(reason.contains("player"), may, "{seconds} s: {reason}");
    }
}

// SPEC §8: also a cancelled one
#[test]
fn a_cancelled_call_is_compared_too() {
    let mut stage = spending(&["game_ui"], r#"{"pending":true}"#);
    let call = stage.call("mine_go");
    stage.give_up(&call);
    stage.minutes(2);
    assert_eq!(stage.outcome(&call), "cancelled");
    assert_eq!(stage.status("Mine")["state"], "suspended");
}

// R-SIDE-3
#[test]
fn a_suspended_plugin_stays_listed_and_every_call_is_refused_with_the_reason() {
    let mut stage = spending(&["game_ui"], r#"{"result":1}"#);
    stage.register("Mine", "mine_look", &[]);
    stage.enable("Mine");
    stage.call("mine_go");
    assert_eq!(stage.core.assistant_tools(false).len(), 2);
    for tool in ["mine_go", "mine_look"] {
        says(&stage.called(tool), &["error", "suspended", "spent_gil"]);
        assert_eq!(stage.newest().decision, Decision::Blocked);
    }
    stage.core.player_lift("Mine").unwrap();
    assert_eq!(stage.status("Mine")["state"], "enabled");
}

// R-SIDE-1: what happened before the call, or while nobody was logged in, is not the plugin's
#[test]
fn only_what_happened_during_the_call_counts() {
    let mut stage = spending(&["game_ui"], r#"{"result":1}"#);
    stage.core.change_game(&GameChange { logged_in: Some(false), ..GameChange::default() });
    stage.call("mine_go");
    assert_eq!(stage.status("Mine")["state"], "enabled");
    let mut stage = Stage::with_tool(&["game_ui"]);
    stage.replies("mine_go", r#"{"result":1}"#);
    let call = stage.call("mine_go");
    stage.core.change_game(&gil(-5));
    stage.answer(Answer::Once);
    assert_eq!(stage.outcome(&call), "result 1");
    assert!(stage.newest().effects.is_empty());
}

// R-AUD-1
#[test]
fn an_entry_says_who_asked_for_what_and_how_it_went() {
    let mut stage = Stage::with_tool(&["game_ui", "spend_gil"]);
    stage.set_tool("Mine", "mine_go", PermissionMode::Allow);
    stage.replies("mine_go", r#"{"pending":true}"#);
    let args = json!({"text": "x".repeat(400)}).to_string();
    let call = stage.core.assistant_call(stage.now, Some("Desk"), "mine_go", JsonText::parse(args.as_str()).unwrap());
    stage.settle();
    let asked = stage.now;
    stage.pass(Duration::from_millis(1500));
    stage.ok("Mine", HostGate::FailCall, &[call.as_str(), "no gil"]);
    stage.settle();
    let entry = stage.newest();
    assert_eq!((entry.time, entry.plugin.as_str(), entry.tool.as_str()), (asked, "Mine", "mine_go"));
    assert_eq!((entry.kind, entry.caller.as_str()), (AuditKind::Call, "assistant:Desk"));
    assert_eq!(entry.args.as_deref(), Some(&args[..300]));
    assert_eq!(entry.capabilities, ["read_game", "game_ui", "spend_gil"]);
    assert_eq!((entry.decision, entry.outcome), (Decision::Allowed, Some(ReportedEnd::Error)));
    assert_eq!((entry.error.as_deref(), entry.duration_ms), (Some("no gil"), Some(1500)));
    assert!(!entry.in_job && !entry.flagged && entry.summary.is_none());
}

// R-AUD-1
#[test]
fn decisions_are_told_apart() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    stage.replies("mine_go", r#"{"result":1}"#);
    let mut decide = |answer: Option<Answer>| {
        stage.call("mine_go");
        if let Some(answer) = answer {
            stage.answer(answer);
        }
        let entry = stage.newest();
        (entry.decision, entry.outcome)
    };
    let ok = Some(ReportedEnd::Ok);
    assert_eq!(decide(Some(Answer::Denied)), (Decision::Denied, None));
    assert_eq!(decide(Some(Answer::Once)), (Decision::Approved, ok));
    assert_eq!(decide(Some(Answer::Session)), (Decision::ApprovedSession, ok));
    assert_eq!(decide(None), (Decision::ApprovedSession, ok));
    stage.core.player_clear_session("Mine").unwrap();
    let mut decide = |answer: Option<Answer>| {
        stage.call("mine_go");
        if let Some(answer) = answer {
            stage.answer(answer);
        }
        (stage.newest().decision, stage.newest().outcome)
    };
    assert_eq!(decide(Some(Answer::Always)), (Decision::ApprovedAlways, ok));
    assert_eq!(decide(None), (Decision::Allowed, ok));
}

// R-AUD-1
#[test]
fn unknown_tools_busy_calls_and_allowed_reads_of_the_host_are_not_audited() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    stage.replies("mine_go", r#"{"pending":true}"#);
    stage.set_tool("Mine", "mine_go", PermissionMode::Allow);
    stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    for tool in ["nothing", "get_character", "list_jobs"] {
        stage.call(tool);
    }
    says(&stage.called("mine_go"), &["error", "job"]);
    assert_eq!(stage.audit_len(), 0);
    stage.core.player_set_group("game_data", super::Access::Read, Some(PermissionMode::Ask)).unwrap();
    stage.call("get_character");
    stage.answer(Answer::Once);
    assert_eq!(stage.audit_len(), 1, "a read that was asked for is audited");
}

// R-AUD-1
#[test]
fn the_log_is_read_newest_first_and_by_plugin() {
    let mut stage = Stage::with_tool(&[]);
    stage.replies("mine_go", r#"{"result":1}"#);
    stage.core.player_set_builtin("navigate_to", Some(PermissionMode::Allow)).unwrap();
    for tool in ["mine_go", "navigate_to", "mine_go", "navigate_to"] {
        stage.minutes(1);
        stage.call(tool);
    }
    let tools = |plugin| stage.core.audit(plugin).map(|entry| (entry.tool.as_str(), entry.time)).collect::<Vec<_>>();
    assert_eq!(tools(None).len(), 4);
    assert!(tools(None).windows(2).all(|pair| pair[0].1 > pair[1].1));
    assert_eq!(tools(Some("mine")).iter().map(|entry| entry.0).collect::<Vec<_>>(), ["mine_go", "mine_go"]);
    assert_eq!(tools(Some("XivMcp")).len(), 2);
    assert!(tools(Some("Ghost")).is_empty());
}

// SPEC §13
#[test]
fn the_hosts_own_tools_answer_as_they_are_told() {
    let mut stage = Stage::new();
    let done = Ok(JsonText::parse(r#"{"arrived":true}"#).unwrap());
    stage.core.player_set_builtin("navigate_to", Some(PermissionMode::Allow)).unwrap();
    stage.core.script_builtin("navigate_to", Some(BuiltinScript::new(done, Duration::from_secs(30)))).unwrap();
    let call = stage.call_with("navigate_to", r#"{"zone":129}"#);
    stage.pass(Duration::from_secs(29));
    assert_eq!(stage.outcome(&call), "running");
    stage.pass(Duration::from_secs(1));
    assert_eq!(stage.outcome(&call), r#"result {"arrived":true}"#);
    let calls = stage.core.take_builtin_calls();
    assert_eq!((calls[0].tool.as_str(), calls[0].args.get()), ("navigate_to", r#"{"zone":129}"#));
    assert!(stage.core.take_builtin_calls().is_empty());
    let call = stage.call("navigate_to");
    stage.give_up(&call);
    assert_eq!(stage.outcome(&call), "cancelled");
    stage
        .core
        .script_builtin("navigate_to", Some(BuiltinScript::new(Err("no way".to_owned()), Duration::ZERO)))
        .unwrap();
    assert_eq!(stage.called("navigate_to"), "error no way");
    stage.core.script_builtin("navigate_to", None).unwrap();
    assert_eq!(stage.called("navigate_to"), "result {}");
    stage.assert_quiet();
}
