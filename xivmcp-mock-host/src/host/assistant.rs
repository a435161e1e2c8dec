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
    /// # use xivmcp_client::McpToolDefinition;
    /// let cat = host.stand_in("Cat");
    /// cat.offers(McpToolDefinition::new("cat_purr", "Purrs.").read_only(true));
    /// assert!(host.assistant().tools().is_empty());            // not enabled
    /// host.player().enable(&cat);
    /// assert_eq!(host.assistant().tools()[0].description, "Purrs.");
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

    /// Pauses a job: its running step is cancelled, and begins anew after a resume (R-JOB-6).
    ///
    /// # Errors
    ///
    /// The host's message, if there is no such job or if it is finished.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.assistant().pause_job(&job)?;
    /// assert_eq!(host.job(&job).step("nap").state.as_str(), "interrupted");
    /// # Ok::<(), String>(())
    /// ```
    pub fn pause_job(&self, job: &(impl AsJob + ?Sized)) -> Result<(), String> {
        self.world.act(|core, now| core.control_job(now, job.as_job(), JobControl::Pause))
    }

    /// Resumes a job that is paused or pending.
    ///
    /// # Errors
    ///
    /// The host's message, if there is no such job, if it is finished, or while its current step is failed (R-JOB-5).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.assistant().pause_job(&job)?;
    /// host.assistant().resume_job("nap")?;                     // by name, in any case (R-JOB-8)
    /// assert_eq!(host.job(&job).state(), "running");
    /// assert!(host.assistant().resume_job("no such job").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn resume_job(&self, job: &(impl AsJob + ?Sized)) -> Result<(), String> {
        self.world.act(|core, now| core.control_job(now, job.as_job(), JobControl::Resume))
    }

    /// Cancels a job, for good. A finished one stays as it is (R-JOB-7).
    ///
    /// # Errors
    ///
    /// The host's message, if there is no such job.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.assistant().cancel_job(&job)?;
    /// assert!(host.assistant().resume_job(&job).unwrap_err().contains("cancelled"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn cancel_job(&self, job: &(impl AsJob + ?Sized)) -> Result<(), String> {
        self.world.act(|core, now| core.control_job(now, job.as_job(), JobControl::Cancel))
    }

    /// Changes a job that waits: what `update_job` does (R-JOB-5). Gives the job as it is then.
    ///
    /// # Errors
    ///
    /// The host's message, if there is no such job, if it is finished, or while a step of it runs; for steps as at the start of
    /// a job (R-JOB-2).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// # use xivmcp_mock_host::JobUpdate;
    /// let more = JobUpdate::append(serde_json::json!([{"tool": "wait", "args": {"seconds": 1}}]));
    /// assert!(host.assistant().update_job(&job, more.clone()).is_err()); // a step runs
    /// host.assistant().pause_job(&job)?;
    /// assert_eq!(host.assistant().update_job(&job, more.resume())?.steps.len(), 2);
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
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
/// # host.player().enable(&dog);
/// # use xivmcp_client::{McpJob, McpJobStep};
/// use xivmcp_mock_host::JobUpdate;
///
/// host.builtin("get_inventory").fails("The bags are on fire.");
/// let job = dog.client().start_job(McpJob::new("Look").step(McpJobStep::new("get_inventory"))).unwrap();
/// assert_eq!(host.job(&job).state(), "pending");           // its step has failed: somebody must decide
///
/// host.builtin("get_inventory").returns(12);
/// host.assistant().update_job(&job, JobUpdate::retry().resume())?;
/// assert_eq!(host.job(&job).state(), "completed");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "it changes nothing until it is given to update_job"]
pub struct JobUpdate {
    action: String,
    steps: Option<JsonText>,
    resume: bool,
}

