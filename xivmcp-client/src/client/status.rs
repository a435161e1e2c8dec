//! Where the plugin stands with the player.

use xivmcp_protocol::{
    Capability, CapabilityMode, DependencyStatus, HostGate, PermissionMode, PermissionReply, PluginState, StatusReply,
    ToolStatus,
};

use super::ClientHandle;
use crate::error::ClientError;

/// Where this plugin stands: the player's decisions about it, its tools, and the tools that its jobs use.
///
/// ```
/// use xivmcp_client::{McpCapabilities, McpPluginState, McpToolDefinition, XivMcpClient};
///
/// let host = xivmcp_mock_host::MockHost::simulated();
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     let farm = McpToolDefinition::new("myplugin_farm", "Farms.").capabilities([McpCapabilities::Combat]);
///     client.add_tool(farm, || Ok("farmed"))
/// });
/// let status = plugin.client().get_status();
/// assert_eq!(status.state, McpPluginState::Undecided);      // the player has not seen the plugin yet
/// assert_eq!(status.tools[0].mode.as_str(), "deny");        // so nothing runs (R-POL-4)
/// host.player().enable(&plugin);
/// assert_eq!(plugin.client().get_status().tools[0].mode.as_str(), "ask");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpStatus {
    /// What the player decided. [`PluginState::Unavailable`] while the host is not there or too old; then all else is
    /// empty. A state that this client does not know reads as unavailable too.
    pub state: PluginState,
    /// Why XIV MCP has suspended the plugin, if it did.
    pub suspend_reason: Option<String>,
    /// The mode of each of the plugin's tools, in the host's order. Unknown modes read as deny.
    pub tools: Vec<ToolStatus>,
    /// The mode of each capability that they declare. Unknown modes read as deny.
    pub capabilities: Vec<CapabilityMode>,
    /// Where each declared dependency stands.
    pub dependencies: Vec<DependencyStatus>,
}

impl McpStatus {
    fn unavailable() -> Self {
        Self {
            state: PluginState::Unavailable,
            suspend_reason: None,
            tools: Vec::new(),
            capabilities: Vec::new(),
            dependencies: Vec::new(),
        }
    }

    /// Whether the plugin's tools run at all: its state is *enabled*.
    ///
    /// ```
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # let client = plugin.client();
    /// assert!(!client.get_status().can_run());
    /// host.player().enable(&plugin);
    /// assert!(client.get_status().can_run());
    /// ```
    #[must_use]
    pub fn can_run(&self) -> bool {
        self.state.can_run()
    }

    /// The mode of a tool; nothing if the host does not know it.
    ///
    /// ```
    /// use xivmcp_client::{McpCapabilities, McpPermission, McpToolDefinition, XivMcpClient};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
    ///     let farm = McpToolDefinition::new("myplugin_farm", "Farms.").capabilities([McpCapabilities::Combat]);
    ///     client.add_tool(farm, || Ok("farmed"))
    /// });
    /// host.player().enable(&plugin);
    /// let status = plugin.client().get_status();
    /// assert_eq!(status.tool("myplugin_farm"), Some(&McpPermission::Ask));
    /// assert_eq!(status.tool("myplugin_unknown"), None);
    /// ```
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&PermissionMode> {
        self.tools.iter().find(|tool| tool.name == name).map(|tool| &tool.mode)
    }

    /// The mode of a capability; nothing if no tool declares it.
    ///
    /// ```
    /// use xivmcp_client::{McpCapabilities, McpPermission, McpToolDefinition, XivMcpClient};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
    ///     let farm = McpToolDefinition::new("myplugin_farm", "Farms.").capabilities([McpCapabilities::Combat]);
    ///     client.add_tool(farm, || Ok("farmed"))
    /// });
    /// host.player().enable(&plugin);
    /// host.player().set_mode(&plugin, "combat", "allow");
    /// let status = plugin.client().get_status();
    /// assert_eq!(status.capability(&McpCapabilities::Combat), Some(&McpPermission::Allow));
    /// assert_eq!(status.capability(&McpCapabilities::Login), None);
    /// ```
    #[must_use]
    pub fn capability(&self, capability: &Capability) -> Option<&PermissionMode> {
        self.capabilities.iter().find(|entry| entry.id == *capability).map(|entry| &entry.mode)
    }

    /// As this client shows it: what it does not know reads as the careful one.
    fn from_reply(reply: StatusReply) -> Self {
        let mut tools = reply.tools;
        tools.iter_mut().for_each(|tool| tool.mode = tool.mode.clone().or_deny());
        let mut capabilities = reply.capabilities;
        capabilities.iter_mut().for_each(|entry| entry.mode = entry.mode.clone().or_deny());
        Self {
            state: reply.state.or_unavailable(),
            suspend_reason: reply.suspend_reason,
            tools,
            capabilities,
            dependencies: reply.dependencies,
        }
    }
}

impl ClientHandle {
    /// Where the plugin stands. It never fails: while the host is not there, is too old or cannot be understood, and
    /// after dispose, it gives an empty status in the state [`PluginState::Unavailable`] (R-CLI-7).
    ///
    /// ```
    /// use xivmcp_client::McpPluginState;
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # let client = plugin.client();
    ///
    /// let hint = || match client.get_status().state {
    ///     McpPluginState::Enabled => "",
    ///     McpPluginState::Unavailable => "Install XIV MCP.",
    ///     _ => "Enable this plugin in XIV MCP's settings.",
    /// };
    /// assert_eq!(hint(), "Enable this plugin in XIV MCP's settings.");
    /// host.player().enable(&plugin);
    /// assert_eq!(hint(), "");
    /// host.dalamud().unload_host();
    /// assert_eq!(hint(), "Install XIV MCP.");
    /// ```
    #[must_use]
    pub fn get_status(&self) -> McpStatus {
        match self.shared.request(HostGate::GetStatus, &[self.shared.owner()]) {
            Ok(reply) => McpStatus::from_reply(reply),
            Err(ClientError::NotReady | ClientError::TooOld { .. } | ClientError::Disposed) => McpStatus::unavailable(),
            Err(error) => {
                tracing::warn!(%error, "XIV MCP gave no status");
                McpStatus::unavailable()
            }
        }
    }

    /// The player's setting for one capability; deny unless the plugin is enabled, and for a capability that the host does not
    /// know (R-POL-2, R-POL-4). An unknown mode reads as deny.
    ///
    /// # Errors
    ///
    /// [`ClientError::Refused`] with the host's message, [`ClientError::NotReady`] while the host is not loaded, and the others of
    /// a request.
    ///
    /// ```
    /// use xivmcp_client::{McpCapabilities, McpPermission};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("MyPlugin", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # let client = plugin.client();
    /// assert_eq!(client.check_permission(McpCapabilities::Combat)?, McpPermission::Deny); // not enabled
    /// host.player().enable(&plugin);
    /// assert_eq!(client.check_permission(McpCapabilities::Combat)?, McpPermission::Ask);
    /// assert_eq!(client.check_permission("teleport_items")?, McpPermission::Deny);        // not known
    /// # Ok::<(), xivmcp_client::ClientError>(())
    /// ```
    pub fn check_permission(&self, capability: impl Into<Capability>) -> Result<PermissionMode, ClientError> {
        let shared = &self.shared;
        let capability = capability.into();
        let arguments = [shared.owner(), capability.as_str()];
        Ok(shared.request::<PermissionReply>(HostGate::CheckPermission, &arguments)?.mode.or_deny())
    }
}
