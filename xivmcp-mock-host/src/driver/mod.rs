//! Owns the core and carries out its effects: the one place where XIV MCP's rules meet plugins, time and threads. The
//! same code for both engines.
//!
//! The core is locked for the length of one operation, never while foreign code runs. Effects are carried out in the
//! order in which the core gave them, also when several threads operate at once: whoever finds nobody at it does it,
//! for the others too.

mod answers;
mod calls;
mod gates;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use xivmcp_client::ipc::{IpcError, IpcFunction, IpcGuard, IpcSignature, IpcType, IpcValue};
use xivmcp_protocol::{CallId, HostGate, JsonText, PluginGate};

pub(crate) use self::answers::AnswerRule;
use self::answers::Answers;
pub(crate) use self::calls::CallCell;
use crate::bus::{Bus, Clock, Connection, panic_text};
use crate::core::{Core, Effect, Question, Time};
use crate::engine::Engine;
use crate::recent::Recent;
use crate::reports::Reports;
use crate::simulated::Deadlines;

/// What an observer is told: that it should look again, not what is there now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// Something may have changed.
    Something,
    /// What tools/list offers has changed.
    Tools,
}

/// Is told of changes, on the thread that made them: it must be quick, and not call back.
pub(crate) type Observer = Box<dyn Fn(Change) + Send + Sync>;

/// The host, running.
pub(crate) struct Driver {
    core: Mutex<Core>,
    effects: Mutex<Effects>,
    calls: Mutex<BTreeMap<CallId, Arc<CallCell>>>,
    answers: Mutex<Answers>,
    log: Mutex<Recent<(Time, String)>>,
    gates: Mutex<Vec<IpcGuard>>,
    connection: Arc<Connection>,
    bus: Arc<Bus>,
    engine: Arc<Engine>,
    reports: Arc<Reports>,
    /// Who is told of changes. Set once: only a server has one.
    observer: OnceLock<Observer>,
    me: Weak<Driver>,
}

#[derive(Default)]
struct Effects {
    queue: VecDeque<Effect>,
    /// Whether somebody is carrying them out.
    busy: bool,
}

impl Driver {
    /// A loaded host on `bus`.
    pub(crate) fn new(seed: u64, bus: &Arc<Bus>, engine: &Arc<Engine>, reports: &Arc<Reports>) -> Arc<Self> {
        let driver = Arc::new_cyclic(|me| Self {
            core: Mutex::new(Core::new(seed)),
            effects: Mutex::default(),
            calls: Mutex::default(),
            answers: Mutex::default(),
            log: Mutex::default(),
            gates: Mutex::default(),
            connection: bus.connect("XivMcp"),
            bus: Arc::clone(bus),
            engine: Arc::clone(engine),
            reports: Arc::clone(reports),
            observer: OnceLock::new(),
            me: me.clone(),
        });
        let deadlines: Weak<dyn Deadlines> = driver.me.clone();
        engine.set_deadlines(deadlines);
        *driver.gates.lock().unwrap_or_else(PoisonError::into_inner) = gates::provide(&driver);
        driver
    }

    /// The core, to look at. Operations go through [`operate`](Self::operate).
    pub(crate) fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bus(&self) -> &Arc<Bus> {
        &self.bus
    }

    /// Does something with the core, and carries out what follows from it.
    pub(crate) fn operate<R>(&self, operation: impl FnOnce(&mut Core, Time) -> R) -> R {
        let mut core = self.lock();
        let result = operation(&mut core, self.engine.now());
        let effects = core.take_effects();
        let deadline = core.next_deadline();
        self.effects().queue.extend(effects); // under the core's lock: the order is the core's
        drop(core);
        self.carry_out();
        if let Some(deadline) = deadline {
            self.engine.has_deadline(deadline);
        }
        self.tell(Change::Something);
        result
    }

    /// Tells `observer` of changes from now on. Gives whether it is the first: there is room for one.
    #[cfg(feature = "server")]
    pub(crate) fn observe(&self, observer: Observer) -> bool {
        self.observer.set(observer).is_ok()
    }

