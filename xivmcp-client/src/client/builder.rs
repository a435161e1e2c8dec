//! Connecting a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::shared::{FailedCallback, Shared};
use super::{ClientHandle, DEFAULT_DISPOSE_LIMIT, XivMcpClient, gates};
use crate::error::{ClientError, RegistrationFailed};
use crate::ipc::IpcTransport;
use crate::runtime::{PoolRuntime, Runtime};
use crate::services::PluginContext;

/// Chooses how a client connects. Made by [`XivMcpClient::builder`] and [`XivMcpClient::builder_for`].
///
/// ```
/// use std::time::Duration;
/// use xivmcp_client::XivMcpClient;
/// # let transport = xivmcp_client::TestCall::new("example").transport();
///
/// let client = XivMcpClient::builder(transport)
///     .on_registration_failed(|failed| eprintln!("XIV MCP refused {failed}"))
///     .dispose_limit(Duration::from_secs(1))
///     .connect()?;
/// assert!(client.is_available());
/// # Ok::<(), xivmcp_client::ClientError>(())
/// ```
#[must_use = "nothing is connected before `connect`"]
pub struct ClientBuilder {
    transport: Arc<dyn IpcTransport>,
    runtime: Option<Arc<dyn Runtime>>,
    on_failed: Option<FailedCallback>,
    dispose_limit: Duration,
}

impl XivMcpClient {
    /// A client over `transport`, with a pool of its own as runtime if no other is chosen.
    ///
    /// ```
    /// use xivmcp_client::XivMcpClient;
    /// # let transport = xivmcp_client::TestCall::new("example").transport();
    ///
    /// let client = XivMcpClient::builder(transport).connect()?;
    /// assert_eq!(client.internal_name(), "TestPlugin");         // the transport says whose it is
    /// # Ok::<(), xivmcp_client::ClientError>(())
    /// ```
    pub fn builder(transport: Arc<dyn IpcTransport>) -> ClientBuilder {
        ClientBuilder { transport, runtime: None, on_failed: None, dispose_limit: DEFAULT_DISPOSE_LIMIT }
    }

    /// A client over the transport and the runtime that the plugin's entry function got.
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_client::{ClientError, PluginContext, XivMcpClient};
    /// use xivmcp_mock_host::MockHost;
    ///
    /// fn start(context: PluginContext) -> Result<XivMcpClient, ClientError> {
    ///     XivMcpClient::builder_for(&context).dispose_limit(Duration::from_millis(500)).connect()
    /// }
    ///
    /// let host = MockHost::simulated();
    /// let plugin = host.load_plugin("MyPlugin", start);
    /// assert!(plugin.with(|client: &XivMcpClient| client.internal_name() == "MyPlugin"));
    /// ```
    pub fn builder_for(context: &PluginContext) -> ClientBuilder {
        Self::builder(context.transport.clone()).runtime(context.runtime.clone())
    }
}

