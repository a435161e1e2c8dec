//! A stage for this module's tests: the smallest driver, with plugins whose gates answer as a test says.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use xivmcp_client::ipc::IpcError;
use xivmcp_protocol::{CallId, HostGate, JsonText, PermissionMode};

use super::{
    Answer, AuditEntry, Core, Effect, InstallChange, JobControl, Lint, Outcome, PendingCounts, Question, Time,
};

/// What a plugin's gate does: it gets the stage, so that it can call the host meanwhile, and the call's id.
type Gate<R> = Rc<dyn Fn(&mut Stage, &str) -> Result<R, IpcError>>;

pub(super) struct Stage {
    pub(super) core: Core,
    pub(super) now: Time,
    invokes: BTreeMap<String, Gate<String>>,
    cancels: BTreeMap<String, Gate<()>>,
    /// What reached the plugins' gates: `Invoke tool args`, `Cancel`, each with the call's id.
    pub(super) reached: Vec<(String, CallId)>,
    pub(super) outcomes: BTreeMap<CallId, Outcome>,
    pub(super) lints: Vec<Lint>,
    pub(super) log: Vec<String>,
}

impl Stage {
    pub(super) fn new() -> Self {
        Self {
            core: Core::new(1),
            now: Time::SIMULATION_START,
            invokes: BTreeMap::new(),
            cancels: BTreeMap::new(),
            reached: Vec::new(),
            outcomes: BTreeMap::new(),
            lints: Vec::new(),
            log: Vec::new(),
        }
    }

    /// A stage with the plugin `Mine`, which is enabled, and its tool `mine_go` with these capabilities.
    pub(super) fn with_tool(capabilities: &[&str]) -> Self {
        let mut stage = Self::new();
        stage.install("Mine");
        stage.register("Mine", "mine_go", capabilities);
        stage.enable("Mine");
        stage
    }

    pub(super) fn install(&mut self, plugin: &str) {
        let change = InstallChange { name: Some(format!("The {plugin}")), ..InstallChange::default() };
        self.core.dalamud_install(self.now, plugin, change).unwrap();
    }

    pub(super) fn enable(&mut self, plugin: &str) {
        self.core.player_enable(plugin, None).unwrap();
    }

    /// Registers a tool; without capabilities it only reads.
    pub(super) fn register(&mut self, owner: &str, tool: &str, capabilities: &[&str]) -> Value {
        let definition = json!({
            "name": tool, "description": "d", "readOnly": capabilities.is_empty(), "capabilities": capabilities,
        });
        self.ok(owner, HostGate::RegisterTool, &[owner, &definition.to_string()])
    }

    /// A gate's reply, whatever it is.
    pub(super) fn gate(&mut self, caller: &str, gate: HostGate, args: &[&str]) -> Value {
        serde_json::from_str(&self.core.gate(self.now, Some(caller), gate, args)).unwrap()
    }

    pub(super) fn ok(&mut self, caller: &str, gate: HostGate, args: &[&str]) -> Value {
        let reply = self.gate(caller, gate, args);
        assert_eq!(reply["ok"], true, "{gate} {args:?}: {reply}");
        reply
    }

    /// The error of a gate that must refuse.
    pub(super) fn refused(&mut self, caller: &str, gate: HostGate, args: &[&str]) -> String {
        let reply = self.gate(caller, gate, args);
        assert_eq!(reply["ok"], false, "{gate} {args:?}: {reply}");
        reply["error"].as_str().unwrap().to_owned()
    }

    pub(super) fn status(&mut self, owner: &str) -> Value {
        self.ok(owner, HostGate::GetStatus, &[owner])
    }

    /// From now on the tool's Invoke answers so.
    pub(super) fn replies(&mut self, tool: &str, reply: &str) {
        let reply = reply.to_owned();
        self.invoked(tool, move |_, _| Ok(reply.clone()));
    }

    pub(super) fn invoked(&mut self, tool: &str, gate: impl Fn(&mut Self, &str) -> Result<String, IpcError> + 'static) {
        self.invokes.insert(tool.to_owned(), Rc::new(gate));
    }

    pub(super) fn cancelled(&mut self, owner: &str, gate: impl Fn(&mut Self, &str) -> Result<(), IpcError> + 'static) {
        self.cancels.insert(owner.to_owned(), Rc::new(gate));
    }

    /// Carries out everything that can be done without time passing.
    pub(super) fn settle(&mut self) {
        let mut waiting = VecDeque::new();
        loop {
            waiting.extend(self.core.take_effects());
            match waiting.pop_front() {
                Some(effect) => self.carry_out(effect),
                None if self.core.next_deadline().is_some_and(|at| at <= self.now) => {
                    self.core.advance_one(self.now);
                }
                None => return,
            }
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Invoke { call, tool, args, .. } => {
                if !self.core.begin_invoke(self.now, &call) {
                    return;
                }
                self.reached.push((format!("Invoke {tool} {args}"), call.clone()));
                let reply = match self.invokes.get(&tool).cloned() {
                    Some(gate) => gate(self, call.as_str()),
                    None => Err(IpcError::NotReady { gate: "no Invoke".to_owned() }),
                };
                self.core.invoke_returned(self.now, &call, reply);
            }
            Effect::Cancel { call, owner } => {
                if !self.core.begin_cancel(&call) {
                    return;
                }
                let reply = match self.cancels.get(&owner).cloned() {
                    Some(gate) => {
                        self.reached.push(("Cancel".to_owned(), call.clone()));
                        gate(self, call.as_str())
                    }
                    None => Err(IpcError::NotReady { gate: "no Cancel".to_owned() }),
                };
                self.core.cancel_returned(self.now, &call, reply);
            }
            Effect::CallEnded { call, outcome } => {
                let before = self.outcomes.insert(call, outcome);
                assert_eq!(before, None, "a call ended twice");
            }
            Effect::Lint(lint) => self.lints.push(lint),
            Effect::Log(line) => self.log.push(line),
            Effect::QuestionOpened(_)
            | Effect::QuestionClosed { .. }
            | Effect::ListChanged
            | Effect::JobChanged { .. } => {}
        }
    }