    fn tell(&self, change: Change) {
        if let Some(observer) = self.observer.get() {
            observer(change);
        }
    }

    fn effects(&self) -> MutexGuard<'_, Effects> {
        self.effects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn carry_out(&self) {
        let mut effects = self.effects();
        if effects.busy {
            return;
        }
        effects.busy = true;
        while let Some(effect) = effects.queue.pop_front() {
            drop(effects);
            // Rules of the test and wakers of its executor run in there; the rest must happen all the same.
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.perform(effect))) {
                self.reports.failure(format!("a panic in a rule or a waker of the test: {}", panic_text(&*panic)));
            }
            effects = self.effects();
        }
        effects.busy = false;
    }

    fn perform(&self, effect: Effect) {
        match effect {
            Effect::Invoke { call, owner, tool, args } => {
                let me = self.me.clone();
                let owner: Arc<str> = owner.into();
                let (name, named) = (Arc::clone(&owner), tool.clone());
                let closure = move || {
                    if let Some(driver) = me.upgrade() {
                        driver.invoke(&call, &owner, tool, &args);
                    }
                };
                self.engine.run_host_work(&name, &named, Box::new(closure));
            }
            Effect::Cancel { call, owner } => {
                let me = self.me.clone();
                let owner: Arc<str> = owner.into();
                let name = Arc::clone(&owner);
                let closure = move || {
                    if let Some(driver) = me.upgrade() {
                        driver.cancel(&call, &owner);
                    }
                };
                self.engine.run_host_work(&name, "", Box::new(closure));
            }
            Effect::CallEnded { call, outcome } => {
                let cell = self.calls().remove(&call);
                if let Some(cell) = cell {
                    cell.end(outcome);
                }
            }
            Effect::QuestionOpened(question) => {
                self.answers().opened(question.clone());
                self.decide(&question);
            }
            Effect::QuestionClosed { question } => self.answers().closed(question),
            Effect::Lint(lint) => self.reports.lint(lint),
            Effect::Log(line) => self.write_log(line),
            Effect::ListChanged => self.tell(Change::Tools),
            Effect::JobChanged { .. } => {}
        }
    }

    /// On the framework thread: calls the plugin.
    fn invoke(&self, call: &CallId, owner: &str, tool: String, args: &JsonText) {
        if !self.operate(|core, now| core.begin_invoke(now, call)) {
            return;
        }
        let gate = PluginGate::Invoke.name(owner);
        let arguments = [text(call), tool.into(), args.get().into()];
        let reply = self.bus.call_function(self.connection.name(), &gate, &arguments, IpcType::Text);
        let reply = reply.map(|value| value.as_text().unwrap_or_default().to_owned());
        self.operate(|core, now| core.invoke_returned(now, call, reply));
    }

    /// On the framework thread: tells the plugin to stop.
    fn cancel(&self, call: &CallId, owner: &str) {
        if !self.lock().begin_cancel(call) {
            return;
        }
        let gate = PluginGate::Cancel.name(owner);
        let reply = self.bus.call_action(self.connection.name(), &gate, &[text(call)]);
        self.operate(|core, now| core.cancel_returned(now, call, reply));
    }

    /// The host unloads (R-CALL-10). Names who got `Disposing`, by number of connection; nobody if it is not loaded.
    pub(crate) fn unload(self: &Arc<Self>) -> Vec<u64> {
        if !self.lock().is_ready() {
            return Vec::new();
        }
        self.operate(Core::host_disposing);
        let heard = self.bus.subscribers(HostGate::Disposing.name());
        self.send(HostGate::Disposing);
        let gates = std::mem::take(&mut *self.gates.lock().unwrap_or_else(PoisonError::into_inner));
        drop(gates);
        self.operate(Core::host_unloaded);
        heard
    }

    /// The host loads: gates first, then `Ready` (R-CALL-10). Names who got it; nobody if it is loaded already.
    pub(crate) fn load(self: &Arc<Self>) -> Vec<u64> {
        if self.lock().is_ready() {
            return Vec::new();
        }
        self.operate(Core::host_loaded);
        let gates = gates::provide(self);
        *self.gates.lock().unwrap_or_else(PoisonError::into_inner) = gates;
        let heard = self.bus.subscribers(HostGate::Ready.name());
        self.send(HostGate::Ready);
        heard
    }

    fn send(&self, message: HostGate) {
        let message = message.name();
        if let Err(error) = self.bus.send_message(self.connection.name(), message, &[]) {
            self.write_log(format!("{message}: {error}; the subscribers after it did not get it"));
        }
    }

    /// Starts a call of the assistant.
    pub(crate) fn assistant_call(&self, client: Option<&str>, tool: &str, args: JsonText) -> Arc<CallCell> {
        self.operate(|core, now| {
            let id = core.assistant_call(now, client, tool, args);
            let cell = CallCell::new(id.clone(), tool, now);
            self.calls().insert(id, Arc::clone(&cell));
            cell
        })
    }

    /// The calls of the assistant that run.
    pub(crate) fn running(&self) -> Vec<Arc<CallCell>> {
        self.calls().values().cloned().collect()
    }

    /// How questions are answered from now on, those that are open as well; newer rules come first.
    pub(crate) fn add_answer(&self, rule: AnswerRule) {
        let open = self.lock().questions();
        self.answers().add(rule);
        for question in open {
            self.decide(&question);
        }
    }

    /// Asks the rules; the answer is given when the simulation gets to it, not inside the asking call.
    fn decide(&self, question: &Question) {
        let rules = self.answers().rules();
        if let Some(answer) = rules.iter().rev().find_map(|rule| rule(question)) {
            self.answers().decided(question.id, answer);
            self.engine.has_deadline(self.engine.now());
        }
    }

    /// The newest questions that the player was asked so far.
    pub(crate) fn asked(&self) -> Vec<Question> {
        self.answers().asked()
    }

    fn write_log(&self, line: String) {
        let now = self.engine.now();
        let _oldest = self.log.lock().unwrap_or_else(PoisonError::into_inner).push((now, line));
    }

    /// The newest lines of the host's own log.
    pub(crate) fn log(&self) -> Vec<(Time, String)> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).to_vec()
    }

    /// The lines of the host's own log after the first `known` ones, which are known then.
    #[cfg(feature = "server")]
    pub(crate) fn log_since(&self, known: &mut usize) -> Vec<(Time, String)> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).since(known)
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<CallId, Arc<CallCell>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn provide(&self, gate: &str, signature: IpcSignature, function: IpcFunction) -> IpcGuard {
        self.bus.provide_function(self.connection.number(), gate, signature, function)
    }
}

