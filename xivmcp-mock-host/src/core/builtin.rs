//! The host's own tools, as `builtin-tools.json` lists them (SPEC §13): groups, tools, and the plugins that they use.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use xivmcp_protocol::{Capability, PermissionMode};

use super::Access;

/// How the host calls itself where an owner is named.
pub(super) const HOST: &str = "XivMcp";

/// The file's content. It is part of the crate, so reading it is tested, not handled.
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut catalogue: Catalogue = serde_json::from_str(include_str!("builtin-tools.json")).unwrap_or_default();
    catalogue.by_name = catalogue.tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
    catalogue
});

/// The host's own tools.
pub(super) fn catalogue() -> &'static Catalogue {
    &CATALOGUE
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Catalogue {
    pub(super) groups: Vec<Group>,
    pub(super) tools: Vec<BuiltinTool>,
    plugins: Vec<KnownPlugin>,
    #[serde(skip)]
    by_name: HashMap<String, usize>,
}

/// A module of the player's settings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Group {
    pub(super) id: String,
    pub(super) title: String,
    read: PermissionMode,
    write: PermissionMode,
}

/// One of the host's own tools.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuiltinTool {
    pub(super) name: String,
    pub(super) group: String,
    pub(super) read_only: bool,
    pub(super) capabilities: Vec<Capability>,
    /// No plugin's job may use it.
    #[serde(default)]
    pub(super) not_for_plugins: bool,
    /// No job's step may be one, and a running step does not block it.
    #[serde(default)]
    pub(super) job_control: bool,
    /// A running step does not block it either.
    #[serde(default)]
    pub(super) stop_tool: bool,
    /// As a step it does not count as running (R-JOB-9).
    #[serde(default)]
    pub(super) passive: bool,
    #[serde(default)]
    pub(super) plugins: Vec<UsedPlugin>,
}

/// A plugin that one of the host's own tools uses.
#[derive(Debug, Deserialize)]
pub(super) struct UsedPlugin {
    pub(super) plugin: String,
    pub(super) needed: bool,
    pub(super) reason: String,
    #[serde(default)]
    pub(super) without: Option<String>,
    #[serde(default)]
    pub(super) alternatives: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct KnownPlugin {
    plugin: String,
    name: String,
    repo: String,
}

impl Catalogue {
    pub(super) fn tool(&self, name: &str) -> Option<&BuiltinTool> {
        self.by_name.get(name).and_then(|at| self.tools.get(*at))
    }

    pub(super) fn group(&self, id: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.id == id)
    }

    /// A plugin's display name and repository; one that the file does not know is called by its internal name, and is in
    /// the official repository.
    pub(super) fn plugin<'a>(&'a self, internal_name: &'a str) -> (&'a str, &'a str) {
        self.plugins
            .iter()
            .find(|known| known.plugin == internal_name)
            .map_or((internal_name, "official"), |known| (&known.name, &known.repo))
    }
}

impl Group {
    pub(super) fn default_mode(&self, access: Access) -> &PermissionMode {
        match access {
            Access::Read => &self.read,
            Access::Write => &self.write,
        }
    }
}

impl BuiltinTool {
    /// Which of its group's settings it follows.
    pub(super) fn access(&self) -> Access {
        if self.read_only { Access::Read } else { Access::Write }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_whole() {
        let file: serde_json::Value = serde_json::from_str(include_str!("builtin-tools.json")).unwrap();
        let length = |key: &str| file[key].as_array().unwrap().len();
        assert_eq!(catalogue().tools.len(), length("tools"));
        assert_eq!(catalogue().groups.len(), length("groups"));
        assert_eq!(catalogue().plugins.len(), length("plugins"));
        assert_eq!(catalogue().by_name.len(), length("tools"), "a name stands twice");
    }

    #[test]
    fn every_tool_is_in_a_group_and_does_what_the_host_knows() {
        for tool in &catalogue().tools {
            assert!(catalogue().group(&tool.group).is_some(), "{}", tool.name);
            assert!(tool.capabilities.iter().all(Capability::is_known), "{}", tool.name);
            for used in &tool.plugins {
                assert_eq!(used.needed, used.without.is_none(), "{}: {}", tool.name, used.plugin);
            }
        }
    }

    // R-DEP-5
    #[test]
    fn an_unknown_plugin_is_called_by_its_internal_name_and_is_official() {
        assert_eq!(catalogue().plugin("GatherbuddyReborn").0, "GatherBuddy Reborn");
        assert_eq!(catalogue().plugin("Elsewhere"), ("Elsewhere", "official"));
    }

    #[test]
    fn the_flags_are_where_the_rules_need_them() {
        let tool = |name| catalogue().tool(name).unwrap();
        assert!(tool("wait").passive && tool("wait_until_arrived").passive);
        assert!(tool("pause_job").job_control && tool("pause_job").not_for_plugins);
        assert!(tool("stop_questing").stop_tool);
        assert!(catalogue().tool("Wait").is_none());
    }
}
