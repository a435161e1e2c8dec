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
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # let client = plugin.client();
    ///
    /// let mut job = McpJob::new("Count and wait");
    /// let bags = job.add(McpJobStep::new("get_inventory"));
    /// job.add(McpJobStep::new("wait").args(json!({ "seconds": bags.result("free") })));
    /// let refused = client.start_job(&job).unwrap_err();
    /// assert!(matches!(refused, ClientError::Refused(_)));      // the player has not enabled the plugin
    ///
    /// host.player().enable(&plugin);
    /// host.builtin("get_inventory").returns(json!({ "free": 12 }));
    /// let job = client.start_job(&job)?;
    /// host.wait_until(|| host.job(&job).state() == "completed");
    /// assert_eq!(host.elapsed().as_secs(), 12);
    /// # Ok::<(), ClientError>(())
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
    /// # use xivmcp_client::{ClientError, McpJob, McpJobStep};
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&plugin);
    /// # let client = plugin.client();
    /// # let wait = McpJobStep::new("wait").args(serde_json::json!({ "seconds": 9 }));
    /// let started = client.start_job(McpJob::new("Nap").step(wait))?;
    /// assert_eq!(client.get_job("nap")?.id, started.id);
    /// host.advance(std::time::Duration::from_secs(9));
    /// let job = client.get_job(&started.id)?;
    /// assert_eq!((job.state.as_str(), job.progress.to_string().as_str()), ("completed", "1/1"));
    /// # Ok::<(), ClientError>(())
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
    /// # use xivmcp_client::{ClientError, McpJob, McpJobStep};
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&plugin);
    /// # let client = plugin.client();
    /// for name in ["Morning", "Evening"] {
    ///     client.start_job(McpJob::new(name).step(McpJobStep::new("get_inventory")))?;
    /// }
    /// let names: Vec<String> = client.list_jobs()?.into_iter().map(|job| job.name).collect();
    /// assert_eq!(names, ["Evening (MyPlugin)", "Morning (MyPlugin)"]);
    /// # Ok::<(), ClientError>(())
    /// ```
    pub fn list_jobs(&self) -> Result<Vec<Job>, ClientError> {
        Ok(self.shared.request::<JobsReply>(HostGate::ListJobs, &[self.shared.owner()])?.jobs)
    }

    /// Pauses a job: its running step is cancelled, and begins anew after a resume (R-JOB-6).
    ///
    /// # Errors
    ///
    /// As [`get_job`](Self::get_job); also refused for a job that is finished.
    ///
    /// ```
    /// # use xivmcp_client::{ClientError, McpJob, McpJobStep};
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&plugin);
    /// # let client = plugin.client();
    /// # let wait = McpJobStep::new("wait").args(serde_json::json!({ "seconds": 9 }));
    /// let job = client.start_job(McpJob::new("Nap").step(wait))?;
    /// client.pause_job(&job.id)?;
    /// assert_eq!(client.get_job(&job.id)?.state.as_str(), "paused");
    /// assert!(matches!(client.pause_job("0123abcd"), Err(ClientError::Refused(_))));
    /// # Ok::<(), ClientError>(())
    /// ```
    pub fn pause_job(&self, id: &str) -> Result<(), ClientError> {
        self.control(HostGate::PauseJob, id)
    }

    /// Resumes a job that is paused or pending.
    ///
    /// # Errors
    ///
    /// As [`get_job`](Self::get_job); also refused for a job that is finished, and while its current step is failed (R-JOB-5).
    ///
    /// ```
    /// # use xivmcp_client::{ClientError, McpJob, McpJobStep};
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&plugin);
    /// # let client = plugin.client();
    /// # let wait = McpJobStep::new("wait").args(serde_json::json!({ "seconds": 9 }));
    /// let job = client.start_job(McpJob::new("Nap").step(wait))?;
    /// client.pause_job(&job.id)?;
    /// client.resume_job(&job.id)?;
    /// host.advance(std::time::Duration::from_secs(9));
    /// let over = client.resume_job(&job.id).unwrap_err();
    /// assert!(over.to_string().contains("completed"));
    /// # Ok::<(), ClientError>(())
    /// ```
    pub fn resume_job(&self, id: &str) -> Result<(), ClientError> {
        self.control(HostGate::ResumeJob, id)
    }

    /// Cancels a job, for good. For a finished job it does nothing (R-JOB-7).
    ///
    /// # Errors
    ///
    /// As [`get_job`](Self::get_job).
    ///
    /// ```
    /// # use xivmcp_client::{ClientError, McpJob, McpJobStep};
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&plugin);
    /// # let client = plugin.client();
    /// # let wait = McpJobStep::new("wait").args(serde_json::json!({ "seconds": 9 }));
    /// let job = client.start_job(McpJob::new("Nap").step(wait))?;
    /// client.cancel_job(&job.id)?;
    /// client.cancel_job(&job.id)?;                              // no error
    /// assert_eq!(client.get_job(&job.id)?.state.as_str(), "cancelled");
    /// # Ok::<(), ClientError>(())
    /// ```
    pub fn cancel_job(&self, id: &str) -> Result<(), ClientError> {
        self.control(HostGate::CancelJob, id)
    }

    fn control(&self, gate: HostGate, id: &str) -> Result<(), ClientError> {
        self.shared.request::<NoFields>(gate, &[id]).map(drop)
    }
}
