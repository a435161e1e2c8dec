//! SPEC §6: calls.

use std::time::Duration;

use serde_json::json;
use xivmcp_client::ipc::IpcError;
use xivmcp_protocol::{HostGate, PermissionMode};

use crate::core::testing::{Stage, says};
use crate::core::{Answer, Decision, GameChange, InstallChange, ReportedEnd};

const PENDING: &str = r#"{"pending":true}"#;

/// A stage whose tool runs at once, and replies so.
fn replying(reply: &str) -> Stage {
    let mut stage = Stage::with_tool(&["game_ui"]);
    stage.set_tool("Mine", "mine_go", PermissionMode::Allow);
    stage.replies("mine_go", reply);
    stage
}

// R-CALL-1
#[test]
fn the_checks_come_in_their_order_and_say_what_the_player_can_change() {
    let mut stage = Stage::new();
    stage.install("Mine");
    says(&stage.called("mine_go"), &["unknown", "mine_go"]);
    stage.register("Mine", "mine_go", &["game_ui"]);
    stage.replies("mine_go", r#"{"result":1}"#);
    says(&stage.called("mine_go"), &["error", "mine_go", "The Mine", "not enabled", "enable"]);
    stage.core.player_keep_disabled("Mine", None).unwrap();
    says(&stage.called("mine_go"), &["error", "The Mine", "disabled"]);
    stage.enable("Mine");
    stage.register("Mine", "mine_new", &["spend_gil"]);
    stage.core.policies.get_mut("mine").suspended = Some("it cheated".to_owned());
    says(&stage.called("mine_go"), &["error", "awaiting consent", "review"]);
    stage.enable("Mine");
    says(&stage.called("mine_go"), &["error", "suspended", "it cheated", "lift"]);
    stage.core.player_lift("Mine").unwrap();
    stage.set_capability("Mine", "game_ui", PermissionMode::Deny);
    says(&stage.called("mine_go"), &["error", "game_ui", "deny"]);
    stage.set_tool("Mine", "mine_go", PermissionMode::Deny);
    says(&stage.called("mine_go"), &["error", "\"mine_go\" of The Mine", "deny"]);
    stage.set_tool("Mine", "mine_go", PermissionMode::Ask);
    assert_eq!(stage.called("mine_go"), "running");
    assert_eq!(stage.invokes(), 0, "the plugin's code has not run");
    stage.answer(Answer::Once);
    assert_eq!(stage.invokes(), 1);
    stage.assert_quiet();
}

// R-CALL-2, R-CALL-3
#[test]
fn each_answer_lasts_as_long_as_it_says() {
    let cases = [
        (Answer::Denied, "error", "asks"),
        (Answer::Once, "result", "asks"),
        (Answer::Session, "result", "runs"),
        (Answer::Always, "result", "runs"),
    ];
    for (answer, outcome, next) in cases {
        let mut stage = Stage::with_tool(&["game_ui", "combat"]);
        stage.replies("mine_go", r#"{"result":1}"#);
        let call = stage.call("mine_go");
        let question = stage.answer(answer);
        assert_eq!(question.capabilities, ["game_ui", "combat"]);
        assert_eq!((question.tool.as_str(), question.caller.as_str()), ("mine_go", "assistant"));
        assert_eq!(question.summary, None);
        says(&stage.outcome(&call), &[outcome]);
        let again = stage.call("mine_go");
        assert_eq!(stage.outcome(&again) == "running", next == "asks", "{answer:?}");
        let status = stage.status("Mine");
        let expected = if answer == Answer::Always { json!("allow") } else { json!("ask") };
        assert_eq!(status["tools"][0]["mode"], expected, "{answer:?}");
        assert_eq!(status["tools"][0]["own"], answer == Answer::Always);
    }
}

// R-CALL-2
#[test]
fn a_session_answer_goes_with_unload_suspension_and_the_players_clearing() {
    type Ends = fn(&mut Stage);
    let ends: [(&str, Ends); 4] = [
        ("cleared", |stage| stage.core.player_clear_session("mine").unwrap()),
        ("plugin unloaded", |stage| {
            stage.core.dalamud_set_loaded(stage.now, "Mine", false).unwrap();
            stage.core.dalamud_set_loaded(stage.now, "Mine", true).unwrap();
            stage.register("Mine", "mine_go", &["game_ui"]);
        }),
        ("host unloaded", |stage| {
            stage.unload_host();
            stage.load_host();
            stage.register("Mine", "mine_go", &["game_ui"]);
        }),
        ("suspended", |stage| {
            stage.invoked("mine_go", |stage, _| {
                stage.core.change_game(&GameChange { gil: -1, ..GameChange::default() });
                Ok(r#"{"result":1}"#.to_owned())
            });
            stage.call("mine_go");
            stage.core.player_lift("Mine").unwrap();
        }),
    ];
    for (case, end) in ends {
        let mut stage = Stage::with_tool(&["game_ui"]);
        stage.replies("mine_go", r#"{"result":1}"#);
        stage.call("mine_go");
        stage.answer(Answer::Session);
        assert_eq!(stage.called("mine_go"), "result 1", "{case}");
        end(&mut stage);
        assert_eq!(stage.called("mine_go"), "running", "{case}: asks again");
    }
}

// R-CALL-2
#[test]
fn with_a_critical_capability_session_and_always_count_as_once() {
    for answer in [Answer::Session, Answer::Always] {
        let mut stage = Stage::with_tool(&["game_ui", "discard_items"]);
        stage.replies("mine_go", r#"{"result":1}"#);
        stage.set_tool("Mine", "mine_go", PermissionMode::Allow);
        let call = stage.call("mine_go");
        stage.answer(answer);
        assert_eq!(stage.outcome(&call), "result 1");
        assert_eq!(stage.newest().decision, Decision::Approved);
        assert_eq!(stage.called("mine_go"), "running", "{answer:?}");
    }
}

// R-CALL-2
#[test]
fn a_tool_that_only_reads_is_asked_for_as_reading() {
    let mut stage = Stage::with_tool(&[]);
    stage.set_capability("Mine", "read_game", PermissionMode::Ask);
    stage.call("mine_go");
    assert_eq!(stage.core.questions()[0].capabilities, ["read_game"]);
}

// R-CALL-3, R-TIME-1
#[test]
fn no_answer_within_two_minutes_is_a_no() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    let call = stage.call("mine_go");
    stage.pass(Duration::from_millis(119_999));
    assert_eq!(stage.outcome(&call), "running");
    stage.pass(Duration::from_millis(1));
    says(&stage.outcome(&call), &["error", "mine_go", "did not answer"]);
    assert_eq!((stage.newest().decision, stage.newest().outcome), (Decision::Denied, None));
    assert!(stage.core.answer(stage.now, 1, Answer::Once).unwrap_err().message.contains("no open question"));
    stage.assert_quiet();
}

// R-CALL-3
#[test]
fn a_call_cancelled_while_the_player_is_asked_ends_as_cancelled() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    let call = stage.call("mine_go");
    stage.give_up(&call);
    assert_eq!(stage.outcome(&call), "cancelled");
    assert!(stage.core.questions().is_empty() && stage.reached.is_empty());
    stage.assert_quiet();
}

// R-CALL-1: what changed while the player was asked counts too
#[test]
fn a_plugin_that_was_disabled_while_the_player_was_asked_does_not_run() {
    let mut stage = Stage::with_tool(&["game_ui"]);
    let call = stage.call("mine_go");
    stage.core.player_keep_disabled("Mine", None).unwrap();
    stage.answer(Answer::Once);
    says(&stage.outcome(&call), &["error", "disabled"]);
    assert_eq!((stage.invokes(), stage.newest().decision), (0, Decision::Blocked));
}

// R-CALL-5
#[test]
fn arguments_are_passed_on_as_sent() {
    let mut stage = replying(r#"{"result":null}"#);
    let args = r#"{"n": 1.50, "big": 1e400, "n": 2}"#;
    stage.call_with("mine_go", args);
    assert_eq!(stage.reached[0].0, format!("Invoke mine_go {args}"));
}

// R-CALL-6
#[test]
fn the_reply_is_read_in_this_order() {
    let cases = [
        ("", "result null"),
        (" \n", "result null"),
        (r#"{"result":{"a":1.50}}"#, r#"result {"a":1.50}"#),
        (r#"{"result":null}"#, "result null"),
        (r#"{"error":"no","result":1,"pending":true}"#, "error no"),
        (r#"{"error":null,"result":1}"#, "error the tool failed"),
        (r#"{"error":{"code":5}}"#, r#"error {"code":5}"#),
        (r#"{"pending":true,"result":1}"#, "running"),
        (r#"{"pending":1}"#, "error The Mine"),
        ("{}", "error The Mine"),
        ("[1]", "error The Mine"),
        ("oops", "error The Mine"),
    ];
    for (reply, expected) in cases {
        let mut stage = replying(reply);
        let outcome = stage.called("mine_go");
        assert!(outcome.starts_with(expected), "{reply}: {outcome}");
    }
}

// R-CALL-7
#[test]
fn without_a_gate_the_error_names_it_and_a_failing_one_gives_type_and_text() {
    let mut stage = Stage::with_tool(&[]);
    says(&stage.called("mine_go"), &["error", "Mine.XivMcp.Invoke"]);
    stage.invoked("mine_go", |_, _| {
        let (kind, message) = ("InvalidOperationException".to_owned(), "out of range".to_owned());
        Err(IpcError::Failed { gate: "g".to_owned(), kind, message })
    });
    says(&stage.called("mine_go"), &["error", "InvalidOperationException", "out of range"]);
    assert_eq!(stage.newest().outcome, Some(ReportedEnd::Error));
}

// R-CALL-4
#[test]
fn inside_invoke_the_id_is_known_and_a_reply_with_an_end_wins() {
    let cases = [
        (PENDING, "result 1"),
        (r#"{"result":2}"#, "result 2"),
        (r#"{"error":"no"}"#, "error no"),
        ("", "result null"),
    ];
    for (reply, expected) in cases {
        let mut stage = replying("");
        let reply = reply.to_owned();
        stage.invoked("mine_go", move |stage, id| {
            assert_eq!(id.len(), 32);
            assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()));
            stage.ok("Mine", HostGate::ReportProgress, &[id, "on it"]);
            let approval = r#"{"capability":"game_ui","summary":"s"}"#;
            stage.ok("Mine", HostGate::RequestApproval, &[id, approval]);
            assert_eq!(stage.ok("Mine", HostGate::CompleteCall, &[id, "1"])["accepted"], true);
            assert_eq!(stage.ok("Mine", HostGate::FailCall, &[id, "late"])["accepted"], false);
            says(&stage.refused("Mine", HostGate::RequestApproval, &[id, approval]), &[id, "completed"]);
            stage.ok("Mine", HostGate::ReportProgress, &[id, "still known"]);
            Ok(reply.clone())
        });
        let call = stage.call("mine_go");
        assert_eq!(stage.outcome(&call), expected, "{call}");
        says(&stage.refused("Mine", HostGate::CompleteCall, &[call.as_str(), "1"]), &[call.as_str()]);
        stage.assert_quiet();
    }
}

// R-CALL-8
#[test]
fn a_pending_call_has_no_limit_and_the_first_end_counts() {
    let mut stage = replying(PENDING);
    let call = stage.call("mine_go");
    let id = call.as_str();
    stage.minutes(60 * 24 * 30);
    assert_eq!(stage.outcome(&call), "running");
    says(&stage.refused("Mine", HostGate::CompleteCall, &[id, "{oops"]), &[id, "JSON", "pending"]);
    assert_eq!(stage.ok("Mine", HostGate::CompleteCall, &[id, r#"{"a":1}"#])["accepted"], true);
    // Its end is not handed on before this gate call has returned.
    assert_eq!(stage.ok("Mine", HostGate::CompleteCall, &[id, "2"])["accepted"], false);
    assert_eq!(stage.ok("Mine", HostGate::FailCall, &[id, "no"])["accepted"], false);
    stage.settle();
    assert_eq!(stage.outcome(&call), r#"result {"a":1}"#);
    for (gate, arg) in [
        (HostGate::CompleteCall, "1"),
        (HostGate::FailCall, "no"),
        (HostGate::ReportProgress, "text"),
        (HostGate::RequestApproval, r#"{"capability":"game_ui","summary":"s"}"#),
    ] {
        says(&stage.refused("Mine", gate, &[id, arg]), &[id]);
        says(&stage.refused("Mine", gate, &["nonsense", arg]), &["nonsense"]);
    }
    stage.assert_quiet();
}

// R-CALL-8
#[test]
fn a_blank_end_is_null_or_a_general_message() {
    let mut stage = replying(PENDING);
    let (one, two) = (stage.call("mine_go"), stage.call("mine_go"));
    stage.ok("Mine", HostGate::CompleteCall, &[one.as_str(), " "]);
    stage.ok("Mine", HostGate::FailCall, &[two.as_str(), " "]);
    stage.settle();
    assert_eq!(stage.outcome(&one), "result null");
    says(&stage.outcome(&two), &["error the tool failed"]);
}

// R-CALL-9, R-TIME-2
#[test]
fn a_cancelled_call_may_end_within_two_minutes_and_its_result_is_dropped() {
    for (ends, told) in [("1", "accepted"), ("", "never")] {
        let mut stage = replying(PENDING);
        stage.cancelled("Mine", |_, _| Ok(()));
        let call = stage.call("mine_go");
        stage.give_up(&call);
        stage.give_up(&call);
        assert_eq!(stage.reached.last().unwrap(), &("Cancel".to_owned(), call.clone()));
        assert_eq!((stage.outcome(&call).as_str(), stage.reached.len()), ("running", 2), "cancelled once");
        stage.pass(Duration::from_millis(119_999));
        assert_eq!(stage.outcome(&call), "running", "{told}");
        if ends.is_empty() {
            stage.pass(Duration::from_millis(1));
            assert_eq!(stage.lints.len(), 1, "it ignored its token");
        } else {
            assert_eq!(stage.ok("Mine", HostGate::CompleteCall, &[call.as_str(), ends])["accepted"], true);
            stage.settle();
        }
        assert_eq!(stage.outcome(&call), "cancelled", "{told}");
        assert_eq!(stage.newest().outcome, Some(ReportedEnd::Cancelled));
        says(&stage.refused("Mine", HostGate::FailCall, &[call.as_str(), ""]), &[call.as_str()]);
        stage.assert_quiet();
    }
}

// R-CALL-9
#[test]
fn a_plugin_without_a_cancel_gate_is_only_logged() {
    let mut stage = replying(PENDING);
    let call = stage.call("mine_go");
    stage.give_up(&call);
    says(&stage.log[0], &["Mine.XivMcp.Cancel", call.as_str()]);
    stage.ok("Mine", HostGate::FailCall, &[call.as_str(), "stopped"]);
    stage.settle();
    assert_eq!(stage.outcome(&call), "cancelled");
}

// R-CALL-9
#[test]
fn a_call_may_end_inside_cancel() {
    let mut stage = replying(PENDING);
    stage.cancelled("Mine", |stage, id| {
        assert_eq!(stage.ok("Mine", HostGate::CompleteCall, &[id, "1"])["accepted"], true);
        assert_eq!(stage.ok("Mine", HostGate::CompleteCall, &[id, "1"])["accepted"], false);
        Ok(())
    });
    let call = stage.call("mine_go");
    stage.give_up(&call);
    assert_eq!(stage.outcome(&call), "cancelled");
    stage.assert_quiet();
}

// R-CALL-9: an app that gives up inside Invoke
#[test]
fn a_quick_reply_to_a_call_that_the_app_gave_up_is_dropped() {
    let mut stage = replying("");
    stage.invoked("mine_go", |stage, id| {
        let call = id.to_owned();
        stage.core.assistant_give_up(stage.now, &xivmcp_protocol::CallId::new(call));
        Ok(r#"{"result":1}"#.to_owned())
    });
    let call = stage.call("mine_go");
    assert_eq!((stage.outcome(&call).as_str(), stage.reached.len()), ("cancelled", 1));
    stage.assert_quiet();
}

// R-CALL-12
#[test]
fn what_is_listed_follows_loading_and_consent_and_keeps_suspended_plugins() {
    let names = |stage: &Stage, all: bool| {
        stage.core.assistant_tools(all).into_iter().map(|tool| tool.name).collect::<Vec<_>>()
    };
    let mut stage = Stage::new();
    stage.install("Mine");
    let unloaded = InstallChange { loaded: Some(false), ..InstallChange::default() };
    stage.core.dalamud_install(stage.now, "Other", unloaded).unwrap();
    stage.register("Other", "other_look", &[]);
    stage.register("Mine", "mine_go", &["game_ui"]);
    stage.register("Other", "other_see", &[]);
    assert!(names(&stage, false).is_empty());
    stage.enable("Mine");
    stage.enable("Other");
    assert_eq!(names(&stage, false), ["mine_go"], "the other one is not loaded");
    stage.core.dalamud_set_loaded(stage.now, "Other", true).unwrap();
    assert_eq!(names(&stage, false), ["other_look", "mine_go", "other_see"]);
    stage.core.policies.get_mut("other").suspended = Some("it cheated".to_owned());
    assert_eq!(names(&stage, false).len(), 3);
    stage.register("Mine", "mine_new", &[]);
    assert_eq!(names(&stage, false), ["other_look", "other_see"]);
    let all = names(&stage, true);
    assert!(all.contains(&"get_character".to_owned()) && !all.contains(&"run_duty".to_owned()));
    stage.install("AutoDuty");
    assert!(names(&stage, true).contains(&"run_duty".to_owned()));
    stage.core.player_set_group_on("autoduty", false).unwrap();
    assert!(!names(&stage, true).contains(&"run_duty".to_owned()));
}

// R-CALL-12, SPEC §13
#[test]
fn the_hosts_own_tools_follow_their_groups() {
    let mut stage = Stage::new();
    assert_eq!(stage.called("get_character"), "result {}");
    assert_eq!(stage.audit_len(), 0, "allowed reads are not audited");
    says(&stage.called("navigate_to"), &["error", "navigate_to", "Game & navigation", "acting", "deny"]);
    assert_eq!(stage.newest().decision, Decision::Blocked);
    stage.core.player_set_builtin("navigate_to", Some(PermissionMode::Ask)).unwrap();
    let call = stage.call("navigate_to");
    stage.answer(Answer::Always);
    assert_eq!(stage.outcome(&call), "result {}");
    assert_eq!(stage.called("navigate_to"), "result {}");
    assert_eq!((stage.newest().plugin.as_str(), stage.newest().decision), ("XivMcp", Decision::Allowed));
    says(&stage.called("run_duty"), &["error", "AutoDuty"]);
    stage.core.player_set_group_on("game_navigation", false).unwrap();
    says(&stage.called("navigate_to"), &["error", "turned off"]);
}

// R-CALL-10
#[test]
fn calls_that_are_open_when_the_host_unloads_fail() {
    let mut stage = replying(PENDING);
    stage.register("Mine", "mine_ask", &["game_ui"]);
    stage.enable("Mine");
    let (pending, asking) = (stage.call("mine_go"), stage.call("mine_ask"));
    stage.core.host_disposing(stage.now);
    says(&stage.called("mine_go"), &["error", "not loaded"]);
    assert_eq!(stage.outcome(&pending), "running", "gates still answer");
    let done = stage.call("mine_go");
    says(&stage.outcome(&done), &["error"]);
    stage.unload_host();
    for call in [pending, asking] {
        says(&stage.outcome(&call), &["error", "unloaded"]);
    }
    says(&stage.refused("Mine", HostGate::GetStatus, &["Mine"]), &["not loaded"]);
    stage.assert_quiet();
    stage.load_host();
    assert_eq!(stage.status("Mine")["state"], "enabled", "policies stay");
    assert_eq!(stage.status("Mine")["tools"], json!([]));
}

// R-CALL-10: CompleteCall during Disposing is still accepted
#[test]
fn a_call_may_end_while_disposing_is_sent() {
    let mut stage = replying(PENDING);
    let call = stage.call("mine_go");
    stage.core.host_disposing(stage.now);
    assert_eq!(stage.ok("Mine", HostGate::CompleteCall, &[call.as_str(), "1"])["accepted"], true);
    stage.core.host_unloaded(stage.now);
    stage.settle();
    assert_eq!(stage.outcome(&call), "result 1");
}
