//! Dalamud's list of plugins: who is installed, how it is spelt, in which version, and whether it is loaded.

use std::collections::BTreeMap;

use xivmcp_protocol::PluginVersion;

/// A plugin that is installed.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    /// The internal name as Dalamud spells it.
    pub(super) internal_name: String,
    pub(super) display_name: String,
    pub(super) version: PluginVersion,
    pub(super) loaded: bool,
}

/// All plugins that are installed. Names compare without case (R-OWN-1).
#[derive(Debug, Default)]
pub(super) struct PluginList {
    plugins: BTreeMap<String, Installed>,
}

/// The form of an internal name under which everything about a plugin is kept.
pub(super) fn plugin_key(name: &str) -> String {
    name.to_lowercase()
}

impl PluginList {
    pub(super) fn get(&self, name: &str) -> Option<&Installed> {
        self.plugins.get(&plugin_key(name))
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Installed> {
        self.plugins.get_mut(&plugin_key(name))
    }

    pub(super) fn insert(&mut self, plugin: Installed) {
        self.plugins.insert(plugin_key(&plugin.internal_name), plugin);
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.plugins.remove(&plugin_key(name)).is_some()
    }

    /// The keys of all plugins that are installed.
    #[cfg(feature = "server")]
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.plugins.keys().map(String::as_str)
    }

    pub(super) fn is_loaded(&self, name: &str) -> bool {
        self.get(name).is_some_and(|plugin| plugin.loaded)
    }

    /// How messages call a plugin: its display name, or the given name if it is not installed.
    pub(super) fn display_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.get(name).map_or(name, |plugin| &plugin.display_name)
    }

    /// How Dalamud spells a plugin's internal name; the given spelling if it is not installed.
    pub(super) fn spelling<'a>(&'a self, name: &'a str) -> &'a str {
        self.get(name).map_or(name, |plugin| &plugin.internal_name)
    }
}
