//! The plugins of a scenario: raw connections to the bus, with gates that answer as the scenario says.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde_json::{Value, json};
use xivmcp_client::ipc::{IpcError, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue};
use xivmcp_protocol::PluginGate;

use super::line::Step;
use super::matching::compare;
use super::names::Names;
use super::{Mismatch, difference_text};
use crate::bus::{Connection, MockTransport};
use crate::driver::error_kind;
use crate::host::raw_plugin::reply_type;
use crate::host::world::World;

/// What the steps of a scenario share with the plugins' gates.
pub(super) struct Stage {
    world: Arc<World>,
    names: Mutex<Names>,
    plugins: Mutex<BTreeMap<String, Arc<Actor>>>,
    problems: Mutex<Vec<Mismatch>>,
    /// How often the steps of a `during` were played since the line began.
    turns: AtomicU32,
}

/// How often the `during` steps may be played in one line. A `during` that starts a job of its own tool would otherwise
/// go on for ever, without time passing.
const TURNS_IN_A_LINE: u32 = 2_000;

/// A plugin of the scenario.
struct Actor {
    name: String,
    connection: Arc<Connection>,
    transport: MockTransport,
    part: Mutex<Part>,
}

#[derive(Default)]
struct Part {
    /// How Invoke answers: by tool, and any other tool.
    scripts: BTreeMap<Option<String>, Script>,
    /// What keeps the gates there; Invoke and Cancel by their names, the others as they come.
    gates: BTreeMap<String, IpcGuard>,
    listening: Vec<IpcGuard>,
    /// What reached the gates and was not asked for yet.
    seen: Vec<Value>,
}

