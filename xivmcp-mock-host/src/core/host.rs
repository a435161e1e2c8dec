//! The host and the plugins come and go: R-CALL-10, R-JOB-11, R-OWN-4, and Dalamud's list of plugins.

use xivmcp_protocol::PluginVersion;

use super::call::{Call, End};
use super::dalamud::{Installed, plugin_key};
use super::time::Time;
use super::{Core, InstallChange, PlayerError};

impl Core {
    /// The host begins to unload: from now on nothing new starts. Gates still answer.
    pub(crate) fn host_disposing(&mut self, _now: Time) {
        self.disposing = true;
    }

    /// `Disposing` was sent and the gates are gone: pending calls fail, jobs are paused.
    pub(crate) fn host_unloaded(&mut self, now: Time) {
        if !self.loaded {
            return;
        }
        self.loaded = false;
        self.pause_all_jobs(now);
        self.end_calls(now, |_| true, "XIV MCP was unloaded while the call ran");
        self.registry.clear();
        self.declarations.clear();
        self.session.clear();
        self.list_changed();
    }

    /// The host loads: its gates may answer again. Then the driver sends `Ready`.
    pub(crate) fn host_loaded(&mut self, now: Time) {
        self.loaded = true;
        self.disposing = false;
        self.wake_jobs(now);
        self.list_changed();
    }

    /// The gate `IsReady`, and whether the host is loaded.
    pub(crate) fn is_ready(&self) -> bool {
        self.loaded
    }

    /// Whether something new may start.
    pub(super) fn is_running(&self) -> bool {
        self.loaded && !self.disposing
    }

    /// Ends calls as failed, with `reason`; those that had ended already are handed on as they are.
    fn end_calls(&mut self, now: Time, wanted: impl Fn(&Call) -> bool, reason: &str) {
        for id in self.calls.ids_where(wanted) {
            let end = self.calls.by_id.get_mut(&id).and_then(Call::take_end);
            self.finish(now, &id, end.unwrap_or_else(|| End::Error(reason.to_owned())), false);
        }
    }

    /// Adds a plugin to Dalamud's list, or changes its entry. Unloading it this way is unloading it.
    pub(crate) fn dalamud_install(
        &mut self,
        now: Time,
        plugin: &str,
        change: InstallChange,
    ) -> Result<(), PlayerError> {
        let key = plugin_key(plugin);
        if plugin.trim().is_empty() || key == plugin_key(super::builtin::HOST) {
            return Err(PlayerError { message: format!("\"{plugin}\" cannot be the internal name of a plugin") });
        }
        let version = match change.version.as_deref().map(str::parse::<PluginVersion>) {
            Some(Err(error)) => return Err(PlayerError { message: format!("{plugin}: {error}") }),
            Some(Ok(version)) => Some(version),
            None => None,
        };
        let before = self.plugins.get(plugin).cloned();
        let was_loaded = before.as_ref().is_some_and(|plugin| plugin.loaded);
        let installed = match before {
            Some(before) => Installed {
                internal_name: plugin.to_owned(),
                display_name: change.name.unwrap_or(before.display_name),
                version: version.unwrap_or(before.version),
                loaded: before.loaded,
            },
            None => Installed {
                internal_name: plugin.to_owned(),
                display_name: change.name.unwrap_or_else(|| plugin.to_owned()),
                version: version.map_or_else(|| first_version(plugin), Ok)?,
                loaded: false,
            },
        };
        let is_new = self.plugins.get(plugin).is_none();
        self.plugins.insert(installed);
        let loaded = change.loaded.unwrap_or(is_new || was_loaded);
        if loaded != was_loaded { self.dalamud_set_loaded(now, plugin, loaded) } else { Ok(()) }
    }

    /// Loads a plugin that is installed (`true`), or unloads it (R-OWN-4).
    pub(crate) fn dalamud_set_loaded(&mut self, now: Time, plugin: &str, loaded: bool) -> Result<(), PlayerError> {
        let Some(installed) = self.plugins.get_mut(plugin) else { return Err(not_installed(plugin)) };
        let changed = installed.loaded != loaded;
        installed.loaded = loaded;
        if changed {
            self.list_changed();
        }
        if !loaded {
            // Also one that never counted as loaded may have registered from its constructor.
            self.plugin_unloaded(now, plugin);
        }
        Ok(())
    }

    /// Unloads a plugin and removes it from the list.
    pub(crate) fn dalamud_uninstall(&mut self, now: Time, plugin: &str) -> Result<(), PlayerError> {
        if self.plugins.get(plugin).is_none() {
            return Err(not_installed(plugin));
        }
        self.plugin_unloaded(now, plugin);
        self.plugins.remove(plugin);
        self.list_changed();
        Ok(())
    }

    /// R-OWN-4: tools, dependencies, session answers and running calls go; the policy stays.
    fn plugin_unloaded(&mut self, now: Time, plugin: &str) {
        let key = plugin_key(plugin);
        let reason = format!("{} was unloaded while the call ran", self.plugins.display_name(plugin));
        self.end_calls(now, |call| call.is_of(&key), &reason);
        self.forget_registrations(&key);
        self.session.forget(&key);
    }
}

/// Version 1.0.0, which every plugin has at first.
fn first_version(plugin: &str) -> Result<PluginVersion, PlayerError> {
    "1.0.0".parse().map_err(|error| PlayerError { message: format!("{plugin}: {error}") })
}

pub(super) fn not_installed(plugin: &str) -> PlayerError {
    PlayerError { message: format!("no plugin \"{plugin}\" is installed") }
}
