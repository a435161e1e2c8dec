//! `update_job` (R-JOB-5): what the assistant or the player does about a job that waits.

use xivmcp_protocol::job::number_steps;
use xivmcp_protocol::{CheckedStep, JobDescription, JobState, JobStepRequest, JsonText, StepState};

use super::Record;
use crate::core::Core;
use crate::core::time::Time;

/// What is to be done, with the steps that it takes.
enum Change {
    Retry,
    Skip,
    Append(Vec<CheckedStep>),
    ReplaceRemaining(Vec<CheckedStep>),
}

impl Core {
    /// The assistant's `update_job`, without a call: `action` is `retry`, `skip`, `append` or `replace_remaining`. The
    /// error is the host's message, and then nothing has changed.
    pub(crate) fn update_job(
        &mut self,
        now: Time,
        job: &str,
        action: &str,
        steps: Option<&JsonText>,
        resume: bool,
    ) -> Result<JobDescription, String> {
        let order = self.job_of_anyone(job)?;
        let change = self.check_change(order, action, steps)?;
        let Some(record) = self.jobs.get_mut(order) else { return Err(super::no_such_job(job)) };
        if resume && matches!(change, Change::Append(_)) {
            record.may_go_on()?;
        }
        record.change(change);
        let failed = record.current_step().is_some_and(|step| step.state == StepState::Failed);
        if !failed {
            record.reason = None;
        }
        if record.state != JobState::Paused {
            record.state = JobState::Pending;
            self.jobs.runnable.remove(&order);
        }
        if let Some(record) = self.jobs.get_mut(order) {
            record.push_log(now, &format!("Changed: {action}"));
        }
        self.job_changed(now, order);
        if resume {
            self.resume(now, order)?;
        }
        self.job(job).ok_or_else(|| super::no_such_job(job))
    }

    fn check_change(&self, order: u64, action: &str, steps: Option<&JsonText>) -> Result<Change, String> {
        let Some(record) = self.jobs.get(order) else { return Err(super::no_such_job("")) };
        if record.state.is_finished() {
            return Err(record.refusal("changed"));
        }
        if self.jobs.runs_step_of(order) {
            let step = record.current_step().map(|step| step.id.as_str()).unwrap_or_default();
            return Err(format!(
                "the job \"{}\" ({}) cannot be changed while its step {step} is running; pause it first",
                record.name, record.id
            ));
        }
        let current = || {
            record
                .current_step()
                .ok_or_else(|| format!("the job \"{}\" ({}) has no step left to {action}", record.name, record.id))
        };
        match action {
            "retry" => current().map(|_| Change::Retry),
            "skip" => current().map(|_| Change::Skip),
            "append" => self.new_steps(record, record.steps.len(), steps).map(Change::Append),
            "replace_remaining" => self.new_steps(record, record.current, steps).map(Change::ReplaceRemaining),
            _ => Err(format!("`action` is \"{action}\"; it must be retry, skip, append or replace_remaining")),
        }
    }

    /// Steps that come behind the first `kept` ones, checked as those of a new job (R-JOB-2).
    fn new_steps(&self, record: &Record, kept: usize, steps: Option<&JsonText>) -> Result<Vec<CheckedStep>, String> {
        let json = steps.ok_or("`steps` is missing")?;
        let asked = JobStepRequest::parse_list(json.get()).map_err(|error| error.to_string())?;
        if asked.is_empty() {
            return Err("`steps` is empty: give at least one step".to_owned());
        }
        let existing: Vec<&str> = record.steps.iter().take(kept).map(|step| step.id.as_str()).collect();
        let checked = number_steps(&existing, &asked).map_err(|error| error.to_string())?;
        self.check_steps(&record.asker, &checked)?;
        Ok(checked)
    }
}

impl Record {
    fn change(&mut self, change: Change) {
        match change {
            Change::Retry => self.leave_current(StepState::Queued),
            Change::Skip => {
                self.leave_current(StepState::Skipped);
                self.current += 1;
            }
            Change::Append(steps) => self.add_steps(steps),
            Change::ReplaceRemaining(steps) => {
                for dropped in self.steps.drain(self.current..) {
                    self.places.remove(&dropped.id);
                }
                self.add_steps(steps);
            }
        }
    }

    fn leave_current(&mut self, state: StepState) {
        if let Some(step) = self.steps.get_mut(self.current) {
            step.state = state;
            step.error = None;
        }
    }
}