#[derive(Clone)]
struct Script {
    step: Arc<Step>,
    during: Arc<Vec<Step>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stage {
    pub(super) fn new(world: &Arc<World>) -> Arc<Self> {
        Arc::new(Self {
            world: Arc::clone(world),
            names: Mutex::default(),
            plugins: Mutex::default(),
            problems: Mutex::default(),
            turns: AtomicU32::new(0),
        })
    }

    /// A line begins.
    pub(super) fn begin_line(&self) {
        self.turns.store(0, Ordering::Relaxed);
    }

    pub(super) fn names(&self) -> Names {
        lock(&self.names).clone()
    }

    pub(super) fn save(&self, name: &str, value: Value) {
        lock(&self.names).save(name, value);
    }

    pub(super) fn problem(&self, line: usize, message: String) {
        lock(&self.problems).push(Mismatch { line, message });
    }

    pub(super) fn take_problems(&self) -> Vec<Mismatch> {
        std::mem::take(&mut lock(&self.problems))
    }

    fn actor(&self, name: &str) -> Arc<Actor> {
        let mut plugins = lock(&self.plugins);
        let actor = plugins.entry(name.to_owned()).or_insert_with(|| {
            let connection = self.world.bus.connect(name);
            self.world.know(connection.number(), connection.name());
            let transport = MockTransport::new(
                Arc::clone(&connection),
                Arc::clone(&self.world.bus),
                Arc::clone(&self.world.engine) as _,
            );
            Arc::new(Actor { name: name.to_owned(), connection, transport, part: Mutex::default() })
        });
        Arc::clone(actor)
    }

    /// A plugin's code is gone: its gates go with it.
    pub(super) fn unloaded(&self, name: &str) {
        let gone: Vec<Arc<Actor>> = {
            let plugins = lock(&self.plugins);
            plugins.values().filter(|actor| actor.name.eq_ignore_ascii_case(name)).cloned().collect()
        };
        for actor in gone {
            let part = {
                let mut part = lock(&actor.part);
                let seen = std::mem::take(&mut part.seen);
                std::mem::replace(&mut *part, Part { seen, ..Part::default() })
            };
            drop(part);
            self.world.bus.release_owner(actor.connection.number());
        }
    }

    /// What reached a plugin's gates since this was last asked.
    pub(super) fn take_seen(&self, name: &str) -> Value {
        let actor = self.actor(name);
        let seen = std::mem::take(&mut lock(&actor.part).seen);
        Value::Array(seen)
    }

    /// A gate step, with what earlier steps gave; what came, or why it cannot be done.
    pub(super) fn gate(&self, step: &Step, names: &Names) -> Result<Value, String> {
        let text = |key: &str| step.text(key).and_then(|text| fill_text(names, text));
        let actor = self.actor(&text("as")?);
        let gate = format!("XivMcp.{}", text("gate")?);
        let mut arguments: Vec<IpcValue> = Vec::new();
        for raw in step.raw_items("args") {
            arguments.push(names.fill_json(raw)?.as_str().unwrap_or_default().into());
        }
        let reply = actor.transport.call_function(&gate, &arguments, reply_type(&gate));
        Ok(match reply {
            Ok(IpcValue::Text(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            Ok(IpcValue::Bool(truth)) => truth.into(),
            Ok(IpcValue::I32(number)) => number.into(),
            Ok(_) => Value::Null,
            Err(error) => json!({"ipcError": error_kind(&error), "message": error.to_string()}),
        })
    }

    /// Plays the steps inside a call.
    fn during(&self, steps: &[Step], call: Option<&str>) {
        let Some(first) = steps.first() else { return };
        let turns = self.turns.fetch_add(1, Ordering::Relaxed);
        if turns >= TURNS_IN_A_LINE {
            if turns == TURNS_IN_A_LINE {
                let text =
                    format!("`during` was played {TURNS_IN_A_LINE} times within one line: it starts itself again");
                self.problem(first.line, text);
            }
            return;
        }
        for step in steps {
            let mut names = self.names();
            if let Some(call) = call {
                names = names.with("callId", call.into());
            }
            match self.gate(step, &names) {
                Ok(came) => {
                    self.check(step, &names, &came);
                    if let Ok(name) = step.text("save") {
                        self.save(name, came);
                    }
                }
                Err(reason) => self.problem(step.line, format!("inside `during`: {reason}")),
            }
        }
    }

    /// Notes what does not match the step's expectation.
    pub(super) fn check(&self, step: &Step, names: &Names, came: &Value) {
        let Some(expected) = step.fields.get("expect") else { return };
        match names.fill_expected(expected) {
            Err(reason) => self.problem(step.line, reason),
            Ok(expected) => {
                if let Err(difference) = compare(&expected, came) {
                    self.problem(step.line, difference_text(&difference, &expected, came));
                }
            }
        }
    }

    /// The verb `provide`.
    pub(super) fn provide(self: &Arc<Self>, step: &Step) -> Result<(), String> {
        let names = self.names();
        let actor = self.actor(&fill_text(&names, step.text("as")?)?);
        let script = Script { step: Arc::new(step.clone()), during: Arc::new(step.during()?) };
        let stage = Arc::downgrade(self);
        if step.text("provide")? == "Cancel" {
            let own = Arc::downgrade(&actor);
            let action = move |arguments: &[IpcValue]| {
                if let (Some(stage), Some(actor)) = (stage.upgrade(), own.upgrade()) {
                    stage.cancelled(&actor, &script, arguments);
                }
                Ok(())
            };
            let gate = PluginGate::Cancel.name(&actor.name);
            let guard = actor.transport.provide_action(&gate, &[IpcType::Text], Arc::new(action));
            return keep(&actor, "Cancel", guard);
        }
        let tool = step.optional_text("tool")?.map(|tool| fill_text(&names, tool)).transpose()?;
        let provided = {
            let mut part = lock(&actor.part);
            part.scripts.insert(tool, script);
            part.gates.contains_key("Invoke")
        };
        if provided {
            return Ok(());
        }
        let own = Arc::downgrade(&actor);
        let function = move |arguments: &[IpcValue]| invoked(&stage, &own, arguments);
        let gate = PluginGate::Invoke.name(&actor.name);
        let signature = IpcSignature::new([IpcType::Text; 3], IpcType::Text);
        let guard = actor.transport.provide_function(&gate, &signature, Arc::new(function));
        keep(&actor, "Invoke", guard)
    }

    /// The verb `unprovide`.
    pub(super) fn unprovide(&self, step: &Step) -> Result<(), String> {
        let actor = self.actor(&fill_text(&self.names(), step.text("as")?)?);
        let gate = step.text("unprovide")?;
        let (guard, scripts) = {
            let mut part = lock(&actor.part);
            let scripts = if gate == "Invoke" { std::mem::take(&mut part.scripts) } else { BTreeMap::new() };
            (part.gates.remove(gate), scripts)
        };
        drop((guard, scripts));
        Ok(())
    }

    /// The verb `subscribe`.
    pub(super) fn subscribe(self: &Arc<Self>, step: &Step) -> Result<(), String> {
        let actor = self.actor(&fill_text(&self.names(), step.text("as")?)?);
        let during = step.during()?;
        let stage: Weak<Self> = Arc::downgrade(self);
        let subscriber = move |_: &[IpcValue]| {
            if let Some(stage) = stage.upgrade() {
                stage.during(&during, None);
            }
            Ok(())
        };
        let gate = format!("XivMcp.{}", step.text("subscribe")?);
        let guard = actor.transport.subscribe(&gate, &[], Arc::new(subscriber)).map_err(|error| error.to_string())?;
        lock(&actor.part).listening.push(guard);
        Ok(())
    }

    fn cancelled(&self, actor: &Actor, script: &Script, arguments: &[IpcValue]) {
        let call = arguments.first().and_then(IpcValue::as_text).unwrap_or_default();
        lock(&actor.part).seen.push(json!({"gate": "Cancel", "callId": call}));
        self.during(&script.during, Some(call));
    }

    fn invoked(&self, actor: &Actor, arguments: &[IpcValue]) -> Result<IpcValue, IpcError> {
        let texts: Vec<&str> = arguments.iter().filter_map(IpcValue::as_text).collect();
        let [call, tool, args] = texts[..] else { return Ok("".into()) };
        let script = {
            let mut part = lock(&actor.part);
            let shown: Value = serde_json::from_str(args).unwrap_or_else(|_| args.into());
            part.seen.push(json!({"gate": "Invoke", "callId": call, "tool": tool, "args": shown}));
            part.scripts.get(&Some(tool.to_owned())).or_else(|| part.scripts.get(&None)).cloned()
        };
        let Some(Script { step, during }) = script else {
            return Ok(json!({"error": format!("{} has no tool {tool}", actor.name)}).to_string().into());
        };
        self.during(&during, Some(call));
        let names = self.names().with("callId", call.into());
        if let Ok(text) = step.text("fails") {
            let message = fill_text(&names, text).unwrap_or_else(|reason| reason);
            let gate = PluginGate::Invoke.name(&actor.name);
            return Err(IpcError::Failed { gate, kind: "Exception".to_owned(), message });
        }
        let Some(raw) = step.raw("reply") else { return Ok("".into()) };
        match names.fill_json(raw) {
            Ok(reply) => Ok(reply.as_str().unwrap_or_default().into()),
            Err(reason) => {
                self.problem(step.line, reason.clone());
                Ok(json!({"error": reason}).to_string().into())
            }
        }
    }
}

fn invoked(stage: &Weak<Stage>, actor: &Weak<Actor>, arguments: &[IpcValue]) -> Result<IpcValue, IpcError> {
    match (stage.upgrade(), actor.upgrade()) {
        (Some(stage), Some(actor)) => stage.invoked(&actor, arguments),
        _ => Ok("".into()),
    }
}

fn keep(actor: &Actor, gate: &str, guard: Result<IpcGuard, IpcError>) -> Result<(), String> {
    let guard = guard.map_err(|error| error.to_string())?;
    let replaced = lock(&actor.part).gates.insert(gate.to_owned(), guard);
    drop(replaced);
    Ok(())
}

/// A text with its names put in.
pub(super) fn fill_text(names: &Names, text: &str) -> Result<String, String> {
    match names.fill(&Value::String(text.to_owned()))? {
        Value::String(text) => Ok(text),
        other => Ok(other.to_string()),
    }
}
