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
    /// host.assistant().call("navigate_to", ());                // its group denies writing at first
    /// let entry = &host.audit()[0];
    /// assert_eq!((entry.plugin.as_str(), entry.decision.as_str()), ("XivMcp", "blocked"));
    /// assert_eq!(entry.outcome, None);                         // it never ran
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

    /// What the real host would have accepted in silence, oldest first; the last 10,000 findings.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::McpToolDefinition;
    /// use xivmcp_mock_host::LintKind;
    ///
    /// host.stand_in("Cat").offers(McpToolDefinition::new("purr", "Purrs.").read_only(true));
    /// assert_eq!(host.lints()[0].kind, LintKind::ToolName); // it should begin with `cat_`
    /// ```
    #[must_use]
    pub fn lints(&self) -> Vec<Lint> {
        self.world.settle();
        self.world.reports.lints()
    }

    /// A lint of this kind fails the test, when the host is finished or dropped; one from before as well.
    ///
    /// ```
    /// use std::panic::{AssertUnwindSafe, catch_unwind};
    /// # use xivmcp_client::McpToolDefinition;
    /// use xivmcp_mock_host::{LintKind, MockHost};
    ///
    /// let host = MockHost::simulated();
    /// host.deny(LintKind::ToolName);
    /// host.stand_in("Cat").offers(McpToolDefinition::new("purr", "Purrs.").read_only(true));
    /// let failed = catch_unwind(AssertUnwindSafe(|| host.finish())).unwrap_err();
    /// assert!(failed.downcast_ref::<String>().unwrap().contains("denied lint ToolName"));
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

    /// The host's own log: what it tells nobody, such as a plugin without a Cancel gate. Oldest first; the last 100,000
    /// lines.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use serde_json::json;
    /// # use xivmcp_client::ipc::{IpcSignature, IpcTransport, IpcType};
    /// # let cat = host.install("Cat");
    /// # cat.gate("RegisterTool", &["Cat".into(), json!({"name": "cat_nap", "description": "Naps.", "readOnly": true})]);
    /// # host.player().enable(&cat);
    /// # let text = IpcType::Text;
    /// # let invoke = std::sync::Arc::new(|_: &[_]| Ok(r#"{"pending": true}"#.into()));
    /// let signature = IpcSignature::new([text; 3], text);
    /// let invoke = cat.transport().provide_function("Cat.XivMcp.Invoke", &signature, invoke)?; // but no Cancel
    /// let call = host.assistant().call("cat_nap", ());
    /// call.give_up();
    /// call.expect_cancelled();
    /// assert!(host.log()[0].1.contains("Cancel"));
    /// # Ok::<(), xivmcp_client::ipc::IpcError>(())
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
    /// # use xivmcp_mock_host::PendingCounts;
    /// host.player().set_builtin_mode("navigate_to", "ask");
    /// let call = host.assistant().call("navigate_to", ());
    /// assert_eq!((host.pending().calls, host.pending().questions), (1, 1));
    /// call.give_up();
    /// call.expect_cancelled();
    /// assert_eq!(host.pending(), PendingCounts::default()); // nothing is left behind
    /// ```
    #[must_use]
    pub fn pending(&self) -> PendingCounts {
        self.world.look(crate::core::Core::pending)
    }
}