fn text(call: &CallId) -> IpcValue {
    call.as_str().into()
}

impl Deadlines for Driver {
    fn next(&self) -> Option<Duration> {
        if self.answers().has_answers() {
            return Some(Duration::ZERO);
        }
        Some(self.lock().next_deadline()?.since(self.engine.start()))
    }

    fn fire(&self) {
        let answers = self.answers().take();
        for (question, answer) in answers {
            // A question that is closed by now needs no answer.
            let _ = self.operate(|core, now| core.answer(now, question, answer));
        }
        self.operate(Core::advance);
    }

    fn waiting(&self) -> Vec<String> {
        let start = self.engine.start();
        let mut lines: Vec<String> = self
            .running()
            .iter()
            .map(|cell| {
                let since = Clock(cell.since.since(start));
                format!("the assistant waits for the call {} of {} since {since}", cell.id, cell.tool)
            })
            .collect();
        for question in self.lock().questions() {
            let since = Clock(question.since.since(start));
            lines.push(format!("{} of {} waits for the player since {since}", question.tool, question.plugin));
        }
        lines
    }
}

/// What a reply of a gate failed with, for those who show it.
pub(crate) fn error_kind(error: &IpcError) -> &'static str {
    match error {
        IpcError::NotReady { .. } => "not_ready",
        IpcError::LengthMismatch { .. } => "length_mismatch",
        IpcError::TypeMismatch { .. } => "type_mismatch",
        IpcError::Closed { .. } => "closed",
        IpcError::Unsupported { .. } => "unsupported",
        _ => "failed",
    }
}
