//! The player's settings: modes of capabilities, tools, and groups of the host's own tools.

use xivmcp_protocol::PermissionMode;

use super::Player;
use crate::core::Access;

impl Player {
    /// Sets a plugin's mode for a capability. A critical capability that is allowed still asks (R-POL-2).
    ///
    /// # Panics
    ///
    /// If the plugin is not installed, or if there is no such capability.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// host.player().set_mode(&cat, "game_ui", "allow");
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// host.player().set_mode(&cat, "game_ui", "deny");
    /// assert!(host.assistant().call("cat_purr", ()).expect_error().contains("cat_purr"));
    /// ```
    #[track_caller]
    pub fn set_mode(&self, plugin: impl AsRef<str>, capability: impl AsRef<str>, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_capability(plugin.as_ref(), capability.as_ref(), mode));
    }

    /// Sets a plugin's mode for a capability back to the capability's default.
    ///
    /// # Panics
    ///
    /// If the plugin is not installed, or if there is no such capability.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// let mode = || dog.client().check_permission("spend_gil").unwrap().to_string();
    /// host.player().set_mode(&dog, "spend_gil", "deny");
    /// assert_eq!(mode(), "deny");
    /// host.player().reset_mode(&dog, "spend_gil");
    /// assert_eq!(mode(), "ask");
    /// ```
    #[track_caller]
    pub fn reset_mode(&self, plugin: impl AsRef<str>, capability: impl AsRef<str>) {
        self.does(|core, _| core.player_set_capability(plugin.as_ref(), capability.as_ref(), None));
    }

    /// Gives a tool of a plugin a mode of its own, which goes before those of its capabilities (R-POL-3).
    ///
    /// # Panics
    ///
    /// If the plugin is not installed. It need not have registered the tool yet.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// host.player().set_tool_mode(&cat, "cat_purr", "allow");
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// ```
    #[track_caller]
    pub fn set_tool_mode(&self, plugin: impl AsRef<str>, tool: &str, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_tool(plugin.as_ref(), tool, mode));
    }

    /// Lets a tool of a plugin follow its capabilities again.
    ///
    /// # Panics
    ///
    /// If the plugin is not installed.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// # host.player().set_tool_mode(&cat, "cat_purr", "allow");
    /// host.player().reset_tool_mode(&cat, "cat_purr");
    /// assert!(host.assistant().call("cat_purr", ()).is_running()); // it asks, as `game_ui` does
    /// ```
    #[track_caller]
    pub fn reset_tool_mode(&self, plugin: impl AsRef<str>, tool: &str) {
        self.does(|core, _| core.player_set_tool(plugin.as_ref(), tool, None));
    }

    /// Sets what the reading tools of a group of the host's own tools may do (SPEC §13).
    ///
    /// # Panics
    ///
    /// If there is no such group.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.player().set_group_read("game_data", "deny");
    /// assert!(host.assistant().call("get_inventory", ()).expect_error().contains("get_inventory"));
    /// ```
    #[track_caller]
    pub fn set_group_read(&self, group: &str, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_group(group, Access::Read, mode));
    }

    /// Sets what the writing tools of a group of the host's own tools may do (SPEC §13).
    ///
    /// # Panics
    ///
    /// If there is no such group.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().call("navigate_to", ()).wait().error().is_some()); // denied at first
    /// host.player().set_group_write("game_navigation", "allow");
    /// assert!(host.assistant().call("navigate_to", ()).wait().result().is_some());
    /// ```
    #[track_caller]
    pub fn set_group_write(&self, group: &str, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_group(group, Access::Write, mode));
    }

    /// Turns a group of the host's own tools on or off. The tools of a group that is off are not listed (R-CALL-12).
    ///
    /// # Panics
    ///
    /// If there is no such group.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().tool("get_inventory").is_some());
    /// host.player().turn_group("game_data", false);
    /// assert!(host.assistant().tool("get_inventory").is_none());
    /// ```
    #[track_caller]
    pub fn turn_group(&self, group: &str, on: bool) {
        self.does(|core, _| core.player_set_group_on(group, on));
    }

    /// Gives one of the host's own tools a mode of its own, which goes before its group's.
    ///
    /// # Panics
    ///
    /// If the host has no such tool.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.player().set_builtin_mode("navigate_to", "ask");
    /// host.assistant().call("navigate_to", ());
    /// assert_eq!(host.player().questions()[0].plugin, "XivMcp");
    /// ```
    #[track_caller]
    pub fn set_builtin_mode(&self, tool: &str, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_builtin(tool, mode));
    }

    /// Lets one of the host's own tools follow its group again.
    ///
    /// # Panics
    ///
    /// If the host has no such tool.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # host.player().set_builtin_mode("navigate_to", "allow");
    /// assert!(host.assistant().call("navigate_to", ()).wait().result().is_some());
    /// host.player().reset_builtin_mode("navigate_to");
    /// assert!(host.assistant().call("navigate_to", ()).wait().error().is_some()); // its group denies
    /// ```
    #[track_caller]
    pub fn reset_builtin_mode(&self, tool: &str) {
        self.does(|core, _| core.player_set_builtin(tool, None));
    }
}
