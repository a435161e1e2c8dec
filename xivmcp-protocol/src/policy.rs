//! What the player decided, and what follows from it (SPEC §5): modes, the state of a plugin, and the rules between them.
//!
//! The names are read by the client. The rules are pure functions for whoever plays the host; nothing here remembers
//! anything.

use crate::capability::Capability;

open_enum! {
    /// The player's setting: of a capability, or of a tool.
    ///
    /// Ordered by strictness (R-POL-2), so `max` is the strictest. A mode that this version does not know comes after
    /// `Deny`; [`or_deny`](Self::or_deny) reads it as one.
    ///
    /// ```
    /// use xivmcp_protocol::PermissionMode;
    ///
    /// assert!(PermissionMode::Allow < PermissionMode::Ask && PermissionMode::Ask < PermissionMode::Deny);
    /// assert_eq!(PermissionMode::from("ask"), PermissionMode::Ask);
    /// assert_eq!(PermissionMode::from("sometimes").as_str(), "sometimes");
    /// ```
    #[derive(PartialOrd, Ord)]
    pub enum PermissionMode {
        /// It happens without a question.
        Allow = "allow",
        /// The player is asked each time.
        Ask = "ask",
        /// It is refused.
        Deny = "deny",
    }
}

impl PermissionMode {
    /// The mode to act on: an unknown one counts as `Deny` (R-CLI-7).
    ///
    /// ```
    /// use xivmcp_protocol::PermissionMode;
    ///
    /// assert_eq!(PermissionMode::from("sometimes").or_deny(), PermissionMode::Deny);
    /// assert_eq!(PermissionMode::Ask.or_deny(), PermissionMode::Ask);
    /// ```
    #[must_use]
    pub fn or_deny(self) -> Self {
        if self.is_known() { self } else { Self::Deny }
    }
}

open_enum! {
    /// Where a plugin stands with the player (R-POL-1).
    ///
    /// ```
    /// use xivmcp_protocol::PluginState;
    ///
    /// assert_eq!(PluginState::from("awaiting_consent"), PluginState::AwaitingConsent);
    /// assert!(PluginState::Enabled.can_run());
    /// assert!(!PluginState::AwaitingConsent.can_run());
    /// ```
    pub enum PluginState {
        /// The host is not there, or too old. No host sends this; the client says it (R-CLI-7).
        Unavailable = "unavailable",
        /// The player has not decided yet.
        Undecided = "undecided",
        /// The player looked and left it disabled.
        KeptDisabled = "kept_disabled",
        /// Its tools may run.
        Enabled = "enabled",
        /// Enabled, but it grew since the player agreed (R-POL-6); its tools pause.
        AwaitingConsent = "awaiting_consent",
        /// The host stopped it for an undeclared effect (R-SIDE-2).
        Suspended = "suspended",
    }
}

impl PluginState {
    /// Whether the plugin's tools may run: only in `Enabled` (R-POL-1).
    ///
    /// ```
    /// assert!(!xivmcp_protocol::PluginState::Suspended.can_run());
    /// ```
    #[must_use]
    pub fn can_run(&self) -> bool {
        matches!(self, Self::Enabled)
    }

    /// The state to act on: an unknown one counts as `Unavailable` (R-CLI-7).
    ///
    /// ```
    /// use xivmcp_protocol::PluginState;
    ///
    /// assert_eq!(PluginState::from("on_holiday").or_unavailable(), PluginState::Unavailable);
    /// ```
    #[must_use]
    pub fn or_unavailable(self) -> Self {
        if self.is_known() { self } else { Self::Unavailable }
    }
}

/// What the state of a plugin is decided on.
///
/// ```
/// use xivmcp_protocol::{PluginState, policy::StateFacts};
///
/// let facts = StateFacts { enabled: true, awaiting_consent: true, ..StateFacts::default() };
/// assert_eq!(facts.state(), PluginState::AwaitingConsent);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "the rule decides on exactly these four")]
pub struct StateFacts {
    /// The player enabled the plugin.
    pub enabled: bool,
    /// The host suspended it.
    pub suspended: bool,
    /// It grew since the player agreed.
    pub awaiting_consent: bool,
    /// The player was shown its tools and decided.
    pub reviewed: bool,
}

