//! SPEC §9: starting jobs, their order, placeholders, failed steps and `update_job`.

use serde_json::{Value, json};
use xivmcp_protocol::{CallId, HostGate, PermissionMode};

use crate::core::testing::{Stage, says};
use crate::core::{Answer, Decision, JobControl};

pub(super) const PENDING: &str = r#"{"pending":true}"#;

/// A stage whose plugin `Mine` has `mine_go`, which runs without being asked for and replies so.
pub(super) fn working(reply: &str) -> Stage {
    let mut stage = Stage::with_tool(&["game_ui"]);
    stage.register("Mine", "mine_look", &[]);
    stage.enable("Mine");
    stage.set_tool("Mine", "mine_go", PermissionMode::Allow);
    stage.replies("mine_go", reply);
    stage.replies("mine_look", r#"{"result":{"seen":[{"Name":"Hide"},"x"],"count":2,"nothing":null}}"#);
    stage
}

pub(super) fn started(stage: &Stage) -> CallId {
    stage.reached.last().expect("a gate was reached").1.clone()
}

// R-JOB-1
#[test]
fn a_job_needs_an_enabled_plugin_a_name_and_steps() {
    let mut stage = working(PENDING);
    for (job, parts) in [
        ("", ["JSON"].as_slice()),
        ("[]", &["object"]),
        (r#"{"steps":[{"tool":"mine_go"}]}"#, &["name"]),
        (r#"{"name":" ","steps":[{"tool":"mine_go"}]}"#, &["name"]),
        (r#"{"name":"n"}"#, &["steps"]),
        (r#"{"name":"n","steps":[]}"#, &["steps"]),
        (r#"{"name":"n","steps":[{"args":{}}]}"#, &["tool"]),
    ] {
        says(&stage.refused("Mine", HostGate::StartJob, &["Mine", job]), parts);
    }
    let job = r#"{"name":"n","steps":[{"tool":"mine_go","args":[1]}]}"#;
    stage.core.policies.get_mut("mine").suspended = Some("it cheated".to_owned());
    says(&stage.refused("Mine", HostGate::StartJob, &["Mine", job]), &["suspended", "it cheated"]);
    stage.core.player_lift("Mine").unwrap();
    stage.core.player_keep_disabled("Mine", None).unwrap();
    says(&stage.refused("Mine", HostGate::StartJob, &["Mine", job]), &["kept_disabled"]);
    assert!(stage.core.job_ids().is_empty());
    stage.enable("Mine");
    stage.ok("Mine", HostGate::StartJob, &["Mine", job]);
    stage.settle();
    assert_eq!(stage.reached[0].0, "Invoke mine_go {}", "arguments that are no object count as none");
}

// R-JOB-2
#[test]
fn a_job_is_refused_as_a_whole_for_one_step_that_cannot_be() {
    let mut stage = working(PENDING);
    stage.install("Other");
    stage.register("Other", "other_go", &["game_ui"]);
    stage.core.player_set_group_on("market", false).unwrap();
    let cases: [(Value, &[&str]); 10] = [
        (json!([{"tool": "nothing"}]), &["nothing", "no tool"]),
        (json!([{"tool": "other_go"}]), &["other_go", "not enabled"]),
        (json!([{"tool": "get_sales"}]), &["get_sales", "turned off"]),
        (json!([{"tool": "run_duty"}]), &["run_duty", "AutoDuty"]),
        (json!([{"tool": "list_jobs"}]), &["list_jobs", "controls jobs"]),
        (json!([{"tool": "pause_job"}]), &["pause_job", "controls jobs"]),
        (json!([{"tool": "take_screenshot"}]), &["take_screenshot", "plugins"]),
        (json!([{"tool": "mine_go", "id": "a"}, {"tool": "mine_go", "id": "a"}]), &["`a`"]),
        (json!([{"tool": "mine_go"}, {"tool": "mine_go", "id": "s1"}]), &["s1"]),
        (json!([{"tool": "mine_go", "id": "s1"}, {"tool": "mine_go"}]), &["s1"]),
    ];
    for (steps, parts) in cases {
        let bad = json!({"name": "n", "steps": steps}).to_string();
        says(&stage.refused("Mine", HostGate::StartJob, &["Mine", &bad]), parts);
    }
    stage.settle();
    assert!(stage.reached.is_empty() && stage.core.job_ids().is_empty());
    stage.enable("Other");
    stage.core.dalamud_set_loaded(stage.now, "Other", false).unwrap();
    stage.register("Other", "other_go", &["game_ui"]);
    let other = json!({"name": "n", "steps": [{"tool": "other_go"}]}).to_string();
    says(&stage.refused("Mine", HostGate::StartJob, &["Mine", &other]), &["other_go", "not loaded"]);
}

// R-JOB-2
#[test]
fn a_suspended_plugins_tool_passes_and_its_step_fails() {
    let mut stage = working(PENDING);
    stage.install("Other");
    stage.register("Other", "other_go", &["game_ui"]);
    stage.enable("Other");
    stage.core.policies.get_mut("other").suspended = Some("it cheated".to_owned());
    let job = stage.start_job("Mine", &json!([{"tool": "other_go"}]));
    assert_eq!(stage.states(&job), "pending: failed");
    says(stage.job(&job)["reason"].as_str().unwrap(), &["it cheated"]);
}

// R-JOB-2
#[test]
fn steps_without_an_id_are_numbered_among_themselves() {
    let mut stage = working(PENDING);
    let job =
        stage.start_job("Mine", &json!([{"tool": "mine_go"}, {"tool": "mine_go", "id": "farm"}, {"tool": "mine_go"}]));
    stage.control(&job, JobControl::Pause).unwrap();
    stage.minutes(2);
    let ids = |job: &Value| {
        job["steps"].as_array().unwrap().iter().map(|step| step["id"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids(&stage.job(&job)), "s1 farm s2");
    let changed = stage.update(&job, "append", Some(r#"[{"tool":"mine_go"},{"tool":"mine_go"}]"#), false).unwrap();
    assert_eq!(ids(&changed), "s1 farm s2 s4 s5");
    says(&stage.update(&job, "append", Some(r#"[{"tool":"mine_go","id":"farm"}]"#), false).unwrap_err(), &["farm"]);
}

// R-JOB-3
#[test]
fn one_step_runs_at_a_time_and_the_job_started_first_goes_first() {
    let mut stage = working(PENDING);
    let steps = json!([{"tool": "mine_go"}, {"tool": "mine_go"}]);
    let (first, second) = (stage.start_job("Mine", &steps), stage.start_job("Mine", &steps));
    assert_eq!(
        (stage.states(&first), stage.states(&second)),
        ("running: running, queued".to_owned(), "queued: queued, queued".to_owned())
    );
    let end = |stage: &mut Stage| {
        let call = started(stage);
        stage.ok("Mine", HostGate::CompleteCall, &[call.as_str(), "1"]);
        stage.settle();
    };
    end(&mut stage);
    assert_eq!(
        (stage.states(&first), stage.states(&second)),
        ("running: done, running".to_owned(), "queued: queued, queued".to_owned())
    );
    stage.control(&first, JobControl::Pause).unwrap();
    end(&mut stage);
    assert_eq!(
        (stage.states(&first), stage.states(&second)),
        ("paused: done, interrupted".to_owned(), "running: running, queued".to_owned())
    );
    stage.control(&first, JobControl::Resume).unwrap();
    end(&mut stage);
    assert_eq!(
        (stage.states(&first), stage.states(&second)),
        ("running: done, running".to_owned(), "running: done, queued".to_owned())
    );
    end(&mut stage);
    end(&mut stage);
    assert_eq!(
        (stage.states(&first), stage.states(&second)),
        ("completed: done, done".to_owned(), "completed: done, done".to_owned())
    );
    stage.assert_quiet();
}

// R-JOB-3
#[test]
fn a_step_is_checked_and_asked_for_like_a_call() {
    let mut stage = working(r#"{"result":1}"#);
    stage.set_tool("Mine", "mine_go", PermissionMode::Ask);
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go", "args": {"a": 1}}]));
    assert_eq!(stage.states(&job), "running: running");
    let question = stage.answer(Answer::Once);
    assert_eq!(question.caller, "plugin:Mine");
    assert_eq!(stage.states(&job), "completed: done");
    let entry = stage.newest();
    assert_eq!((entry.caller.as_str(), entry.in_job, entry.decision), ("plugin:Mine", true, Decision::Approved));
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    stage.minutes(2);
    assert_eq!(stage.states(&job), "pending: failed");
    stage.assert_quiet();
}

// R-JOB-4
#[test]
fn placeholders_take_from_earlier_steps() {
    let cases = [
        (r#"{"a":"{{look.count}}"}"#, r#"{"a":2}"#),
        (r#"{"a":["{{look.seen.0.name}}!"]}"#, r#"{"a":["Hide!"]}"#),
        (r#"{"a":"{{look.seen.0}} {{look.COUNT}}"}"#, r#"{"a":"{\"Name\":\"Hide\"} 2"}"#),
        (r#"{"a":"{{ look.count}} {{look}} {{x"}"#, r#"{"a":"{{ look.count}} {{look}} {{x"}"#),
        (r#"{"n": 1.50, "a":"\u007b{look.count}}"}"#, r#"{"n": 1.50, "a":2}"#),
    ];
    for (args, expected) in cases {
        let mut stage = working(r#"{"result":1}"#);
        let args: Value = serde_json::from_str::<Box<serde_json::value::RawValue>>(args)
            .map(|raw| json!({"raw": raw.get()}))
            .unwrap();
        let job = format!(
            r#"{{"name":"n","steps":[{{"tool":"mine_look","id":"look"}},{{"tool":"mine_go","args":{}}}]}}"#,
            args["raw"].as_str().unwrap()
        );
        stage.ok("Mine", HostGate::StartJob, &["Mine", &job]);
        stage.settle();
        assert_eq!(stage.reached[1].0, format!("Invoke mine_go {expected}"));
    }
}

// R-JOB-4
#[test]
fn a_placeholder_that_finds_nothing_fails_the_step_with_its_whole_path() {
    for missing in
        ["{{none.a.b}}", "{{look.none.b}}", "{{look.nothing}}", "{{later.a}}", "{{gone.count}}", "{{look.seen.2}}"]
    {
        let mut stage = working(r#"{"result":1}"#);
        stage.set_capability("Mine", "read_game", PermissionMode::Deny);
        let job = stage.start_job(
            "Mine",
            &json!([
                {"tool": "mine_look", "id": "gone"},
                {"tool": "mine_look", "id": "look"},
                {"tool": "mine_go", "id": "go", "args": {"a": missing}},
                {"tool": "mine_go", "id": "later"},
            ]),
        );
        stage.core.player_set_capability("Mine", "read_game", None).unwrap();
        stage.update(&job, "skip", None, true).unwrap();
        assert_eq!(stage.states(&job), "pending: skipped, done, failed, queued", "{missing}");
        says(stage.job(&job)["steps"][2]["error"].as_str().unwrap(), &[missing.trim_matches(['{', '}'])]);
        assert_eq!(stage.job(&job)["steps"][2]["args"]["a"], missing, "the arguments stay as given");
    }
}

// R-JOB-5
#[test]
fn a_failed_step_makes_the_job_wait_for_someone() {
    let mut stage = working(r#"{"error":"no gil"}"#);
    let steps = json!([{"tool": "mine_go", "id": "buy"}, {"tool": "mine_look"}]);
    let job = stage.start_job("Mine", &steps);
    let view = stage.job(&job);
    assert_eq!((&view["state"], &view["progress"]), (&json!("pending"), &json!("0/2")));
    says(view["reason"].as_str().unwrap(), &["buy", "mine_go", "no gil"]);
    assert_eq!((&view["steps"][0]["error"], &view["steps"][0]["attempts"]), (&json!("no gil"), &json!(1)));
    assert_eq!((&view["currentStep"]["id"], &view["currentStep"]["error"]), (&json!("buy"), &json!("no gil")));
    says(&stage.control(&job, JobControl::Resume).unwrap_err(), &["buy", "failed"]);
    says(&stage.update(&job, "append", Some(r#"[{"tool":"mine_go"}]"#), true).unwrap_err(), &["buy", "failed"]);
    assert_eq!(stage.states(&job), "pending: failed, queued", "a refused change changes nothing");
    stage.replies("mine_go", r#"{"result":1}"#);
    stage.update(&job, "retry", None, false).unwrap();
    assert_eq!(stage.states(&job), "pending: queued, queued");
    assert_eq!(stage.job(&job)["reason"], Value::Null);
    stage.control(&job, JobControl::Resume).unwrap();
    assert_eq!(stage.states(&job), "completed: done, done");
    assert_eq!(stage.job(&job)["steps"][0]["attempts"], 2);
    assert_eq!(stage.job(&job)["progress"], "2/2");
    assert_eq!(stage.job(&job)["currentStep"], Value::Null);
}

// R-JOB-5
#[test]
fn update_job_skips_appends_and_replaces() {
    let failing = || {
        let mut stage = working(r#"{"error":"no"}"#);
        let job = stage.start_job("Mine", &json!([{"tool": "mine_look"}, {"tool": "mine_go"}, {"tool": "mine_go"}]));
        assert_eq!(stage.states(&job), "pending: done, failed, queued");
        (stage, job)
    };
    let (mut stage, job) = failing();
    stage.update(&job, "skip", None, true).unwrap();
    assert_eq!(stage.states(&job), "pending: done, skipped, failed");
    stage.update(&job, "skip", None, true).unwrap();
    assert_eq!(stage.states(&job), "completed: done, skipped, skipped");
    says(&stage.update(&job, "retry", None, true).unwrap_err(), &["completed"]);
    let (mut stage, job) = failing();
    let look = r#"[{"tool":"mine_look"}]"#;
    assert_eq!(stage.update(&job, "append", Some(look), false).unwrap()["progress"], "1/4");
    assert_eq!(stage.states(&job), "pending: done, failed, queued, queued");
    says(stage.job(&job)["reason"].as_str().unwrap(), &["failed"]);
    let replaced = stage.update(&job, "replace_remaining", Some(r#"[{"tool":"mine_look","id":"s2"}]"#), true).unwrap();
    assert_eq!(replaced["steps"][1]["id"], "s2", "the id of a step that is gone is free again");
    assert_eq!(stage.states(&job), "completed: done, done");
    let (mut stage, job) = failing();
    for (action, steps, parts) in [
        ("replace_remaining", None, ["steps"].as_slice()),
        ("append", Some("[]"), &["steps"]),
        ("append", Some("{}"), &["steps", "array"]),
        ("append", Some(r#"[{"tool":"nothing"}]"#), &["nothing"]),
        ("append", Some(r#"[{"tool":"list_jobs"}]"#), &["list_jobs"]),
        ("redo", None, &["action", "redo", "retry"]),
    ] {
        says(&stage.update(&job, action, steps, false).unwrap_err(), parts);
        assert_eq!(stage.states(&job), "pending: done, failed, queued");
    }
    says(&stage.update("none", "retry", None, false).unwrap_err(), &["none"]);
}

// R-JOB-5
#[test]
fn without_resume_a_paused_job_stays_paused_and_another_is_pending() {
    let mut stage = working(PENDING);
    let (running, queued) = (
        stage.start_job("Mine", &json!([{"tool": "mine_go"}])),
        stage.start_job("Mine", &json!([{"tool": "mine_go"}])),
    );
    says(&stage.update(&running, "skip", None, false).unwrap_err(), &["running"]);
    stage.update(&queued, "append", Some(r#"[{"tool":"mine_look"}]"#), false).unwrap();
    assert_eq!(stage.states(&queued), "pending: queued, queued");
    stage.control(&running, JobControl::Pause).unwrap();
    says(&stage.update(&running, "skip", None, false).unwrap_err(), &["running"]);
    stage.minutes(2);
    stage.update(&running, "append", Some(r#"[{"tool":"mine_look"}]"#), false).unwrap();
    assert_eq!(stage.states(&running), "paused: interrupted, queued");
    stage.update(&running, "skip", None, true).unwrap();
    assert_eq!(stage.states(&running), "completed: skipped, done");
}
