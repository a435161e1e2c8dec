//! What the host replies about a plugin's tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{capability::CapabilityMode, policy::PluginState};

/// What `RegisterTool` replies.
///
/// ```
/// use xivmcp_protocol::{PluginState, RegistrationReply, Reply};
///
/// let reply = RegistrationReply::new("myplugin_farm", PluginState::Undecided);
/// assert_eq!(
///     Reply::Ok(&reply).to_json(),
///     r#"{"ok":true,"name":"myplugin_farm","enabled":false,"awaitingConsent":false,"state":"undecided","capabilities":[]}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RegistrationReply {
    /// The tool's name.
    pub name: String,
    /// Whether the player enabled the plugin.
    pub enabled: bool,
    /// Whether the plugin waits for the player to agree to what it grew by.
    pub awaiting_consent: bool,
    /// Where the plugin stands.
    pub state: PluginState,
    /// The tool's effective capabilities, each with its own mode, or `deny` while `enabled` is false (R-DEF-6).
    #[serde(default)]
    pub capabilities: Vec<CapabilityMode>,
}

impl RegistrationReply {
    /// A reply for a plugin that is not enabled, does not wait, and lists no capability yet. Set the fields that differ.
    ///
    /// ```
    /// use xivmcp_protocol::{PluginState, RegistrationReply, envelope};
    ///
    /// let mut reply = RegistrationReply::new("myplugin_farm", PluginState::Enabled);
    /// reply.enabled = true;
    /// assert!(envelope::ok(&reply).starts_with(r#"{"ok":true,"name":"myplugin_farm","enabled":true"#));
    /// ```
    pub fn new(name: impl Into<String>, state: PluginState) -> Self {
        Self { name: name.into(), enabled: false, awaiting_consent: false, state, capabilities: Vec::new() }
    }
}

/// What `UnregisterTool` replies.
///
/// ```
/// use xivmcp_protocol::{Reply, UnregisterToolReply};
///
/// let reply = Reply::<UnregisterToolReply>::parse(r#"{"ok":true,"removed":false}"#)?;
/// assert_eq!(reply, UnregisterToolReply::new(false));
/// # Ok::<(), xivmcp_protocol::EnvelopeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct UnregisterToolReply {
    /// False if there was no such tool, or it is not the caller's (R-DEF-7).
    pub removed: bool,
}

impl UnregisterToolReply {
    /// The reply. See the type for an example.
    ///
    /// ```
    /// assert!(xivmcp_protocol::UnregisterToolReply::new(true).removed);
    /// ```
    #[must_use]
    pub fn new(removed: bool) -> Self {
        Self { removed }
    }
}

/// What `UnregisterAll` replies.
///
/// ```
/// use xivmcp_protocol::{Reply, UnregisterAllReply};
///
/// assert_eq!(Reply::Ok(UnregisterAllReply::new(3)).to_json(), r#"{"ok":true,"removed":3}"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct UnregisterAllReply {
    /// How many tools went.
    pub removed: u64,
}

impl UnregisterAllReply {
    /// The reply. See the type for an example.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::UnregisterAllReply::new(3).removed, 3);
    /// ```
    #[must_use]
    pub fn new(removed: u64) -> Self {
        Self { removed }
    }
}
