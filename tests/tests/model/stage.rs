//! Plays operations on the simulated host and on the model, and compares what can be seen after each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use xivmcp_client::JsonText;
use xivmcp_client::ipc::IpcError;
use xivmcp_mock_host::{Answer, GameChange, JobUpdate, MockHost, PendingCall, PendingCounts, ShownPlugin};

use super::calls::{End, Game, Given, Model, Phase};
use super::jobs::WAIT;
use super::ops::{CAPABILITIES, DECLARED, NAMES, OWN, Op, PLUGINS, REACTIONS, REPLIES, Reaction, Reply, StepOp};
use super::plugins::{Raw, Script};
use super::policy::{Mode, Seen, Tool};

/// What differs, as a sentence.
pub(crate) type Checked = Result<(), String>;

pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, host: &T, model: &T) -> Checked {
    if host == model { Ok(()) } else { Err(format!("{what}\n   host: {host:?}\n  model: {model:?}")) }
}

pub(crate) struct Stage {
    pub(crate) host: MockHost,
    pub(crate) model: Model,
    raws: [Raw; 2],
    script: Arc<Mutex<Script>>,
    /// The calls of the assistant, by the model's numbers.
    pub(crate) calls: BTreeMap<usize, PendingCall>,
    /// The ids of all calls that are known.
    ids: BTreeMap<usize, String>,
    approvals: Vec<String>,
    pub(crate) jobs: Vec<String>,
    seen: [Option<(ShownPlugin, Seen)>; 2],
}

fn pick<T>(items: &[T], at: u8) -> Option<usize> {
    (!items.is_empty()).then(|| usize::from(at) % items.len())
}

impl Stage {
    pub(crate) fn new(seed: u64) -> Self {
        let host = MockHost::simulated_with_seed(seed);
        let state = host.game().state();
        let game = Game { logged_in: state.logged_in, zone: state.zone, gil: state.gil };
        let script = Script {
            replies: [Reply::Pending; 2],
            reactions: [Reaction::Fails; 2],
            invoked: Vec::new(),
            faults: Vec::new(),
        };
        let script = Arc::new(Mutex::new(script));
        let raws = [0, 1].map(|at| {
            let mut raw = Raw { plugin: host.install(PLUGINS[at]), invoke: None, cancel: None };
            raw.provide(at, &script, &host.game().handle());
            raw
        });
        Self {
            model: Model::new(game),
            host,
            raws,
            script,
            calls: BTreeMap::new(),
            ids: BTreeMap::new(),
            approvals: Vec::new(),
            jobs: Vec::new(),
            seen: [None, None],
        }
    }

    /// Calls a gate of the host as this plugin; none if either is not loaded. What it gives must be an envelope.
    fn gate(&self, plugin: usize, gate: &str, arguments: &[Value]) -> Result<Option<Value>, String> {
        if !self.model.loaded[plugin] {
            return Ok(None);
        }
        match (self.raws[plugin].plugin.try_gate(gate, arguments), self.model.host_loaded) {
            (Ok(reply), true) if reply["ok"].is_boolean() => Ok(Some(reply)),
            (Err(IpcError::NotReady { .. }), false) => Ok(None),
            (other, _) => Err(format!("{gate}{arguments:?} failed into its caller: {other:?}")),
        }
    }

    /// Calls a gate; it must be accepted or refused as the model says.
    pub(crate) fn gate_is(
        &self,
        plugin: usize,
        gate: &str,
        arguments: &[Value],
        ok: bool,
    ) -> Result<Option<Value>, String> {
        let reply = self.gate(plugin, gate, arguments)?;
        if let Some(reply) = reply.as_ref().filter(|reply| reply["ok"] != ok) {
            return Err(format!("{gate}{arguments:?} gave {reply}; the model expects ok: {ok}"));
        }
        Ok(reply)
    }

    /// Plays one operation on both, and compares.
    pub(crate) fn play(&mut self, op: &Op) -> Checked {
        self.happens(op)?;
        self.learn_ids()?;
        self.compare()
    }

