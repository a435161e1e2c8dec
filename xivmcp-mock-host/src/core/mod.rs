//! All of XIV MCP's behaviour (SPEC §2 to §10, §12, §13), Dalamud's list of plugins and the state of the game, without
//! clock, threads or IO. For the drivers and the test API of this crate only.
//!
//! # How it is driven
//!
//! - Every operation gets `now`. What must happen outside is pushed as an [`Effect`]; the driver takes the effects after
//!   each operation and carries them out without holding the core.
//! - Work that must not run inside a plugin's own call (a job's next step, handing on how a call ended) waits until
//!   [`advance`](Core::advance): [`next_deadline`](Core::next_deadline) is then not later than now. The driver advances as
//!   soon as the gate call that it is in has returned, and again while the deadline is not later than now.
//! - The host unloads in three parts: [`host_disposing`](Core::host_disposing), then the driver sends `Disposing` and takes
//!   the gates away, then [`host_unloaded`](Core::host_unloaded). It loads in two: [`host_loaded`](Core::host_loaded) and the
//!   gates, then the driver sends `Ready`.
//!
//! # What the rules leave open, and how it is here
//!
//! - **What changed while the player was asked counts too.** A plugin that was disabled, or whose tool is gone, when the
//!   answer comes does not run: R-CALL-1 checks what holds when the plugin's code would run.
//! - **A paused job's step.** The job is `paused` (or `cancelled`) at once; its step stays `running` until its call has ended,
//!   since until then the call counts as running (R-CALL-9), and is `interrupted` then. An error that a quick tool replies
//!   meanwhile counts as interrupted too, so that resume can run the step again.
//! - **Session answers.** One given to the assistant for a plugin's tool covers that tool in plugins' jobs as well, as *always*
//!   would; for the host's own tools it does not, because there the calling plugin's settings count. One given to a plugin covers that plugin
//!   alone, also for its own tools (R-JOB-12).
//! - **The host's own tools.** What a tool does (`capabilities`) counts in plugins' jobs only; the assistant's calls follow the
//!   group or the tool's own setting.
//! - **Reviews.** Enabling a plugin that has registered nothing is a review of nothing: what it registers afterwards grows.
//! - **Audit log.** `time` is when something was asked for; entries are in the order in which they were over.

mod approval;
#[cfg(test)]
mod approval_tests;
mod assistant;
mod audit;
mod builtin;
mod builtins;
mod call;
mod dalamud;
mod depend;
#[cfg(test)]
mod depend_tests;
mod effect;
mod game;
mod gates;
#[cfg(test)]
mod gates_tests;
mod host;
mod ids;
mod jobs;
mod lint;
#[cfg_attr(not(feature = "server"), allow(dead_code, reason = "what the MCP endpoint shows of a plugin's words"))]
pub(crate) mod marks;
mod player;
mod policy;
mod question;
#[cfg(test)]
mod random_tests;
mod registry;
#[cfg(feature = "server")]
mod saved;
mod session;
#[cfg(test)]
mod side_tests;
#[cfg(test)]
mod testing;
mod time;
mod timers;
#[cfg(feature = "server")]
mod unattended;
mod views;
#[cfg(feature = "server")]
mod window;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use xivmcp_protocol::{API_VERSION, CheckedDeclaration};

use approval::Approval;
use audit::Audit;
pub use audit::{AuditEffect, AuditEntry, AuditKind, Decision, ReportedEnd};
use builtins::Builtins;
use call::Calls;
use dalamud::PluginList;
pub(crate) use effect::Effect;
pub use effect::Outcome;
pub use game::{GameChange, GameState};
use ids::Ids;
use jobs::Jobs;
pub use lint::{Lint, LintKind};
use policy::Policies;
pub(crate) use policy::Shown;
use question::Open;
pub use question::{Answer, Question};
use registry::Registry;
use session::Session;
pub use time::Time;
use timers::{Due, Timers};
pub use views::{BuiltinCall, ListedTool, PendingCounts};
pub(crate) use views::{BuiltinScript, PlayerError};
#[cfg(feature = "server")]
pub(crate) use window::CallRow;