impl ClientBuilder {
    /// Runs handlers on `runtime` instead of a pool of the client's own.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use xivmcp_client::{XivMcpClient, runtime::PoolRuntime};
    /// # let transport = xivmcp_client::TestCall::new("example").transport();
    ///
    /// let one_worker = Arc::new(PoolRuntime::with_workers(1));
    /// let client = XivMcpClient::builder(transport).runtime(one_worker.clone()).connect()?;
    /// drop(client);
    /// assert_eq!(Arc::strong_count(&one_worker), 1);            // the runtime stays yours
    /// # Ok::<(), xivmcp_client::ClientError>(())
    /// ```
    pub fn runtime(mut self, runtime: Arc<dyn Runtime>) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Calls `callback` when the host refuses a tool or the dependencies (R-CLI-3). Log it. Without one, a `tracing`
    /// warning tells.
    ///
    /// It is called on the thread that registered, which may be the framework thread; it may call the client.
    ///
    /// ```
    /// use xivmcp_client::services::LogLevel;
    /// use xivmcp_client::{McpToolDefinition, PluginContext, XivMcpClient};
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// host.load_plugin("MyPlugin", |context: PluginContext| {
    ///     let services = context.services.clone();
    ///     let client = XivMcpClient::builder_for(&context)
    ///         .on_registration_failed(move |failed| services.log(LogLevel::Error, &failed.to_string()))
    ///         .connect()
    ///         .map_err(|error| error.to_string())?;
    ///     let taken = McpToolDefinition::new("get_inventory", "Reads the bags.").read_only(true);
    ///     client.add_tool(taken, || Ok("a tool of the host's has that name")).map_err(|error| error.to_string())?;
    ///     Ok::<_, String>(client)
    /// });
    /// assert!(host.dalamud().log()[0].text.starts_with("get_inventory: "));
    /// ```
    pub fn on_registration_failed(mut self, callback: impl Fn(&RegistrationFailed) + Send + Sync + 'static) -> Self {
        self.on_failed = Some(Arc::new(callback));
        self
    }

    /// How long dispose waits for handlers that are still running; [`DEFAULT_DISPOSE_LIMIT`] otherwise. The game may
    /// stand still for that long when the plugin unloads.
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_client::{CancellationToken, McpToolDefinition, PluginContext, XivMcpClient};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// let done = CancellationToken::new();
    /// let until = done.clone();
    /// let start = move |context: PluginContext| -> Result<XivMcpClient, Box<dyn std::error::Error>> {
    ///     let client = XivMcpClient::builder_for(&context).dispose_limit(Duration::from_millis(500)).connect()?;
    ///     let until = until.clone();
    ///     let stubborn = McpToolDefinition::new("myplugin_stubborn", "Heeds no cancellation.").read_only(true);
    ///     client.add_long_running_tool(stubborn, async move || Ok(until.cancelled().await))?;
    ///     Ok(client)
    /// };
    /// let plugin = host.load_plugin("MyPlugin", start);
    /// host.player().enable(&plugin);
    /// host.assistant().call("myplugin_stubborn", ());
    /// assert!(!plugin.with(|client: &XivMcpClient| client.dispose()).is_clean());
    /// assert_eq!(host.elapsed(), Duration::from_millis(500));
    /// # done.cancel();
    /// ```
    pub fn dispose_limit(mut self, limit: Duration) -> Self {
        self.dispose_limit = limit;
        self
    }

    /// Provides the gates and subscribes to the host's messages. It works whether or not the host is there.
    ///
    /// # Errors
    ///
    /// [`ClientError::Ipc`] if the gates cannot be provided: the plugin is unloaded.
    ///
    /// ```
    /// use xivmcp_client::XivMcpClient;
    /// # let transport = xivmcp_client::TestCall::new("example").transport();
    ///
    /// let client = XivMcpClient::builder(transport).connect()?;
    /// assert!(client.is_available());
    /// # Ok::<(), xivmcp_client::ClientError>(())
    /// ```
    pub fn connect(self) -> Result<XivMcpClient, ClientError> {
        let own_pool = self.runtime.is_none().then(|| Arc::new(PoolRuntime::new()));
        let runtime: Arc<dyn Runtime> = match (self.runtime, &own_pool) {
            (Some(runtime), _) => runtime,
            (None, Some(pool)) => pool.clone(),
            (None, None) => Arc::new(PoolRuntime::new()),
        };
        let shared =
            Arc::new(Shared::new(self.transport, Arc::downgrade(&runtime), self.on_failed, self.dispose_limit));
        shared.keep_gates(gates::provide(&shared).map_err(ClientError::Ipc)?);
        Ok(XivMcpClient { handle: ClientHandle { shared }, runtime: Some(runtime), own_pool })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("internal_name", &self.transport.internal_name())
            .field("dispose_limit", &self.dispose_limit)
            .finish_non_exhaustive()
    }
}