    fn happens(&mut self, op: &Op) -> Checked {
        let at = |plugin: u8| usize::from(plugin) % PLUGINS.len();
        let player = self.host.player();
        match *op {
            Op::Register { plugin, name, declared } => self.register(at(plugin), name, declared)?,
            Op::Unregister { plugin, name } => {
                let (plugin, name) = (at(plugin), NAMES[usize::from(name) % NAMES.len()]);
                if let Some(reply) =
                    self.gate_is(plugin, "UnregisterTool", &[PLUGINS[plugin].into(), name.into()], true)?
                {
                    let before = self.model.tools.len();
                    self.model.tools.retain(|tool| tool.owner != plugin || tool.name != name);
                    same("removed", &reply["removed"], &json!(self.model.tools.len() < before))?;
                }
            }
            Op::UnregisterAll { plugin } => {
                let plugin = at(plugin);
                if let Some(reply) = self.gate_is(plugin, "UnregisterAll", &[PLUGINS[plugin].into()], true)? {
                    let before = self.model.tools.len();
                    self.model.tools.retain(|tool| tool.owner != plugin);
                    same("removed", &reply["removed"], &json!(before - self.model.tools.len()))?;
                }
            }
            Op::Enable { plugin } => {
                player.enable(PLUGINS[at(plugin)]);
                let seen = self.model.seen(at(plugin));
                self.model.policies[at(plugin)].enable(seen.clone(), &seen);
            }
            Op::EnableUnreviewed { plugin } => {
                player.enable_unreviewed(PLUGINS[at(plugin)]);
                self.model.policies[at(plugin)].enabled = true;
            }
            Op::KeepDisabled { plugin } => {
                player.keep_disabled(PLUGINS[at(plugin)]);
                let seen = self.model.seen(at(plugin));
                self.model.policies[at(plugin)].keep_disabled(seen);
            }
            Op::LookAt { plugin } => {
                let plugin = at(plugin);
                self.seen[plugin] = Some((player.look_at(PLUGINS[plugin]), self.model.seen(plugin)));
            }
            Op::EnableAsSeen { plugin } => {
                if let Some((shown, seen)) = self.seen[at(plugin)].take() {
                    shown.enable();
                    let offered = self.model.seen(at(plugin));
                    self.model.policies[at(plugin)].enable(seen, &offered);
                }
            }
            Op::Lift { plugin } => {
                player.lift(PLUGINS[at(plugin)]);
                self.model.policies[at(plugin)].suspended = false;
            }
            Op::ClearSession { plugin } => {
                player.clear_session(PLUGINS[at(plugin)]);
                self.model.forget_session(at(plugin));
            }
            Op::SetCapability { plugin, capability, mode } => {
                let capability = CAPABILITIES[usize::from(capability) % CAPABILITIES.len()];
                let set = &mut self.model.policies[at(plugin)].capabilities;
                if let Some(mode) = Mode::of(mode) {
                    player.set_mode(PLUGINS[at(plugin)], capability, mode.as_str());
                    set.insert(capability, mode);
                } else {
                    player.reset_mode(PLUGINS[at(plugin)], capability);
                    set.remove(capability);
                }
            }
            Op::SetTool { plugin, name, mode } => {
                let name = NAMES[usize::from(name) % 4];
                let set = &mut self.model.policies[at(plugin)].tools;
                if let Some(mode) = Mode::of(mode) {
                    player.set_tool_mode(PLUGINS[at(plugin)], name, mode.as_str());
                    set.insert(name.to_owned(), mode);
                } else {
                    player.reset_tool_mode(PLUGINS[at(plugin)], name);
                    set.remove(name);
                }
            }
            Op::WillReply { plugin, reply } => {
                let reply = REPLIES[usize::from(reply) % REPLIES.len()];
                self.model.replies[at(plugin)] = reply;
                self.script.lock().unwrap().replies[at(plugin)] = reply;
                self.provide(at(plugin));
            }
            Op::WillReact { plugin, reaction } => {
                let reaction = REACTIONS[usize::from(reaction) % REACTIONS.len()];
                self.model.reactions[at(plugin)] = reaction;
                self.script.lock().unwrap().reactions[at(plugin)] = reaction;
                self.provide(at(plugin));
            }
            Op::Call { name } => {
                let call = self.host.assistant().call(NAMES[usize::from(name) % 4], ());
                let number = self.model.assistant_calls(NAMES[usize::from(name) % 4]);
                self.ids.insert(number, call.id().to_owned());
                self.calls.insert(number, call);
            }
            Op::GiveUp { call } => {
                let lately = self.calls.keys().rev().copied();
                let open = lately.clone().filter(|number| self.model.open.contains_key(number)).take(6);
                let numbers: Vec<usize> = if call % 8 == 7 { lately.take(6).collect() } else { open.collect() };
                if let Some(place) = pick(&numbers, call) {
                    self.calls[&numbers[place]].give_up();
                    self.model.cancel(numbers[place]);
                    self.model.settle();
                }
            }
            Op::Complete { call, how } => self.complete(call, how)?,
            Op::Progress { call } => {
                if let Some((number, owner)) = self.reached(call) {
                    let ok = self.model.open.contains_key(&number);
                    self.gate_is(owner, "ReportProgress", &[json!(self.ids[&number]), json!("on it")], ok)?;
                }
            }
            Op::RequestApproval { call, capability } => self.request_approval(call, capability)?,
            Op::GetApproval { approval } => {
                let Some(place) = pick(&self.approvals, approval) else { return Ok(()) };
                let owner = usize::from(!self.model.loaded[0]);
                let id = json!(self.approvals[place]);
                if !self.model.host_loaded || !self.model.loaded[owner] {
                    return Ok(());
                }
                let state = self.model.get_approval(place);
                if let Some(reply) = self.gate_is(owner, "GetApproval", &[id], state.is_some())? {
                    same("the state of an approval", &reply["state"].as_str(), &state)?;
                }
            }
            Op::Answer { question, answer } => {
                let open = player.questions();
                if let Some(place) = pick(&open, question) {
                    let answers = [Answer::Denied, Answer::Once, Answer::Session, Answer::Always];
                    player.answer_question(&open[place], answers[usize::from(answer) % 4]);
                    self.model.answer(place, Some(answer));
                }
            }
            Op::Advance { seconds } => {
                self.host.advance(Duration::from_secs(seconds.into()));
                self.model.advance(seconds.into());
            }
            Op::StartJob { plugin, ref steps } => {
                let plugin = at(plugin);
                if !self.model.host_loaded || !self.model.loaded[plugin] {
                    return Ok(());
                }
                let job = json!({"name": "Work", "steps": self.steps(steps)}).to_string();
                let ok = self.model.start_job(plugin, &named(steps));
                if let Some(reply) =
                    self.gate_is(plugin, "StartJob", &[PLUGINS[plugin].into(), job.into()], ok)?.filter(|_| ok)
                {
                    self.jobs.push(reply["job"]["id"].as_str().unwrap_or_default().to_owned());
                }
            }
            Op::Control { job, what, by } => self.control(job, what % 3, by)?,
            Op::Update { job, action, ref steps, resume } => {
                let Some(place) = pick(&self.jobs, job).filter(|_| self.model.host_loaded) else { return Ok(()) };
                let words = ["retry", "skip", "append", "replace_remaining"];
                let json = JsonText::from_serialize(&self.steps(steps)).map_err(|error| error.to_string())?;
                let update = JobUpdate::new(words[usize::from(action) % 4], Some(json), resume);
                let updated = self.host.assistant().update_job(&self.jobs[place], update);
                let ok = self.model.update(place, action % 4, &named(steps), resume);
                if updated.is_ok() != ok {
                    return Err(format!("update_job gave {updated:?}; the model expects ok: {ok}"));
                }
            }
            Op::Game { what } => self.change_game(what),
            Op::PluginLoaded { plugin, loaded } => {
                let plugin = at(plugin);
                if loaded == self.model.loaded[plugin] {
                    return Ok(());
                }
                if loaded {
                    self.raws[plugin].plugin.reload();
                    self.model.loaded[plugin] = true;
                    self.provide(plugin);
                } else {
                    self.raws[plugin].plugin.unload();
                    self.model.unload_plugin(plugin);
                }
            }
            Op::HostLoaded { loaded } if loaded == self.model.host_loaded => {}
            Op::HostLoaded { loaded: true } => {
                self.host.dalamud().load_host();
                self.model.host_loaded = true;
                self.model.settle();
            }
            Op::HostLoaded { loaded: false } => {
                self.host.dalamud().unload_host();
                self.model.unload_host();
            }
        }
        Ok(())
    }

