//! How a job is started, and what is refused before anything runs (R-JOB-1, R-JOB-2, R-DEP-7).

use std::collections::{HashMap, VecDeque};

use xivmcp_protocol::{CheckedJob, CheckedStep, HostError, Job, JobState};

use super::Record;
use crate::core::Core;
use crate::core::call::{Asker, Target};
use crate::core::dalamud::plugin_key;
use crate::core::lint::LintKind;
use crate::core::time::Time;

impl Core {
    /// `StartJob`: a plugin starts a job.
    pub(in crate::core) fn start_plugin_job(&mut self, now: Time, owner: &str, json: &str) -> Result<Job, HostError> {
        let key = plugin_key(owner);
        let state = self.policies.get(&key).state();
        if !state.can_run() {
            let plugin = self.plugins.display_name(owner);
            let reason = match &self.policies.get(&key).suspended {
                Some(reason) => format!(" ({reason})"),
                None => String::new(),
            };
            return Err(HostError::new(format!(
                "{plugin} cannot start jobs: its state in XIV MCP is {state}{reason}, and must be enabled; the player can change \
                 that there"
            )));
        }
        let job = CheckedJob::parse(json).map_err(|error| HostError::new(error.to_string()))?;
        let asker = self.asker_of(owner);
        let order = self.start_job(now, asker, job).map_err(HostError::new)?;
        Ok(self.jobs.describe(order))
    }

    /// Starts a job for whoever asks. Nothing has changed if it is refused.
    pub(in crate::core) fn start_job(&mut self, now: Time, asker: Asker, job: CheckedJob) -> Result<u64, String> {
        // What the plugin declared comes first (R-DEP-7): that message is for the player, and says what to install.
        if let Some(key) = asker.plugin_key() {
            for (index, step) in job.steps.iter().enumerate() {
                if let Some(message) = self.unmet(&key, &step.tool) {
                    return Err(format!("steps[{index}] ({}) cannot run: {message}", step.tool));
                }
            }
        }
        self.check_steps(&asker, &job.steps)?;
        self.lint_undeclared(&asker, &job.steps);
        let name = match &asker {
            Asker::Assistant(_) => job.name.clone(),
            Asker::Plugin(plugin) => format!("{} ({})", job.name, self.plugins.display_name(plugin)),
        };
        let mut record = Record {
            id: self.ids.job(),
            name,
            given_name: job.name,
            asker,
            state: JobState::Queued,
            reason: None,
            steps: Vec::with_capacity(job.steps.len()),
            places: HashMap::with_capacity(job.steps.len()),
            current: 0,
            created: now,
            updated: now,
            log: VecDeque::new(),
        };
        record.add_steps(job.steps);
        record.push_log(now, "Started");
        let order = self.jobs.insert(record);
        self.job_changed(now, order);
        self.wake_jobs(now);
        Ok(order)
    }

    /// R-JOB-2: every step must be a tool that is listed now, and that a job of this asker may use.
    pub(super) fn check_steps(&self, asker: &Asker, steps: &[CheckedStep]) -> Result<(), String> {
        steps.iter().enumerate().try_for_each(|(index, step)| {
            self.check_step(asker, &step.tool)
                .map_err(|reason| format!("`steps[{index}].tool` ({:?}): {reason}", step.id))
        })
    }

    fn check_step(&self, asker: &Asker, name: &str) -> Result<(), String> {
        match self.target(name) {
            None => Err(format!("there is no tool \"{name}\"")),
            Some(Target::Builtin(tool)) if tool.job_control => {
                Err(format!("\"{name}\" controls jobs, and cannot be a step of one"))
            }
            Some(Target::Builtin(tool)) if tool.not_for_plugins && !asker.is_assistant() => {
                Err(format!("\"{name}\" is a tool that the jobs of plugins cannot use"))
            }
            Some(Target::Builtin(tool)) => self.why_not_offered(tool).map_or(Ok(()), Err),
            Some(Target::Plugin(tool)) => {
                if !self.plugins.is_loaded(&tool.owner) {
                    let plugin = self.plugins.display_name(&tool.owner);
                    return Err(format!("\"{name}\" cannot be used now: {plugin} is not loaded"));
                }
                let policy = self.policies.get(&tool.owner_key);
                if policy.enabled && !policy.awaiting_consent {
                    return Ok(()); // a suspended plugin's tool is listed; its step will fail
                }
                self.why_not_running(&tool.owner_key, name).map_or(Ok(()), Err)
            }
        }
    }

    fn lint_undeclared(&mut self, asker: &Asker, steps: &[CheckedStep]) {
        let Asker::Plugin(plugin) = asker else { return };
        let key = plugin_key(plugin);
        let mut found: Vec<&str> = Vec::new();
        for step in steps {
            let own = self.registry.get(&step.tool).is_some_and(|tool| tool.owner_key == key);
            if !own && !self.is_declared(&key, &step.tool) && !found.contains(&step.tool.as_str()) {
                found.push(&step.tool);
            }
        }
        for tool in found {
            let message = format!(
                "a job uses \"{tool}\", which was not declared: declare it (UsesTools), so that the player sees what is missing"
            );
            self.lint(LintKind::UndeclaredTool, plugin, tool, message);
        }
    }
}
