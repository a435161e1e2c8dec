//! Random sequences of everything that can happen: nothing panics, no gate fails into its caller, every call ends exactly
//! once (the stage asserts it), every job is in a legal state, and in the end nothing is left behind.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use xivmcp_client::ipc::IpcError;
use xivmcp_protocol::{CallId, HostGate, PermissionMode};

use super::{Access, Answer, GameChange, JobControl};
use crate::core::testing::Stage;

const PLUGINS: [&str; 2] = ["Mine", "Other"];
const TOOLS: [&str; 7] = ["mine_go", "mine_look", "other_go", "other_look", "navigate_to", "wait", "get_character"];
const REPLIES: [&str; 6] =
    [r#"{"pending":true}"#, r#"{"pending":true}"#, r#"{"result":{"a":1}}"#, r#"{"error":"no"}"#, "", "oops"];

/// One thing that happens; the numbers pick what it happens to.
#[derive(Debug, Clone)]
enum Event {
    Register(usize, usize),
    Unregister(usize),
    Decide(usize, u8),
    SetTool(usize, u8),
    SetHost(u8),
    Call(usize),
    GiveUp(usize),
    End(usize, u8),
    Approval(usize),
    ReadApproval(usize),
    Answer(u8),
    Reply(usize, usize),
    Advance(u32),
    StartJob(usize, Vec<usize>),
    Control(usize, u8),
    Update(usize, u8, bool),
    Game(u8),
    Plugin(usize, bool),
    Host(bool),
}

fn event() -> impl Strategy<Value = Event> {
    let n = 0..64_usize;
    prop_oneof![
        1 => (n.clone(), n.clone()).prop_map(|(a, b)| Event::Register(a, b)),
        1 => n.clone().prop_map(Event::Unregister),
        1 => (n.clone(), any::<u8>()).prop_map(|(a, b)| Event::Decide(a, b)),
        1 => (n.clone(), any::<u8>()).prop_map(|(a, b)| Event::SetTool(a, b)),
        1 => any::<u8>().prop_map(Event::SetHost),
        4 => n.clone().prop_map(Event::Call),
        1 => n.clone().prop_map(Event::GiveUp),
        3 => (n.clone(), any::<u8>()).prop_map(|(a, b)| Event::End(a, b)),
        1 => n.clone().prop_map(Event::Approval),
        1 => n.clone().prop_map(Event::ReadApproval),
        3 => any::<u8>().prop_map(Event::Answer),
        1 => (n.clone(), n.clone()).prop_map(|(a, b)| Event::Reply(a, b)),
        2 => any::<u32>().prop_map(Event::Advance),
        2 => (n.clone(), prop::collection::vec(n.clone(), 1..4)).prop_map(|(a, b)| Event::StartJob(a, b)),
        2 => (n.clone(), any::<u8>()).prop_map(|(a, b)| Event::Control(a, b)),
        1 => (n.clone(), any::<u8>(), any::<bool>()).prop_map(|(a, b, c)| Event::Update(a, b, c)),
        1 => any::<u8>().prop_map(Event::Game),
        1 => (n, any::<bool>()).prop_map(|(a, b)| Event::Plugin(a, b)),
        1 => any::<bool>().prop_map(Event::Host),
    ]
}

/// The stage, and what a plugin remembers by itself.
struct Run {
    stage: Stage,
    started: usize,
    calls: Vec<CallId>,
    approvals: Vec<String>,
}

fn pick<T: Clone>(items: &[T], at: usize) -> Option<T> {
    items.get(at % items.len().max(1)).cloned()
}

fn mode(number: u8) -> Option<PermissionMode> {
    [None, Some(PermissionMode::Allow), Some(PermissionMode::Ask), Some(PermissionMode::Deny)][usize::from(number % 4)]
        .clone()
}

impl Run {
    fn new() -> Self {
        let mut stage = Stage::new();
        for plugin in PLUGINS {
            stage.install(plugin);
            let prefix = plugin.to_lowercase();
            stage.register(plugin, &format!("{prefix}_go"), &["game_ui", "spend_gil"]);
            stage.register(plugin, &format!("{prefix}_look"), &[]);
            stage.enable(plugin);
        }
        stage.cancelled("Other", |stage, id| {
            stage.gate("Other", HostGate::FailCall, &[id, "cancelled"]);
            Ok(())
        });
        for tool in &TOOLS[..4] {
            stage.replies(tool, REPLIES[0]);
        }
        Self { stage, started: 0, calls: Vec::new(), approvals: Vec::new() }
    }

    fn happens(&mut self, event: Event) {
        let stage = &mut self.stage;
        let plugin = |at: usize| PLUGINS[at % PLUGINS.len()];
        let tool = |at: usize| TOOLS[at % TOOLS.len()];
        match event {
            Event::Register(at, kind) => {
                let capabilities: &[&str] = [&["game_ui"][..], &["discard_items", "combat"], &[]][kind % 3];
                let definition = json!({
                    "name": TOOLS[at % 4], "description": "d", "readOnly": capabilities.is_empty(), "capabilities": capabilities,
                });
                let owner = plugin(at);
                stage.gate(owner, HostGate::RegisterTool, &[owner, &definition.to_string()]);
            }
            Event::Unregister(at) => {
                let owner = plugin(at);
                stage.gate(owner, HostGate::UnregisterTool, &[owner, tool(at)]);
            }
            Event::Decide(at, what) => {
                let core = &mut stage.core;
                let plugin = plugin(at);
                let _ = match what % 8 {
                    0 => core.player_keep_disabled(plugin, None),
                    1 => core.player_clear_session(plugin),
                    2 => core.player_lift(plugin),
                    _ => core.player_enable(plugin, None).and_then(|()| core.player_lift(plugin)),
                };
            }
            Event::SetTool(at, what) => stage.core.player_set_tool(plugin(at), tool(at), mode(what)).unwrap(),
            Event::SetHost(what) => {
                let access = if what & 4 == 0 { Access::Write } else { Access::Read };
                stage.core.player_set_group("game_navigation", access, mode(what)).unwrap();
                stage.core.player_set_group_on("game_navigation", what & 24 != 0).unwrap();
            }
            Event::Call(at) => {
                self.started += 1;
                let call = stage.call_with(tool(at), r#"{"seconds":200}"#);
                self.calls.push(call);
            }
            Event::GiveUp(at) => {
                if let Some(call) = pick(&self.calls, at) {
                    stage.give_up(&call);
                }
            }
            Event::End(at, how) => {
                let ids: Vec<_> = stage.reached.iter().rev().take(4).map(|(_, id)| id.clone()).collect();
                let Some(id) = pick(&ids, at) else { return };
                let (gate, arg) =
                    if how & 1 == 0 { (HostGate::CompleteCall, r#"{"a":1}"#) } else { (HostGate::FailCall, "no") };
                stage.gate("Mine", gate, &[id.as_str(), arg]);
                stage.gate("Mine", gate, &[id.as_str(), arg]);
                stage.gate("Mine", HostGate::ReportProgress, &[id.as_str(), "text"]);
            }
            Event::Approval(at) => {
                let ids: Vec<_> = stage.reached.iter().rev().take(4).map(|(_, id)| id.clone()).collect();
                let Some(id) = pick(&ids, at) else { return };
                let capability = ["spend_gil", "read_game", "login"][at % 3];
                let request = json!({"capability": capability, "summary": "s"}).to_string();
                let reply = stage.gate("Mine", HostGate::RequestApproval, &[id.as_str(), &request]);
                self.approvals.extend(reply["approvalId"].as_str().map(str::to_owned));
            }
            Event::ReadApproval(at) => {
                if let Some(id) = pick(&self.approvals, at) {
                    stage.gate("Mine", HostGate::GetApproval, &[&id]);
                }
            }
            Event::Answer(how) => {
                if !stage.core.questions().is_empty() {
                    let answers = [Answer::Denied, Answer::Once, Answer::Session, Answer::Always];
                    stage.answer(answers[usize::from(how % 4)]);
                }
            }
            Event::Reply(at, how) => {
                let reply = REPLIES[how % REPLIES.len()].to_owned();
                stage.invoked(TOOLS[at % 4], move |stage, id| {
                    match how % 5 {
                        0 => drop(stage.gate("Mine", HostGate::CompleteCall, &[id, "1"])),
                        1 => {
                            let job = stage.core.job_ids().first().cloned().unwrap_or_default();
                            let _ = stage.core.control_job(stage.now, &job, JobControl::Pause);
                        }
                        2 => stage.core.change_game(&GameChange { gil: -1, ..GameChange::default() }),
                        3 => return Err(IpcError::NotReady { gate: "Invoke".to_owned() }),
                        _ => {}
                    }
                    Ok(reply.clone())
                });
            }
            Event::Advance(span) => stage.pass(Duration::from_millis(u64::from(span) % 300_000)),
            Event::StartJob(at, steps) => {
                let steps: Vec<_> = steps
                    .into_iter()
                    .map(|step| json!({"tool": tool(step), "args": {"seconds": 100, "a": "{{s1.a}}"}}))
                    .collect();
                let job = json!({"name": "Work", "steps": steps}).to_string();
                let owner = plugin(at);
                stage.gate(owner, HostGate::StartJob, &[owner, &job]);
            }
            Event::Control(at, how) => {
                let Some(job) = pick(&stage.core.job_ids(), at) else { return };
                let controls = [JobControl::Pause, JobControl::Resume, JobControl::Resume, JobControl::Cancel];
                let _ = stage.core.control_job(stage.now, &job, controls[usize::from(how % 4)]);
            }
            Event::Update(at, how, resume) => {
                let Some(job) = pick(&stage.core.job_ids(), at) else { return };
                let action = ["retry", "skip", "append", "replace_remaining"][usize::from(how % 4)];
                let _ = stage.update(&job, action, Some(r#"[{"tool":"mine_look"}]"#), resume);
            }
            Event::Game(what) => stage.core.change_game(&GameChange {
                logged_in: Some(what & 7 != 0),
                zone: Some(u32::from(what & 8)),
                ..GameChange::default()
            }),
            Event::Plugin(at, loaded) => stage.core.dalamud_set_loaded(stage.now, plugin(at), loaded).unwrap(),
            Event::Host(loaded) => {
                if loaded && !stage.core.is_ready() {
                    stage.load_host();
                } else if !loaded && stage.core.is_ready() {
                    stage.unload_host();
                }
            }
        }
        self.stage.settle();
        self.check();
    }

    /// What always holds while nothing more can happen without time passing.
    fn check(&self) {
        let counts = self.stage.core.pending();
        assert!(counts.steps <= 1);
        assert_eq!(
            self.stage.outcomes.len() + counts.calls,
            self.started + counts.steps,
            "a call has ended, or it is open"
        );
        let mut running = 0;
        for id in self.stage.core.job_ids() {
            let job = self.stage.job(&id);
            let states: Vec<&str> =
                job["steps"].as_array().unwrap().iter().map(|step| step["state"].as_str().unwrap()).collect();
            let over = states.iter().take_while(|state| matches!(**state, "done" | "skipped")).count();
            assert_eq!(job["progress"], format!("{over}/{}", states.len()));
            assert!(states.iter().skip(over + 1).all(|state| *state == "queued"), "{states:?}");
            running += states.iter().filter(|state| **state == "running").count();
            let current = states.get(over).copied();
            match job["state"].as_str().unwrap() {
                "completed" => assert_eq!(current, None),
                "running" => assert!(matches!(current, Some("running" | "queued" | "interrupted")), "{job}"),
                "queued" => assert_ne!(current, Some("failed"), "{job}"),
                "pending" => assert!(!matches!(current, Some("running")), "{job}"),
                "paused" | "cancelled" => {}
                state => panic!("no legal state: {state}"),
            }
            assert_eq!(job["reason"].is_null(), current != Some("failed") || job["state"] == "cancelled", "{job}");
        }
        assert_eq!(running, counts.steps);
    }

    /// Lets everything come to its end.
    fn end(mut self) {
        if !self.stage.core.is_ready() {
            self.stage.load_host();
        }
        for job in self.stage.core.job_ids() {
            let _ = self.stage.control(&job, JobControl::Cancel);
        }
        for call in self.calls.clone() {
            self.stage.give_up(&call);
        }
        self.stage.minutes(4);
        self.stage.assert_quiet();
        assert_eq!(self.stage.outcomes.len(), self.started);
        self.stage.pass(Duration::from_secs(8 * 24 * 3600));
        assert!(self.stage.core.job_ids().is_empty());
        assert_eq!(self.stage.core.next_deadline(), None);
    }
}

proptest! {
    // `PROPTEST_CASES` asks for more.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(300), ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens_every_call_ends_once_and_nothing_is_left(events in prop::collection::vec(event(), 1..80)) {
        let mut run = Run::new();
        for event in events {
            run.happens(event);
        }
        run.end();
    }
}
