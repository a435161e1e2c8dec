//! The assistant: what it is offered, its calls, and its control of jobs.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use xivmcp_protocol::JsonText;

use super::builtin::to_json;
use super::job::{AsJob, JobReport};
use super::pending_call::PendingCall;
use super::world::World;
use crate::core::{JobControl, ListedTool};

/// The AI app that talks to the host, from [`MockHost::assistant`](crate::MockHost::assistant).
///
/// ```
/// use serde_json::json;
/// use xivmcp_client::{McpToolDefinition, XivMcpClient};
/// use xivmcp_mock_host::MockHost;
///
/// let host = MockHost::simulated();
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     client.add_tool(McpToolDefinition::new("myplugin_ping", "Answers.").read_only(true), || Ok("pong"))
/// });
/// let refused = host.assistant().call("myplugin_ping", json!({})).expect_error();
/// assert!(refused.contains("MyPlugin"));
///
/// host.player().enable(&plugin);
/// assert_eq!(host.assistant().tools()[0].name, "myplugin_ping");
/// assert_eq!(host.assistant().call("myplugin_ping", json!({})).expect_result(), "pong");
/// ```
#[derive(Clone)]
pub struct Assistant {
    world: Arc<World>,
    client: Option<String>,
}

impl Assistant {
    pub(crate) fn new(world: &Arc<World>) -> Self {
        Self { world: Arc::clone(world), client: None }
    }

    /// The same, under the name that the app gave itself: callers read `assistant:<client>` then.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.assistant().named("Claude").call("get_inventory", ());
    /// assert_eq!(host.builtin("get_inventory").calls()[0].caller, "assistant:Claude");
    /// ```
    #[must_use]
    pub fn named(&self, client: &str) -> Self {
        Self { world: Arc::clone(&self.world), client: Some(client.to_owned()) }
    }

    /// The plugins' tools that are offered, in the order of registration (R-CALL-12).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().tools().is_empty());
    /// ```
    #[must_use]
    pub fn tools(&self) -> Vec<ListedTool> {
        self.world.look(|core| core.assistant_tools(false))
    }

    /// All tools that are offered: the host's own, then the plugins'.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().all_tools().iter().any(|tool| tool.name == "get_inventory"));
    /// ```
    #[must_use]
    pub fn all_tools(&self) -> Vec<ListedTool> {
        self.world.look(|core| core.assistant_tools(true))
    }

    /// A tool that is offered, of a plugin's or the host's own.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().tool("get_inventory").unwrap().read_only);
    /// ```
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<ListedTool> {
        self.all_tools().into_iter().find(|tool| tool.name == name)
    }

    /// Calls a tool. The call starts now, whether or not anybody waits for it; in a simulation everything that can
    /// happen at this moment has happened when this returns.
    ///
    /// `args` is what `json!` gives, or any value that serializes to an object; `()` is no arguments.
    ///
    /// # Panics
    ///
    /// If `args` cannot be JSON.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use serde_json::json;
    /// let call = host.assistant().call("get_inventory", json!({"bag": 1}));
    /// assert_eq!(call.expect_result(), json!({}));
    /// ```
    #[track_caller]
    pub fn call(&self, tool: &str, args: impl Serialize) -> PendingCall {
        let args = to_json(&args);
        let args = if args.get() == "null" { empty_object() } else { args };
        self.call_json(tool, args)
    }

    /// Calls a tool with arguments as the app sent them, byte for byte.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// let args = xivmcp_client::JsonText::parse(r#"{"bag": 1.50}"#)?;
    /// host.assistant().call_json("get_inventory", args);
    /// assert_eq!(host.builtin("get_inventory").calls()[0].args.get(), r#"{"bag": 1.50}"#);
    /// # Ok::<(), xivmcp_client::JsonTextError>(())
    /// ```
    #[expect(clippy::must_use_candidate, reason = "a call starts and runs without anybody who waits for it")]
    pub fn call_json(&self, tool: &str, args: JsonText) -> PendingCall {
        self.world.settle();
        let cell = self.world.driver.assistant_call(self.client.as_deref(), tool, args);
        self.world.settle();
        PendingCall::new(&self.world, cell)
    }

