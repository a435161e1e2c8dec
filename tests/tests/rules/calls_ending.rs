//! SPEC §6: pending calls, cancelling, and the host's coming and going.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use xivmcp_client::ipc::{IpcAction, IpcTransport, IpcType};
use xivmcp_mock_host::{Answer, Outcome, PendingCall};

use crate::calls::enabled;
use crate::support::{NO_ARGS, Raw, Stage, inside, names};

fn pending() -> (Stage, Raw, PendingCall) {
    let (host, raw) = enabled();
    raw.replies(r#"{"pending":true}"#);
    let call = host.assistant().call("raw_look", NO_ARGS);
    call.expect_running();
    (host, raw, call)
}

/// Every gate that takes the id of a call refuses it, naming it.
fn is_unknown(raw: &Raw, id: &str) {
    for (gate, second) in [
        ("CompleteCall", json!("1")),
        ("FailCall", json!("no")),
        ("ReportProgress", json!("half")),
        ("RequestApproval", json!({"capability": "read_game", "summary": "s"})),
    ] {
        names(&raw.refused(gate, &[json!(id), second]), &[id]);
    }
}

// R-CALL-8, R-TIME-4
#[test]
fn a_pending_call_has_no_limit_and_ends_with_the_bare_result() {
    let (host, raw, call) = pending();
    host.advance(Duration::from_secs(30 * 24 * 3600));
    call.expect_running();
    assert_eq!(raw.complete(call.id(), r#"{"result": [1]}"#), true);
    assert_eq!(call.expect_result(), json!({"result": [1]}), "the bare result, not a reply");
    is_unknown(&raw, call.id());
}

// R-CALL-8
#[test]
fn a_blank_result_is_null_and_invalid_json_is_refused_while_the_call_stays_pending() {
    for blank in ["", " \n\t"] {
        let (_host, raw, call) = pending();
        for invalid in ["{", "nul", "{}x", "'a'", "\u{0}", "NaN"] {
            names(&raw.refused("CompleteCall", &[json!(call.id()), json!(invalid)]), &[call.id()]);
            call.expect_running();
        }
        assert_eq!(raw.complete(call.id(), blank), true);
        assert_eq!(call.wait().result(), Some(serde_json::Value::Null));
    }
}

// R-CALL-8
#[test]
fn a_failed_call_has_the_message_or_a_general_one() {
    let (_host, raw, call) = pending();
    assert_eq!(raw.fail(call.id(), "the bell is gone"), true);
    assert_eq!(call.expect_error(), "the bell is gone");
    for blank in ["", " \n"] {
        let (_host, raw, call) = pending();
        assert_eq!(raw.fail(call.id(), blank), true);
        assert!(!call.expect_error().trim().is_empty());
    }
}

// R-CALL-8
#[test]
fn the_first_completion_is_accepted_and_the_next_is_not_until_the_end_was_handed_on() {
    let (host, raw, call) = pending();
    let (first, second) = host.at_once(|| {
        let transport = raw.plugin.transport();
        let first = inside(&transport, "FailCall", &[call.id(), "first"]);
        (first, inside(&transport, "CompleteCall", &[call.id(), "2"]))
    });
    assert_eq!((&first["accepted"], &second["accepted"]), (&json!(true), &json!(false)));
    assert_eq!(call.expect_error(), "first");
    is_unknown(&raw, call.id());
    for never in ["", "0", "zz", &"0".repeat(32), &call.id().to_uppercase()[..31]] {
        raw.refused("CompleteCall", &[json!(never), json!("1")]);
    }
}

// R-CALL-8
#[test]
fn a_call_that_was_not_invoked_yet_or_never_will_be_is_unknown() {
    let (host, raw) = enabled();
    let asked = host.assistant().call("raw_go", NO_ARGS);
    is_unknown(&raw, asked.id());
    host.player().answer(Answer::Denied);
    is_unknown(&raw, asked.id());
}

// R-CALL-9, R-TIME-2
#[test]
fn cancelling_calls_cancel_on_the_framework_thread_and_waits_two_minutes() {
    let (host, raw, call) = pending();
    let on_framework = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&on_framework);
    raw.on_cancel(move |transport, _| *seen.lock().unwrap() = Some(transport.is_framework_thread()));
    call.give_up();
    assert_eq!((raw.cancelled(), *on_framework.lock().unwrap()), (vec![call.id().to_owned()], Some(true)));
    call.give_up();
    assert_eq!(raw.cancelled().len(), 1, "once");
    host.advance(Duration::from_millis(119_999));
    call.expect_running();
    raw.ok("ReportProgress", &[json!(call.id()), json!("cleaning up")]);
    host.advance(Duration::from_millis(1));
    assert_eq!(call.outcome(), Some(Outcome::Cancelled));
    is_unknown(&raw, call.id());
}

// R-CALL-9
#[test]
fn a_cancelled_call_ends_as_cancelled_whatever_the_plugin_says() {
    for (gate, text) in [("CompleteCall", "{\"kept\":1}"), ("FailCall", "no")] {
        let (host, raw, call) = pending();
        raw.on_cancel(|_, _| {});
        call.give_up();
        host.advance(Duration::from_secs(60));
        assert_eq!(raw.ok(gate, &[json!(call.id()), json!(text)])["accepted"], true);
        assert_eq!(call.outcome(), Some(Outcome::Cancelled));
    }
}

// R-CALL-9
#[test]
fn a_plugin_may_end_the_call_inside_cancel_or_have_no_cancel_at_all() {
    let (_host, raw, call) = pending();
    raw.on_cancel(|transport, id| {
        assert_eq!(inside(transport, "FailCall", &[id, "stopped"])["accepted"], true);
    });
    call.give_up();
    assert_eq!(call.outcome(), Some(Outcome::Cancelled));

    let (host, raw, call) = pending();
    call.give_up();
    call.expect_running();
    assert!(host.log().iter().any(|(_, line)| line.contains("Raw.XivMcp.Cancel")), "{:?}", host.log());
    assert_eq!(raw.complete(call.id(), "1"), true);
    assert_eq!(call.outcome(), Some(Outcome::Cancelled));
}

fn listen(raw: &Raw, log: &Arc<Mutex<Vec<String>>>) -> [xivmcp_client::ipc::IpcGuard; 2] {
    let transport = raw.plugin.transport();
    ["Disposing", "Ready"].map(|message| {
        let (log, inside) = (Arc::clone(log), transport.clone());
        let action: IpcAction = Arc::new(move |_| {
            let gates = inside.call_function("XivMcp.IsReady", &[], IpcType::Bool).is_ok();
            log.lock().unwrap().push(format!("{} {message} gates:{gates}", inside.internal_name()));
            Ok(())
        });
        transport.subscribe(&format!("XivMcp.{message}"), &[], action).unwrap()
    })
}

// R-CALL-10
#[test]
fn disposing_comes_before_the_gates_go_and_ready_after_they_are_there() {
    let host = Stage::new();
    let raws = ["PlugB", "PlugA"].map(|name| host.raw(name));
    let log = Arc::default();
    let _guards: Vec<_> = raws.iter().flat_map(|raw| listen(raw, &log)).collect();
    assert_eq!(host.dalamud().unload_host(), ["PlugB", "PlugA"]);
    assert_eq!(host.dalamud().load_host(), ["PlugB", "PlugA"]);
    assert_eq!(
        *log.lock().unwrap(),
        [
            "PlugB Disposing gates:true",
            "PlugA Disposing gates:true",
            "PlugB Ready gates:true",
            "PlugA Ready gates:true"
        ]
    );
}

// R-CALL-10
#[test]
fn a_call_may_still_be_completed_in_disposing_and_otherwise_fails() {
    let (host, raw, call) = pending();
    let other = host.assistant().call("raw_look", NO_ARGS);
    let (transport, id) = (raw.plugin.transport(), call.id().to_owned());
    let inside_transport = transport.clone();
    let action: IpcAction = Arc::new(move |_| {
        assert_eq!(inside(&inside_transport, "CompleteCall", &[&id, "\"just in time\""])["accepted"], true);
        Ok(())
    });
    let guard = transport.subscribe("XivMcp.Disposing", &[], action).unwrap();
    host.dalamud().unload_host();
    assert_eq!(call.expect_result(), "just in time");
    assert!(!other.expect_error().is_empty());
    drop(guard);
}

// R-CALL-10
#[test]
fn what_the_host_forgets_when_it_unloads_and_what_stays() {
    let (host, raw) = enabled();
    raw.ok("DeclareDependencies", &[raw.name(), json!({"tools": [{"tool": "navigate_to"}]})]);
    host.player().set_mode(&raw.plugin, "combat", "deny");
    let job = json!({"name": "Long", "steps": [{"tool": "wait", "args": {"seconds": 5000}}]});
    let job = raw.ok("StartJob", &[raw.name(), job])["job"]["id"].clone();
    raw.replies(r#"{"pending":true}"#);
    let call = host.assistant().call("raw_look", NO_ARGS);
    let request = json!({"capability": "read_game", "summary": "s"});
    let approval = raw.ok("RequestApproval", &[json!(call.id()), request])["approvalId"].clone();
    host.dalamud().unload_host();
    assert!(!call.expect_error().is_empty());
    host.dalamud().load_host();
    let status = raw.status();
    assert_eq!(
        (&status["tools"], &status["dependencies"], &status["state"]),
        (&json!([]), &json!([]), &json!("enabled"))
    );
    assert_eq!(raw.permission("combat")["mode"], "deny");
    raw.refused("GetApproval", &[approval]);
    is_unknown(&raw, call.id());
    assert_eq!(raw.ok("GetJob", std::slice::from_ref(&job))["job"]["state"], "paused");
    raw.ok("CancelJob", &[job]);
    assert!(host.assistant().tools().is_empty());
}

// R-CALL-9, R-CALL-3
#[test]
fn a_call_that_is_cancelled_before_invoke_never_reaches_the_plugin() {
    let (host, raw) = enabled();
    raw.on_cancel(|_, _| {});
    let call = host.at_once(|| {
        let call = host.assistant().call("raw_look", NO_ARGS);
        call.give_up();
        call
    });
    assert_eq!(call.outcome(), Some(Outcome::Cancelled));
    assert_eq!((raw.invoked().len(), raw.cancelled().len()), (0, 0));
}

// R-CALL-10
#[test]
fn a_call_that_waits_for_the_player_fails_when_the_host_unloads_and_is_asked_about_no_more() {
    let (host, raw) = enabled();
    let call = host.assistant().call("raw_go", NO_ARGS);
    assert_eq!(host.player().questions().len(), 1);
    host.dalamud().unload_host();
    assert!(!call.expect_error().is_empty());
    assert!(host.player().questions().is_empty() && raw.invoked().is_empty());
    names(&host.assistant().call("raw_look", NO_ARGS).expect_error(), &["XIV MCP"]);
    host.dalamud().load_host();
}

// R-OWN-4, R-CALL-8
#[test]
fn an_unloaded_plugins_call_that_waits_for_the_player_fails_naming_the_plugin() {
    let (host, raw, pending) = pending();
    let asked = host.assistant().call("raw_go", NO_ARGS);
    raw.plugin.unload();
    for call in [&pending, &asked] {
        names(&call.expect_error(), &["Raw"]);
    }
    assert!(host.player().questions().is_empty());
    raw.plugin.reload();
    is_unknown(&raw, pending.id());
}
