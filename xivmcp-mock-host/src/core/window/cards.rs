//! Plugins, and the modules of the host's own tools: how they stand, and what the player set.

use std::collections::BTreeSet;

use serde::Serialize;
use xivmcp_protocol::{Capability, DependencyStatus, PermissionMode, PluginState};

use crate::core::builtin::{BuiltinTool, Group, catalogue};
use crate::core::policy::Policy;
use crate::core::{Access, Core};

/// A plugin, installed or only remembered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PluginCard {
    name: String,
    title: String,
    version: String,
    installed: bool,
    loaded: bool,
    state: PluginState,
    suspended: Option<String>,
    capabilities: Vec<CapabilityRow>,
    tools: Vec<ToolRow>,
    dependencies: Vec<DependencyStatus>,
    session_answers: usize,
}

/// Something that a plugin's tools may do.
#[derive(Debug, Serialize)]
struct CapabilityRow {
    id: Capability,
    /// What the player set; nothing for the default.
    set: Option<PermissionMode>,
    /// What holds while the plugin is enabled.
    mode: PermissionMode,
    /// The player has not decided about it yet.
    fresh: bool,
    /// The tools that have it.
    tools: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolRow {
    name: String,
    description: String,
    read_only: bool,
    destructive: bool,
    capabilities: Vec<Capability>,
    set: Option<PermissionMode>,
    mode: PermissionMode,
    critical: bool,
    fresh: bool,
}

/// A group of the host's own tools.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Module {
    id: &'static str,
    title: &'static str,
    on: bool,
    has_read: bool,
    has_write: bool,
    read: PermissionMode,
    write: PermissionMode,
    read_set: Option<PermissionMode>,
    write_set: Option<PermissionMode>,
    read_default: PermissionMode,
    write_default: PermissionMode,
    tools: Vec<ModuleTool>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ModuleTool {
    name: &'static str,
    read_only: bool,
    capabilities: &'static [Capability],
    set: Option<PermissionMode>,
    mode: PermissionMode,
    /// The plugins that it needs and that are not there, in words.
    lacks: Option<String>,
}

impl Core {
    /// All plugins that are installed, or about which a decision is kept; by name.
    pub(crate) fn window_plugins(&self) -> Vec<PluginCard> {
        let keys: BTreeSet<&str> = self.plugins.keys().chain(self.policies.keys()).collect();
        keys.into_iter().map(|key| self.window_plugin(key)).collect()
    }

    fn window_plugin(&self, key: &str) -> PluginCard {
        let policy = self.policies.get(key);
        let installed = self.plugins.get(key);
        let tools = self.registry.of(key).map(|tool| {
            let name = tool.name();
            ToolRow {
                name: name.to_owned(),
                description: tool.definition.description().to_owned(),
                read_only: tool.definition.is_read_only(),
                destructive: tool.definition.is_destructive(),
                capabilities: tool.capabilities().to_vec(),
                set: policy.own_tool_mode(name).cloned(),
                mode: policy.tool_mode(name, tool.capabilities()),
                critical: tool.capabilities().iter().any(Capability::is_critical),
                fresh: !policy.was_shown_tool(name),
            }
        });
        PluginCard {
            name: self.plugins.spelling(key).to_owned(),
            title: self.plugins.display_name(key).to_owned(),
            version: installed.map(|plugin| plugin.version.to_string()).unwrap_or_default(),
            installed: installed.is_some(),
            loaded: installed.is_some_and(|plugin| plugin.loaded),
            state: policy.state(),
            suspended: policy.suspended.clone(),
            tools: tools.collect(),
            capabilities: self.window_capabilities(key, policy),
            dependencies: self.dependencies(key),
            session_answers: self.session.count(key),
        }
    }

    fn window_capabilities(&self, key: &str, policy: &Policy) -> Vec<CapabilityRow> {
        let all = self.registry.shown(key).capabilities.into_iter();
        all.map(|id| CapabilityRow {
            set: policy.own_capability_mode(&id).cloned(),
            mode: policy.capability_mode(&id),
            fresh: !policy.was_shown(&id),
            tools: self
                .registry
                .of(key)
                .filter(|tool| tool.capabilities().contains(&id))
                .map(|tool| tool.name().to_owned())
                .collect(),
            id,
        })
        .collect()
    }

    /// The groups of the host's own tools.
    pub(crate) fn window_modules(&self) -> Vec<Module> {
        catalogue().groups.iter().map(|group| self.window_module(group)).collect()
    }

    fn window_module(&self, group: &'static Group) -> Module {
        let of_group = || catalogue().tools.iter().filter(|tool| tool.group == group.id);
        let set = |access| self.builtins.group_mode(group, access).cloned();
        let first = |access| group.default_mode(access).clone();
        let mode = |access| set(access).unwrap_or_else(|| first(access));
        Module {
            id: &group.id,
            title: &group.title,
            on: self.builtins.is_on(&group.id),
            has_read: of_group().any(|tool| tool.read_only),
            has_write: of_group().any(|tool| !tool.read_only),
            read: mode(Access::Read),
            write: mode(Access::Write),
            read_set: set(Access::Read),
            write_set: set(Access::Write),
            read_default: first(Access::Read),
            write_default: first(Access::Write),
            tools: of_group().map(|tool| self.window_module_tool(tool)).collect(),
        }
    }

    fn window_module_tool(&self, tool: &'static BuiltinTool) -> ModuleTool {
        ModuleTool {
            name: &tool.name,
            read_only: tool.read_only,
            capabilities: &tool.capabilities,
            set: self.builtins.own_mode(tool).cloned(),
            mode: self.builtins.mode(tool),
            lacks: self.missing_plugin(tool),
        }
    }
}
