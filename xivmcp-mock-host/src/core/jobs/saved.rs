//! Jobs over a restart: what is kept of them, and how they come back (R-JOB-11).

use xivmcp_protocol::{JobState, StepState};

use super::Record;
use crate::core::timers::Due;
use crate::core::{Core, JOB_KEPT, Time};

impl Core {
    /// All jobs, in the order of starting.
    pub(in crate::core) fn saved_jobs(&self) -> Vec<Record> {
        self.jobs.records.values().cloned().collect()
    }

    /// Takes jobs back: those that went on when they were saved are paused and wait for resume.
    pub(in crate::core) fn restore_jobs(&mut self, now: Time, jobs: Vec<Record>) {
        for mut record in jobs {
            record.places = record.steps.iter().enumerate().map(|(at, step)| (step.id.clone(), at)).collect();
            record.current = record.current.min(record.steps.len());
            if let Some(step) = record.steps.get_mut(record.current)
                && step.state == StepState::Running
            {
                step.state = StepState::Interrupted;
            }
            if matches!(record.state, JobState::Running | JobState::Queued) {
                record.state = JobState::Paused;
                record.push_log(now, "Paused: XIV MCP was unloaded");
            }
            let (is_finished, updated) = (record.state.is_finished(), record.updated);
            let order = self.jobs.insert(record);
            self.jobs.runnable.remove(&order);
            if is_finished {
                self.timers.set(updated + JOB_KEPT, Due::ForgetJob(order));
            }
        }
    }
}
