//! Looking at the host: jobs, the audit log, findings, traffic.

use super::MockHost;
use super::job::{AsJob, JobReport};
use crate::bus::TrafficEntry;
use crate::core::{AuditEntry, Lint, LintKind, PendingCounts, Time};

impl MockHost {
    /// A job, by its description, id or name, whoever started it.
    ///
    /// # Panics
    ///
    /// If there is none; the message lists the jobs.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// assert_eq!(host.job(&job).job.progress.to_string(), "0/1");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn job(&self, job: &(impl AsJob + ?Sized)) -> JobReport {
        let found = self.world.look(|core| core.job(job.as_job()).ok_or_else(|| core.job_ids()));
        match found {
            Ok(description) => JobReport::new(description),
            Err(ids) => {
                let ids = if ids.is_empty() { "there are none".to_owned() } else { ids.join(", ") };
                self.world.fail(&format!("there is no job {:?}; the jobs: {ids}", job.as_job()))
            }
        }
    }

    /// All jobs, newest first.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// assert_eq!(host.jobs().len(), 1);
    /// ```
    #[must_use]
    pub fn jobs(&self) -> Vec<JobReport> {
        let jobs = self.world.look(|core| {
            let ids = core.job_ids();
            ids.iter().filter_map(|id| core.job(id)).collect::<Vec<_>>()
        });
        jobs.into_iter().map(JobReport::new).collect()
    }

    /// The audit log, newest entry first (R-AUD-1); the last 100,000 entries.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.audit().is_empty());
    /// ```
    #[must_use]
    pub fn audit(&self) -> Vec<AuditEntry> {
        self.world.look(|core| core.audit(None).cloned().collect())
    }

    /// What the audit log keeps about one plugin's tools, newest entry first.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// host.assistant().call("cat_purr", ());
    /// assert_eq!(host.audit_of(&cat)[0].tool, "cat_purr");
    /// ```
    #[must_use]
    pub fn audit_of(&self, plugin: impl AsRef<str>) -> Vec<AuditEntry> {
        self.world.look(|core| core.audit(Some(plugin.as_ref())).cloned().collect())
    }

    /// What the real host would have accepted in silence.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.lints().is_empty());
    /// ```
    #[must_use]
    pub fn lints(&self) -> Vec<Lint> {
        self.world.settle();
        self.world.reports.lints()
    }

    /// A lint of this kind fails the test, when the host is finished or dropped.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.deny(xivmcp_mock_host::LintKind::UnknownField);
    /// ```
    pub fn deny(&self, kind: LintKind) {
        self.world.reports.deny(kind);
    }

    /// What crossed the gates, oldest first; the last 10,000 entries.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// assert_eq!(host.traffic()[0].gate, "XivMcp.RegisterTool");
    /// ```
    #[must_use]
    pub fn traffic(&self) -> Vec<TrafficEntry> {
        self.world.settle();
        self.world.bus.traffic().all()
    }

    /// The host's own log: what it tells nobody, such as a plugin without a Cancel gate.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.log().is_empty());
    /// ```
    #[must_use]
    pub fn log(&self) -> Vec<(Time, String)> {
        self.world.settle();
        self.world.driver.log()
    }

    /// How much is open in the host.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.pending(), xivmcp_mock_host::PendingCounts::default());
    /// ```
    #[must_use]
    pub fn pending(&self) -> PendingCounts {
        self.world.look(crate::core::Core::pending)
    }
}
