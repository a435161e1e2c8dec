//! What a page asks for: the player's decisions, calls in the assistant's stead, and changes of the game.

use std::time::Duration;

use serde::Deserialize;
use xivmcp_protocol::{CallId, JsonText, PermissionMode};

use super::{Window, calls};
use crate::MockHost;
use crate::core::{Access, Answer, Core, GameChange, JobControl, PlayerError};

/// How long a person waits for the framework thread before the page says that somebody holds it.
const TURN_LIMIT: Duration = Duration::from_secs(5);

/// One action. Names of plugins are internal names, `mode` is `allow`, `ask`, `deny`, or null for *follows*.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(super) enum Action {
    /// Consents to exactly what the page had shown (R-POL-5).
    Enable { plugin: String, tools: Vec<String>, capabilities: Vec<String> },
    /// Keeps it disabled, having seen that.
    KeepDisabled { plugin: String, tools: Vec<String>, capabilities: Vec<String> },
    /// Ends a suspension.
    Lift { plugin: String },
    /// Forgets the session answers about a plugin's tools.
    ClearSession { plugin: String },
    /// Sets what a plugin may do.
    SetCapability { plugin: String, capability: String, mode: Option<PermissionMode> },
    /// Gives a plugin's tool a mode of its own.
    SetTool { plugin: String, tool: String, mode: Option<PermissionMode> },
    /// Sets what reading or acting tools of a module may do.
    SetGroup { group: String, access: PageAccess, mode: Option<PermissionMode> },
    /// Turns a module on or off.
    TurnGroup { group: String, on: bool },
    /// Gives one of the host's own tools a mode of its own.
    SetBuiltin { tool: String, mode: Option<PermissionMode> },
    /// Answers a question.
    Answer { question: u64, answer: PageAnswer },
    /// Pauses, resumes or cancels a job.
    Job { job: String, control: PageControl },
    /// Sees to a job that waits.
    UpdateJob { job: String, action: JobChange, resume: bool },
    /// Calls a tool as an assistant would; `args` is the JSON text of an object.
    Call { tool: String, args: String },
    /// The assistant gives a call up.
    CancelCall { call: String },
    /// Changes the game. Amounts are what there is afterwards.
    Game {
        logged_in: Option<bool>,
        character: Option<u64>,
        zone: Option<u32>,
        world: Option<u32>,
        gil: Option<u32>,
        items: Option<u32>,
        chat: Option<u32>,
        currency: Option<Currency>,
    },
    /// Adds to what there is, or takes from it; never below nothing.
    GameStep {
        #[serde(default)]
        gil: i32,
        #[serde(default)]
        items: i32,
        #[serde(default)]
        chat: i32,
        currency: Option<CurrencyStep>,
    },
    /// Loads or unloads XIV MCP.
    Host { loaded: bool },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PageAccess {
    Read,
    Write,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PageAnswer {
    Denied,
    Once,
    Session,
    Always,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PageControl {
    Pause,
    Resume,
    Cancel,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JobChange {
    Retry,
    Skip,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Currency {
    id: u32,
    amount: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CurrencyStep {
    id: u32,
    by: i32,
}

impl Action {
    pub(super) fn parse(body: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(body).map_err(|error| format!("the action cannot be read: {error}"))
    }

    /// Does it. The error is a sentence for the person. May wait for the framework thread.
    pub(super) fn perform(self, window: &Window) -> Result<(), String> {
        let host = &window.state.host;
        let world = host.world();
        let shown = |tools, capabilities: Vec<String>| Core::shown_on_page(tools, &capabilities);
        match self {
            Self::Enable { plugin, tools, capabilities } => {
                let shown = shown(tools, capabilities);
                world.act(|core, _| core.player_enable(&plugin, Some(&shown))).map_err(text)
            }
            Self::KeepDisabled { plugin, tools, capabilities } => {
                let shown = shown(tools, capabilities);
                world.act(|core, _| core.player_keep_disabled(&plugin, Some(&shown))).map_err(text)
            }
            Self::Lift { plugin } => world.act(|core, _| core.player_lift(&plugin)).map_err(text),
            Self::ClearSession { plugin } => world.act(|core, _| core.player_clear_session(&plugin)).map_err(text),
            Self::SetCapability { plugin, capability, mode } => {
                world.act(|core, _| core.player_set_capability(&plugin, &capability, mode)).map_err(text)
            }
            Self::SetTool { plugin, tool, mode } => {
                world.act(|core, _| core.player_set_tool(&plugin, &tool, mode)).map_err(text)
            }
            Self::SetGroup { group, access, mode } => {
                world.act(|core, _| core.player_set_group(&group, access.into(), mode)).map_err(text)
            }
            Self::TurnGroup { group, on } => world.act(|core, _| core.player_set_group_on(&group, on)).map_err(text),
            Self::SetBuiltin { tool, mode } => world.act(|core, _| core.player_set_builtin(&tool, mode)).map_err(text),
            Self::Answer { question, answer } => {
                world.act(|core, now| core.answer(now, question, answer.into())).map(drop).map_err(text)
            }
            Self::Job { job, control } => world.act(|core, now| core.control_job(now, &job, control.into())),
            Self::UpdateJob { job, action, resume } => {
                world.act(|core, now| core.update_job(now, &job, action.name(), None, resume)).map(drop)
            }
            Self::Call { tool, args } => {
                let args = arguments(&args)?;
                calls::start(window, tool, args);
                Ok(())
            }
            Self::CancelCall { call } => world.act(|core, now| {
                if !core.window_calls().iter().any(|running| running.id == call) {
                    return Err(format!("no call {call} runs: it has ended"));
                }
                core.assistant_give_up(now, &CallId::new(call));
                Ok(())
            }),
            Self::Game { logged_in, character, zone, world: world_id, gil, items, chat, currency } => {
                if logged_in.is_some() || zone.is_some() || world_id.is_some() {
                    framework_is_free(host)?; // plugins are told there
                }
                let state = host.game().state();
                let mut change = GameChange { logged_in, character, zone, world: world_id, ..GameChange::default() };
                change.gil = difference(gil, state.gil);
                change.items = difference(items, state.items);
                change.chat = difference(chat, state.chat);
                if let Some(Currency { id, amount }) = currency {
                    change.currency.insert(id, difference(Some(amount), state.currency(id)));
                }
                host.game().change(change);
                Ok(())
            }
            Self::GameStep { gil, items, chat, currency } => {
                let state = host.game().state();
                let mut change = GameChange::new().gil(step(gil, state.gil)).items(step(items, state.items));
                change = change.chat(step(chat, state.chat));
                if let Some(CurrencyStep { id, by }) = currency {
                    change = change.currency(id, step(by, state.currency(id)));
                }
                host.game().change(change);
                Ok(())
            }
            Self::Host { loaded } => {
                if world.look(Core::is_ready) == loaded {
                    let state = if loaded { "loaded" } else { "unloaded" };
                    return Err(format!("XIV MCP is {state} already"));
                }
                framework_is_free(host)?;
                if loaded {
                    host.dalamud().load_host()
                } else {
                    host.dalamud().unload_host()
                };
                Ok(())
            }
        }
    }
}

/// Whether what happens there can happen now. The error says which plugin holds the framework thread.
fn framework_is_free(host: &MockHost) -> Result<(), String> {
    host.world().engine.on_framework_within(TURN_LIMIT, || ())
}

fn text(error: PlayerError) -> String {
    error.message
}

/// Arguments as MCP has them: an object, kept as it was written.
fn arguments(args: &str) -> Result<JsonText, String> {
    let json = JsonText::parse(args).map_err(|error| format!("`args` is no JSON: {error}"))?;
    if json.get().starts_with('{') { Ok(json) } else { Err("`args` must be a JSON object".to_owned()) }
}

fn step(by: i32, now: i64) -> i64 {
    i64::from(by).max(now.min(0).saturating_sub(now))
}

fn difference(wanted: Option<u32>, now: i64) -> i64 {
    wanted.map_or(0, |wanted| i64::from(wanted).saturating_sub(now))
}

impl From<PageAccess> for Access {
    fn from(access: PageAccess) -> Self {
        match access {
            PageAccess::Read => Self::Read,
            PageAccess::Write => Self::Write,
        }
    }
}

impl From<PageAnswer> for Answer {
    fn from(answer: PageAnswer) -> Self {
        match answer {
            PageAnswer::Denied => Self::Denied,
            PageAnswer::Once => Self::Once,
            PageAnswer::Session => Self::Session,
            PageAnswer::Always => Self::Always,
        }
    }
}

impl From<PageControl> for JobControl {
    fn from(control: PageControl) -> Self {
        match control {
            PageControl::Pause => Self::Pause,
            PageControl::Resume => Self::Resume,
            PageControl::Cancel => Self::Cancel,
        }
    }
}

impl JobChange {
    fn name(&self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Skip => "skip",
        }
    }
}
