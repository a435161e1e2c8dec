//! Jobs: the plugin starts them, and controls those that it started.

use std::borrow::Borrow;

use xivmcp_protocol::{HostGate, Job, JobReply, JobsReply, NoFields};

use super::ClientHandle;
use crate::error::ClientError;
use crate::job::McpJob;

impl ClientHandle {
    /// Starts a job, and gives it as the host describes it.
    ///
    /// # Errors
    ///
    /// [`ClientError::Job`] for what can be known without the host; then nothing was sent. [`ClientError::Refused`] with
    /// the host's message (an unknown tool, a plugin that is not enabled, …), [`ClientError::NotReady`] while the host is
    /// not loaded, and the others of a request.
    ///
    /// ```
    /// use serde_json::json;
    /// use xivmcp_client::{ClientError, McpJob, McpJobStep};
    /// # let client = xivmcp_client::TestCall::new("myplugin_farm").call().client();
    ///
    /// let mut job = McpJob::new("Farm and sell");
    /// let farm = job.add(McpJobStep::new("myplugin_farm").args(json!({ "minutes": 60 })));
    /// job.add(McpJobStep::new("myplugin_sell").args(json!({ "count": farm.result("kills") })));
    /// match client.start_job(&job) {
    ///     Ok(job) => println!("{} is {}", job.id, job.state),
    ///     Err(ClientError::Refused(refusal)) => println!("{}", refusal.message()),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    pub fn start_job(&self, job: impl Borrow<McpJob>) -> Result<Job, ClientError> {
        let request = job.borrow().to_request()?;
        // Texts always write; were it otherwise, the host would refuse the blank job and say so.
        let json = serde_json::to_string(&request).unwrap_or_default();
        Ok(self.shared.request::<JobReply>(HostGate::StartJob, &[self.shared.owner(), &json])?.job)
    }

    /// A job by its id or its name. Only jobs that this plugin started are found.
    ///
    /// # Errors
    ///
    /// [`ClientError::Refused`] if there is none, [`ClientError::NotReady`] while the host is not loaded, and the others of
    /// a request.
    ///
    /// ```
    /// # let client = xivmcp_client::TestCall::new("example").call().client();
    /// match client.get_job("0123abcd") {
    ///     Ok(job) => println!("{}: {}", job.name, job.state),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    pub fn get_job(&self, id: &str) -> Result<Job, ClientError> {
        Ok(self.shared.request::<JobReply>(HostGate::GetJob, &[id])?.job)
    }

    /// The jobs that this plugin started, the newest first.
    ///
    /// # Errors
    ///
    /// As [`get_job`](Self::get_job).
    ///
    /// ```
    /// # let client = xivmcp_client::TestCall::new("example").call().client();
    /// for job in client.list_jobs()? {
    ///     println!("{} {}", job.name, job.progress);
    /// }
    /// # Ok::<(), xivmcp_client::ClientError>(())
    /// ```
    pub fn list_jobs(&self) -> Result<Vec<Job>, ClientError> {
        Ok(self.shared.request::<JobsReply>(HostGate::ListJobs, &[self.shared.owner()])?.jobs)
    }

    /// Pauses a job: its running step is cancelled, and begins anew after a resume.
    ///
    /// # Errors
    ///
    /// As [`get_job`](Self::get_job); also refused for a job that is finished.
    ///
    /// ```
    /// # let client = xivmcp_client::TestCall::new("example").call().client();
    /// use xivmcp_client::ClientError;
    ///
    /// assert!(matches!(client.pause_job("0123abcd"), Err(ClientError::Refused(_))));
    /// ```
    pub fn pause_job(&self, id: &str) -> Result<(), ClientError> {
        self.control(HostGate::PauseJob, id)
    }

    /// Resumes a job that is paused.
    ///
    /// # Errors
    ///
    /// As [`get_job`](Self::get_job); also refused for a job that is finished, and while its current step is failed.
    ///
    /// ```
    /// # let client = xivmcp_client::TestCall::new("example").call().client();
    /// use xivmcp_client::ClientError;
    ///
    /// assert!(matches!(client.resume_job("0123abcd"), Err(ClientError::Refused(_))));
    /// ```
    pub fn resume_job(&self, id: &str) -> Result<(), ClientError> {
        self.control(HostGate::ResumeJob, id)
    }

    /// Cancels a job, for good. For a finished job it does nothing.
    ///
    /// # Errors
    ///
    /// As [`get_job`](Self::get_job).
    ///
    /// ```
    /// # let client = xivmcp_client::TestCall::new("example").call().client();
    /// use xivmcp_client::ClientError;
    ///
    /// assert!(matches!(client.cancel_job("0123abcd"), Err(ClientError::Refused(_))));
    /// ```
    pub fn cancel_job(&self, id: &str) -> Result<(), ClientError> {
        self.control(HostGate::CancelJob, id)
    }

    fn control(&self, gate: HostGate, id: &str) -> Result<(), ClientError> {
        self.shared.request::<NoFields>(gate, &[id]).map(drop)
    }
}
