//! The client: [`XivMcpClient`], the one owner, and [`ClientHandle`], which has all methods.

mod builder;
mod calls;
mod dispose;
mod gates;
mod jobs;
mod registration;
mod registry;
pub(crate) mod shared;
mod status;
mod tools;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::error::ClientError;
use crate::runtime::{PoolRuntime, Runtime, SHUTDOWN_LIMIT};
use crate::services::PluginContext;

pub use builder::ClientBuilder;
pub use dispose::{DEFAULT_DISPOSE_LIMIT, DisposeReport};
pub use status::McpStatus;

use shared::Shared;

/// This plugin's connection to XIV MCP. It is the one owner: dropping it disposes.
///
/// It works whether or not XIV MCP is there, and registers everything again whenever XIV MCP loads (R-CLI-1). All
/// methods are those of [`ClientHandle`], which it derefs to; [`handle`](ClientHandle::handle) gives one to keep
/// elsewhere.
///
/// ```
/// use xivmcp_client::{McpToolDefinition, McpToolError, PluginContext, XivMcpClient};
/// use xivmcp_mock_host::MockHost;
///
/// fn start(context: PluginContext) -> Result<XivMcpClient, Box<dyn std::error::Error>> {
///     let client = XivMcpClient::connect(&context)?;
///     client.add_tool(
///         McpToolDefinition::new("myplugin_hello", "Says hello.").read_only(true),
///         || Ok::<_, McpToolError>("Hello!"),
///     )?;
///     Ok(client) // it lives until the plugin is unloaded
/// }
///
/// let host = MockHost::simulated();
/// let plugin = host.load_plugin("MyPlugin", start);
/// host.player().enable(&plugin);
/// assert_eq!(host.assistant().call("myplugin_hello", ()).expect_result(), "Hello!");
/// plugin.unload();
/// assert!(host.assistant().tools().is_empty());
/// ```
#[must_use = "dropping the client disposes it: its tools are unregistered at once"]
pub struct XivMcpClient {
    handle: ClientHandle,
    /// Kept for the client: nothing that waits in the runtime keeps it.
    runtime: Option<Arc<dyn Runtime>>,
    /// The runtime, if the client made it.
    own_pool: Option<Arc<PoolRuntime>>,
}

impl XivMcpClient {
    /// Connects with what the plugin's entry function got. See [`builder_for`](Self::builder_for) for more choice.
    ///
    /// # Errors
    ///
    /// [`ClientError::Ipc`] if the gates cannot be provided: the plugin is unloaded.
    ///
    /// ```
    /// use xivmcp_client::{ClientError, PluginContext, XivMcpClient};
    /// use xivmcp_mock_host::MockHost;
    ///
    /// fn start(context: PluginContext) -> Result<XivMcpClient, ClientError> {
    ///     XivMcpClient::connect(&context)
    /// }
    ///
    /// let host = MockHost::simulated();
    /// host.dalamud().unload_host();                             // XIV MCP is not there:
    /// let plugin = host.load_plugin("MyPlugin", start);         // no error
    /// host.dalamud().load_host();
    /// assert!(plugin.with(|client: &XivMcpClient| client.is_available()));
    /// ```
    pub fn connect(context: &PluginContext) -> Result<Self, ClientError> {
        Self::builder_for(context).connect()
    }
}

impl Deref for XivMcpClient {
    type Target = ClientHandle;

    fn deref(&self) -> &ClientHandle {
        &self.handle
    }
}

impl Drop for XivMcpClient {
    fn drop(&mut self) {
        let _ = self.handle.dispose();
        self.runtime = None;
        // Someone may hold the pool for a moment yet, to sleep or to spawn; its threads end here all the same.
        if let Some(pool) = self.own_pool.take()
            && !pool.shutdown(SHUTDOWN_LIMIT)
        {
            tracing::warn!("a thread of the client's pool did not end: the plugin's code must stay loaded");
        }
    }
}

impl fmt::Debug for XivMcpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("XivMcpClient").field(&self.handle).finish()
    }
}

/// All that a client does, without keeping it alive. Cheap to clone.
///
/// Any method may be called from any thread, and from inside any handler, subscriber or callback of the same client
/// (R-CLI-12). After the client was disposed, methods that can fail give [`ClientError::Disposed`].
///
/// ```
/// use xivmcp_client::{ClientHandle, McpPluginState};
///
/// /// What a window shows about the plugin.
/// fn line(client: &ClientHandle) -> &'static str {
///     match client.get_status().state {
///         McpPluginState::Unavailable => "XIV MCP is not loaded",
///         McpPluginState::Enabled => "ready",
///         _ => "not enabled in XIV MCP",
///     }
/// }
/// assert_eq!(line(&xivmcp_client::TestCall::new("myplugin_farm").call().client()), "ready");
/// ```
#[derive(Clone)]
pub struct ClientHandle {
    shared: Arc<Shared>,
}

