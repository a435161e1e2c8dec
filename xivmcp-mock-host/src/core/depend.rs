//! Where the tools stand that a plugin declared for its jobs (SPEC §10). States are computed when asked (R-DEP-6).

use xivmcp_protocol::dependency::PluginSource;
use xivmcp_protocol::{
    CheckedDeclaration, CheckedDependency, DependencyState, DependencyStatus, HostError, InstallEntry, RepoUrl,
};

use super::Core;
use super::builtin::{BuiltinTool, UsedPlugin, catalogue};
use super::dalamud::plugin_key;

impl Core {
    /// `DeclareDependencies`: replaces the previous declaration; a refused one leaves it.
    pub(super) fn declare(&mut self, owner: &str, json: &str) -> Result<Vec<DependencyStatus>, HostError> {
        let declaration = CheckedDeclaration::parse(json, |tool| catalogue().tool(tool).is_some())
            .map_err(|error| HostError::new(error.to_string()))?;
        let key = plugin_key(owner);
        if declaration.tools.is_empty() {
            self.declarations.remove(&key);
        } else {
            self.declarations.insert(key.clone(), declaration);
        }
        Ok(self.dependencies(&key))
    }

    /// Where each declared tool stands now.
    pub(super) fn dependencies(&self, owner_key: &str) -> Vec<DependencyStatus> {
        let declared = self.declarations.get(owner_key).map(|declaration| declaration.tools.as_slice());
        declared.unwrap_or_default().iter().map(|tool| self.dependency(tool)).collect()
    }

    /// Whether a plugin has declared a tool.
    pub(super) fn is_declared(&self, owner_key: &str, tool: &str) -> bool {
        self.declared(owner_key, tool).is_some()
    }

    /// Why a step may not use a tool that its plugin declared, if so (R-DEP-7).
    pub(super) fn unmet(&self, owner_key: &str, tool: &str) -> Option<String> {
        let status = self.dependency(self.declared(owner_key, tool)?);
        (!status.is_ok()).then_some(status.message)
    }

    fn declared(&self, owner_key: &str, tool: &str) -> Option<&CheckedDependency> {
        self.declarations.get(owner_key)?.tools.iter().find(|declared| declared.tool.as_str() == tool)
    }

    fn dependency(&self, declared: &CheckedDependency) -> DependencyStatus {
        let name = declared.tool.as_str();
        match &declared.plugin {
            Some(source) => self.plugin_tool(name, source),
            None => match catalogue().tool(name) {
                Some(tool) => self.host_tool(tool),
                None => DependencyStatus::new(
                    name,
                    None,
                    DependencyState::ToolMissing,
                    format!("XIV MCP has no tool \"{name}\" of its own."),
                ),
            },
        }
    }

    /// Another plugin's tool (R-DEP-4), in the order of checking.
    fn plugin_tool(&self, tool: &str, source: &PluginSource) -> DependencyStatus {
        let name = &source.name;
        let installed = self.plugins.get(&source.plugin);
        let outdated = installed.filter(|plugin| plugin.version < source.min_version);
        let key = plugin_key(&source.plugin);
        let registered = self.registry.get(tool).is_some_and(|found| found.owner_key == key);
        let state = self.policies.get(&key).state();
        let (dependency, message) = match (installed, outdated) {
            (None, _) => (DependencyState::PluginMissing, format!("{name} is not installed.")),
            (_, Some(plugin)) => (
                DependencyState::PluginOutdated,
                format!("{name} {} is installed, but {} or newer is needed.", plugin.version, source.min_version),
            ),
            (Some(plugin), _) if !plugin.loaded => {
                (DependencyState::PluginNotLoaded, format!("{name} is installed, but not enabled in Dalamud."))
            }
            _ if !registered => (DependencyState::ToolMissing, format!("{name} does not offer \"{tool}\" now.")),
            _ if !state.can_run() => (
                DependencyState::NotEnabled,
                format!("{name} is not enabled in XIV MCP (its state is {state}); the player can change that there."),
            ),
            _ => (DependencyState::Ok, "Ready.".to_owned()),
        };
        let to_install = matches!(
            dependency,
            DependencyState::PluginMissing | DependencyState::PluginOutdated | DependencyState::PluginNotLoaded
        );
        let mut status = DependencyStatus::new(tool, Some(source.plugin.clone()), dependency, message);
        if to_install {
            let mut entry = InstallEntry::new(&source.plugin, name, &source.repo);
            entry.needed = true;
            entry.installed = installed.is_some();
            entry.outdated = outdated.is_some();
            status.install.push(entry);
        }
        status
    }

    /// One of the host's own tools (R-DEP-5).
    fn host_tool(&self, tool: &'static BuiltinTool) -> DependencyStatus {
        let lacking: Vec<_> = tool.plugins.iter().filter(|used| !self.is_there(used)).collect();
        let (state, message) = match self.missing_plugin(tool) {
            Some(message) => (DependencyState::NeedsPlugin, message),
            None => (DependencyState::Ok, ready_without(&lacking)),
        };
        let mut status = DependencyStatus::new(&tool.name, None, state, message);
        status.install = lacking.into_iter().map(|used| self.install_entry(used)).collect();
        status
    }

    /// Whether a plugin that a host tool uses is loaded, or one that does as well.
    fn is_there(&self, used: &UsedPlugin) -> bool {
        self.plugins.is_loaded(&used.plugin) || used.alternatives.iter().any(|other| self.plugins.is_loaded(other))
    }

    /// Which plugin one of the host's own tools needs and lacks, as a message; nothing if the tool is available.
    pub(super) fn missing_plugin(&self, tool: &'static BuiltinTool) -> Option<String> {
        let missing: Vec<String> = tool
            .plugins
            .iter()
            .filter(|used| used.needed && !self.is_there(used))
            .map(|used| {
                let name = catalogue().plugin(&used.plugin).0;
                let alternatives: Vec<&str> =
                    used.alternatives.iter().map(|other| catalogue().plugin(other).0).collect();
                let or =
                    if alternatives.is_empty() { String::new() } else { format!(" or {}", alternatives.join(" or ")) };
                let what = if self.plugins.get(&used.plugin).is_some() { "enabled in Dalamud" } else { "installed" };
                format!("{name}{or}, which is not {what}")
            })
            .collect();
        (!missing.is_empty()).then(|| format!("\"{}\" needs {}.", tool.name, missing.join("; and ")))
    }

    fn install_entry(&self, used: &UsedPlugin) -> InstallEntry {
        let (name, repo) = catalogue().plugin(&used.plugin);
        let mut entry = InstallEntry::new(&used.plugin, name, &repo.parse().unwrap_or(RepoUrl::OFFICIAL));
        entry.needed = used.needed;
        entry.installed = self.plugins.get(&used.plugin).is_some();
        entry.reason = Some(used.reason.clone());
        entry.without.clone_from(&used.without);
        entry
    }
}

/// `Ready.`, and what happens without the helpers that are missing.
fn ready_without(lacking: &[&UsedPlugin]) -> String {
    let mut message = "Ready.".to_owned();
    for used in lacking {
        let name = catalogue().plugin(&used.plugin).0;
        message.push_str(&format!(" Without {name}: {}", used.without.as_deref().unwrap_or("it does less.")));
    }
    message
}