    fn provide(&mut self, plugin: usize) {
        if self.model.loaded[plugin] {
            self.raws[plugin].provide(plugin, &self.script, &self.host.game().handle());
        }
    }

    fn register(&mut self, plugin: usize, name: u8, declared: u8) -> Checked {
        let name = NAMES[usize::from(name) % NAMES.len()];
        // Now and then what R-DEF-3 and R-DEF-4 refuse.
        let (acting, wrong) = match declared {
            0 => (DECLARED[0], Some(json!({"readOnly": true, "capabilities": ["game_ui"]}))),
            1 => (DECLARED[0], Some(json!({"capabilities": ["fly"]}))),
            2 => (DECLARED[0], Some(json!({"capabilities": []}))),
            _ => (DECLARED[usize::from(declared) % DECLARED.len()], None),
        };
        let mut definition =
            wrong.clone().unwrap_or_else(|| json!({"readOnly": acting.is_empty(), "capabilities": acting}));
        definition["name"] = name.into();
        definition["description"] = "It does.".into();
        if !self.model.host_loaded || !self.model.loaded[plugin] {
            return Ok(());
        }
        let tool = Tool { name: name.to_owned(), owner: plugin, acting: acting.to_vec() };
        let ok = wrong.is_none() && name != NAMES[4] && self.model.register(&tool);
        let reply = self.gate_is(plugin, "RegisterTool", &[PLUGINS[plugin].into(), definition], ok)?;
        let Some(reply) = reply.filter(|_| ok) else { return Ok(()) };
        let policy = &self.model.policies[plugin];
        same("the state after registering", &reply["state"], &json!(policy.state()))?;
        for capability in reply["capabilities"].as_array().into_iter().flatten() {
            // R-DEF-6
            let id = capability["id"].as_str().unwrap_or_default();
            let mode = if policy.enabled { policy.capability(id) } else { Mode::Deny };
            same(id, &capability["mode"], &json!(mode.as_str()))?;
        }
        Ok(())
    }

