//! SPEC §9: jobs that use tools of the host and of other plugins, and the assistant's own jobs.

use std::time::Duration;

use serde_json::{Value, json};
use xivmcp_protocol::{HostGate, JsonText, PermissionMode};

use super::tests::{PENDING, started, working};
use crate::core::testing::says;
use crate::core::{Access, Answer, Decision, LintKind};

// R-JOB-12
#[test]
fn a_host_tool_in_a_plugins_job_follows_the_stricter_of_both_settings() {
    use PermissionMode::{Allow, Ask, Deny};
    let cases = [
        (Allow, Allow, "completed: done"),
        (Allow, Ask, "running: running"),
        (Ask, Allow, "running: running"),
        (Deny, Allow, "pending: failed"),
        (Allow, Deny, "pending: failed"),
        (Ask, Deny, "pending: failed"),
    ];
    for (group, plugin, expected) in cases {
        let mut stage = working(PENDING);
        stage.core.player_set_group("game_navigation", Access::Write, Some(group.clone())).unwrap();
        stage.set_capability("Mine", "game_ui", Allow);
        stage.set_capability("Mine", "move_character", plugin.clone());
        let job = stage.start_job("Mine", &json!([{"tool": "navigate_to"}]));
        assert_eq!(stage.states(&job), expected, "{group} {plugin}");
        if expected.starts_with("pending") {
            let error = stage.job(&job)["steps"][0]["error"].as_str().unwrap().to_owned();
            assert_eq!(error.contains("The Mine"), plugin == Deny && group != Deny, "{error}");
        }
        if expected.starts_with("running") {
            assert_eq!(stage.core.questions()[0].caller, "plugin:Mine");
        }
    }
}

// R-JOB-12
#[test]
fn answers_given_to_a_plugin_never_cover_the_assistant() {
    for answer in [Answer::Session, Answer::Always] {
        let mut stage = working(PENDING);
        stage.core.player_set_group("game_navigation", Access::Write, Some(PermissionMode::Ask)).unwrap();
        let job = stage.start_job("Mine", &json!([{"tool": "navigate_to"}]));
        stage.answer(answer);
        assert_eq!(stage.states(&job), "completed: done");
        assert_eq!(stage.newest().decision, Decision::ApprovedSession);
        let again = stage.start_job("Mine", &json!([{"tool": "navigate_to"}]));
        assert_eq!(stage.states(&again), "completed: done", "{answer:?} covers this plugin and tool");
        assert_eq!(stage.called("navigate_to"), "running", "{answer:?} does not cover the assistant");
    }
}

