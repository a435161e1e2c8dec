//! Playing a scenario: each verb against a fresh host in virtual time.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use xivmcp_protocol::{JsonText, PermissionMode};

use super::line::{Step, Verb};
use super::stage::{Stage, fill_text};
use super::{Mismatch, Played, Scenario, views};
use crate::bus::panic_text;
use crate::core::{Access, Answer, BuiltinScript, InstallChange};
use crate::driver::CallCell;
use crate::engine::Engine;
use crate::host::world::World;

/// One run of a scenario.
struct Run {
    world: Arc<World>,
    stage: Arc<Stage>,
    calls: BTreeMap<String, Arc<CallCell>>,
}

/// Plays all steps; what did not match.
pub(super) fn play(scenario: &Scenario, told: &mut dyn FnMut(&Played)) -> Vec<Mismatch> {
    let world = World::simulated(0);
    let mut run = Run { stage: Stage::new(&world), world, calls: BTreeMap::new() };
    let mut mismatches = Vec::new();
    for step in &scenario.steps {
        let gives = match catch_unwind(AssertUnwindSafe(|| run.step(step))) {
            Ok(gives) => gives,
            Err(panic) => {
                let text = format!("the host failed: {}", panic_text(&*panic));
                run.stage.problem(step.line, text.clone());
                json!({"error": text})
            }
        };
        let failures = run.world.reports.take_failures();
        failures.into_iter().for_each(|failure| run.stage.problem(step.line, failure));
        told(&Played { line: step.line, gives });
        mismatches.extend(run.stage.take_problems());
    }
    if let Engine::Simulated(sim) = &*run.world.engine {
        sim.end();
    }
    mismatches
}

impl Run {
    fn step(&mut self, step: &Step) -> Value {
        self.stage.begin_line();
        self.world.settle();
        let names = self.stage.names();
        let came = self.gives(step);
        self.world.settle();
        let came = match came {
            Ok(came) => came,
            Err(error) => {
                // A step that cannot be done must not pass unseen; one that expects that may say so.
                if !step.fields.contains_key("expect") {
                    self.stage.problem(step.line, format!("this cannot be done: {error}"));
                }
                json!({"error": error})
            }
        };
        self.stage.check(step, &names, &came);
        if let Ok(name) = step.text("save") {
            self.stage.save(name, came.clone());
        }
        came
    }

    fn text(&self, step: &Step, key: &str) -> Result<String, String> {
        fill_text(&self.stage.names(), step.text(key)?)
    }

    fn optional(&self, step: &Step, key: &str) -> Result<Option<String>, String> {
        if step.fields.contains_key(key) { self.text(step, key).map(Some) } else { Ok(None) }
    }

    fn json(&self, step: &Step, key: &str, absent: &str) -> Result<JsonText, String> {
        let raw = step.raw(key).unwrap_or(absent);
        let names = self.stage.names();
        // Text stands for itself here: it becomes JSON again.
        let value: Value = serde_json::from_str(raw).map_err(|error| error.to_string())?;
        let text = match &value {
            Value::String(_) => names.fill(&value)?.to_string(),
            _ => names.fill_json(raw)?.as_str().unwrap_or_default().to_owned(),
        };
        JsonText::parse(text).map_err(|error| error.to_string())
    }

    fn gives(&mut self, step: &Step) -> Result<Value, String> {
        match step.verb {
            Verb::Install => self.install(step),
            Verb::Uninstall => {
                let plugin = self.text(step, "uninstall")?;
                let done = self.world.driver.operate(|core, now| core.dalamud_uninstall(now, &plugin));
                self.stage.unloaded(&plugin);
                done.map_err(|error| error.to_string())?;
                Ok(json!({}))
            }
            Verb::Gate => self.stage.gate(step, &self.stage.names()),
            Verb::Provide => self.stage.provide(step).map(|()| json!({})),
            Verb::Unprovide => self.stage.unprovide(step).map(|()| json!({})),
            Verb::Subscribe => self.stage.subscribe(step).map(|()| json!({})),
            Verb::Player => self.player(step),
            Verb::Assistant => self.assistant(step),
            Verb::Builtin => {
                let tool = self.text(step, "builtin")?;
                let answer = match self.optional(step, "error")? {
                    Some(error) => Err(error),
                    None => Ok(self.json(step, "result", "{}")?),
                };
                let script = BuiltinScript::new(answer, step.span("takes")?.unwrap_or_default());
                let done = self.world.driver.operate(|core, _| core.script_builtin(&tool, Some(script)));
                done.map(|()| json!({})).map_err(|error| error.to_string())
            }
            Verb::Game => {
                let value = self.stage.names().fill(step.fields.get("game").unwrap_or(&Value::Null))?;
                let change = super::game::change(&value)?;
                self.world.driver.operate(|core, _| core.change_game(&change));
                Ok(json!({}))
            }
            Verb::Job => {
                let job = self.text(step, "job")?;
                let found = self.world.look(|core| core.job(&job));
                found.map(|job| as_json(&job)).ok_or_else(|| format!("there is no job {job}"))
            }
            Verb::Calls => Ok(self.stage.take_seen(&self.text(step, "calls")?)),
            Verb::Audit => {
                let plugin = self.text(step, "audit")?;
                let entries: Vec<Value> = self.world.look(|core| core.audit(Some(&plugin)).map(views::audit).collect());
                let all = step.flag("all")?.unwrap_or(false);
                Ok(if all { Value::Array(entries) } else { entries.into_iter().next().unwrap_or(Value::Null) })
            }
            Verb::Advance => {
                if let (Engine::Simulated(sim), Some(span)) = (&*self.world.engine, step.span("advance")?) {
                    sim.advance(span);
                }
                Ok(json!({}))
            }
            Verb::Host => {
                let driver = Arc::clone(&self.world.driver);
                let unload = step.text("host")? == "unload";
                if self.world.look(crate::core::Core::is_ready) != unload {
                    let state = if unload { "not loaded" } else { "loaded already" };
                    return Err(format!("the host is {state}"));
                }
                let heard =
                    self.world.engine.on_framework(move || if unload { driver.unload() } else { driver.load() });
                Ok(json!({"messages": self.world.names_of(&heard)}))
            }
        }
    }

