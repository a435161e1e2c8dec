//! SPEC §9: pause, resume, cancel, who sees which job, the log, and the host going and coming.

use std::time::Duration;

use serde_json::{Value, json};
use xivmcp_protocol::{HostGate, PermissionMode};

use super::tests::{PENDING, started, working};
use crate::core::testing::Stage;
use crate::core::testing::says;
use crate::core::{BuiltinScript, JobControl};

// R-JOB-6
#[test]
fn pause_interrupts_the_step_and_resume_runs_it_again_with_the_same_arguments() {
    let mut stage = working(PENDING);
    stage.cancelled("Mine", |_, _| Ok(()));
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go", "args": {"a": 1}}]));
    let call = started(&stage);
    stage.control(&job, JobControl::Pause).unwrap();
    assert_eq!(stage.states(&job), "paused: running", "until its call has ended it counts as running");
    stage.ok("Mine", HostGate::CompleteCall, &[call.as_str(), "1"]);
    stage.settle();
    assert_eq!(stage.states(&job), "paused: interrupted", "a pending call that still completes was interrupted");
    stage.minutes(60);
    stage.control(&job, JobControl::Resume).unwrap();
    assert_eq!(stage.states(&job), "running: running");
    let invoked: Vec<_> = stage.reached.iter().filter(|(what, _)| what.starts_with("Invoke")).collect();
    assert_eq!(invoked.iter().map(|(what, _)| what.as_str()).collect::<Vec<_>>(), [r#"Invoke mine_go {"a":1}"#; 2]);
    assert_ne!(invoked[0].1, invoked[1].1, "another call");
    assert_eq!(stage.job(&job)["steps"][0]["attempts"], 2);
}

// R-JOB-6
#[test]
fn the_reply_of_a_quick_tool_that_was_running_still_counts_as_done() {
    for (control, state) in [(JobControl::Pause, "paused"), (JobControl::Cancel, "cancelled")] {
        let mut stage = working("");
        stage.invoked("mine_go", move |stage, _| {
            let job = stage.core.job_ids()[0].clone();
            stage.core.control_job(stage.now, &job, control).unwrap();
            Ok(r#"{"result":1}"#.to_owned())
        });
        let job = stage.start_job("Mine", &json!([{"tool": "mine_go"}, {"tool": "mine_look"}]));
        assert_eq!(stage.states(&job), format!("{state}: done, queued"));
        assert_eq!(stage.reached.len(), 1, "Cancel came too late");
        stage.assert_quiet();
    }
}

// R-JOB-6
#[test]
fn a_job_that_is_resumed_while_its_step_is_being_cancelled_runs_it_again_afterwards() {
    let mut stage = working(PENDING);
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    stage.control(&job, JobControl::Pause).unwrap();
    stage.control(&job, JobControl::Resume).unwrap();
    assert_eq!((stage.states(&job).as_str(), stage.invokes()), ("queued: running", 1));
    stage.minutes(2);
    assert_eq!((stage.states(&job).as_str(), stage.invokes()), ("running: running", 2));
}

// R-JOB-6: a step that waits for the player
#[test]
fn pausing_a_step_that_waits_for_the_player_closes_the_question() {
    let mut stage = working(PENDING);
    stage.set_tool("Mine", "mine_go", PermissionMode::Ask);
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    stage.control(&job, JobControl::Pause).unwrap();
    assert_eq!((stage.states(&job).as_str(), stage.core.questions().len()), ("paused: interrupted", 0));
    stage.assert_quiet();
}

// R-JOB-7
#[test]
fn cancel_is_final_and_finished_jobs_are_not_controlled() {
    let mut stage = working(PENDING);
    let (job, other) = (
        stage.start_job("Mine", &json!([{"tool": "mine_go"}])),
        stage.start_job("Mine", &json!([{"tool": "mine_look"}])),
    );
    stage.control(&other, JobControl::Pause).unwrap();
    assert_eq!(stage.states(&other), "paused: queued", "any unfinished job can be paused");
    stage.control(&other, JobControl::Pause).unwrap();
    stage.control(&job, JobControl::Cancel).unwrap();
    assert_eq!(stage.states(&job), "cancelled: running");
    stage.minutes(2);
    assert_eq!(stage.states(&job), "cancelled: interrupted");
    stage.control(&job, JobControl::Cancel).unwrap();
    for control in [JobControl::Pause, JobControl::Resume] {
        says(&stage.control(&job, control).unwrap_err(), &["Work", "cancelled"]);
        says(
            &stage.refused(
                "Mine",
                if control == JobControl::Pause { HostGate::PauseJob } else { HostGate::ResumeJob },
                &[&job],
            ),
            &["cancelled"],
        );
    }
    stage.ok("Mine", HostGate::CancelJob, &[&job]);
    stage.replies("mine_go", r#"{"error":"no"}"#);
    let pending = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    stage.control(&pending, JobControl::Pause).unwrap();
    assert_eq!(stage.states(&pending), "paused: failed");
    says(&stage.control(&pending, JobControl::Resume).unwrap_err(), &["failed"]);
}

// R-JOB-8
#[test]
fn a_plugin_sees_only_its_own_jobs_by_id_or_name() {
    let mut stage = working(PENDING);
    stage.install("Other");
    let start = |stage: &mut Stage| stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    let first = start(&mut stage);
    stage.control(&first, JobControl::Cancel).unwrap();
    stage.minutes(2);
    let (second, third) = (start(&mut stage), start(&mut stage));
    let found = |stage: &mut Stage, name: &str| stage.ok("Mine", HostGate::GetJob, &[name])["job"]["id"].clone();
    assert_eq!(found(&mut stage, &first), first.as_str());
    assert_eq!(stage.ok("Mine", HostGate::GetJob, &[&first])["job"]["name"], "Work (The Mine)");
    for name in ["wORK (the mine)", "work"] {
        assert_eq!(found(&mut stage, name), third.as_str(), "the newest unfinished one");
    }
    stage.control(&third, JobControl::Cancel).unwrap();
    assert_eq!(found(&mut stage, "work"), second.as_str());
    stage.control(&second, JobControl::Cancel).unwrap();
    stage.minutes(2);
    assert_eq!(found(&mut stage, "work"), third.as_str(), "all finished: the newest");
    for gate in [HostGate::GetJob, HostGate::PauseJob, HostGate::ResumeJob, HostGate::CancelJob] {
        for job in [first.as_str(), "work", "", "🦀"] {
            says(&stage.refused("Other", gate, &[job]), &[job, "no job"]);
        }
    }
    let ids = |stage: &mut Stage, caller: &str, owner: &str| -> Vec<Value> {
        let reply = stage.ok(caller, HostGate::ListJobs, &[owner]);
        reply["jobs"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect()
    };
    assert_eq!(ids(&mut stage, "Mine", "Other"), [json!(third), json!(second), json!(first)]);
    assert!(ids(&mut stage, "Other", "Mine").is_empty());
}

// R-JOB-9
#[test]
fn while_a_step_runs_the_assistant_may_only_read_and_control_jobs() {
    let mut stage = working(PENDING);
    stage.install("Questionable");
    for tool in ["stop_questing", "navigate_to"] {
        stage.core.player_set_builtin(tool, Some(PermissionMode::Allow)).unwrap();
    }
    let asked = || {
        let mut stage = working(PENDING);
        stage.set_tool("Mine", "mine_go", PermissionMode::Ask);
        stage.core.player_set_builtin("navigate_to", Some(PermissionMode::Allow)).unwrap();
        stage
    };
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    for tool in ["mine_go", "navigate_to"] {
        says(&stage.called(tool), &["error", "Work (The Mine)", tool]);
    }
    for tool in ["mine_look", "get_character", "list_jobs", "stop_questing"] {
        says(&stage.called(tool), &["result"]);
    }
    says(&stage.called("start_job"), &["error", "name", "missing"]);
    let paused = stage.call_with("pause_job", &json!({"id": job}).to_string());
    says(&stage.outcome(&paused), &["result", "paused"]);
    says(&stage.called("navigate_to"), &["error", "job"]);
    stage.minutes(2);
    says(&stage.called("navigate_to"), &["result"]);
    let mut stage = asked();
    stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    says(&stage.called("navigate_to"), &["error", "job"]);
    for passive in ["wait", "wait_until_arrived"] {
        let mut stage = asked();
        stage
            .core
            .script_builtin(
                "wait_until_arrived",
                Some(BuiltinScript::new(Err("never".to_owned()), Duration::from_secs(9))),
            )
            .unwrap();
        let job = stage.start_job("Mine", &json!([{"tool": passive, "args": {"seconds": 9}}]));
        assert_eq!(stage.states(&job), "running: running");
        says(&stage.called("navigate_to"), &["result"]);
    }
}

// R-JOB-10
#[test]
fn the_log_takes_progress_of_the_running_step_and_keeps_200_lines() {
    let mut stage = working(PENDING);
    let job = stage.start_job("Mine", &json!([{"tool": "mine_go", "id": "farm", "note": "until full"}]));
    let call = started(&stage);
    let log = |stage: &Stage| -> Vec<String> {
        stage.job(&job)["log"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
    };
    assert!(log(&stage).iter().any(|line| line.contains("until full")));
    stage.pass(Duration::from_secs(61));
    let before = log(&stage).len();
    for text in ["310 kills", " ", "", &"x".repeat(301)] {
        stage.ok("Mine", HostGate::ReportProgress, &[call.as_str(), text]);
    }
    assert_eq!(
        log(&stage)[before..],
        ["00:01:01 farm: 310 kills".to_owned(), format!("00:01:01 farm: {}", "x".repeat(300))]
    );
    for n in 0..300 {
        stage.ok("Mine", HostGate::ReportProgress, &[call.as_str(), &n.to_string()]);
    }
    assert_eq!((log(&stage).len(), log(&stage)[199].as_str()), (200, "00:01:01 farm: 299"));
    let outside = stage.call("mine_look");
    assert_ne!(stage.outcome(&outside), "running");
    let mut stage = working(PENDING);
    let call = stage.call("mine_go");
    stage.ok("Mine", HostGate::ReportProgress, &[call.as_str(), "outside of jobs it is ignored"]);
}

// R-JOB-11
#[test]
fn the_host_unloads_and_jobs_wait_for_resume() {
    let mut stage = working(PENDING);
    let running = stage.start_job("Mine", &json!([{"tool": "mine_look"}, {"tool": "mine_go"}]));
    let queued = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    stage.unload_host();
    stage.assert_quiet();
    stage.load_host();
    stage.minutes(60);
    assert_eq!(stage.states(&running), "paused: done, interrupted");
    assert_eq!(stage.states(&queued), "paused: queued");
    stage.register("Mine", "mine_go", &["game_ui"]);
    stage.control(&running, JobControl::Resume).unwrap();
    assert_eq!(stage.states(&running), "running: done, running");
}

// R-JOB-11, R-TIME-5
#[test]
fn finished_jobs_go_after_seven_days() {
    let mut stage = working(r#"{"result":1}"#);
    let done = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    stage.replies("mine_go", r#"{"error":"no"}"#);
    let open = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
    stage.pass(Duration::from_secs(7 * 24 * 3600 - 1));
    assert_eq!(stage.core.job_ids(), [open.clone(), done.clone()]);
    stage.pass(Duration::from_secs(1));
    assert_eq!(stage.core.job_ids(), [open]);
    says(&stage.refused("Mine", HostGate::GetJob, &[&done]), &[&done]);
}

// R-JOB-11
#[test]
fn a_long_result_is_kept_as_cut_text() {
    for (length, kept) in [(19_998, 19_998), (19_999, 20_000)] {
        let mut stage = working(&json!({"result": "x".repeat(length)}).to_string());
        let job = stage.start_job("Mine", &json!([{"tool": "mine_go"}]));
        let result = stage.job(&job)["steps"][0]["result"].as_str().unwrap().to_owned();
        assert_eq!(result.len(), kept);
    }
}