// R-JOB-12
#[test]
fn another_plugins_tool_follows_that_plugin_and_the_callers_deny() {
    let stage_with_other = || {
        let mut stage = working(PENDING);
        stage.install("Other");
        stage.register("Other", "other_go", &["chat_send"]);
        stage.enable("Other");
        stage.replies("other_go", r#"{"result":1}"#);
        stage
    };
    let mut stage = stage_with_other();
    stage.set_capability("Other", "chat_send", PermissionMode::Allow);
    let job = stage.start_job("Mine", &json!([{"tool": "other_go"}]));
    assert_eq!(stage.states(&job), "completed: done", "the caller's own ask does not count");
    assert_eq!((stage.newest().plugin.as_str(), stage.newest().caller.as_str()), ("Other", "plugin:Mine"));
    stage.set_capability("Mine", "chat_send", PermissionMode::Deny);
    let job = stage.start_job("Mine", &json!([{"tool": "other_go"}]));
    says(stage.job(&job)["reason"].as_str().unwrap(), &["The Mine", "chat_send", "deny"]);
    let mut stage = stage_with_other();
    stage.start_job("Mine", &json!([{"tool": "other_go"}]));
    stage.answer(Answer::Always);
    assert_eq!(stage.status("Other")["tools"][0]["own"], false, "not given to the assistant");
    assert_eq!(stage.called("other_go"), "running");
}

// R-JOB-12: the plugin was disabled after it had started the job
#[test]
fn a_disabled_plugins_job_may_not_use_other_tools() {
    let mut stage = working(PENDING);
    stage.core.player_set_group("game_navigation", Access::Write, Some(PermissionMode::Allow)).unwrap();
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go"}, {"tool": "navigate_to"}]));
    stage.core.player_keep_disabled("Mine", None).unwrap();
    let call = started(&stage);
    stage.ok("Mine", HostGate::CompleteCall, &[call.as_str(), "1"]);
    stage.settle();
    assert_eq!(stage.states(&job), "pending: done, failed");
    says(stage.job(&job)["reason"].as_str().unwrap(), &["The Mine", "kept_disabled"]);
}

// R-JOB-13
#[test]
fn the_step_wait_waits() {
    let mut stage = working(PENDING);
    let job = stage.start_job(
        "Mine",
        &json!([{"tool": "wait", "args": {"seconds": 90}}, {"tool": "wait", "args": {"until": "soon"}}]),
    );
    stage.pass(Duration::from_secs(89));
    assert_eq!(stage.states(&job), "running: running, queued");
    stage.pass(Duration::from_secs(1));
    assert_eq!(stage.job(&job)["steps"][0]["result"], json!({"waited": 90, "now": "2026-01-01T00:01:30Z"}));
    assert_eq!(stage.states(&job), "pending: done, failed");
    stage.assert_quiet();
}

// R-OWN-4: the plugin whose step runs unloads
#[test]
fn a_step_fails_when_its_plugin_unloads() {
    let mut stage = working(PENDING);
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    stage.core.dalamud_set_loaded(stage.now, "Mine", false).unwrap();
    stage.settle();
    assert_eq!(stage.states(&job), "pending: failed");
    says(stage.job(&job)["reason"].as_str().unwrap(), &["The Mine", "unloaded"]);
    stage.update(&job, "retry", None, true).unwrap();
    says(stage.job(&job)["reason"].as_str().unwrap(), &["mine_go", "no tool"]);
}

// the assistant's job tools
#[test]
fn the_assistant_starts_and_controls_jobs_with_tools() {
    let mut stage = working(PENDING);
    let mut tool = |name: &str, args: Value| -> Value {
        let call = stage.core.assistant_call(stage.now, Some("Desk"), name, JsonText::from(args));
        stage.settle();
        let outcome = stage.outcome(&call);
        match outcome.strip_prefix("result ") {
            Some(result) => serde_json::from_str(result).unwrap(),
            None => json!(outcome),
        }
    };
    let job = tool(
        "start_job",
        json!({"name": "Round", "steps": [{"tool": "mine_look"}, {"tool": "wait", "args": {"seconds": 5}}]}),
    );
    let id = job["job"]["id"].as_str().unwrap().to_owned();
    assert_eq!((&job["job"]["name"], &job["job"]["state"]), (&json!("Round"), &json!("queued")));
    let whole = tool("get_job", json!({"job": "round"}));
    assert_eq!((&whole["job"]["id"], &whole["job"]["steps"][0]["state"]), (&json!(id), &json!("done")));
    assert!(whole["job"]["log"].as_array().unwrap().len() > 1);
    assert_eq!(tool("pause_job", json!({"id": id}))["job"]["state"], "paused");
    assert_eq!(tool("update_job", json!({"id": id, "action": "skip"}))["job"]["state"], "paused");
    assert_eq!(tool("resume_job", json!({"id": id}))["job"]["state"], "queued");
    assert_eq!(tool("list_jobs", json!({}))["jobs"][0]["state"], "completed");
    assert_eq!(tool("cancel_job", json!({"id": id}))["job"]["state"], "completed");
    assert!(tool("get_job", json!({})).as_str().unwrap().contains("`id` is missing"));
    assert!(tool("resume_job", json!({"id": id})).as_str().unwrap().contains("completed"));
    assert!(
        tool("start_job", json!({"name": "n", "steps": [{"tool": "get_job"}]})).as_str().unwrap().contains("get_job")
    );
    says(&stage.refused("Mine", HostGate::GetJob, &[&id]), &[&id]);
    assert_eq!(stage.newest().caller, "assistant:Desk");
}

// what the host accepts in silence
#[test]
fn a_step_with_a_tool_that_was_not_declared_is_noted() {
    let mut stage = working(r#"{"result":1}"#);
    stage.ok("Mine", HostGate::DeclareDependencies, &["Mine", r#"{"tools":[{"tool":"get_character"}]}"#]);
    stage.start_job(
        "Mine",
        &json!([{"tool": "get_character"}, {"tool": "mine_go"}, {"tool": "wait"}, {"tool": "wait"}]),
    );
    let found: Vec<_> = stage.lints.iter().map(|lint| (lint.kind, lint.tool.as_str())).collect();
    assert_eq!(found, [(LintKind::UndeclaredTool, "wait")]);
}
