//! Ending a client (R-CLI-11).

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures::future::BoxFuture;

use super::ClientHandle;
use crate::panics::caught;
use crate::tool_error::McpToolError;

/// How long dispose waits for running handlers if the builder was not told otherwise. Handlers that look at their
/// cancellation are done within a frame or two; longer than this the game would seem to hang.
///
/// ```
/// assert_eq!(xivmcp_client::DEFAULT_DISPOSE_LIMIT.as_secs(), 2);
/// ```
pub const DEFAULT_DISPOSE_LIMIT: Duration = Duration::from_secs(2);

/// The time between two updates that dispose makes up on the framework thread. Not none: a handler that goes on for
/// ever on that thread must leave room for the limit, in virtual time too.
const PUMPED_FRAME: Duration = Duration::from_millis(1);

/// What dispose could not end.
///
/// ```
/// use xivmcp_client::{CancellationToken, McpToolDefinition, XivMcpClient};
///
/// let host = xivmcp_mock_host::MockHost::simulated();
/// let done = CancellationToken::new();
/// let until = done.clone();
/// let plugin = host.load("MyPlugin", move |client: &XivMcpClient| {
///     let until = until.clone();
///     let stubborn = McpToolDefinition::new("myplugin_stubborn", "Heeds no cancellation.").read_only(true);
///     client.add_long_running_tool(stubborn, async move || Ok(until.cancelled().await))
/// });
/// host.player().enable(&plugin);
/// host.assistant().call("myplugin_stubborn", ());
/// assert_eq!(plugin.client().dispose().given_up, ["myplugin_stubborn"]);
/// # done.cancel();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DisposeReport {
    /// The tools of calls that were still running when the time was up, sorted, one entry for each call. Code of theirs
    /// may still run, so the library that holds it must stay loaded.
    pub given_up: Vec<String>,
}

impl DisposeReport {
    /// Whether every handler has ended.
    ///
    /// ```
    /// let client = xivmcp_client::TestCall::new("myplugin_farm").call().client();
    /// assert!(client.dispose().is_clean());
    /// ```
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.given_up.is_empty()
    }
}

impl ClientHandle {
    /// Ends the client: cancels all calls, unregisters everything, takes the gates away, and waits for the running
    /// handlers, at most for the client's limit; then it gives up on them, and says which tools they belong to, in the
    /// report and in a `tracing` warning.
    ///
    /// While it waits, what handlers have for the framework thread still runs; on the framework thread it runs that
    /// itself. Inside a handler it does not wait for that handler, which ends normally afterwards. Twice is no error:
    /// the second time waits too, if there is still something to wait for. Dropping the [`XivMcpClient`] does the same.
    ///
    /// [`XivMcpClient`]: crate::XivMcpClient
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_client::{ClientError, McpCall, McpToolDefinition, XivMcpClient};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
    ///     let nap = McpToolDefinition::new("myplugin_nap", "Naps.").read_only(true);
    ///     client.add_long_running_tool(nap, async |call: McpCall| Ok(call.sleep(Duration::from_secs(9)).await?))
    /// });
    /// host.player().enable(&plugin);
    /// let call = host.assistant().call("myplugin_nap", ());
    /// assert!(plugin.client().dispose().is_clean());            // the handler's wait has ended, and so has the handler
    /// assert!(!call.is_running() && host.assistant().tools().is_empty());
    /// assert_eq!(plugin.client().get_job("any"), Err(ClientError::Disposed));
    /// ```
    pub fn dispose(&self) -> DisposeReport {
        let shared = &self.shared;
        shared.calls.close();
        if shared.begin_dispose() {
            shared.cancel_all();
            // From here on the host hears only that everything is over. The tools and the callback may hold handles
            // of this client, so they must go for it to be freed.
            shared.registry.close();
            shared.settle();
            if let Err(panic) = caught(|| drop(shared.take_gates())) {
                tracing::error!(panic, "taking the gates away panicked");
            }
            drop(shared.take_on_failed());
        }
        self.wait_for_handlers();
        self.give_up()
    }

    fn wait_for_handlers(&self) {
        let shared = &self.shared;
        let on_framework_thread = shared.transport.is_framework_thread();
        let Some(runtime) = shared.runtime.upgrade() else { return };
        let _pumping = shared.framework.begin_dispose(on_framework_thread);
        let mut pause: Option<BoxFuture<'static, ()>> = None;
        let mut all_ended = pin!(poll_fn(|context| {
            shared.changed.register(context.waker());
            if on_framework_thread {
                // Once more after a pause that is over, so that the next pause is polled, and thus wakes.
                while pause.as_mut().is_none_or(|pause| pause.as_mut().poll(context).is_ready()) {
                    pause = shared.framework.pump(context.waker()).then(|| runtime.sleep(PUMPED_FRAME));
                    if pause.is_none() {
                        break;
                    }
                }
            }
            if !shared.calls.any_elsewhere() && shared.registry.is_settled() { Poll::Ready(()) } else { Poll::Pending }
        }));
        runtime.block_on(all_ended.as_mut(), shared.dispose_limit);
    }

    fn give_up(&self) -> DisposeReport {
        let shared = &self.shared;
        let mut given_up = Vec::new();
        for call in shared.calls.elsewhere() {
            given_up.push(call.tool.to_string());
            // The host must not wait for it any longer; what the handler still gives is dropped.
            if call.end() {
                let stopped =
                    McpToolError::new(format!("{} did not stop in time: its plugin is unloading.", call.tool));
                shared.tell_end(&call, &Err(stopped));
            }
            shared.calls.leave(&call);
        }
        if shared.calls.len() == 0 {
            shared.framework.close();
        }
        given_up.sort();
        if !given_up.is_empty() {
            tracing::warn!(tools = ?given_up, limit = ?shared.dispose_limit, "handlers did not stop in time");
        }
        DisposeReport { given_up }
    }
}
