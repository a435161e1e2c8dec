//! Jobs (SPEC §9): what is kept of them, and how they are found and described. Starting, running and control are in the
//! modules below.

#[cfg(test)]
mod caller_tests;
mod control;
#[cfg(test)]
mod control_tests;
mod engine;
#[cfg(feature = "server")]
mod saved;
mod start;
#[cfg(test)]
mod tests;
mod update;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use xivmcp_protocol::{
    CallId, CheckedStep, CurrentStep, HostError, Job, JobDescription, JobProgress, JobState, JobStep, JsonText,
    StepState, cut_utf16,
};

use super::Core;
use super::call::{Asker, StepRef};
use super::dalamud::plugin_key;
use super::effect::Effect;
use super::time::Time;
use super::timers::TimerId;

/// How many lines of a job's log are kept (R-JOB-10).
const LOG_LINES: usize = 200;

/// A job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) id: String,
    /// With the plugin's display name behind it.
    pub(super) name: String,
    /// As it was given.
    given_name: String,
    asker: Asker,
    state: JobState,
    reason: Option<String>,
    steps: Vec<Step>,
    /// Where the steps are, by id.
    #[serde(skip)]
    places: HashMap<String, usize>,
    /// The first step that is neither done nor skipped; those before it all are.
    current: usize,
    created: Time,
    updated: Time,
    log: VecDeque<String>,
}

/// A step of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Step {
    id: String,
    tool: String,
    args: JsonText,
    note: Option<String>,
    state: StepState,
    /// Since when it is in this state; nothing while it was never started.
    since: Option<Time>,
    result: Option<JsonText>,
    error: Option<String>,
    attempts: u32,
}

/// The step that runs; there is at most one (R-JOB-3).
#[derive(Debug)]
struct Running {
    at: StepRef,
    call: CallId,
    /// `wait` and the like, which keep nobody from acting (R-JOB-9).
    passive: bool,
}

/// All jobs.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    /// By the order of starting.
    records: BTreeMap<u64, Record>,
    by_id: HashMap<String, u64>,
    /// The jobs that are queued or running.
    runnable: BTreeSet<u64>,
    running: Option<Running>,
    /// Set while a timer will look for the next step.
    wake: Option<TimerId>,
    next: u64,
}

impl Jobs {
    fn get(&self, order: u64) -> Option<&Record> {
        self.records.get(&order)
    }

    fn get_mut(&mut self, order: u64) -> Option<&mut Record> {
        self.records.get_mut(&order)
    }

    /// The job whose step keeps the assistant from acting (R-JOB-9).
    pub(super) fn acting_job(&self) -> Option<&Record> {
        let running = self.running.as_ref().filter(|running| !running.passive)?;
        self.get(running.at.job)
    }

    pub(super) fn running_steps(&self) -> usize {
        usize::from(self.running.is_some())
    }

    fn runs_step_of(&self, order: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.at.job == order)
    }

    /// A job by id or by name, among those that `visible` lets pass: by name unfinished ones first, the newest first
    /// (R-JOB-8).
    fn find(&self, job: &str, visible: impl Fn(&Record) -> bool) -> Option<u64> {
        if let Some(order) = self.by_id.get(job)
            && self.get(*order).is_some_and(&visible)
        {
            return Some(*order);
        }
        let name = job.trim().to_lowercase();
        let named = self
            .records
            .iter()
            .rev()
            .filter(|(_, record)| visible(record) && record.is_called(&name))
            .map(|(order, record)| (*order, record.state.is_finished()));
        let mut finished = None;
        for (order, is_finished) in named {
            if !is_finished {
                return Some(order);
            }
            finished = finished.or(Some(order));
        }
        finished
    }

    /// The job as gates give it.
    pub(super) fn describe(&self, order: u64) -> Job {
        self.get(order).map_or_else(Record::gone, Record::describe)
    }

    fn insert(&mut self, record: Record) -> u64 {
        self.next += 1;
        self.by_id.insert(record.id.clone(), self.next);
        self.runnable.insert(self.next);
        self.records.insert(self.next, record);
        self.next
    }

    pub(super) fn forget(&mut self, order: u64) {
        if let Some(record) = self.records.remove(&order) {
            self.by_id.remove(&record.id);
        }
        self.runnable.remove(&order);
    }
}

impl Record {
    fn is_called(&self, lower_name: &str) -> bool {
        self.name.to_lowercase() == lower_name || self.given_name.trim().to_lowercase() == lower_name
    }