/// How long a question waits for an answer (R-CALL-3, R-APP-5).
const ANSWER_LIMIT: Duration = Duration::from_secs(2 * 60);
/// How long a cancelled call may go on (R-CALL-9).
const CANCEL_LIMIT: Duration = Duration::from_secs(2 * 60);
/// After a call of this length its effects may be the player's doing (R-SIDE-2).
const LONG_CALL: Duration = Duration::from_secs(2 * 60);
/// How long a finished job is kept (R-JOB-11).
const JOB_KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// All of XIV MCP's state, Dalamud's list of plugins, and the game. See the [module](self).
#[derive(Debug)]
pub(crate) struct Core {
    loaded: bool,
    /// The host is about to unload: nothing new starts.
    disposing: bool,
    ids: Ids,
    timers: Timers,
    effects: Vec<Effect>,
    plugins: PluginList,
    policies: Policies,
    registry: Registry,
    /// What plugins declared that their jobs use, by the plugin's key.
    declarations: HashMap<String, CheckedDeclaration>,
    builtins: Builtins,
    session: Session,
    calls: Calls,
    questions: BTreeMap<u64, Open>,
    next_question: u64,
    approvals: HashMap<String, Approval>,
    jobs: Jobs,
    audit: Audit,
    game: GameState,
}

/// An entry of Dalamud's list, or what changes of it; what is `None` stays (at first: the internal name, 1.0.0, loaded).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InstallChange {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) loaded: Option<bool>,
}

/// Which of a group's two settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    Read,
    Write,
}

/// What the player (or the assistant) does with a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobControl {
    Pause,
    Resume,
    Cancel,
}

impl Core {
    /// A loaded host with nobody installed. Ids come from `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            loaded: true,
            disposing: false,
            ids: Ids::new(seed),
            timers: Timers::default(),
            effects: Vec::new(),
            plugins: PluginList::default(),
            policies: Policies::default(),
            registry: Registry::default(),
            declarations: HashMap::new(),
            builtins: Builtins::default(),
            session: Session::default(),
            calls: Calls::default(),
            questions: BTreeMap::new(),
            next_question: 0,
            approvals: HashMap::new(),
            jobs: Jobs::default(),
            audit: Audit::default(),
            game: GameState::default(),
        }
    }

    /// The gate `ApiVersion`.
    pub(crate) fn api_version(&self) -> i32 {
        API_VERSION
    }

    /// When something is due next; not later than now if something can run at once.
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        self.timers.next_deadline()
    }

    /// Runs everything that is due at `now`, in order.
    pub(crate) fn advance(&mut self, now: Time) {
        while self.advance_one(now) {}
    }

    /// Runs the first thing that is due at `now`. Gives whether there was one.
    pub(crate) fn advance_one(&mut self, now: Time) -> bool {
        let Some(due) = self.timers.pop_due(now) else { return false };
        match due {
            Due::QuestionExpired(question) => self.question_expired(now, question),
            Due::CancelExpired(call) => self.cancel_expired(now, &call),
            Due::BuiltinDone(call) => self.builtin_done(now, &call),
            Due::HandOn(call) => self.hand_on(now, &call),
            Due::RunJobs => self.run_jobs(now),
            Due::ForgetJob(job) => self.jobs.forget(job),
        }
        true
    }

    /// What must be done outside, in order. Empty afterwards.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    fn list_changed(&mut self) {
        if self.effects.last() != Some(&Effect::ListChanged) {
            self.push(Effect::ListChanged);
        }
    }

    /// How much is open.
    pub(crate) fn pending(&self) -> PendingCounts {
        PendingCounts {
            calls: self.calls.by_id.len(),
            questions: self.questions.len(),
            approvals: self.approvals.len(),
            timers: self.timers.open(),
            steps: self.jobs.running_steps(),
        }
    }

    /// The state of the game.
    pub(crate) fn game(&self) -> &GameState {
        &self.game
    }

    /// Changes the game.
    pub(crate) fn change_game(&mut self, change: &GameChange) {
        self.game.apply(change);
    }
}