impl JobUpdate {
    /// Any action by name, also one that does not exist: for tests of what the host refuses.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// # use xivmcp_mock_host::JobUpdate;
    /// # host.player().pause_job(&job);
    /// let refused = host.assistant().update_job(&job, JobUpdate::new("rewind", None, false)).unwrap_err();
    /// assert!(refused.contains("rewind"));
    /// ```
    pub fn new(action: &str, steps: Option<JsonText>, resume: bool) -> Self {
        Self { action: action.to_owned(), steps, resume }
    }

    /// The failed step runs again, once the job goes on.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # host.builtin("get_inventory").fails("The bags are on fire.");
    /// # let step = xivmcp_client::McpJobStep::new("get_inventory").id("look");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Look").step(step)).unwrap();
    /// # use xivmcp_mock_host::JobUpdate;
    /// host.assistant().update_job(&job, JobUpdate::retry().resume())?;
    /// assert_eq!(host.job(&job).step("look").attempts, 2);
    /// assert_eq!(host.job(&job).state(), "pending");           // it has failed again
    /// # Ok::<(), String>(())
    /// ```
    pub fn retry() -> Self {
        Self::new("retry", None, false)
    }

    /// The failed step is skipped: it has no result, and counts as progress.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # host.builtin("get_inventory").fails("The bags are on fire.");
    /// # let step = xivmcp_client::McpJobStep::new("get_inventory").id("look");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Look").step(step)).unwrap();
    /// # use xivmcp_mock_host::JobUpdate;
    /// let job = host.assistant().update_job(&job, JobUpdate::skip().resume())?;
    /// assert_eq!((job.step("look").state.as_str(), job.job.progress.to_string().as_str()), ("skipped", "1/1"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn skip() -> Self {
        Self::new("skip", None, false)
    }

    /// Steps are added at the end. Those without an id count on from the number of steps (R-JOB-2).
    ///
    /// # Panics
    ///
    /// If `steps` cannot be JSON.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// # use xivmcp_mock_host::JobUpdate;
    /// host.player().pause_job(&job);
    /// let job = host.assistant().update_job(&job, JobUpdate::append(serde_json::json!([{"tool": "get_inventory"}])))?;
    /// assert_eq!((job.steps[1].id.as_str(), job.state()), ("s2", "paused"));
    /// # Ok::<(), String>(())
    /// ```
    #[track_caller]
    pub fn append(steps: impl Serialize) -> Self {
        Self::new("append", Some(to_json(&steps)), false)
    }

    /// What is left, from the current step on, is replaced.
    ///
    /// # Panics
    ///
    /// If `steps` cannot be JSON.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # host.builtin("get_inventory").fails("The bags are on fire.");
    /// # let step = xivmcp_client::McpJobStep::new("get_inventory").id("look");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Look").step(step)).unwrap();
    /// # use xivmcp_mock_host::JobUpdate;
    /// let instead = JobUpdate::replace_remaining(serde_json::json!([{"tool": "get_game_status", "id": "status"}]));
    /// host.assistant().update_job(&job, instead.resume())?;
    /// assert_eq!(host.job(&job).state(), "completed");
    /// assert_eq!(host.job(&job).steps.len(), 1);               // `look` is gone
    /// # Ok::<(), String>(())
    /// ```
    #[track_caller]
    pub fn replace_remaining(steps: impl Serialize) -> Self {
        Self::new("replace_remaining", Some(to_json(&steps)), false)
    }

    /// And the job goes on. Without it a paused job stays paused, and another one pending.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # host.builtin("get_inventory").fails("The bags are on fire.");
    /// # let step = xivmcp_client::McpJobStep::new("get_inventory").id("look");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Look").step(step)).unwrap();
    /// # use xivmcp_mock_host::JobUpdate;
    /// host.assistant().update_job(&job, JobUpdate::skip())?;
    /// assert_eq!(host.job(&job).state(), "pending");
    /// host.assistant().resume_job(&job)?;                      // `JobUpdate::skip().resume()` does both
    /// assert_eq!(host.job(&job).state(), "completed");
    /// # Ok::<(), String>(())
    /// ```
    pub fn resume(mut self) -> Self {
        self.resume = true;
        self
    }
}