    /// One of the calls that reached a plugin lately, and that plugin, if it is loaded and so is the host.
    fn reached(&self, at: u8) -> Option<(usize, usize)> {
        let lately = self.model.invoked.iter().rev().map(|(number, _)| *number);
        let open = lately.clone().filter(|number| self.model.open.contains_key(number)).take(4);
        // Mostly one that is still open.
        let lately: Vec<usize> = if at % 8 == 7 { lately.take(5).collect() } else { open.collect() };
        let number = lately[pick(&lately, at)?];
        let plugin = match self.model.open.get(&number) {
            Some(call) => call.tool.owner,
            None => usize::from(!self.model.loaded[0]),
        };
        (self.model.host_loaded && self.model.loaded[plugin]).then_some((number, plugin))
    }

    fn complete(&mut self, call: u8, how: u8) -> Checked {
        let Some((number, plugin)) = self.reached(call) else { return Ok(()) };
        let id = json!(self.ids[&number]);
        let open = self.model.open.contains_key(&number);
        let (gate, argument, end) = match how % 5 {
            0 => ("FailCall", "it broke", Some(End::Error)),
            1 => ("CompleteCall", "  ", Some(End::Result(Given::Null))),
            2 => ("CompleteCall", "{\"a\":", None),
            _ => ("CompleteCall", "{\"a\":1}", Some(End::Result(Given::A))),
        };
        let reply = self.gate_is(plugin, gate, &[id, json!(argument)], open && end.is_some())?;
        if let (Some(reply), Some(end), true) = (reply, end, open) {
            same("accepted", &reply["accepted"], &json!(true))?;
            self.model.end(number, end);
            self.model.settle();
        }
        Ok(())
    }

    fn request_approval(&mut self, call: u8, capability: u8) -> Checked {
        let Some((number, plugin)) = self.reached(call) else { return Ok(()) };
        let capability = CAPABILITIES[usize::from(capability) % CAPABILITIES.len()];
        let open = self.model.open.contains_key(&number);
        let arguments = [json!(self.ids[&number]), json!({"capability": capability, "summary": "Do it."})];
        let reply = self.gate_is(plugin, "RequestApproval", &arguments, open)?;
        if let Some(reply) = reply.filter(|_| open) {
            self.approvals.push(reply["approvalId"].as_str().unwrap_or_default().to_owned());
            let state = self.model.request_approval(number, capability);
            same("the state of a new approval", &reply["state"], &json!(state))?;
        }
        Ok(())
    }

