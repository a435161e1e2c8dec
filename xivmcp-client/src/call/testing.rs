//! [`TestCall`]: a call for an author's test, without a host, without threads and in virtual time.

mod host;
mod time;

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use xivmcp_protocol::Capability;

use super::McpCall;
use super::state::CallState;
use crate::client::DEFAULT_DISPOSE_LIMIT;
use crate::client::shared::Shared;
use crate::ipc::IpcTransport;
use crate::runtime::Runtime;
use host::TestHost;
use time::VirtualTime;

/// A call to test a handler with. The handler's waits take no time: [`run`](Self::run) lets virtual time jump to the
/// next moment that something waits for. The test's thread counts as the framework thread.
///
/// For whole stories (settings, jobs, several tools) there is the mock host; this is for a handler alone.
///
/// ```
/// use std::time::Duration;
/// use xivmcp_client::{McpCall, McpToolError, TestCall};
///
/// async fn wait(call: McpCall) -> Result<&'static str, McpToolError> {
///     call.progress("waiting");
///     call.sleep(Duration::from_secs(3600)).await?;
///     Ok("done")
/// }
///
/// let test = TestCall::new("myplugin_wait");
/// assert_eq!(test.run(wait(test.call())), Ok("done"));
/// assert_eq!(test.progress(), ["waiting"]);
///
/// let test = TestCall::new("myplugin_wait").cancel_after(Duration::from_secs(60));
/// assert!(test.run(wait(test.call())).unwrap_err().is_cancelled());
/// assert_eq!(test.elapsed(), Duration::from_secs(60));
/// ```
pub struct TestCall {
    tool: String,
    args: String,
    cancel_after: Option<Duration>,
    time: Arc<VirtualTime>,
    host: Arc<TestHost>,
    call: OnceLock<McpCall>,
}

impl TestCall {
    /// A call of the tool of that name, with the arguments `{}`.
    ///
    /// ```
    /// assert_eq!(xivmcp_client::TestCall::new("myplugin_farm").call().args_text(), "{}");
    /// ```
    #[must_use]
    pub fn new(tool: impl Into<String>) -> Self {
        let time = Arc::new(VirtualTime::default());
        let host = Arc::new(TestHost::new(time.clone()));
        Self { tool: tool.into(), args: "{}".to_owned(), cancel_after: None, time, host, call: OnceLock::new() }
    }

    /// With these arguments, as JSON text.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm").args(r#"{"minutes": 5}"#);
    /// assert_eq!(test.call().args_text(), r#"{"minutes": 5}"#);
    /// ```
    #[must_use]
    pub fn args(mut self, json: impl Into<String>) -> Self {
        self.args = json.into();
        self
    }

    /// The player approves what needs this capability. Everything else is denied.
    ///
    /// ```
    /// use xivmcp_client::{McpCapabilities, TestCall};
    ///
    /// let test = TestCall::new("myplugin_buy").approves(McpCapabilities::SpendGil);
    /// let call = test.call();
    /// assert_eq!(test.run(call.request_approval(McpCapabilities::SpendGil, "Buy for 10 gil")), Ok(true));
    /// assert_eq!(test.run(call.request_approval(McpCapabilities::Login, "Log out")), Ok(false));
    /// ```
    #[must_use]
    pub fn approves(self, capability: impl Into<Capability>) -> Self {
        self.host.approve(capability.into());
        self
    }

    /// The player takes that long to answer each question.
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_client::{McpCapabilities, TestCall};
    ///
    /// let test = TestCall::new("myplugin_buy").answers_after(Duration::from_secs(3));
    /// let call = test.call();
    /// assert_eq!(test.run(call.request_approval(McpCapabilities::SpendGil, "Buy for 10 gil")), Ok(false));
    /// assert_eq!(test.elapsed(), Duration::from_secs(3));
    /// ```
    #[must_use]
    pub fn answers_after(self, duration: Duration) -> Self {
        self.host.answer_after(duration);
        self
    }

