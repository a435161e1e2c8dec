//! What the player does about plugins: enable, keep disabled, lift, settings (R-POL-5 to R-POL-7).

use xivmcp_protocol::{Capability, PermissionMode};

use super::builtin::HOST;
use super::dalamud::plugin_key;
use super::host::not_installed;
use super::policy::Shown;
use super::{Core, PlayerError};

impl Core {
    /// What the player sees of a plugin now.
    pub(crate) fn player_shown(&self, plugin: &str) -> Shown {
        self.registry.shown(&plugin_key(plugin))
    }

    /// Enables a plugin, with what `shown` says (all that is registered now, if it is `None`).
    pub(crate) fn player_enable(&mut self, plugin: &str, shown: Option<&Shown>) -> Result<(), PlayerError> {
        let key = self.decided_about(plugin)?;
        let registered = self.registry.shown(&key);
        let shown = shown.cloned().unwrap_or_else(|| registered.clone());
        self.policies.get_mut(&key).enable(shown, &registered);
        self.list_changed();
        Ok(())
    }

    /// Enables a plugin that was never reviewed, as settings brought along from elsewhere may (R-POL-6).
    pub(crate) fn player_enable_unreviewed(&mut self, plugin: &str) -> Result<(), PlayerError> {
        let key = self.decided_about(plugin)?;
        self.policies.get_mut(&key).enable_unreviewed();
        self.list_changed();
        Ok(())
    }

    /// Keeps a plugin disabled, with what `shown` says.
    pub(crate) fn player_keep_disabled(&mut self, plugin: &str, shown: Option<&Shown>) -> Result<(), PlayerError> {
        let key = self.decided_about(plugin)?;
        let shown = shown.cloned().unwrap_or_else(|| self.registry.shown(&key));
        self.policies.get_mut(&key).keep_disabled(shown);
        self.list_changed();
        Ok(())
    }

    /// Ends a plugin's suspension.
    pub(crate) fn player_lift(&mut self, plugin: &str) -> Result<(), PlayerError> {
        let key = self.decided_about(plugin)?;
        if let Some(policy) = self.policies.get_mut_if_known(&key) {
            policy.suspended = None;
        }
        Ok(())
    }

    /// Forgets the session answers about a plugin's tools, and those given to the plugin. `XivMcp`: the host's tools.
    pub(crate) fn player_clear_session(&mut self, plugin: &str) -> Result<(), PlayerError> {
        let key = plugin_key(plugin);
        if key != plugin_key(HOST) {
            self.decided_about(plugin)?;
        }
        self.session.forget(&key);
        Ok(())
    }

    /// Sets the mode of a capability; `None` is its default.
    pub(crate) fn player_set_capability(
        &mut self,
        plugin: &str,
        capability: &str,
        mode: Option<PermissionMode>,
    ) -> Result<(), PlayerError> {
        let key = self.decided_about(plugin)?;
        let capability = Capability::from(capability);
        if !capability.is_known() {
            return Err(PlayerError { message: format!("there is no capability \"{capability}\"") });
        }
        let mode = known_mode(mode)?;
        self.policies.get_mut(&key).set_capability(capability, mode);
        Ok(())
    }

    /// Sets the mode of a tool; `None` follows its capabilities.
    pub(crate) fn player_set_tool(
        &mut self,
        plugin: &str,
        tool: &str,
        mode: Option<PermissionMode>,
    ) -> Result<(), PlayerError> {
        let key = self.decided_about(plugin)?;
        let mode = known_mode(mode)?;
        self.policies.get_mut(&key).set_tool(tool, mode);
        Ok(())
    }

    /// The key of a plugin that the player can decide about: it is installed, or a decision is kept.
    fn decided_about(&self, plugin: &str) -> Result<String, PlayerError> {
        let key = plugin_key(plugin);
        if self.plugins.get(plugin).is_some() || self.policies.knows(&key) {
            Ok(key)
        } else {
            Err(not_installed(plugin))
        }
    }
}

/// A mode that the player can choose. Another text would count as deny, and nobody would know why.
pub(super) fn known_mode(mode: Option<PermissionMode>) -> Result<Option<PermissionMode>, PlayerError> {
    match mode {
        Some(PermissionMode::Allow | PermissionMode::Ask | PermissionMode::Deny) | None => Ok(mode),
        Some(other) => {
            Err(PlayerError { message: format!("there is no mode \"{other}\": it must be allow, ask or deny") })
        }
    }
}
