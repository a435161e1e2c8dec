//! The engine: which step runs next, with which arguments, and what its end does to the job (R-JOB-3 to R-JOB-6,
//! R-JOB-10, R-JOB-11).

use xivmcp_protocol::placeholder::{StepResult, resolve};
use xivmcp_protocol::{CallId, JobState, JsonText, StepState, cut_utf16, utf16_len};

use super::{Record, Running};
use crate::core::Core;
use crate::core::JOB_KEPT;
use crate::core::call::{End, StepRef, Target};
use crate::core::time::Time;
use crate::core::timers::Due;

/// The longest result of a step that is kept as it is (R-JOB-11).
const RESULT_UNITS: usize = 20_000;

impl Core {
    /// Sees to it that the next step is looked for as soon as the operation that is going on is over.
    pub(in crate::core) fn wake_jobs(&mut self, now: Time) {
        let idle = self.jobs.running.is_none() && self.jobs.wake.is_none();
        if idle && !self.jobs.runnable.is_empty() && self.is_running() {
            self.jobs.wake = Some(self.timers.set(now, Due::RunJobs));
        }
    }

    /// Starts the next step of the job that was started first, of those that can run (R-JOB-3).
    pub(in crate::core) fn run_jobs(&mut self, now: Time) {
        self.jobs.wake = None;
        if self.jobs.running.is_some() || !self.is_running() {
            return;
        }
        if let Some(order) = self.jobs.runnable.first().copied() {
            self.start_step(now, order);
        }
        self.wake_jobs(now);
    }

    fn start_step(&mut self, now: Time, order: u64) {
        let Some(record) = self.jobs.get_mut(order) else { return };
        record.state = JobState::Running;
        record.reason = None;
        let place = record.current;
        let Some(step) = record.steps.get_mut(place) else { return self.complete_job(now, order) };
        step.state = StepState::Running;
        step.since = Some(now);
        step.error = None;
        step.result = None;
        step.attempts = step.attempts.saturating_add(1);
        let tool = step.tool.clone();
        let line = match &step.note {
            Some(note) if !note.trim().is_empty() => format!("{} ({tool}) started: {note}", step.id),
            _ => format!("{} ({tool}) started", step.id),
        };
        record.push_log(now, &line);
        let asker = record.asker.clone();
        let at = StepRef { job: order, step: place };
        let args = step_args(record, place);
        let target = self.target(&tool);
        let passive = matches!(target, Some(Target::Builtin(tool)) if tool.passive);
        let call = CallId::new(self.ids.call());
        self.jobs.running = Some(Running { at, call: call.clone(), passive });
        self.job_changed(now, order);
        let unmet = asker.plugin_key().and_then(|key| self.unmet(&key, &tool));
        match (unmet, target, args) {
            (Some(message), _, _) | (_, _, Err(message)) => self.step_ended(now, at, End::Error(message)),
            (_, None, _) => self.step_ended(now, at, End::Error(format!("There is no tool \"{tool}\" now"))),
            (None, Some(target), Ok(args)) => self.start_call(now, &call, target, asker, Some(at), args),
        }
    }

    /// The call that a step is has ended.
    pub(in crate::core) fn step_ended(&mut self, now: Time, at: StepRef, end: End) {
        self.jobs.running = None;
        let order = at.job;
        if let Some(record) = self.jobs.get_mut(order) {
            let waits = end_step(record, now, at.step, end);
            if waits {
                self.jobs.runnable.remove(&order);
            } else if record.state == JobState::Running && record.current == record.steps.len() {
                self.complete_job(now, order);
            }
            self.job_changed(now, order);
        }
        self.wake_jobs(now);
    }

    fn complete_job(&mut self, now: Time, order: u64) {
        self.finish_job(now, order, JobState::Completed, "Completed");
    }

    /// A job is over for good; it is kept for 7 days.
    pub(super) fn finish_job(&mut self, now: Time, order: u64, state: JobState, line: &str) {
        self.jobs.runnable.remove(&order);
        let Some(record) = self.jobs.get_mut(order) else { return };
        record.state = state;
        record.reason = None;
        record.push_log(now, line);
        self.timers.set(now + JOB_KEPT, Due::ForgetJob(order));
        self.job_changed(now, order);
    }

    /// `ReportProgress` of a step's call (R-JOB-10).
    pub(in crate::core) fn log_progress(&mut self, now: Time, at: StepRef, text: &str) {
        if self.jobs.running.as_ref().is_none_or(|running| running.at != at) {
            return;
        }
        let Some(record) = self.jobs.get_mut(at.job) else { return };
        let Some(step) = record.steps.get(at.step) else { return };
        let line = format!("{}: {text}", step.id);
        record.push_log(now, &line);
        self.job_changed(now, at.job);
    }
}

/// The arguments of a step with what earlier steps gave put in (R-JOB-4). Only this step's arguments are read, and
/// only if there can be a placeholder in them.
fn step_args(record: &Record, place: usize) -> Result<JsonText, String> {
    let Some(step) = record.steps.get(place) else { return Ok(JsonText::null()) };
    // A brace may also be written as an escape, `\u007b`.
    if !step.args.get().contains("{{") && !step.args.get().contains('\\') {
        return Ok(step.args.clone());
    }
    let lookup = |id: &str| match record.places.get(id).and_then(|place| record.steps.get(*place)) {
        None => StepResult::MissingStep,
        Some(step) => step.result.as_ref().map_or(StepResult::NoResult, StepResult::from),
    };
    resolve(&step.args, lookup).map_err(|error| error.to_string())
}

/// Writes the end of a step into its job. Gives whether the job waits for someone to see to the failed step.
fn end_step(record: &mut Record, now: Time, place: usize, end: End) -> bool {
    let running = record.state == JobState::Running;
    let Some(step) = record.steps.get_mut(place) else { return false };
    step.since = Some(now);
    match end {
        End::Result(result) => {
            step.state = StepState::Done;
            step.result = Some(kept_result(result));
            let line = format!("{} done", step.id);
            record.current = place + 1;
            record.push_log(now, &line);
            false
        }
        End::Error(error) if running => {
            step.state = StepState::Failed;
            let reason = format!("Step {} ({}) failed: {error}", step.id, step.tool);
            step.error = Some(error);
            record.state = JobState::Pending;
            record.push_log(now, &reason);
            record.reason = Some(reason);
            true
        }
        // Whatever comes while the job is paused or cancelled: the step was interrupted (R-JOB-6).
        End::Error(_) | End::Cancelled => {
            step.state = StepState::Interrupted;
            let line = format!("{} interrupted", step.id);
            record.push_log(now, &line);
            false
        }
    }
}

/// A result as a job keeps it: one that is too long as cut text (R-JOB-11).
fn kept_result(result: JsonText) -> JsonText {
    if result.get().len() <= RESULT_UNITS || utf16_len(result.get()) <= RESULT_UNITS {
        return result;
    }
    JsonText::from(serde_json::Value::from(cut_utf16(result.get(), RESULT_UNITS)))
}
