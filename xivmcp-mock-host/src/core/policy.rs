//! What the player decided about each plugin, and remembered (SPEC §5). The rules between the decisions are the
//! protocol's; here is who decided what, and what counts as growth.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xivmcp_protocol::policy::{StateFacts, capability_mode, mode_in_state, tool_mode};
use xivmcp_protocol::{Capability, CheckedDefinition, PermissionMode, PluginState};

/// What the player was shown of a plugin before deciding (R-POL-5): the names of its tools, and what they may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(super) tools: BTreeSet<String>,
    pub(super) capabilities: BTreeSet<Capability>,
}

/// One plugin's policy. It outlives the plugin, and the host.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Policy {
    pub(super) enabled: bool,
    pub(super) awaiting_consent: bool,
    /// Why it is suspended, if it is.
    pub(super) suspended: Option<String>,
    reviewed: Option<Shown>,
    capabilities: BTreeMap<Capability, PermissionMode>,
    tools: BTreeMap<String, PermissionMode>,
}

/// The policy of a plugin about which the player has decided nothing.
static UNDECIDED: Policy = Policy {
    enabled: false,
    awaiting_consent: false,
    suspended: None,
    reviewed: None,
    capabilities: BTreeMap::new(),
    tools: BTreeMap::new(),
};

/// All policies, by the plugin's key.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Policies(BTreeMap<String, Policy>);

