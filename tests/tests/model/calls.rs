//! The model of SPEC §6 to §8: calls, questions, approvals, side effects, the audit log.

use std::collections::{BTreeMap, BTreeSet};

use super::jobs::{Job, WAIT};
use super::ops::{PLUGINS, Reaction, Reply};
use super::policy::{Mode, Policy, Seen, Tool};

/// Two minutes, in seconds (R-CALL-3, R-CALL-9, R-APP-5).
const LIMIT: u64 = 120;

/// The owner of the host's own tools.
pub(crate) const HOST: usize = PLUGINS.len();

pub(crate) fn plugin_name(owner: usize) -> String {
    PLUGINS.get(owner).copied().unwrap_or("XivMcp").to_owned()
}

/// Who asks: the assistant, or a step of a job that a plugin has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asker {
    Assistant,
    Step { job: usize, plugin: usize },
}

impl Asker {
    /// The key of session answers: one for the assistant, one for each plugin.
    fn key(self) -> Option<usize> {
        match self {
            Self::Assistant => None,
            Self::Step { plugin, .. } => Some(plugin),
        }
    }

    pub(crate) fn word(self) -> String {
        self.key().map_or_else(|| "assistant".to_owned(), |plugin| format!("plugin:{}", PLUGINS[plugin]))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Asking,
    Pending,
    /// The host's own `wait`.
    Waiting,
    Cancelling,
}

/// The results that tools give here: what a later step can read from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// `{"a":1}`
    A,
    Null,
    /// An object without `a`.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Result(Given),
    Error,
    Cancelled,
}

/// The game, as far as effects are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Game {
    pub(crate) logged_in: bool,
    pub(crate) zone: u32,
    pub(crate) gil: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) asker: Asker,
    pub(crate) tool: Tool,
    pub(crate) phase: Phase,
    pub(crate) decision: &'static str,
    began: bool,
    before: Option<Game>,
    /// When the wait after Cancel is over, and the place in the order of timers.
    expires: Option<(u64, u64)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) call: usize,
    pub(crate) approval: Option<usize>,
    expires: (u64, u64),
}

#[derive(Debug, Clone)]
pub(crate) struct Approval {
    pub(crate) call: usize,
    pub(crate) capability: &'static str,
    pub(crate) state: &'static str,
    pub(crate) known: bool,
}