    fn control(&mut self, job: u8, what: u8, by: u8) -> Checked {
        let Some(place) = pick(&self.jobs, job).filter(|_| self.model.host_loaded) else { return Ok(()) };
        let id = self.jobs[place].clone();
        let plugin = usize::from(by) % 2;
        if by < 128 || !self.model.loaded[plugin] {
            let assistant = self.host.assistant();
            let done = match what {
                0 => assistant.pause_job(&id),
                1 => assistant.resume_job(&id),
                _ => assistant.cancel_job(&id),
            };
            let ok = self.model.control(place, what);
            return if done.is_ok() == ok {
                Ok(())
            } else {
                Err(format!("control gave {done:?}; the model expects {ok}"))
            };
        }
        // R-JOB-8: another plugin's job is not found.
        let ok = self.model.jobs[place].plugin == plugin && self.model.control(place, what);
        let gate = ["PauseJob", "ResumeJob", "CancelJob"][usize::from(what)];
        self.gate_is(plugin, gate, &[id.into()], ok).map(drop)
    }

    fn change_game(&mut self, what: u8) {
        let game = &mut self.model.game;
        let change = match what % 5 {
            0 => {
                game.logged_in = !game.logged_in;
                GameChange::new().logged_in(game.logged_in)
            }
            1 => {
                game.zone = 100 + u32::from(what);
                GameChange::new().zone(game.zone)
            }
            2 => {
                game.gil -= 5;
                GameChange::new().gil(-5)
            }
            _ => {
                game.gil += 5;
                GameChange::new().gil(5)
            }
        };
        self.host.game().change(change);
    }

    fn steps(&self, steps: &[StepOp]) -> Value {
        let steps = named(steps).into_iter().map(|(tool, takes)| {
            let mut args = json!({});
            if tool == "wait" {
                args["seconds"] = WAIT.into();
            }
            if takes {
                args["v"] = "{{s1.a}}".into();
            }
            json!({"tool": tool, "args": args})
        });
        steps.collect()
    }

    /// The calls that reached plugins must be those that the model expects; this is how steps' calls become known.
    fn learn_ids(&mut self) -> Checked {
        let invoked = self.script.lock().unwrap().invoked.clone();
        same("the number of calls that reached plugins", &invoked.len(), &self.model.invoked.len())?;
        for ((id, _, args), (number, filled)) in invoked.iter().zip(&self.model.invoked) {
            same("the call that reached a plugin", self.ids.entry(*number).or_insert_with(|| id.clone()), id)?;
            let args: Value = serde_json::from_str(args).map_err(|error| error.to_string())?;
            same("what a placeholder stood for", &args["v"], &if *filled { json!(1) } else { Value::Null })?;
        }
        let faults = std::mem::take(&mut self.script.lock().unwrap().faults);
        same("faults inside calls", &faults, &Vec::new())
    }

    /// Lets everything come to its end: nothing may be left.
    pub(crate) fn end(mut self) -> Checked {
        self.play(&Op::HostLoaded { loaded: true })?;
        for place in 0..self.jobs.len() {
            let job = u8::try_from(place).unwrap_or_default();
            self.play(&Op::Control { job, what: 2, by: 0 })?;
        }
        let open: Vec<usize> = self.calls.keys().copied().collect();
        for number in open {
            self.calls[&number].give_up();
            self.model.cancel(number);
            self.model.settle();
        }
        self.play(&Op::Advance { seconds: 300 })?;
        let left = self.model.open.values().filter(|call| call.phase != Phase::Asking).count();
        same("what the model has open", &left, &0)?;
        same(
            "how many calls have ended",
            &self.calls.values().filter(|call| !call.is_running()).count(),
            &self.calls.len(),
        )?;
        self.host.advance(Duration::from_secs(8 * 24 * 3600));
        same("jobs after 7 days", &self.host.jobs().len(), &0)?;
        same("what is pending", &self.host.pending(), &PendingCounts::default())?;
        self.host.finish();
        Ok(())
    }
}

fn named(steps: &[StepOp]) -> Vec<(String, bool)> {
    let all: Vec<&str> = NAMES[..4].iter().chain(&OWN).copied().collect();
    steps.iter().map(|(tool, takes)| (all[usize::from(*tool) % all.len()].to_owned(), *takes)).collect()
}
