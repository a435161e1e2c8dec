//! One call of a tool, as its handler sees it: [`McpCall`], and [`FrameworkGuard`] for what must be cleaned up on the
//! framework thread. [`TestCall`] makes one without a host.

mod approval;
mod framework;
pub(crate) mod running;
pub(crate) mod state;
mod testing;
mod waits;

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;
use xivmcp_protocol::{HostGate, NoFields};

use crate::client::ClientHandle;
use crate::tool_error::{Cancelled, McpToolError};
use crate::typed::arguments;

pub use framework::FrameworkGuard;
pub use testing::TestCall;

use state::CallState;

/// One call of a tool. Cheap to clone, and to be used from any thread.
///
/// Its waits end early with [`Cancelled`] when the call is cancelled: the job was paused or cancelled, the AI app gave
/// up, XIV MCP unloads or the client is disposed. `?` then ends the handler, and the call counts as cancelled.
///
/// A handler that goes on for long without waiting looks at [`check_cancelled`](Self::check_cancelled) now and then.
///
/// ```
/// use std::time::Duration;
/// use xivmcp_client::{McpCall, McpToolError, TestCall};
///
/// async fn farm(call: McpCall) -> Result<u32, McpToolError> {
///     for minute in 1..=3 {
///         call.sleep(Duration::from_secs(60)).await?;
///         call.progress(format!("minute {minute}"));
///     }
///     Ok(3)
/// }
///
/// let test = TestCall::new("myplugin_farm");
/// assert_eq!(test.run(farm(test.call())), Ok(3));
/// assert_eq!(test.progress(), ["minute 1", "minute 2", "minute 3"]);
/// assert_eq!(test.elapsed(), Duration::from_secs(180));
/// ```
#[derive(Clone)]
pub struct McpCall {
    state: Arc<CallState>,
}

impl McpCall {
    pub(crate) fn from_state(state: Arc<CallState>) -> Self {
        Self { state }
    }

    pub(crate) fn state(&self) -> &Arc<CallState> {
        &self.state
    }

    /// The call's id: 32 hex digits.
    ///
    /// ```
    /// assert_eq!(xivmcp_client::TestCall::new("myplugin_farm").call().id().len(), 32);
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        &self.state.id
    }

    /// The name of the tool that was called.
    ///
    /// ```
    /// assert_eq!(xivmcp_client::TestCall::new("myplugin_farm").call().tool(), "myplugin_farm");
    /// ```
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.state.tool
    }

    /// The arguments' JSON exactly as it came. The host does not check it against the schema (R-CALL-5); it may be
    /// blank, and need not be JSON.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm").args(r#"{"minutes": 1.50}"#);
    /// assert_eq!(test.call().args_text(), r#"{"minutes": 1.50}"#);
    /// ```
    #[must_use]
    pub fn args_text(&self) -> &str {
        &self.state.args
    }

    /// The arguments as a type, for handlers that do not name one. `serde_json::Value` takes whatever came; blank
    /// text counts as `{}`.
    ///
    /// # Errors
    ///
    /// They do not fit: the error says where, and what was expected, so that an assistant can correct itself.
    ///
    /// ```
    /// use serde::Deserialize;
    /// use xivmcp_client::TestCall;
    ///
    /// #[derive(Deserialize)]
    /// struct Farm {
    ///     minutes: u32,
    /// }
    ///
    /// let args = |json| TestCall::new("myplugin_farm").args(json).call().args::<Farm>();
    /// assert_eq!(args(r#"{"minutes": 5}"#).unwrap().minutes, 5);
    /// assert!(args(r#"{"minutes": "five"}"#).err().unwrap().message().contains("minutes"));
    /// ```
    pub fn args<T: DeserializeOwned>(&self) -> Result<T, McpToolError> {
        arguments::parse(&self.state.args)
    }

    /// The client that the call came through.
    ///
    /// ```
    /// use xivmcp_client::{McpCall, McpCapabilities, McpPermission, McpToolError, TestCall};
    ///
    /// /// Says beforehand what would be asked.
    /// fn plan(call: McpCall) -> Result<String, McpToolError> {
    ///     let mode = call.client().check_permission(McpCapabilities::SpendGil)?;
    ///     Ok(if mode == McpPermission::Ask { "The player will be asked.".into() } else { mode.to_string() })
    /// }
    /// assert_eq!(plan(TestCall::new("myplugin_plan").call()).unwrap(), "The player will be asked.");
    /// ```
    #[must_use]
    pub fn client(&self) -> ClientHandle {
        ClientHandle::from_shared(self.state.client.clone())
    }

    /// Fires when the call is cancelled. It is already fired in a handler that goes on after that.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// let token = test.call().cancellation().clone();
    /// test.cancel();
    /// assert!(token.is_cancelled());
    /// ```
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.state.token
    }

    /// Whether the call was cancelled.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// let call = test.call();
    /// let mut kills = 0;
    /// while !call.is_cancelled() {
    ///     kills += 1;
    ///     if kills == 3 {
    ///         test.cancel(); // somebody pauses the job
    ///     }
    /// }
    /// assert_eq!(kills, 3);
    /// ```
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.state.token.is_cancelled()
    }

    /// Ends a handler that does not wait, with `?`.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if the call was cancelled.
    ///
    /// ```
    /// use xivmcp_client::{Cancelled, TestCall};
    ///
    /// let test = TestCall::new("myplugin_farm");
    /// assert_eq!(test.call().check_cancelled(), Ok(()));
    /// test.cancel();
    /// assert_eq!(test.call().check_cancelled(), Err(Cancelled::new()));
    /// ```
    pub fn check_cancelled(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled::new()) } else { Ok(()) }
    }

    /// Adds a line to the log of the job in which the call runs; elsewhere it is ignored, as is blank text. The host
    /// cuts it at 300 characters. It never fails the handler (R-CLI-9).
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// test.call().progress("12 kills");
    /// assert_eq!(test.progress(), ["12 kills"]);
    /// ```
    pub fn progress(&self, text: impl AsRef<str>) {
        if self.state.has_ended() {
            tracing::debug!(tool = self.tool(), call = self.id(), "progress after the end of a call was dropped");
            return;
        }
        match self.state.client.ask::<NoFields>(HostGate::ReportProgress, &[self.id(), text.as_ref()]) {
            Ok(_) => {}
            Err(gone) if gone.is_gone() => tracing::trace!(call = self.id(), "progress, but XIV MCP is not loaded"),
            Err(error) => {
                tracing::debug!(tool = self.tool(), call = self.id(), %error, "progress was not taken");
            }
        }
    }
}

impl fmt::Debug for McpCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpCall")
            .field("id", &self.id())
            .field("tool", &self.tool())
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}
