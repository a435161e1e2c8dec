//! What the program does in the player's stead when nobody wants to click. For the server only.

use std::collections::BTreeSet;

use xivmcp_protocol::PluginState;

use super::Core;

impl Core {
    /// Enables every plugin that waits for the player's decision with what it has registered by now. One that the player
    /// keeps disabled stays so.
    pub(crate) fn enable_who_waits(&mut self) {
        let owners: BTreeSet<String> = self.registry.all().map(|tool| tool.owner.clone()).collect();
        for owner in owners.into_iter().filter(|owner| self.waits_for_consent(owner)).collect::<Vec<_>>() {
            // It is installed: its tools are here.
            let _ = self.player_enable(&owner, None);
        }
    }

    /// Whether there is such a plugin.
    pub(crate) fn somebody_waits_for_consent(&self) -> bool {
        self.registry.all().any(|tool| self.waits_for_consent(&tool.owner))
    }

    fn waits_for_consent(&self, owner: &str) -> bool {
        let state = self.policies.get(&super::dalamud::plugin_key(owner)).state();
        matches!(state, PluginState::Undecided | PluginState::AwaitingConsent)
    }

    /// The display name of the plugin whose tool that is; nothing for the host's own, and for unknown ones.
    pub(crate) fn plugin_of_tool(&self, name: &str) -> Option<String> {
        self.registry.get(name).map(|tool| self.plugins.display_name(&tool.owner).to_owned())
    }
}