impl StateFacts {
    /// The state (R-POL-1). Suspension outweighs the rest; waiting for consent counts only while enabled.
    ///
    /// ```
    /// use xivmcp_protocol::{PluginState, policy::StateFacts};
    ///
    /// assert_eq!(StateFacts::default().state(), PluginState::Undecided);
    /// assert_eq!(StateFacts { suspended: true, ..StateFacts::default() }.state(), PluginState::Suspended);
    /// ```
    #[must_use]
    pub fn state(self) -> PluginState {
        match self {
            Self { suspended: true, .. } => PluginState::Suspended,
            Self { enabled: true, awaiting_consent: true, .. } => PluginState::AwaitingConsent,
            Self { enabled: true, .. } => PluginState::Enabled,
            Self { reviewed: true, .. } => PluginState::KeptDisabled,
            Self { .. } => PluginState::Undecided,
        }
    }
}

/// A capability's own mode (R-POL-2): the player's setting, else the default; critical ones are never allowed unasked,
/// and a capability that this version does not know is denied whatever the setting.
///
/// ```
/// use xivmcp_protocol::{Capability, PermissionMode, policy::capability_mode};
///
/// assert_eq!(capability_mode(&Capability::ReadGame, None), PermissionMode::Allow);
/// assert_eq!(capability_mode(&Capability::DiscardItems, Some(&PermissionMode::Allow)), PermissionMode::Ask);
/// assert_eq!(capability_mode(&Capability::from("time_travel"), Some(&PermissionMode::Allow)), PermissionMode::Deny);
/// ```
#[must_use]
pub fn capability_mode(capability: &Capability, setting: Option<&PermissionMode>) -> PermissionMode {
    if !capability.is_known() {
        return PermissionMode::Deny;
    }
    let mode = setting.cloned().map_or_else(|| capability.default_mode(), PermissionMode::or_deny);
    if capability.is_critical() { mode.max(PermissionMode::Ask) } else { mode }
}

/// A tool's mode (R-POL-3), before the plugin's state is looked at.
///
/// `own` is the player's setting for this tool, `capabilities` its effective list, and `setting` finds the player's
/// setting of a capability. Without an own setting the strictest acting capability decides, or `read_game` where the tool
/// has none. With a critical capability the mode is never below `Ask`, not even by an own setting.
///
/// ```
/// use xivmcp_protocol::{Capability, PermissionMode, policy::tool_mode};
///
/// let buys = [Capability::ReadGame, Capability::MoveCharacter, Capability::SpendGil];
/// let deny_gil = |id: &Capability| (*id == Capability::SpendGil).then_some(PermissionMode::Deny);
/// assert_eq!(tool_mode(None, &buys, |_| None), PermissionMode::Ask);
/// assert_eq!(tool_mode(None, &buys, deny_gil), PermissionMode::Deny);
/// assert_eq!(tool_mode(Some(&PermissionMode::Allow), &buys, deny_gil), PermissionMode::Allow);
/// ```
pub fn tool_mode(
    own: Option<&PermissionMode>,
    capabilities: &[Capability],
    mut setting: impl FnMut(&Capability) -> Option<PermissionMode>,
) -> PermissionMode {
    let mut mode_of = |capability: &Capability| capability_mode(capability, setting(capability).as_ref());
    let mode = match own {
        Some(own) => own.clone().or_deny(),
        None => capabilities
            .iter()
            .filter(|capability| capability.is_acting())
            .map(&mut mode_of)
            .max()
            .unwrap_or_else(|| mode_of(&Capability::ReadGame)),
    };
    if capabilities.iter().any(Capability::is_critical) { mode.max(PermissionMode::Ask) } else { mode }
}

/// The mode that `GetStatus` and `CheckPermission` tell: `mode` only in the state `Enabled`, else `Deny` (R-POL-4).
///
/// ```
/// use xivmcp_protocol::{PermissionMode, PluginState, policy::mode_in_state};
///
/// assert_eq!(mode_in_state(PermissionMode::Ask, &PluginState::Enabled), PermissionMode::Ask);
/// assert_eq!(mode_in_state(PermissionMode::Allow, &PluginState::Suspended), PermissionMode::Deny);
/// ```
#[must_use]
pub fn mode_in_state(mode: PermissionMode, state: &PluginState) -> PermissionMode {
    if state.can_run() { mode } else { PermissionMode::Deny }
}

/// The mode that `RegisterTool` tells: `mode` while the plugin is enabled, else `Deny`. Awaiting consent and suspended do
/// not count here (R-DEF-6).
///
/// ```
/// use xivmcp_protocol::{PermissionMode, policy::mode_at_registration};
///
/// assert_eq!(mode_at_registration(PermissionMode::Ask, true), PermissionMode::Ask);
/// assert_eq!(mode_at_registration(PermissionMode::Ask, false), PermissionMode::Deny);
/// ```
#[must_use]
pub fn mode_at_registration(mode: PermissionMode, enabled: bool) -> PermissionMode {
    if enabled { mode } else { PermissionMode::Deny }
}