/// plugin, tool, kind, caller, decision, outcome, flagged, suspended, in a job.
pub(crate) type AuditLine = (String, String, &'static str, String, &'static str, &'static str, bool, bool, bool);

pub(crate) struct Model {
    pub(crate) now: u64,
    timers: u64,
    pub(crate) host_loaded: bool,
    pub(crate) loaded: [bool; 2],
    pub(crate) tools: Vec<Tool>,
    pub(crate) policies: [Policy; 2],
    /// Asker, owner, tool, capability or the whole call.
    session: BTreeSet<(Option<usize>, usize, String, Option<&'static str>)>,
    pub(crate) replies: [Reply; 2],
    pub(crate) reactions: [Reaction; 2],
    pub(crate) game: Game,
    pub(crate) next_call: usize,
    pub(crate) open: BTreeMap<usize, Call>,
    /// How each call of the assistant ended.
    pub(crate) ended: BTreeMap<usize, End>,
    /// The calls whose Invoke ran, in that order, and whether they got what a placeholder stood for.
    pub(crate) invoked: Vec<(usize, bool)>,
    pub(crate) questions: Vec<Question>,
    pub(crate) approvals: Vec<Approval>,
    pub(crate) audit: Vec<AuditLine>,
    pub(crate) jobs: Vec<Job>,
    /// The job whose step runs.
    pub(crate) running: Option<usize>,
}

impl Model {
    pub(crate) fn new(game: Game) -> Self {
        Self {
            now: 0,
            timers: 0,
            host_loaded: true,
            loaded: [true; 2],
            tools: Vec::new(),
            policies: Default::default(),
            session: BTreeSet::new(),
            replies: [Reply::Pending; 2],
            reactions: [Reaction::Fails; 2],
            game,
            next_call: 0,
            open: BTreeMap::new(),
            ended: BTreeMap::new(),
            invoked: Vec::new(),
            questions: Vec::new(),
            approvals: Vec::new(),
            audit: Vec::new(),
            jobs: Vec::new(),
            running: None,
        }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    pub(crate) fn seen(&self, plugin: usize) -> Seen {
        Seen::of(self.tools.iter().filter(|tool| tool.owner == plugin))
    }

    pub(crate) fn timer(&mut self, seconds: u64) -> (u64, u64) {
        self.timers += 1;
        (self.now + seconds, self.timers)
    }

    /// R-DEF-5, R-POL-6. Whether it is accepted.
    pub(crate) fn register(&mut self, tool: &Tool) -> bool {
        match self.tools.iter_mut().find(|known| known.name == tool.name) {
            Some(known) if known.owner != tool.owner => return false,
            Some(known) => *known = tool.clone(),
            None => self.tools.push(tool.clone()),
        }
        self.policies[tool.owner].registers(tool);
        true
    }

    pub(crate) fn forget_session(&mut self, plugin: usize) {
        self.session.retain(|(asker, owner, ..)| *asker != Some(plugin) && *owner != plugin);
    }

    fn covered(&self, asker: Asker, tool: &Tool, capability: Option<&'static str>) -> bool {
        // What the assistant was allowed holds for everybody ("this tool asks no more"), but not the other way round.
        // With a tool of the host, each plugin was asked about for itself (R-JOB-12).
        let shared = if tool.owner == HOST { asker.key() } else { None };
        [asker.key(), shared].into_iter().any(|key| {
            let covers = |what| self.session.contains(&(key, tool.owner, tool.name.clone(), what));
            covers(None) || capability.is_some() && covers(capability)
        })
    }

    /// R-CALL-1 from "plugin enabled" on, R-JOB-12. None: refused.
    fn mode(&self, asker: Asker, tool: &Tool) -> Option<Mode> {
        // The host's own tools that are used here only read, which the host's settings allow.
        let mode = match self.policies.get(tool.owner) {
            Some(policy) => policy.told(policy.tool(tool)),
            None => asker.key().map_or(Mode::Allow, |plugin| self.policies[plugin].of_use(&tool.acting)),
        };
        let foreign = asker.key().filter(|plugin| *plugin != tool.owner);
        let denied = foreign.is_some_and(|plugin| self.policies[plugin].of_use(&tool.acting) == Mode::Deny);
        (mode != Mode::Deny && !denied).then_some(mode)
    }

    /// A call of the assistant; its number. Whether the tool is unknown is told apart.
    pub(crate) fn assistant_calls(&mut self, name: &str) -> usize {
        let number = self.next_call;
        let busy = self.running.is_some_and(|job| {
            let job = &self.jobs[job];
            job.steps[job.current].tool != "wait" // R-JOB-9
        });
        let tool = self.tool(name).filter(|tool| self.host_loaded && (!busy || tool.reads())).cloned();
        match tool {
            Some(tool) => self.start_call(Asker::Assistant, tool, false),
            None => {
                self.next_call += 1;
                self.ended.insert(number, End::Error);
            }
        }
        self.settle();
        number
    }

    pub(crate) fn start_call(&mut self, asker: Asker, tool: Tool, filled: bool) {
        let number = self.next_call;
        self.next_call += 1;
        let mode = self.mode(asker, &tool);
        let covered = self.covered(asker, &tool, None) && !tool.critical();
        let call =
            Call { asker, tool, phase: Phase::Asking, decision: "allowed", began: false, before: None, expires: None };
        self.open.insert(number, call);
        if let Asker::Step { job, .. } = asker {
            self.jobs[job].call = Some((number, filled));
        }
        match mode {
            None => self.refuse(number, "blocked"),
            Some(Mode::Allow) => self.invoke(number, "allowed"),
            Some(_) if covered => self.invoke(number, "approved_session"),
            Some(_) => {
                let expires = self.timer(LIMIT);
                self.questions.push(Question { call: number, approval: None, expires });
            }
        }
    }

    fn refuse(&mut self, number: usize, decision: &'static str) {
        if let Some(call) = self.open.get_mut(&number) {
            call.decision = decision;
        }
        self.end(number, End::Error);
    }

    fn invoke(&mut self, number: usize, decision: &'static str) {
        let game = self.game;
        let Some(call) = self.open.get_mut(&number) else { return };
        (call.decision, call.began, call.phase) = (decision, true, Phase::Pending);
        if call.tool.owner == HOST {
            if call.tool.name != "wait" {
                return self.end(number, End::Result(Given::Other));
            }
            let expires = self.timer(WAIT);
            if let Some(call) = self.open.get_mut(&number) {
                (call.phase, call.expires) = (Phase::Waiting, Some(expires));
            }
            return;
        }
        call.before = Some(game);
        let reply = self.replies[call.tool.owner];
        let filled = match call.asker {
            Asker::Step { job, .. } => self.jobs[job].call.is_some_and(|(_, filled)| filled),
            Asker::Assistant => false,
        };
        if reply != Reply::NoGate {
            self.invoked.push((number, filled));
        }
        match reply {
            Reply::Pending => {}
            Reply::Result | Reply::CompletedInside => self.end(number, End::Result(Given::A)),
            Reply::Blank => self.end(number, End::Result(Given::Null)),
            Reply::Error | Reply::NoJson | Reply::CompletedThenError | Reply::Fails | Reply::NoGate => {
                self.end(number, End::Error);
            }
            Reply::Spends => {
                self.game.gil -= 1;
                self.end(number, End::Result(Given::A));
            }
        }
    }

    /// What the game shows, R-SIDE-1 and R-SIDE-2: whether something was done that is not covered.
    fn undeclared(&self, call: &Call) -> bool {
        let Some(before) = call.before.filter(|before| before.logged_in) else { return false };
        if !self.game.logged_in {
            return !call.tool.declares("login");
        }
        let moved = self.game.zone != before.zone && !call.tool.declares("move_character");
        moved || self.game.gil < before.gil && !call.tool.declares("spend_gil")
    }

    /// A call ends: its approvals, what it did, the audit log, and who waits for it.
    pub(crate) fn end(&mut self, number: usize, end: End) {
        let Some(mut call) = self.open.remove(&number) else { return };
        let end = if call.phase == Phase::Cancelling { End::Cancelled } else { end };
        if self.asks(number) {
            call.decision = "denied";
        }
        self.questions.retain(|question| question.call != number || question.approval.is_some());
        self.deny_approvals(number, &call);
        for approval in self.approvals.iter_mut().filter(|approval| approval.call == number) {
            approval.known = false;
        }
        let flagged = self.undeclared(&call);
        if flagged {
            self.policies[call.tool.owner].suspended = true;
            self.forget_session(call.tool.owner);
        }
        let outcome = match (call.began, end) {
            (false, _) => "",
            (_, End::Result(_)) => "ok",
            (_, End::Error) => "error",
            (_, End::Cancelled) => "cancelled",
        };
        // R-AUD-1
        if call.tool.owner != HOST || call.decision != "allowed" {
            self.note(&call, "call", call.decision, outcome, (flagged, flagged));
        }
        match call.asker {
            Asker::Assistant => drop(self.ended.insert(number, end)),
            Asker::Step { job, .. } => self.step_ended(job, end),
        }
    }

    fn asks(&self, number: usize) -> bool {
        self.questions.iter().any(|question| question.call == number && question.approval.is_none())
    }

    fn note(
        &mut self,
        call: &Call,
        kind: &'static str,
        decision: &'static str,
        outcome: &'static str,
        marks: (bool, bool),
    ) {
        let in_job = call.asker != Asker::Assistant;
        let plugin = plugin_name(call.tool.owner);
        let line =
            (plugin, call.tool.name.clone(), kind, call.asker.word(), decision, outcome, marks.0, marks.1, in_job);
        self.audit.push(line);
    }

    fn deny_approvals(&mut self, number: usize, call: &Call) {
        let (closed, left) = std::mem::take(&mut self.questions).into_iter().partition(|q: &Question| q.call == number);
        self.questions = left;
        let closed: Vec<Question> = closed;
        for approval in closed.iter().filter_map(|question| question.approval) {
            self.approvals[approval].state = "denied";
            self.note(call, "approval", "denied", "", (false, false));
        }
    }

    /// R-CALL-9.
    pub(crate) fn cancel(&mut self, number: usize) {
        let Some(call) = self.open.get(&number).cloned() else { return };
        match call.phase {
            Phase::Asking | Phase::Waiting => self.end(number, End::Cancelled),
            Phase::Cancelling => {}
            Phase::Pending => {
                let expires = self.timer(LIMIT);
                if let Some(call) = self.open.get_mut(&number) {
                    (call.phase, call.expires) = (Phase::Cancelling, Some(expires));
                }
                self.deny_approvals(number, &call);
                if matches!(self.reactions[call.tool.owner], Reaction::Completes | Reaction::Fails) {
                    self.end(number, End::Cancelled);
                }
            }
        }
    }

    /// R-APP-1 to R-APP-3, for a call that is running: the state in the reply.
    pub(crate) fn request_approval(&mut self, number: usize, capability: &'static str) -> &'static str {
        let call = self.open[&number].clone();
        let policy = &self.policies[call.tool.owner];
        let decision = if call.phase == Phase::Cancelling {
            Some("denied")
        } else if !call.tool.declares(capability) {
            Some("refused")
        } else {
            match policy.approval(&call.tool, capability) {
                Mode::Allow => Some("allowed"),
                Mode::Deny => Some("blocked"),
                Mode::Ask => {
                    let covered = self.covered(call.asker, &call.tool, Some(capability)) && !call.tool.critical();
                    covered.then_some("approved_session")
                }
            }
        };
        let approval = self.approvals.len();
        let state = match decision {
            Some("allowed" | "approved_session") => "approved",
            Some(_) => "denied",
            None => "pending",
        };
        self.approvals.push(Approval { call: number, capability, state, known: true });
        match decision {
            Some(decision) => self.note(&call, "approval", decision, "", (decision == "refused", false)),
            None => {
                let expires = self.timer(LIMIT);
                self.questions.push(Question { call: number, approval: Some(approval), expires });
            }
        }
        state
    }

    /// R-APP-4: none if it is not known.
    pub(crate) fn get_approval(&mut self, approval: usize) -> Option<&'static str> {
        let approval = &mut self.approvals[approval];
        let state = approval.known.then_some(approval.state);
        approval.known &= approval.state == "pending";
        state
    }

    /// The player's answer, `None` for none within the time: denied, once, session, always.
    pub(crate) fn answer(&mut self, place: usize, answer: Option<u8>) {
        let question = self.questions.remove(place);
        let call = self.open[&question.call].clone();
        let capability = question.approval.map(|approval| self.approvals[approval].capability);
        // What the player has changed since counts too.
        let still = match capability {
            Some(capability) => self.policies[call.tool.owner].approval(&call.tool, capability) != Mode::Deny,
            None => {
                let offered = call.tool.owner == HOST || self.tool(&call.tool.name).is_some();
                offered && self.mode(call.asker, &call.tool).is_some()
            }
        };
        let decision = match answer.map(|answer| answer % 4) {
            None | Some(0) => "denied",
            _ if !still => "blocked",
            Some(2 | 3) if call.tool.critical() => "approved",
            Some(2) => self.grant(&call, capability),
            Some(3) if call.asker != Asker::Assistant => self.grant(&call, None),
            Some(3) => {
                self.policies[call.tool.owner].tools.insert(call.tool.name.clone(), Mode::Allow);
                "approved_always"
            }
            _ => "approved",
        };
        let approved = decision.starts_with("approved");
        match question.approval {
            Some(approval) => {
                self.approvals[approval].state = if approved { "approved" } else { "denied" };
                self.note(&call, "approval", decision, "", (false, false));
            }
            None if approved => self.invoke(question.call, decision),
            None => self.refuse(question.call, decision),
        }
        self.settle();
    }

    fn grant(&mut self, call: &Call, capability: Option<&'static str>) -> &'static str {
        self.session.insert((call.asker.key(), call.tool.owner, call.tool.name.clone(), capability));
        "approved_session"
    }

    /// R-OWN-4.
    pub(crate) fn unload_plugin(&mut self, plugin: usize) {
        self.loaded[plugin] = false;
        let of_it = self.open.iter().filter(|(_, call)| call.tool.owner == plugin).map(|(number, _)| *number);
        for number in of_it.collect::<Vec<_>>() {
            self.end(number, End::Error);
        }
        self.tools.retain(|tool| tool.owner != plugin);
        self.forget_session(plugin);
        self.settle();
    }

    /// R-CALL-10, R-JOB-11.
    pub(crate) fn unload_host(&mut self) {
        self.host_loaded = false;
        self.pause_jobs();
        for number in self.open.keys().copied().collect::<Vec<_>>() {
            self.end(number, End::Error);
        }
        self.tools.clear();
        self.session.clear();
    }

    pub(crate) fn advance(&mut self, seconds: u64) {
        let until = self.now + seconds;
        loop {
            let question = self.questions.iter().map(|question| question.expires).min();
            let call = self.open.values().filter_map(|call| call.expires).min();
            let Some(next) = [question, call].into_iter().flatten().min().filter(|next| next.0 <= until) else {
                break;
            };
            self.now = next.0;
            if let Some(place) = self.questions.iter().position(|question| question.expires == next) {
                self.answer(place, None);
            } else if let Some(number) = self.open.iter().find(|(_, call)| call.expires == Some(next)).map(|(n, _)| *n)
            {
                self.end(number, End::Result(Given::Other)); // cancelled if it was
            }
            self.settle();
        }
        self.now = until;
    }
}
