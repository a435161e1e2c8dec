//! SPEC §6: calls, from the check to the reply.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use xivmcp_client::JsonText;
use xivmcp_client::ipc::{IpcError, IpcTransport};
use xivmcp_mock_host::{Answer, Decision, GameChange, LintKind, Outcome};

use crate::support::{NO_ARGS, Raw, Stage, acting, inside, names, reading};

pub(crate) fn enabled() -> (Stage, Raw) {
    let host = Stage::new();
    let raw = host.raw("Raw");
    raw.register(acting("raw_go", &["combat", "game_ui"]));
    raw.register(reading("raw_look"));
    host.player().enable(&raw.plugin);
    raw.replies(r#"{"result":"done"}"#);
    (host, raw)
}

// R-CALL-1
#[test]
fn the_checks_come_in_their_order_and_the_plugins_code_does_not_run() {
    let (host, raw) = enabled();
    let call = |tool: &str| host.assistant().call(tool, NO_ARGS);
    let unknown = call("raw_nothing");
    names(&unknown.expect_error(), &["raw_nothing"]);
    assert!(matches!(unknown.outcome(), Some(Outcome::UnknownTool(_))));

    // Suspended, awaiting consent, and denied at once: one after the other is put right.
    let game = host.game().handle();
    raw.on_invoke(move |_, _| {
        game.change(GameChange::new().chat(1));
        Ok(String::new())
    });
    let _ = call("raw_look").wait();
    raw.replies(r#"{"result":"done"}"#);
    raw.register(acting("raw_new", &["login"]));
    host.player().set_tool_mode(&raw.plugin, "raw_go", "deny");
    host.player().keep_disabled(&raw.plugin);
    let ran = raw.invoked().len();
    names(&call("raw_go").expect_error(), &["Raw", "enable", "player"]);
    let shown = host.player().look_at(&raw.plugin);
    raw.register(acting("raw_newer", &["network"]));
    shown.enable();
    names(&call("raw_go").expect_error(), &["Raw", "consent", "player"]);
    host.player().enable(&raw.plugin);
    names(&call("raw_go").expect_error(), &["Raw", "suspended", "player"]);
    host.player().lift(&raw.plugin);
    names(&call("raw_go").expect_error(), &["raw_go", "deny", "player"]);
    host.player().reset_tool_mode(&raw.plugin, "raw_go");
    host.player().set_mode(&raw.plugin, "combat", "deny");
    names(&call("raw_go").expect_error(), &["raw_go", "combat", "deny", "player"]);
    host.player().reset_mode(&raw.plugin, "combat");
    let asked = call("raw_go");
    asked.expect_running();
    assert_eq!(raw.invoked().len(), ran, "the plugin's code did not run");
    host.player().answer(Answer::Once);
    assert_eq!(asked.expect_result(), "done");
    assert_eq!(raw.invoked().len(), ran + 1);
}

// R-CALL-1
#[test]
fn a_running_step_comes_before_whatever_the_plugin_is() {
    let (host, raw) = enabled();
    raw.register(acting("raw_slow", &["game_ui"]));
    host.player().enable(&raw.plugin);
    host.player().answer_all(Answer::Once);
    raw.on_invoke(|_, invoked| Ok(if invoked.tool == "raw_slow" { r#"{"pending":true}"# } else { "" }.to_owned()));
    let other = host.raw("Other");
    other.register(acting("other_go", &["game_ui"]));
    let job =
        raw.ok("StartJob", &[raw.name(), json!({"name": "Slow work", "steps": [{"tool": "raw_slow"}]})])["job"].clone();
    names(&host.assistant().call("other_go", NO_ARGS).expect_error(), &["Slow work"]);
    let step = raw.invoked().last().unwrap().id.clone();
    assert_eq!(raw.complete(&step, "1"), true);
    names(&host.assistant().call("other_go", NO_ARGS).expect_error(), &["Other", "enable"]);
    assert_eq!(host.job(job["id"].as_str().unwrap()).state(), "completed");
}

// R-CALL-2
#[test]
fn a_question_shows_all_that_acts_or_reading() {
    let (host, raw) = enabled();
    host.player().set_mode(&raw.plugin, "read_game", "ask");
    let acts = host.assistant().call("raw_go", NO_ARGS);
    let reads = host.assistant().named("App").call("raw_look", NO_ARGS);
    let questions = host.player().questions();
    assert_eq!(questions.len(), 2, "one question per call");
    assert_eq!((&*questions[0].plugin, &*questions[0].tool, &*questions[0].call), ("Raw", "raw_go", acts.id()));
    assert_eq!(questions[0].capabilities, ["combat", "game_ui"]);
    assert_eq!((questions[0].summary.as_deref(), &*questions[0].caller), (None, "assistant"));
    assert_eq!(
        (&questions[1].capabilities[..], &*questions[1].caller),
        (&["read_game".to_owned()][..], "assistant:App")
    );
    host.player().answer_question(&questions[1], Answer::Once);
    assert_eq!(reads.expect_result(), "done");
    acts.expect_running();
    host.player().answer(Answer::Denied);
    names(&acts.expect_error(), &["raw_go"]);
    assert_eq!(raw.invoked().len(), 1);
}

/// Calls the tool; whether it ran without asking. What is asked gets the answer.
fn runs_unasked(host: &Stage, tool: &str, answer: Answer) -> bool {
    let call = host.assistant().call(tool, NO_ARGS);
    if call.is_running() {
        host.player().answer(answer);
        assert_eq!(call.outcome().is_some_and(|outcome| outcome.result().is_some()), answer != Answer::Denied);
        return false;
    }
    assert_eq!(call.expect_result(), "done");
    true
}

// R-CALL-2
#[test]
fn once_is_for_one_call_session_for_this_tool_and_always_is_a_setting() {
    let (host, raw) = enabled();
    raw.register(acting("raw_other", &["combat", "game_ui"]));
    host.player().enable(&raw.plugin);
    assert!(!runs_unasked(&host, "raw_go", Answer::Denied));
    assert!(!runs_unasked(&host, "raw_go", Answer::Once));
    assert!(!runs_unasked(&host, "raw_go", Answer::Session));
    assert!(runs_unasked(&host, "raw_go", Answer::Denied));
    assert!(!runs_unasked(&host, "raw_other", Answer::Once), "only this tool");
    host.player().clear_session(&raw.plugin);
    assert!(!runs_unasked(&host, "raw_go", Answer::Session), "the player cleared it");
    assert_eq!(raw.status()["tools"][0]["own"], false, "a session answer is no setting");
    host.dalamud().unload_host();
    host.dalamud().load_host();
    raw.register(acting("raw_go", &["combat", "game_ui"]));
    assert!(!runs_unasked(&host, "raw_go", Answer::Always), "the host was unloaded");
    assert!(runs_unasked(&host, "raw_go", Answer::Denied));
    assert_eq!(raw.status()["tools"][0], json!({"name": "raw_go", "mode": "allow", "own": true}));
    host.player().clear_session(&raw.plugin);
    assert!(runs_unasked(&host, "raw_go", Answer::Denied), "always is a setting");
    let decisions: Vec<Decision> = host.audit().iter().rev().map(|entry| entry.decision).collect();
    assert_eq!(
        decisions,
        [
            Decision::Denied,
            Decision::Approved,
            Decision::ApprovedSession,
            Decision::ApprovedSession,
            Decision::Approved,
            Decision::ApprovedSession,
            Decision::ApprovedAlways,
            Decision::Allowed,
            Decision::Allowed,
        ]
    );
}

// R-CALL-2
#[test]
fn a_session_answer_goes_when_the_plugin_is_suspended() {
    let (host, raw) = enabled();
    assert!(!runs_unasked(&host, "raw_go", Answer::Session));
    let game = host.game().handle();
    raw.on_invoke(move |_, _| {
        game.change(GameChange::new().chat(1));
        Ok(String::new())
    });
    let _ = host.assistant().call("raw_look", NO_ARGS).wait();
    raw.replies(r#"{"result":"done"}"#);
    host.player().lift(&raw.plugin);
    assert!(!runs_unasked(&host, "raw_go", Answer::Once));
}

// R-CALL-2
#[test]
fn for_a_critical_tool_session_and_always_count_as_once() {
    let (host, raw) = enabled();
    raw.register(acting("raw_discard", &["game_ui", "discard_items"]));
    host.player().enable(&raw.plugin);
    for answer in [Answer::Session, Answer::Always, Answer::Once] {
        assert!(!runs_unasked(&host, "raw_discard", answer));
        let tools = raw.status()["tools"].clone();
        assert_eq!(tools[2], json!({"name": "raw_discard", "mode": "ask", "own": false}));
    }
}

// R-CALL-3, R-TIME-1
#[test]
fn no_answer_within_two_minutes_is_denied() {
    let (host, raw) = enabled();
    let call = host.assistant().call("raw_go", NO_ARGS);
    host.advance(Duration::from_millis(119_999));
    call.expect_running();
    host.advance(Duration::from_millis(1));
    names(&call.expect_error(), &["raw_go"]);
    assert_eq!((host.player().questions().len(), raw.invoked().len()), (0, 0));
    assert_eq!(host.audit()[0].decision, Decision::Denied);
    // An answer in the last moment counts.
    let call = host.assistant().call("raw_go", NO_ARGS);
    host.advance(Duration::from_millis(119_999));
    host.player().answer(Answer::Once);
    assert_eq!(call.expect_result(), "done");
}

// R-CALL-3
#[test]
fn a_call_that_is_cancelled_while_it_waits_for_the_player_ends_as_cancelled() {
    let (host, raw) = enabled();
    raw.on_cancel(|_, _| {});
    let call = host.assistant().call("raw_go", NO_ARGS);
    call.give_up();
    assert_eq!(call.outcome(), Some(Outcome::Cancelled));
    assert_eq!((host.player().questions().len(), raw.invoked().len(), raw.cancelled().len()), (0, 0, 0));
}

// R-CALL-4
#[test]
fn the_call_id_has_32_hex_digits_and_works_from_inside_invoke() {
    let (host, raw) = enabled();
    let replies: Arc<Mutex<Vec<Value>>> = Arc::default();
    let log = Arc::clone(&replies);
    raw.on_invoke(move |transport, invoked| {
        let mut log = log.lock().unwrap();
        let id = &*invoked.id;
        log.push(inside(transport, "ReportProgress", &[id, "half"]));
        log.push(inside(transport, "RequestApproval", &[id, r#"{"capability":"read_game","summary":"Look."}"#]));
        log.push(inside(transport, "CompleteCall", &[id, r#"{"from": "inside"}"#]));
        log.push(inside(transport, "FailCall", &[id, "too late"]));
        Ok(r#"{"pending":true}"#.to_owned())
    });
    let call = host.assistant().call("raw_look", NO_ARGS);
    assert_eq!(call.expect_result(), json!({"from": "inside"}));
    let id = call.id();
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(raw.invoked()[0].id, id);
    let replies = replies.lock().unwrap();
    assert!(replies.iter().all(|reply| reply["ok"] == true), "{replies:?}");
    assert_eq!(
        (&replies[1]["state"], &replies[2]["accepted"], &replies[3]["accepted"]),
        (&json!("approved"), &json!(true), &json!(false))
    );
}

// R-CALL-4
#[test]
fn a_reply_with_a_result_or_an_error_wins_over_a_completion_from_inside() {
    let (host, raw) = enabled();
    let cases = [
        ("CompleteCall", r#"{"result":2}"#, Ok(json!(2))),
        ("CompleteCall", r#"{"error":"no"}"#, Err("no")),
        ("FailCall", r#"{"result":2}"#, Ok(json!(2))),
        ("CompleteCall", r#"{"pending":true}"#, Ok(json!(1))),
        ("FailCall", r#"{"pending":true}"#, Err("1")),
    ];
    for (gate, reply, end) in cases {
        raw.on_invoke(move |transport, invoked| {
            assert_eq!(inside(transport, gate, &[&invoked.id, "1"])["accepted"], true);
            Ok(reply.to_owned())
        });
        let outcome = host.assistant().call("raw_look", NO_ARGS).wait();
        match end {
            Ok(result) => assert_eq!(outcome.result(), Some(result), "{gate} then {reply}"),
            Err(error) => assert_eq!(outcome.error(), Some(error), "{gate} then {reply}"),
        }
    }
}

// R-CALL-5
#[test]
fn invoke_runs_on_the_framework_thread_and_arguments_are_passed_on_as_sent() {
    let (host, raw) = enabled();
    raw.on_invoke(|transport, _| Ok(json!({"result": transport.is_framework_thread()}).to_string()));
    for args in ["{}", r#"{ "a" : 1.0, "a":2, "é\u0041": [1e2 , null] }"#, r#"{"not":"in the schema"}"#] {
        let call = host.assistant().call_json("raw_look", JsonText::parse(args).unwrap());
        assert_eq!(call.expect_result(), true);
        let invoked = raw.invoked();
        let last = invoked.last().unwrap();
        assert_eq!((&*last.args, &*last.tool), (args, "raw_look"));
    }
}

// R-CALL-6
#[test]
fn a_reply_is_read_in_the_order_of_the_rule() {
    let (host, raw) = enabled();
    let results = [
        ("", "null"),
        (" \n\t", "null"),
        (r#"{"result":{"a":1}}"#, r#"{"a":1}"#),
        (r#"{"result":null}"#, "null"),
        (r#"{"result":1,"pending":false}"#, "1"),
        (r#"{"result":1,"pending":"true"}"#, "1"),
        (r#"{"more":0,"result":"x"}"#, r#""x""#),
    ];
    for (reply, result) in results {
        raw.replies(reply);
        let call = host.assistant().call("raw_look", NO_ARGS);
        assert_eq!(call.expect_result(), serde_json::from_str::<Value>(result).unwrap(), "{reply:?}");
    }
    let errors: [(&str, &[&str]); 6] = [
        (r#"{"error":"no"}"#, &["no"]),
        (r#"{"error":"no","result":1,"pending":true}"#, &["no"]),
        (r#"{"error":{"code":5},"result":1}"#, &[r#"{"code":5}"#]),
        (r#"{"error":false}"#, &["false"]),
        (r#"{"error":7}"#, &["7"]),
        (r#"{"error":null,"result":1}"#, &[]),
    ];
    for (reply, parts) in errors {
        raw.replies(reply);
        let error = host.assistant().call("raw_look", NO_ARGS).expect_error();
        names(&error, parts);
        assert!(!error.trim().is_empty(), "{reply}");
    }
    for reply in [
        "{}",
        "[]",
        "1",
        "null",
        "\"text\"",
        "{no",
        r#"{"pending":false}"#,
        r#"{"pending":1}"#,
        r#"{"Result":1}"#,
        "\u{feff}{}",
    ] {
        raw.replies(reply);
        names(&host.assistant().call("raw_look", NO_ARGS).expect_error(), &["Raw"]);
    }
    raw.replies(r#"{"result":1,"pending":true}"#);
    let call = host.assistant().call("raw_look", NO_ARGS);
    call.expect_running();
    raw.complete(call.id(), "2");
    assert_eq!(call.expect_result(), 2, "pending comes before the result");
}

// R-CALL-7
#[test]
fn a_missing_invoke_gate_is_named_and_a_failure_told_with_type_and_text() {
    let (host, raw) = enabled();
    raw.on_invoke(|_, _| {
        Err(IpcError::Failed {
            gate: "Raw.XivMcp.Invoke".to_owned(),
            kind: "NullReferenceException".to_owned(),
            message: "Object reference not set".to_owned(),
        })
    });
    let error = host.assistant().call("raw_look", NO_ARGS).expect_error();
    names(&error, &["NullReferenceException", "Object reference not set"]);
    raw.provide_nothing();
    names(&host.assistant().call("raw_look", NO_ARGS).expect_error(), &["Raw.XivMcp.Invoke"]);
}

// R-CALL-11
#[test]
fn texts_over_the_limits_are_told_as_lints_and_those_at_the_limit_are_not() {
    let (host, raw) = enabled();
    let look = |description: String| json!({"name": "raw_look", "description": description, "readOnly": true});
    let found = |kind: LintKind| host.lints().iter().filter(|lint| lint.kind == kind).count();
    raw.register(look("d".repeat(1_500)));
    raw.replies(&json!({"result": "r".repeat(29_998)}).to_string()); // with its quotes 30,000
    let _ = host.assistant().call("raw_look", NO_ARGS).wait();
    assert_eq!((found(LintKind::LongDescription), found(LintKind::LongResult)), (0, 0));
    raw.register(look("d".repeat(1_501)));
    raw.replies(&json!({"result": "r".repeat(29_999)}).to_string());
    let _ = host.assistant().call("raw_look", NO_ARGS).wait();
    assert_eq!((found(LintKind::LongDescription), found(LintKind::LongResult)), (1, 1));
}

// R-CALL-12
#[test]
fn listed_are_the_tools_of_enabled_plugins_in_the_order_of_registration_suspended_ones_too() {
    let host = Stage::new();
    let (a, b) = (host.raw("PlugA"), host.raw("PlugB"));
    let listed = || host.assistant().tools().into_iter().map(|tool| tool.name).collect::<Vec<_>>();
    b.register(reading("b_one"));
    a.register(reading("a_one"));
    b.register(reading("b_two"));
    assert!(listed().is_empty());
    names(&host.assistant().call("b_one", NO_ARGS).expect_error(), &["PlugB", "enable"]);
    host.player().enable(&a.plugin);
    host.player().enable(&b.plugin);
    assert_eq!(listed(), ["b_one", "a_one", "b_two"]);
    b.register(reading("b_three"));
    assert_eq!(listed(), ["a_one"], "awaiting consent");
    names(&host.assistant().call("b_one", NO_ARGS).expect_error(), &["PlugB", "consent"]);
    let game = host.game().handle();
    host.player().enable(&b.plugin);
    b.on_invoke(move |_, _| {
        game.change(GameChange::new().gil(-5));
        Ok(String::new())
    });
    let _ = host.assistant().call("b_one", NO_ARGS).wait();
    assert_eq!(b.status()["state"], "suspended");
    assert_eq!(listed(), ["b_one", "a_one", "b_two", "b_three"]);
    host.player().keep_disabled(&a.plugin);
    assert_eq!(listed(), ["b_one", "b_two", "b_three"]);
}

// R-CALL-12
#[test]
fn the_hosts_own_tools_are_listed_while_their_group_is_on() {
    let host = Stage::new();
    let listed = |tool: &str| host.assistant().tool(tool).is_some();
    assert!(listed("navigate_to") && listed("wait"));
    host.player().turn_group("game_navigation", false);
    assert!(!listed("navigate_to") && listed("wait"));
    names(&host.assistant().call("navigate_to", NO_ARGS).expect_error(), &["navigate_to", "player"]);
    host.player().turn_group("game_navigation", true);
    assert!(listed("navigate_to"));
}