    /// The call is cancelled when so much virtual time has passed.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let test = xivmcp_client::TestCall::new("myplugin_farm").cancel_after(Duration::from_secs(1));
    /// let call = test.call();
    /// assert!(test.run(call.sleep(Duration::from_secs(2))).is_err());
    /// ```
    #[must_use]
    pub fn cancel_after(mut self, duration: Duration) -> Self {
        self.cancel_after = Some(duration);
        self
    }

    /// The call, as the handler gets it. Always the same one.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// assert_eq!(test.call().tool(), "myplugin_farm");
    /// ```
    pub fn call(&self) -> McpCall {
        let call = self.call.get_or_init(|| {
            let runtime: Arc<dyn Runtime> = self.time.clone();
            let shared = Shared::new(self.transport(), Arc::downgrade(&runtime), None, DEFAULT_DISPOSE_LIMIT);
            let id = "0123456789abcdef0123456789abcdef";
            let state = CallState::new(Arc::new(shared), id, self.tool.as_str().into(), &self.args);
            if let Some(after) = self.cancel_after {
                let (token, due) = (state.token.clone(), runtime.sleep(after));
                runtime.spawn(Box::pin(async move {
                    due.await;
                    token.cancel();
                }));
            }
            McpCall::from_state(Arc::new(state))
        });
        call.clone()
    }

    /// Runs a future to its end, in virtual time.
    ///
    /// # Panics
    ///
    /// If the future waits for something that never happens: no time to pass, no task to run, and no other thread has
    /// woken it for 10 real seconds. Also with a panic of the future.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// assert_eq!(test.run(async { 1 + 1 }), 2);
    /// ```
    pub fn run<F: Future + Send>(&self, future: F) -> F::Output
    where
        F::Output: Send,
    {
        let mut output = None;
        self.time.block_on(pin!(async { output = Some(future.await) }), Duration::MAX);
        match output {
            Some(output) => output,
            None => panic!("the handler of {} waits for something that never happens", self.tool),
        }
    }

    /// Cancels the call.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// test.cancel();
    /// assert!(test.call().is_cancelled());
    /// ```
    pub fn cancel(&self) {
        self.call().cancellation().cancel();
    }

    /// The lines that the handler has reported as progress.
    ///
    /// ```
    /// use xivmcp_client::TestCall;
    ///
    /// let test = TestCall::new("myplugin_farm");
    /// for kills in [5, 10] {
    ///     test.call().progress(format!("{kills} kills"));
    /// }
    /// assert_eq!(test.progress().last().unwrap(), "10 kills");
    /// ```
    #[must_use]
    pub fn progress(&self) -> Vec<String> {
        self.host.progress()
    }

    /// What the handler has asked the player for, and the summaries.
    ///
    /// ```
    /// use xivmcp_client::{McpCapabilities, TestCall};
    ///
    /// let test = TestCall::new("myplugin_buy");
    /// let call = test.call();
    /// assert_eq!(test.run(call.request_approval(McpCapabilities::SpendGil, "Buy for 10 gil")), Ok(false));
    /// assert_eq!(test.approvals(), [(McpCapabilities::SpendGil, "Buy for 10 gil".to_owned())]);
    /// ```
    #[must_use]
    pub fn approvals(&self) -> Vec<(Capability, String)> {
        self.host.approvals()
    }

    /// The virtual time that has passed.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// let call = test.call();
    /// let hour = Duration::from_secs(3600);
    /// assert_eq!(test.run(call.sleep(hour)), Ok(()));
    /// assert_eq!(test.elapsed(), hour);
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.time.now()
    }

    /// The gates that the call reaches: a small host that has enabled the plugin `TestPlugin`, takes every
    /// registration, answers approvals as scripted, and runs no jobs.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// let client = xivmcp_client::XivMcpClient::builder(test.transport()).connect()?;
    /// assert!(client.is_available());
    /// # Ok::<(), xivmcp_client::ClientError>(())
    /// ```
    #[must_use]
    pub fn transport(&self) -> Arc<dyn IpcTransport> {
        self.host.clone()
    }
}

impl fmt::Debug for TestCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestCall")
            .field("tool", &self.tool)
            .field("args", &self.args)
            .field("elapsed", &self.elapsed())
            .finish_non_exhaustive()
    }
}
