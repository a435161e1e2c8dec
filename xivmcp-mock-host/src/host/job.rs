//! Jobs, as a test sees them: everything the host knows.

use std::ops::Deref;

use serde_json::Value;
use xivmcp_protocol::{Job, JobDescription, JobStep};

/// What names a job: its id or name as text, or a description of it.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
/// # host.player().enable(&dog);
/// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
/// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
/// assert_eq!(host.job(&job).job.id, host.job(&job.id).job.id);
/// ```
pub trait AsJob {
    /// The id or the name.
    ///
    /// ```
    /// use xivmcp_mock_host::AsJob;
    ///
    /// /// A test's own handle of a job works as well.
    /// struct Farm { id: String }
    /// impl AsJob for Farm {
    ///     fn as_job(&self) -> &str {
    ///         &self.id
    ///     }
    /// }
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// let farm = Farm { id: job.id };
    /// host.player().pause_job(&farm);
    /// assert_eq!(host.job(&farm).state(), "paused");
    /// ```
    fn as_job(&self) -> &str;
}

impl AsJob for str {
    fn as_job(&self) -> &str {
        self
    }
}

impl AsJob for String {
    fn as_job(&self) -> &str {
        self
    }
}

impl AsJob for Job {
    fn as_job(&self) -> &str {
        &self.id
    }
}

impl AsJob for JobDescription {
    fn as_job(&self) -> &str {
        &self.job.id
    }
}

impl AsJob for JobReport {
    fn as_job(&self) -> &str {
        &self.description.job.id
    }
}

impl<T: AsJob + ?Sized> AsJob for &T {
    fn as_job(&self) -> &str {
        (**self).as_job()
    }
}

/// A job at one moment, from [`MockHost::job`](crate::MockHost::job).
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
/// # host.player().enable(&dog);
/// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
/// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
/// host.advance(std::time::Duration::from_secs(9));
/// assert_eq!(host.job(&job).state(), "completed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobReport {
    /// What the host tells about it, and its steps.
    pub description: JobDescription,
}

impl JobReport {
    pub(crate) fn new(description: JobDescription) -> Self {
        Self { description }
    }

    /// The state: `running`, `paused`, …
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// assert_eq!(host.job(&job).state(), "running");
    /// ```
    #[must_use]
    pub fn state(&self) -> &str {
        self.description.job.state.as_str()
    }

    /// The step with that id.
    ///
    /// # Panics
    ///
    /// If there is none; the message lists the steps.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// assert_eq!(host.job(&job).step("nap").attempts, 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn step(&self, id: &str) -> &JobStep {
        self.description.steps.iter().find(|step| step.id == id).unwrap_or_else(|| {
            let ids: Vec<&str> = self.description.steps.iter().map(|step| &*step.id).collect();
            panic!("the job {} has no step {id}, only {}", self.description.job.id, ids.join(", "))
        })
    }

    /// A step's result; null while there is none.
    ///
    /// # Panics
    ///
    /// If there is no such step.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.advance(std::time::Duration::from_secs(9));
    /// assert!(host.job(&job).result("nap")["waited"].is_number());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn result(&self, step: &str) -> Value {
        let result = self.step(step).result.as_ref();
        result.and_then(|text| serde_json::from_str(text.get()).ok()).unwrap_or(Value::Null)
    }

    /// The log, for questions about it.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// assert!(host.job(&job).log().contains("nap"));
    /// ```
    #[must_use]
    pub fn log(&self) -> JobLog<'_> {
        JobLog { lines: &self.description.log, steps: &self.description.steps }
    }
}

impl Deref for JobReport {
    type Target = JobDescription;

    fn deref(&self) -> &JobDescription {
        &self.description
    }
}

/// A job's log.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
/// # host.player().enable(&dog);
/// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
/// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
/// let report = host.job(&job);
/// assert!(report.log().lines()[0].starts_with("00:00:00 "));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct JobLog<'a> {
    lines: &'a [String],
    steps: &'a [JobStep],
}

impl<'a> JobLog<'a> {
    /// All lines, oldest first: `HH:mm:ss text`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// assert!(!host.job(&job).log().lines().is_empty());
    /// ```
    #[must_use]
    pub fn lines(&self) -> &'a [String] {
        self.lines
    }

    /// Whether a line contains `text`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("get_inventory").id("look");
    /// host.builtin("get_inventory").fails("The bags are on fire.");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Look").step(step)).unwrap();
    /// assert!(host.job(&job).log().contains("The bags are on fire."));
    /// ```
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }

    /// The last thing that a step reported (R-JOB-10), without time and step.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::{McpCall, McpJob, McpJobStep, McpToolDefinition, XivMcpClient};
    ///
    /// let dog = host.load("Dog", |client: &XivMcpClient| {
    ///     let dig = McpToolDefinition::new("dog_dig", "Digs.").read_only(true);
    ///     client.add_tool(dig, |call: McpCall| {
    ///         call.progress("3 bones");
    ///         Ok("tired")
    ///     })
    /// });
    /// host.player().enable(&dog);
    /// let job = dog.client().start_job(McpJob::new("Dig").step(McpJobStep::new("dog_dig"))).unwrap();
    /// assert_eq!(host.job(&job).log().last_progress(), Some("3 bones"));
    /// ```
    #[must_use]
    pub fn last_progress(&self) -> Option<&'a str> {
        self.lines.iter().rev().find_map(|line| {
            let text = line.get(9..)?;
            let (step, progress) = text.split_once(": ")?;
            self.steps.iter().any(|known| known.id == step).then_some(progress)
        })
    }
}
