//! Pause, resume and cancel (R-JOB-6, R-JOB-7), and what the host's unloading does to jobs (R-JOB-11).

use xivmcp_protocol::{JobState, StepState};

use super::Record;
use crate::core::time::Time;
use crate::core::{Core, JobControl};

impl Core {
    /// Pauses, resumes or cancels a job, found by id or name, whoever started it. The error is the host's message.
    pub(crate) fn control_job(&mut self, now: Time, job: &str, control: JobControl) -> Result<(), String> {
        let order = self.job_of_anyone(job)?;
        self.control(now, order, control)
    }

    pub(in crate::core) fn control(&mut self, now: Time, order: u64, control: JobControl) -> Result<(), String> {
        match control {
            JobControl::Pause => self.pause(now, order),
            JobControl::Resume => self.resume(now, order),
            JobControl::Cancel => self.cancel_job(now, order),
        }
    }

    fn pause(&mut self, now: Time, order: u64) -> Result<(), String> {
        let Some(record) = self.jobs.get_mut(order) else { return Ok(()) };
        if record.state.is_finished() {
            return Err(record.refusal("paused"));
        }
        if record.state != JobState::Paused {
            record.state = JobState::Paused;
            record.push_log(now, "Paused");
            self.jobs.runnable.remove(&order);
            self.job_changed(now, order);
            self.cancel_step_of(now, order);
        }
        Ok(())
    }

    pub(super) fn resume(&mut self, now: Time, order: u64) -> Result<(), String> {
        let Some(record) = self.jobs.get_mut(order) else { return Ok(()) };
        if record.state.is_finished() {
            return Err(record.refusal("resumed"));
        }
        record.may_go_on()?;
        if matches!(record.state, JobState::Paused | JobState::Pending) {
            record.state = JobState::Queued;
            record.reason = None;
            record.push_log(now, "Resumed");
            self.jobs.runnable.insert(order);
            self.job_changed(now, order);
            self.wake_jobs(now);
        }
        Ok(())
    }

    fn cancel_job(&mut self, now: Time, order: u64) -> Result<(), String> {
        if self.jobs.get(order).is_some_and(|record| !record.state.is_finished()) {
            self.finish_job(now, order, JobState::Cancelled, "Cancelled");
            self.cancel_step_of(now, order);
        }
        Ok(())
    }

    /// Cancels the step of a job that runs, if one does. Until its call has ended it counts as running (R-CALL-9).
    fn cancel_step_of(&mut self, now: Time, order: u64) {
        if let Some(running) = self.jobs.running.as_ref().filter(|running| running.at.job == order) {
            let call = running.call.clone();
            self.cancel_call(now, &call);
        }
    }

    /// The host unloads: what is queued or running is paused, and waits for resume (R-JOB-11). The calls end afterwards.
    pub(in crate::core) fn pause_all_jobs(&mut self, now: Time) {
        for order in std::mem::take(&mut self.jobs.runnable) {
            let Some(record) = self.jobs.get_mut(order) else { continue };
            record.state = JobState::Paused;
            record.push_log(now, "Paused: XIV MCP was unloaded");
            self.job_changed(now, order);
        }
    }
}

impl Record {
    /// A failed step must be seen to first (R-JOB-5).
    pub(super) fn may_go_on(&self) -> Result<(), String> {
        match self.current_step() {
            Some(step) if step.state == StepState::Failed => Err(format!(
                "the job \"{}\" ({}) cannot be resumed: its step {} ({}) has failed; retry, skip or replace it first (update_job)",
                self.name, self.id, step.id, step.tool
            )),
            _ => Ok(()),
        }
    }

    /// Why a finished job cannot be controlled (R-JOB-7).
    pub(super) fn refusal(&self, what: &str) -> String {
        format!("the job \"{}\" ({}) is {} and cannot be {what}", self.name, self.id, self.state)
    }
}
