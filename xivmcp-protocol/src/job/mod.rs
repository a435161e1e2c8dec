//! Jobs and their steps, as a plugin sends them and as the host describes them (SPEC §9).
//!
//! [`JobRequest`] goes in: the client builds and checks it before it is sent, the host reads and checks it again with the
//! same code ([`CheckedJob`]). [`Job`] comes out; [`JobDescription`] is the same with all steps and the log, for whoever
//! looks into a job (the assistant's `get_job`, tests). What needs the host's knowledge (which tools there are, what the
//! player allows) is not here.

mod description;
mod error;
mod request;

pub use description::{CurrentStep, Job, JobDescription, JobProgress, JobReply, JobStep, JobsReply};
pub use error::JobRequestError;
pub use request::{CheckedJob, CheckedStep, JobRequest, JobStepRequest, number_steps};

open_enum! {
    /// Where a job stands.
    ///
    /// ```
    /// use xivmcp_protocol::JobState;
    ///
    /// assert_eq!(JobState::from("pending"), JobState::Pending);
    /// assert!(JobState::Cancelled.is_finished() && !JobState::Pending.is_finished());
    /// ```
    pub enum JobState {
        /// Waits for its turn.
        Queued = "queued",
        /// One of its steps runs.
        Running = "running",
        /// The player, the assistant or the plugin paused it, or the host was unloaded.
        Paused = "paused",
        /// A step failed; it waits to be told what to do (R-JOB-5).
        Pending = "pending",
        /// All steps are done or skipped.
        Completed = "completed",
        /// It ended with a failure.
        Failed = "failed",
        /// It was cancelled, which is final.
        Cancelled = "cancelled",
    }
}

impl JobState {
    /// Whether the job is over: completed, failed or cancelled. A state that is not known counts as not finished.
    ///
    /// ```
    /// # use xivmcp_protocol::JobState;
    /// assert!(JobState::Completed.is_finished());
    /// assert!(!JobState::from("napping").is_finished());
    /// ```
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

open_enum! {
    /// Where a step of a job stands.
    ///
    /// ```
    /// use xivmcp_protocol::StepState;
    ///
    /// assert_eq!(StepState::Interrupted.as_str(), "interrupted");
    /// assert!(StepState::Skipped.is_over() && !StepState::Failed.is_over());
    /// ```
    pub enum StepState {
        /// Has not run yet.
        Queued = "queued",
        /// Runs, or waits for the player's answer.
        Running = "running",
        /// Gave a result.
        Done = "done",
        /// Failed; the job waits (R-JOB-5).
        Failed = "failed",
        /// Was cancelled by a pause, and runs again from its start (R-JOB-6).
        Interrupted = "interrupted",
        /// Was left out.
        Skipped = "skipped",
    }
}

impl StepState {
    /// Whether the job has this step behind it: done or skipped, as its progress counts them.
    ///
    /// ```
    /// # use xivmcp_protocol::StepState;
    /// assert!(StepState::Done.is_over());
    /// assert!(!StepState::Interrupted.is_over());
    /// ```
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }
}
