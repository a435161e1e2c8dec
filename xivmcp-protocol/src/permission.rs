//! What `CheckPermission` replies: one capability, as it stands now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    capability::Capability,
    policy::{PermissionMode, PluginState},
};

/// The mode of one capability, and where the plugin stands.
///
/// ```
/// use xivmcp_protocol::{Capability, PermissionMode, PermissionReply, PluginState, Reply};
///
/// let mut reply = PermissionReply::new(Capability::Combat, PermissionMode::Ask, PluginState::Enabled);
/// reply.enabled = true;
/// assert_eq!(
///     Reply::Ok(&reply).to_json(),
///     r#"{"ok":true,"capability":"combat","mode":"ask","enabled":true,"suspended":false,"state":"enabled"}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PermissionReply {
    /// The capability that was asked about. This version's host writes it; XIV MCP's own page does not promise it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Capability")]
    pub capability: Option<Capability>,
    /// The mode that holds: `deny` unless `state` is `enabled` (R-POL-4).
    pub mode: PermissionMode,
    /// Whether the player enabled the plugin.
    #[serde(default)]
    pub enabled: bool,
    /// Whether the host suspended it.
    #[serde(default)]
    pub suspended: bool,
    /// Where the plugin stands.
    pub state: PluginState,
}

impl PermissionReply {
    /// A reply for a plugin that is neither enabled nor suspended. Set the flags that differ; see the type.
    ///
    /// ```
    /// use xivmcp_protocol::{Capability, PermissionMode, PermissionReply, PluginState};
    ///
    /// let reply = PermissionReply::new(Capability::Combat, PermissionMode::Deny, PluginState::Undecided);
    /// assert!(!reply.enabled);
    /// ```
    #[must_use]
    pub fn new(capability: Capability, mode: PermissionMode, state: PluginState) -> Self {
        Self { capability: Some(capability), mode, enabled: false, suspended: false, state }
    }
}