impl Policies {
    pub(super) fn get(&self, key: &str) -> &Policy {
        self.0.get(key).unwrap_or(&UNDECIDED)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> &mut Policy {
        self.0.entry(key.to_owned()).or_insert_with(|| UNDECIDED.clone())
    }

    /// The policy of a plugin about which the player has decided something.
    pub(super) fn get_mut_if_known(&mut self, key: &str) -> Option<&mut Policy> {
        self.0.get_mut(key)
    }

    pub(super) fn knows(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The keys of the plugins about which the player has decided something.
    #[cfg(feature = "server")]
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl Policy {
    /// R-POL-1.
    pub(super) fn state(&self) -> PluginState {
        StateFacts {
            enabled: self.enabled,
            suspended: self.suspended.is_some(),
            awaiting_consent: self.awaiting_consent,
            reviewed: self.reviewed.is_some(),
        }
        .state()
    }

    /// The player's setting of a capability, or its default (R-POL-2). The state does not count.
    pub(super) fn capability_mode(&self, capability: &Capability) -> PermissionMode {
        capability_mode(capability, self.capabilities.get(capability))
    }

    /// The mode of a capability as the plugin is told it: deny unless enabled (R-POL-4).
    pub(super) fn told_capability_mode(&self, capability: &Capability) -> PermissionMode {
        mode_in_state(self.capability_mode(capability), &self.state())
    }

    /// The mode of a tool (R-POL-3). The state does not count.
    pub(super) fn tool_mode(&self, tool: &str, capabilities: &[Capability]) -> PermissionMode {
        tool_mode(self.tools.get(tool), capabilities, |capability| self.capabilities.get(capability).cloned())
    }

    /// The mode of a tool as the plugin is told it (R-POL-4).
    pub(super) fn told_tool_mode(&self, tool: &str, capabilities: &[Capability]) -> PermissionMode {
        mode_in_state(self.tool_mode(tool, capabilities), &self.state())
    }

    /// What this plugin may do at most with a tool that is not its own (R-JOB-12): by what the tool does; deny unless the
    /// plugin is enabled.
    pub(super) fn mode_of_use(&self, capabilities: &[Capability]) -> PermissionMode {
        let mode = tool_mode(None, capabilities, |capability| self.capabilities.get(capability).cloned());
        mode_in_state(mode, &self.state())
    }

    /// The mode for an approval during a call (R-APP-3): the tool's own setting first, then the capability's.
    pub(super) fn approval_mode(&self, tool: &str, all: &[Capability], asked: &Capability) -> PermissionMode {
        let mode = if self.has_own_mode(tool) { self.tool_mode(tool, all) } else { self.capability_mode(asked) };
        let mode = if asked.is_critical() { mode.max(PermissionMode::Ask) } else { mode };
        mode_in_state(mode, &self.state())
    }

    /// Whether the player set the tool's mode itself.
    pub(super) fn has_own_mode(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    /// The mode that the player gave a tool itself.
    #[cfg(feature = "server")]
    pub(super) fn own_tool_mode(&self, tool: &str) -> Option<&PermissionMode> {
        self.tools.get(tool)
    }

    /// The mode that the player set for a capability.
    #[cfg(feature = "server")]
    pub(super) fn own_capability_mode(&self, capability: &Capability) -> Option<&PermissionMode> {
        self.capabilities.get(capability)
    }

    /// Whether the player was shown a tool before the last decision.
    #[cfg(feature = "server")]
    pub(super) fn was_shown_tool(&self, tool: &str) -> bool {
        self.reviewed.as_ref().is_some_and(|shown| shown.tools.contains(tool))
    }

    /// Whether a capability is nothing new after the last decision: it was shown, or only reads (R-POL-6).
    #[cfg(feature = "server")]
    pub(super) fn was_shown(&self, capability: &Capability) -> bool {
        let reviewed = self.reviewed.as_ref();
        reviewed.is_some_and(|shown| !capability.is_acting() || shown.capabilities.contains(capability))
    }

    pub(super) fn set_capability(&mut self, capability: Capability, mode: Option<PermissionMode>) {
        match mode {
            Some(mode) => self.capabilities.insert(capability, mode),
            None => self.capabilities.remove(&capability),
        };
    }

    pub(super) fn set_tool(&mut self, tool: &str, mode: Option<PermissionMode>) {
        match mode {
            Some(mode) => self.tools.insert(tool.to_owned(), mode),
            None => self.tools.remove(tool),
        };
    }

    /// *Enable* (R-POL-5): consents to exactly what was shown; whatever is registered beyond it waits for consent.
    pub(super) fn enable(&mut self, shown: Shown, registered: &Shown) {
        self.enabled = true;
        self.awaiting_consent = !registered.tools.is_subset(&shown.tools)
            || !registered.capabilities.iter().all(|id| !id.is_acting() || shown.capabilities.contains(id));
        self.reviewed = Some(shown);
    }

    /// *Keep disabled* (R-POL-5, R-POL-7).
    pub(super) fn keep_disabled(&mut self, shown: Shown) {
        self.enabled = false;
        self.awaiting_consent = false;
        self.reviewed = Some(shown);
    }

    /// Enabled without a review, as settings from elsewhere can be (R-POL-6).
    pub(super) fn enable_unreviewed(&mut self) {
        self.enabled = true;
    }

    /// Takes note of a registration: if it grows, and the plugin is enabled, all its tools wait for consent (R-POL-6).
    /// Gives whether they have begun to wait.
    pub(super) fn registered(&mut self, definition: &CheckedDefinition) -> bool {
        let acting = definition.acting_capabilities();
        let grows = match &self.reviewed {
            Some(shown) => {
                !shown.tools.contains(definition.name().as_str())
                    || acting.iter().any(|capability| !shown.capabilities.contains(capability))
            }
            None => !acting.is_empty(),
        };
        let begins = self.enabled && grows && !self.awaiting_consent;
        self.awaiting_consent |= begins;
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(name: &str, capability: Option<&str>) -> CheckedDefinition {
        let rest = match capability {
            Some(capability) => format!("\"capabilities\":[\"{capability}\"]"),
            None => "\"readOnly\":true".to_owned(),
        };
        CheckedDefinition::parse(&format!("{{\"name\":\"{name}\",\"description\":\"d\",{rest}}}")).unwrap()
    }

    fn shown(tools: &[&str], capabilities: &[&str]) -> Shown {
        Shown {
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            capabilities: capabilities.iter().map(|id| Capability::from(*id)).collect(),
        }
    }

    // R-POL-6
    #[test]
    fn a_registration_grows_with_a_tool_or_an_acting_capability_that_was_not_reviewed() {
        let reviewed = shown(&["mine_go", "mine_look"], &["read_game", "game_ui"]);
        let cases = [
            ("mine_go", Some("game_ui"), false, "the same again"),
            ("mine_go", None, false, "less than before"),
            ("mine_look", Some("game_ui"), false, "a capability that another tool had"),
            ("mine_go", Some("combat"), true, "another capability"),
            ("mine_new", None, true, "another tool, even if it only reads"),
        ];
        for (name, capability, grows, case) in cases {
            let mut policy = UNDECIDED.clone();
            policy.enable(reviewed.clone(), &reviewed);
            assert_eq!(policy.registered(&definition(name, capability)), grows, "{case}");
            assert_eq!(policy.state() == PluginState::AwaitingConsent, grows, "{case}");
        }
    }

    // R-POL-6
    #[test]
    fn enabled_without_a_review_only_acting_capabilities_grow() {
        let mut policy = UNDECIDED.clone();
        policy.enable_unreviewed();
        assert!(!policy.registered(&definition("mine_look", None)));
        assert!(policy.registered(&definition("mine_go", Some("game_ui"))));
    }

    // R-POL-6
    #[test]
    fn nothing_grows_while_the_plugin_is_not_enabled() {
        let mut policy = UNDECIDED.clone();
        assert!(!policy.registered(&definition("mine_go", Some("game_ui"))));
        assert_eq!(policy.state(), PluginState::Undecided);
    }

    // R-POL-5, R-POL-7
    #[test]
    fn consent_covers_exactly_what_was_shown() {
        let mut policy = UNDECIDED.clone();
        policy.enable(shown(&["mine_go"], &["game_ui"]), &shown(&["mine_go", "mine_new"], &["game_ui"]));
        assert_eq!(policy.state(), PluginState::AwaitingConsent);
        policy.enable(shown(&["mine_go"], &[]), &shown(&["mine_go"], &["read_game", "combat"]));
        assert_eq!(policy.state(), PluginState::AwaitingConsent);
        policy.keep_disabled(shown(&["mine_go"], &["game_ui"]));
        assert_eq!(policy.state(), PluginState::KeptDisabled);
        policy.enable(shown(&["mine_go"], &["game_ui"]), &shown(&["mine_go"], &["read_game"]));
        assert_eq!(policy.state(), PluginState::Enabled);
    }

    // R-APP-3
    #[test]
    fn an_approval_follows_the_tools_own_setting_then_the_capabilitys() {
        let all: Vec<Capability> = ["read_game", "spend_gil", "combat"].map(Capability::from).into();
        let critical: Vec<Capability> = ["read_game", "spend_gil", "discard_items"].map(Capability::from).into();
        let gil = Capability::SpendGil;
        let mut policy = UNDECIDED.clone();
        assert_eq!(policy.approval_mode("t_go", &all, &gil), PermissionMode::Deny, "not enabled");
        policy.enable_unreviewed();
        assert_eq!(policy.approval_mode("t_go", &all, &gil), PermissionMode::Ask);
        policy.set_capability(gil.clone(), Some(PermissionMode::Deny));
        assert_eq!(policy.approval_mode("t_go", &all, &gil), PermissionMode::Deny);
        policy.set_tool("t_go", Some(PermissionMode::Allow));
        assert_eq!(policy.approval_mode("t_go", &all, &gil), PermissionMode::Allow);
        assert_eq!(policy.approval_mode("t_go", &critical, &gil), PermissionMode::Ask);
        policy.set_tool("t_go", None);
        policy.set_capability(Capability::DiscardItems, Some(PermissionMode::Allow));
        assert_eq!(policy.approval_mode("t_go", &critical, &Capability::DiscardItems), PermissionMode::Ask);
    }
}