    fn belongs_to(&self, key: &str) -> bool {
        self.asker.plugin_key().as_deref() == Some(key)
    }

    fn current_step(&self) -> Option<&Step> {
        self.steps.get(self.current)
    }

    fn push_log(&mut self, now: Time, text: &str) {
        if self.log.len() == LOG_LINES {
            self.log.pop_front();
        }
        self.log.push_back(format!("{} {text}", now.time_of_day()));
    }

    fn add_steps(&mut self, steps: impl IntoIterator<Item = CheckedStep>) {
        for step in steps {
            self.places.insert(step.id.clone(), self.steps.len());
            self.steps.push(Step {
                id: step.id,
                tool: step.tool,
                args: step.args,
                note: step.note,
                state: StepState::Queued,
                since: None,
                result: None,
                error: None,
                attempts: 0,
            });
        }
    }

    fn describe(&self) -> Job {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let mut job = Job::new(
            self.id.clone(),
            self.name.clone(),
            self.state.clone(),
            JobProgress::new(count(self.current), count(self.steps.len())),
            self.created.to_string(),
            self.updated.to_string(),
        );
        job.reason.clone_from(&self.reason);
        job.current_step = self.current_step().map(|step| {
            let mut current = CurrentStep::new(step.id.clone(), step.tool.clone(), step.state.clone());
            current.since = step.since.map(|since| since.to_string());
            current.error.clone_from(&step.error);
            current
        });
        job
    }

    fn describe_whole(&self) -> JobDescription {
        let steps = self.steps.iter().map(|step| {
            let mut whole = JobStep::new(step.id.clone(), step.tool.clone(), step.state.clone(), step.args.clone());
            whole.note.clone_from(&step.note);
            whole.result.clone_from(&step.result);
            whole.error.clone_from(&step.error);
            whole.attempts = step.attempts;
            whole
        });
        let mut description = JobDescription::new(self.describe(), steps);
        description.log = self.log.iter().cloned().collect();
        description
    }

    /// Stands in for a job that is not there any more; callers have found it just before.
    fn gone() -> Job {
        Job::new("", "", JobState::Cancelled, JobProgress::new(0, 0), "", "")
    }
}

impl Core {
    /// A job, found by id or name, whoever started it.
    pub(crate) fn job(&self, job: &str) -> Option<JobDescription> {
        let order = self.jobs.find(job, |_| true)?;
        Some(self.jobs.get(order)?.describe_whole())
    }

    /// Who started a job, as the audit log would say it.
    #[cfg(feature = "server")]
    pub(super) fn job_asker(&self, job: &str) -> Option<String> {
        let order = self.jobs.find(job, |_| true)?;
        Some(self.jobs.get(order)?.asker.to_string())
    }

    /// The ids of all jobs, newest first.
    pub(crate) fn job_ids(&self) -> Vec<String> {
        self.jobs.records.values().rev().map(|record| record.id.clone()).collect()
    }

    /// All jobs as gates give them, newest first.
    pub(super) fn all_jobs(&self) -> Vec<Job> {
        self.jobs.records.values().rev().map(Record::describe).collect()
    }

    /// A job that the calling plugin started (R-JOB-8).
    pub(super) fn job_of_caller(&self, caller: Option<&str>, job: &str) -> Result<u64, HostError> {
        let key = caller.map(plugin_key);
        self.jobs
            .find(job, |record| key.as_deref().is_some_and(|key| record.belongs_to(key)))
            .ok_or_else(|| HostError::new(no_such_job(job)))
    }

    /// The calling plugin's jobs, newest first (R-JOB-8).
    pub(super) fn jobs_of_caller(&self, caller: Option<&str>) -> Vec<Job> {
        let Some(key) = caller.map(plugin_key) else { return Vec::new() };
        self.jobs.records.values().rev().filter(|record| record.belongs_to(&key)).map(Record::describe).collect()
    }

    /// A job that anyone started, for the player and the assistant.
    fn job_of_anyone(&self, job: &str) -> Result<u64, String> {
        self.jobs.find(job, |_| true).ok_or_else(|| no_such_job(job))
    }

    /// Notes that a job has changed.
    fn job_changed(&mut self, now: Time, order: u64) {
        let Some(record) = self.jobs.get_mut(order) else { return };
        record.updated = now;
        let job = record.id.clone();
        self.push(Effect::JobChanged { job });
    }
}

fn no_such_job(job: &str) -> String {
    format!("there is no job \"{}\" (by id or name)", cut_utf16(job, 100))
}
