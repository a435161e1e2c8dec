//! What `GetStatus` replies: where a plugin stands, and what each of its tools and capabilities is set to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    capability::CapabilityMode,
    dependency::DependencyStatus,
    policy::{PermissionMode, PluginState},
};

/// Where a plugin stands.
///
/// `suspendReason` is always written, as `null` where there is none.
///
/// ```
/// use xivmcp_protocol::{PluginState, Reply, StatusReply};
///
/// let status = StatusReply::new(PluginState::Enabled);
/// assert!(status.can_run);
/// assert_eq!(
///     Reply::Ok(&status).to_json(),
///     r#"{"ok":true,"state":"enabled","canRun":true,"suspendReason":null,"tools":[],"capabilities":[],"dependencies":[]}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StatusReply {
    /// Where the plugin stands (R-POL-1).
    pub state: PluginState,
    /// Whether its tools may run: only in the state `enabled`.
    #[serde(default)]
    pub can_run: bool,
    /// Why the host suspended it; null in every other state.
    #[serde(default)]
    pub suspend_reason: Option<String>,
    /// Its registered tools.
    #[serde(default)]
    pub tools: Vec<ToolStatus>,
    /// The capabilities that its tools declare, each with the mode that holds (R-POL-4).
    #[serde(default)]
    pub capabilities: Vec<CapabilityMode>,
    /// Where each tool stands that the plugin declared for its jobs, checked when asked (R-DEP-6).
    #[serde(default)]
    pub dependencies: Vec<DependencyStatus>,
}

impl StatusReply {
    /// A status with nothing in its lists; `can_run` follows from the state. Fill in what is there.
    ///
    /// ```
    /// use xivmcp_protocol::{PluginState, StatusReply};
    ///
    /// let mut status = StatusReply::new(PluginState::Suspended);
    /// status.suspend_reason = Some("myplugin_clean spent gil without saying so".to_owned());
    /// assert!(!status.can_run);
    /// ```
    #[must_use]
    pub fn new(state: PluginState) -> Self {
        Self {
            can_run: state.can_run(),
            state,
            suspend_reason: None,
            tools: Vec::new(),
            capabilities: Vec::new(),
            dependencies: Vec::new(),
        }
    }
}

/// A tool, and what it is set to.
///
/// ```
/// use xivmcp_protocol::{PermissionMode, ToolStatus};
///
/// let tool = ToolStatus::new("myplugin_farm", PermissionMode::Ask, false);
/// assert_eq!(serde_json::to_string(&tool)?, r#"{"name":"myplugin_farm","mode":"ask","own":false}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ToolStatus {
    /// The tool's name.
    pub name: String,
    /// The mode of the tool as a whole (R-POL-3, R-POL-4).
    pub mode: PermissionMode,
    /// Whether the player set this tool's mode itself.
    #[serde(default)]
    pub own: bool,
}

impl ToolStatus {
    /// An entry. See the type for an example.
    ///
    /// ```
    /// use xivmcp_protocol::{PermissionMode, ToolStatus};
    ///
    /// assert!(ToolStatus::new("myplugin_farm", PermissionMode::Allow, true).own);
    /// ```
    pub fn new(name: impl Into<String>, mode: PermissionMode, own: bool) -> Self {
        Self { name: name.into(), mode, own }
    }
}
