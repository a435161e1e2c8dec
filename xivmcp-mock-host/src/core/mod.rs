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

mod audit;
mod builtin;
mod dalamud;
mod effect;
mod game;
mod ids;
mod lint;
mod policy;
mod question;
mod registry;
mod time;
mod timers;
mod views;

use xivmcp_client::ipc::IpcError;
use xivmcp_protocol::{CallId, HostGate, JobDescription, JsonText, PermissionMode};

pub use audit::{AuditEffect, AuditEntry, AuditKind, Decision, ReportedEnd};
pub(crate) use effect::Effect;
pub use effect::Outcome;
pub use game::{GameChange, GameState};
pub use lint::{Lint, LintKind};
pub(crate) use policy::Shown;
pub use question::{Answer, Question};
pub use time::Time;
pub use views::{BuiltinCall, BuiltinScript, ListedTool, PendingCounts, PlayerError};

/// All of XIV MCP's state, Dalamud's list of plugins, and the game. See the [module](self).
#[derive(Debug)]
pub(crate) struct Core {
    effects: Vec<Effect>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

#[expect(unused_variables, clippy::unused_self, reason = "signatures only, for now")]
impl Core {
    // ---- driver ----

    /// A loaded host with nobody installed. Ids come from `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        unimplemented!()
    }

    /// A gate that takes and gives text. Never fails: the answer is an envelope whatever comes. `caller` is the internal
    /// name of the plugin that calls; nothing if it is unknown.
    pub(crate) fn gate(&mut self, now: Time, caller: Option<&str>, gate: HostGate, args: &[&str]) -> String {
        unimplemented!()
    }

    /// The gate `ApiVersion`.
    pub(crate) fn api_version(&self) -> i32 {
        2
    }

    /// The gate `IsReady`, and whether the host is loaded.
    pub(crate) fn is_ready(&self) -> bool {
        unimplemented!()
    }