    fn install(&self, step: &Step) -> Result<Value, String> {
        let plugin = self.text(step, "install")?;
        let loaded = step.flag("loaded")?;
        let change =
            InstallChange { name: self.optional(step, "name")?, version: self.optional(step, "version")?, loaded };
        let done = self.world.driver.operate(|core, now| core.dalamud_install(now, &plugin, change));
        if loaded == Some(false) {
            self.stage.unloaded(&plugin);
        }
        done.map(|()| json!({})).map_err(|error| error.to_string())
    }

    fn player(&self, step: &Step) -> Result<Value, String> {
        let driver = &self.world.driver;
        let verb = step.text("player")?;
        if verb == "questions" {
            return Ok(self.world.look(|core| core.questions().iter().map(views::question).collect()));
        }
        if verb == "answer" {
            let answer = match step.text("with")? {
                "once" => Answer::Once,
                "session" => Answer::Session,
                "always" => Answer::Always,
                _ => Answer::Denied,
            };
            let open = self.world.look(crate::core::Core::questions);
            let question = open.first().ok_or("no question is open")?.id;
            let answered = driver.operate(|core, now| core.answer(now, question, answer));
            return answered.map(|question| views::question(&question)).map_err(|error| error.to_string());
        }
        let mode = step.mode()?.map(PermissionMode::from);
        let done = match verb {
            "set" => {
                if let Some(plugin) = self.optional(step, "plugin")? {
                    match (self.optional(step, "capability")?, self.optional(step, "tool")?) {
                        (Some(capability), _) => {
                            driver.operate(|core, _| core.player_set_capability(&plugin, &capability, mode))
                        }
                        (None, tool) => {
                            let tool = tool.unwrap_or_default();
                            driver.operate(|core, _| core.player_set_tool(&plugin, &tool, mode))
                        }
                    }
                } else if let Some(tool) = self.optional(step, "builtin")? {
                    driver.operate(|core, _| core.player_set_builtin(&tool, mode))
                } else {
                    let group = self.text(step, "group")?;
                    match step.flag("on")? {
                        Some(on) => driver.operate(|core, _| core.player_set_group_on(&group, on)),
                        None => {
                            let write = step.text("access")? == "write";
                            let access = if write { Access::Write } else { Access::Read };
                            driver.operate(|core, _| core.player_set_group(&group, access, mode))
                        }
                    }
                }
            }
            _ => {
                let plugin = self.text(step, "plugin")?;
                driver.operate(|core, _| match verb {
                    "enable" => core.player_enable(&plugin, None),
                    "keep_disabled" => core.player_keep_disabled(&plugin, None),
                    "lift" => core.player_lift(&plugin),
                    _ => core.player_clear_session(&plugin),
                })
            }
        };
        done.map(|()| json!({})).map_err(|error| error.to_string())
    }

    fn assistant(&mut self, step: &Step) -> Result<Value, String> {
        let verb = step.text("assistant")?;
        match verb {
            "tools" => {
                let all = step.flag("all")?.unwrap_or(false);
                Ok(self.world.look(|core| core.assistant_tools(all).iter().map(views::tool).collect()))
            }
            "call" => {
                let tool = self.text(step, "tool")?;
                let args = self.json(step, "args", "{}")?;
                let cell = self.world.driver.assistant_call(None, &tool, args);
                self.world.settle();
                let outcome = views::outcome(cell.outcome());
                if let Some(id) = self.optional(step, "id")? {
                    self.calls.insert(id, cell);
                }
                Ok(outcome)
            }
            "update_job" => {
                let (job, action) = (self.text(step, "job")?, self.text(step, "action")?);
                let steps = step.raw("steps").map(|_| self.json(step, "steps", "[]")).transpose()?;
                let resume = step.flag("resume")?.unwrap_or(false);
                let updated =
                    self.world.driver.operate(|core, now| core.update_job(now, &job, &action, steps.as_ref(), resume));
                Ok(match updated {
                    Ok(job) => json!({"job": as_json(&job)}),
                    Err(error) => json!({"error": error}),
                })
            }
            _ => {
                let id = self.text(step, "id")?;
                let cell = self.calls.get(&id).ok_or_else(|| format!("no call was started as {id}"))?;
                if verb == "give_up" {
                    self.world.driver.operate(|core, now| core.assistant_give_up(now, &cell.id));
                    self.world.settle();
                }
                Ok(views::outcome(cell.outcome()))
            }
        }
    }
}

fn as_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