impl ClientHandle {
    pub(crate) fn from_shared(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// A handle to keep elsewhere, in a window or a task.
    ///
    /// ```
    /// # let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// # let client = xivmcp_client::XivMcpClient::builder(test.transport()).connect().unwrap();
    /// let handle = client.handle();
    /// assert!(std::thread::spawn(move || handle.is_available()).join().unwrap());
    ///
    /// let handle = client.handle();
    /// drop(client);                                             // a handle does not keep it
    /// assert!(handle.is_disposed());
    /// ```
    #[must_use]
    pub fn handle(&self) -> Self {
        self.clone()
    }

    /// The plugin's internal name, as Dalamud spells it.
    ///
    /// ```
    /// let call = xivmcp_client::TestCall::new("myplugin_farm").call();
    /// assert_eq!(call.client().internal_name(), "TestPlugin");
    /// ```
    #[must_use]
    pub fn internal_name(&self) -> &str {
        self.shared.owner()
    }

    /// Whether XIV MCP is loaded and speaks this version of the API or a newer one. `false` after dispose.
    ///
    /// ```
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # let client = plugin.client();
    /// assert!(client.is_available());
    /// host.dalamud().unload_host();
    /// assert!(!client.is_available());
    /// host.dalamud().load_host();
    /// assert!(client.is_available());
    /// ```
    #[must_use]
    pub fn is_available(&self) -> bool {
        self.shared.require_host().is_ok()
    }

    /// Whether the client was disposed, or is being disposed.
    ///
    /// ```
    /// let client = xivmcp_client::TestCall::new("myplugin_farm").call().client();
    /// client.dispose();
    /// assert!(client.is_disposed());
    /// ```
    #[must_use]
    pub fn is_disposed(&self) -> bool {
        self.shared.is_disposed()
    }

    /// Counts what is under way in this client, for diagnostics and for tests that look for leaks.
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_client::{McpCall, McpToolDefinition, PendingCounts, XivMcpClient};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
    ///     let nap = McpToolDefinition::new("myplugin_nap", "Naps.").read_only(true);
    ///     client.add_long_running_tool(nap, async |call: McpCall| Ok(call.sleep(Duration::from_secs(9)).await?))
    /// });
    /// host.player().enable(&plugin);
    /// let call = host.assistant().call("myplugin_nap", ());
    /// assert_eq!(plugin.client().pending().calls, 1);
    /// call.wait();
    /// assert_eq!(plugin.client().pending(), PendingCounts::default());
    /// ```
    #[must_use]
    pub fn pending(&self) -> PendingCounts {
        let shared = &self.shared;
        PendingCounts {
            calls: shared.calls.len(),
            framework_closures: shared.framework.len(),
            unfinished_work: shared.calls.all().iter().map(|call| call.tickets()).sum(),
            approvals: shared.pending_approvals(),
            registrations: shared.registry.unsettled(),
        }
    }
}

impl fmt::Debug for ClientHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientHandle")
            .field("internal_name", &self.internal_name())
            .field("disposed", &self.is_disposed())
            .field("tools", &self.shared.registry.len())
            .field("pending", &self.pending())
            .finish_non_exhaustive()
    }
}

/// What is under way in a client at one moment. All zero when nothing is.
///
/// ```
/// use xivmcp_client::{McpCall, McpCapabilities, McpToolDefinition, XivMcpClient};
///
/// let host = xivmcp_mock_host::MockHost::simulated();
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     let buy = McpToolDefinition::new("myplugin_buy", "Buys.").capabilities([McpCapabilities::SpendGil]);
///     client.add_long_running_tool(buy, async |call: McpCall| {
///         Ok(call.request_approval(McpCapabilities::SpendGil, "3 potions for 60 gil").await?)
///     })
/// });
/// host.player().enable(&plugin);
/// host.player().answer_with(|question| question.summary.is_none().then_some(xivmcp_mock_host::Answer::Once));
/// let call = host.assistant().call("myplugin_buy", ());
/// let pending = plugin.client().pending();
/// assert_eq!((pending.calls, pending.approvals), (1, 1));   // the handler waits for the player
/// # call.wait();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PendingCounts {
    /// Calls that have begun and are not reported as ended.
    pub calls: usize,
    /// Closures that wait for the framework thread.
    pub framework_closures: usize,
    /// Work on the framework thread that calls have to wait for before they are reported as ended.
    pub unfinished_work: usize,
    /// Approvals that handlers wait for.
    pub approvals: usize,
    /// Registrations that the host has not heard of yet. They are made by the thread that makes others now.
    pub registrations: usize,
}