    /// Lets time pass; everything due runs at its time.
    pub(super) fn pass(&mut self, duration: Duration) {
        self.settle();
        let end = self.now + duration;
        while let Some(at) = self.core.next_deadline().filter(|at| *at <= end) {
            self.now = at.max(self.now);
            self.settle();
        }
        self.now = end;
    }

    pub(super) fn minutes(&mut self, minutes: u64) {
        self.pass(Duration::from_secs(60 * minutes));
    }

    /// The assistant calls a tool. Everything that can happen at once has happened.
    pub(super) fn call(&mut self, tool: &str) -> CallId {
        self.call_with(tool, "{}")
    }

    pub(super) fn call_with(&mut self, tool: &str, args: &str) -> CallId {
        let id = self.core.assistant_call(self.now, None, tool, JsonText::parse(args).unwrap());
        self.settle();
        id
    }

    /// How a call ended, in one word and its text; `running` while it has not.
    pub(super) fn outcome(&self, call: &CallId) -> String {
        match self.outcomes.get(call) {
            None => "running".to_owned(),
            Some(Outcome::Result(result)) => format!("result {result}"),
            Some(Outcome::Error(message)) => format!("error {message}"),
            Some(Outcome::UnknownTool(message)) => format!("unknown {message}"),
            Some(Outcome::Cancelled) => "cancelled".to_owned(),
        }
    }

    /// A call and how it ended.
    pub(super) fn called(&mut self, tool: &str) -> String {
        let call = self.call(tool);
        self.outcome(&call)
    }

    pub(super) fn give_up(&mut self, call: &CallId) {
        self.core.assistant_give_up(self.now, call);
        self.settle();
    }

    /// Answers the oldest question.
    pub(super) fn answer(&mut self, answer: Answer) -> Question {
        let oldest = self.core.questions().first().expect("a question is open").id;
        let question = self.core.answer(self.now, oldest, answer).unwrap();
        self.settle();
        question
    }

    pub(super) fn set_tool(&mut self, plugin: &str, tool: &str, mode: PermissionMode) {
        self.core.player_set_tool(plugin, tool, Some(mode)).unwrap();
    }

    pub(super) fn set_capability(&mut self, plugin: &str, capability: &str, mode: PermissionMode) {
        self.core.player_set_capability(plugin, capability, Some(mode)).unwrap();
    }

    /// The newest entry of the audit log.
    pub(super) fn newest(&self) -> &AuditEntry {
        self.core.audit(None).next().expect("the audit log has an entry")
    }

    pub(super) fn audit_len(&self) -> usize {
        self.core.audit(None).count()
    }

    /// A plugin starts a job. Gives its id; everything that can happen at once has happened.
    pub(super) fn start_job(&mut self, owner: &str, steps: &Value) -> String {
        let job = json!({ "name": "Work", "steps": steps }).to_string();
        let reply = self.ok(owner, HostGate::StartJob, &[owner, &job]);
        self.settle();
        reply["job"]["id"].as_str().unwrap().to_owned()
    }

    pub(super) fn control(&mut self, job: &str, control: JobControl) -> Result<(), String> {
        let done = self.core.control_job(self.now, job, control);
        self.settle();
        done
    }

    pub(super) fn update(
        &mut self,
        job: &str,
        action: &str,
        steps: Option<&str>,
        resume: bool,
    ) -> Result<Value, String> {
        let steps = steps.map(|steps| JsonText::parse(steps).unwrap());
        let done = self.core.update_job(self.now, job, action, steps.as_ref(), resume);
        self.settle();
        done.map(|job| serde_json::to_value(job).unwrap())
    }

    /// A job as tests see it.
    pub(super) fn job(&self, job: &str) -> Value {
        serde_json::to_value(self.core.job(job).expect("the job is there")).unwrap()
    }

    /// The states of a job and of its steps: `running: done, queued`.
    pub(super) fn states(&self, job: &str) -> String {
        let job = self.job(job);
        let steps: Vec<&str> =
            job["steps"].as_array().unwrap().iter().map(|step| step["state"].as_str().unwrap()).collect();
        format!("{}: {}", job["state"].as_str().unwrap(), steps.join(", "))
    }

    /// Unloads the host, with its three parts, and loads it again.
    pub(super) fn unload_host(&mut self) {
        self.core.host_disposing(self.now);
        self.settle();
        self.core.host_unloaded(self.now);
        self.settle();
    }

    pub(super) fn load_host(&mut self) {
        self.core.host_loaded(self.now);
        self.settle();
    }

    /// How often a plugin's code was reached.
    pub(super) fn invokes(&self) -> usize {
        self.reached.iter().filter(|(what, _)| what.starts_with("Invoke")).count()
    }

    /// Nothing may be left behind.
    pub(super) fn assert_quiet(&self) {
        assert_eq!(self.core.pending(), PendingCounts::default());
    }
}

/// Asserts that `text` contains each of `parts`, without case.
#[track_caller]
pub(super) fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.to_lowercase().contains(&part.to_lowercase()), "{part:?} is missing in {text:?}");
    }
}