    /// Pauses a job.
    ///
    /// # Errors
    ///
    /// The host's message.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.assistant().pause_job(&job)?;
    /// # Ok::<(), String>(())
    /// ```
    pub fn pause_job(&self, job: &(impl AsJob + ?Sized)) -> Result<(), String> {
        self.world.act(|core, now| core.control_job(now, job.as_job(), JobControl::Pause))
    }

    /// Resumes a job.
    ///
    /// # Errors
    ///
    /// The host's message.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// assert!(host.assistant().resume_job("no such job").is_err());
    /// ```
    pub fn resume_job(&self, job: &(impl AsJob + ?Sized)) -> Result<(), String> {
        self.world.act(|core, now| core.control_job(now, job.as_job(), JobControl::Resume))
    }

    /// Cancels a job.
    ///
    /// # Errors
    ///
    /// The host's message.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.assistant().cancel_job(&job)?;
    /// # Ok::<(), String>(())
    /// ```
    pub fn cancel_job(&self, job: &(impl AsJob + ?Sized)) -> Result<(), String> {
        self.world.act(|core, now| core.control_job(now, job.as_job(), JobControl::Cancel))
    }

    /// Changes a job that waits: what `update_job` does (R-JOB-5).
    ///
    /// # Errors
    ///
    /// The host's message.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// # host.assistant().pause_job(&job)?;
    /// # use xivmcp_mock_host::JobUpdate;
    /// let more = serde_json::json!([{"tool": "wait", "args": {"seconds": 1}}]);
    /// let job = host.assistant().update_job(&job, JobUpdate::append(more).resume())?;
    /// assert_eq!(job.steps.len(), 2);
    /// # Ok::<(), String>(())
    /// ```
    pub fn update_job(&self, job: &(impl AsJob + ?Sized), update: JobUpdate) -> Result<JobReport, String> {
        let JobUpdate { action, steps, resume } = update;
        let updated = self.world.act(|core, now| core.update_job(now, job.as_job(), &action, steps.as_ref(), resume));
        updated.map(JobReport::new)
    }
}

impl fmt::Debug for Assistant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assistant").field("client", &self.client).finish_non_exhaustive()
    }
}

fn empty_object() -> JsonText {
    to_json(&Value::Object(serde_json::Map::new()))
}

/// A change of a job that waits, for [`Assistant::update_job`].
///
/// ```
/// use serde_json::json;
/// use xivmcp_mock_host::JobUpdate;
///
/// let again = JobUpdate::retry().resume();
/// let more = JobUpdate::append(json!([{"tool": "wait", "args": {"seconds": 5}}]));
/// assert_ne!(again, more);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "it changes nothing until it is given to update_job"]
pub struct JobUpdate {
    action: String,
    steps: Option<JsonText>,
    resume: bool,
}

impl JobUpdate {
    /// Any action by name, also one that does not exist.
    pub fn new(action: &str, steps: Option<JsonText>, resume: bool) -> Self {
        Self { action: action.to_owned(), steps, resume }
    }

    /// The failed step runs again.
    pub fn retry() -> Self {
        Self::new("retry", None, false)
    }

    /// The failed step is skipped.
    pub fn skip() -> Self {
        Self::new("skip", None, false)
    }

    /// Steps are added at the end.
    ///
    /// # Panics
    ///
    /// If `steps` cannot be JSON.
    #[track_caller]
    pub fn append(steps: impl Serialize) -> Self {
        Self::new("append", Some(to_json(&steps)), false)
    }

    /// What is left is replaced.
    ///
    /// # Panics
    ///
    /// If `steps` cannot be JSON.
    #[track_caller]
    pub fn replace_remaining(steps: impl Serialize) -> Self {
        Self::new("replace_remaining", Some(to_json(&steps)), false)
    }

    /// And the job goes on.
    pub fn resume(mut self) -> Self {
        self.resume = true;
        self
    }
}