    /// When something is due next; not later than now if something can run at once.
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        unimplemented!()
    }

    /// Runs everything that is due at `now`, in order.
    pub(crate) fn advance(&mut self, now: Time) {}

    /// What must be done outside, in order. Empty afterwards.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether a call is still to be invoked. Called on the framework thread right before Invoke.
    pub(crate) fn begin_invoke(&mut self, now: Time, call: &CallId) -> bool {
        unimplemented!()
    }

    /// What Invoke gave. Does nothing if the call is not known any more.
    pub(crate) fn invoke_returned(&mut self, now: Time, call: &CallId, reply: Result<String, IpcError>) {}

    /// Whether a call is still to be cancelled. Called on the framework thread right before Cancel.
    pub(crate) fn begin_cancel(&self, call: &CallId) -> bool {
        unimplemented!()
    }

    /// What Cancel gave: a missing gate or a failure is only logged (R-CALL-9).
    pub(crate) fn cancel_returned(&mut self, now: Time, call: &CallId, reply: Result<(), IpcError>) {}

    /// The host begins to unload: from now on nothing new starts. Gates still answer.
    pub(crate) fn host_disposing(&mut self, now: Time) {}

    /// `Disposing` was sent and the gates are gone: pending calls fail, jobs are paused.
    pub(crate) fn host_unloaded(&mut self, now: Time) {}

    /// The host loads: its gates may answer again.
    pub(crate) fn host_loaded(&mut self, now: Time) {}

    /// How much is open.
    pub(crate) fn pending(&self) -> PendingCounts {
        unimplemented!()
    }

    // ---- the player ----

    /// What the player sees of a plugin now.
    pub(crate) fn player_shown(&self, plugin: &str) -> Shown {
        unimplemented!()
    }

    /// Enables a plugin, with what `shown` says (all that is registered now, if it is `None`).
    pub(crate) fn player_enable(&mut self, plugin: &str, shown: Option<&Shown>) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Keeps a plugin disabled, with what `shown` says.
    pub(crate) fn player_keep_disabled(&mut self, plugin: &str, shown: Option<&Shown>) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Ends a plugin's suspension.
    pub(crate) fn player_lift(&mut self, plugin: &str) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Forgets the session answers about a plugin's tools, and those given to the plugin. `XivMcp`: the host's tools.
    pub(crate) fn player_clear_session(&mut self, plugin: &str) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Sets the mode of a capability; `None` is its default.
    pub(crate) fn player_set_capability(
        &mut self,
        plugin: &str,
        capability: &str,
        mode: Option<PermissionMode>,
    ) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Sets the mode of a tool; `None` follows its capabilities.
    pub(crate) fn player_set_tool(
        &mut self,
        plugin: &str,
        tool: &str,
        mode: Option<PermissionMode>,
    ) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Sets what a group's tools may do; `None` is the default.
    pub(crate) fn player_set_group(
        &mut self,
        group: &str,
        access: Access,
        mode: Option<PermissionMode>,
    ) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Turns a group on or off.
    pub(crate) fn player_set_group_on(&mut self, group: &str, on: bool) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Sets the mode of one of the host's own tools; `None` follows its group.
    pub(crate) fn player_set_builtin(&mut self, tool: &str, mode: Option<PermissionMode>) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// The open questions, oldest first.
    pub(crate) fn questions(&self) -> Vec<Question> {
        unimplemented!()
    }

    /// Answers a question. Gives the question.
    pub(crate) fn answer(&mut self, now: Time, question: u64, answer: Answer) -> Result<Question, PlayerError> {
        unimplemented!()
    }

    /// Pauses, resumes or cancels a job, found by id or name, whoever started it. The error is the host's message.
    pub(crate) fn control_job(&mut self, now: Time, job: &str, control: JobControl) -> Result<(), String> {
        unimplemented!()
    }

    // ---- the assistant ----

    /// What tools/list offers: plugins' tools, and with `all` the host's own before them.
    pub(crate) fn assistant_tools(&self, all: bool) -> Vec<ListedTool> {
        unimplemented!()
    }

    /// Starts a call, of a plugin's or the host's own tool. Its end comes as [`Effect::CallEnded`], also if it is refused.
    pub(crate) fn assistant_call(&mut self, now: Time, client: Option<&str>, tool: &str, args: JsonText) -> CallId {
        unimplemented!()
    }

    /// The app gives up: the call is cancelled (R-CALL-9). Nothing happens if it has ended.
    pub(crate) fn assistant_give_up(&mut self, now: Time, call: &CallId) {}

    /// The assistant's `update_job`, without a call: `action` is `retry`, `skip`, `append` or `replace_remaining`. The
    /// error is the host's message.
    pub(crate) fn update_job(
        &mut self,
        now: Time,
        job: &str,
        action: &str,
        steps: Option<&JsonText>,
        resume: bool,
    ) -> Result<JobDescription, String> {
        unimplemented!()
    }

    // ---- Dalamud ----

    /// Adds a plugin to Dalamud's list, or changes its entry. Unloading it this way is unloading it.
    pub(crate) fn dalamud_install(
        &mut self,
        now: Time,
        plugin: &str,
        change: InstallChange,
    ) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Loads a plugin that is installed (`true`), or unloads it (R-OWN-4).
    pub(crate) fn dalamud_set_loaded(&mut self, now: Time, plugin: &str, loaded: bool) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// Unloads a plugin and removes it from the list.
    pub(crate) fn dalamud_uninstall(&mut self, now: Time, plugin: &str) -> Result<(), PlayerError> {
        unimplemented!()
    }

    // ---- the game and the host's own tools ----

    /// The state of the game.
    pub(crate) fn game(&self) -> &GameState {
        &self.game
    }

    /// Changes the game.
    pub(crate) fn change_game(&mut self, change: &GameChange) {}

    /// Says how one of the host's own tools answers from now on; `None`: as at first.
    pub(crate) fn script_builtin(&mut self, tool: &str, script: Option<BuiltinScript>) -> Result<(), PlayerError> {
        unimplemented!()
    }

    /// The calls of the host's own tools since the last time this was asked, oldest first.
    pub(crate) fn take_builtin_calls(&mut self) -> Vec<BuiltinCall> {
        unimplemented!()
    }

    // ---- views ----

    /// A job, found by id or name, whoever started it.
    pub(crate) fn job(&self, job: &str) -> Option<JobDescription> {
        unimplemented!()
    }

    /// The ids of all jobs, newest first.
    pub(crate) fn job_ids(&self) -> Vec<String> {
        unimplemented!()
    }

    /// The audit log, newest entry first; with `plugin` only what is about its tools.
    pub(crate) fn audit(&self, plugin: Option<&str>) -> Vec<&AuditEntry> {
        unimplemented!()
    }
}
