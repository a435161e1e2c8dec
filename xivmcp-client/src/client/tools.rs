//! Adding and removing tools, and declaring the tools of others that jobs use.

use xivmcp_protocol::{DefinitionError, DependencyDeclaration, JsonText, ToolDefinition, ToolDependency};

use super::ClientHandle;
use super::registry::{Handler, Tool};
use crate::error::{AddToolError, ClientError};
use crate::typed::handler::{DeriveSchema, LongRunningHandler, QuickHandler};

impl ClientHandle {
    /// Adds a tool that answers at once. Its handler runs on the framework thread, within a frame.
    ///
    /// The handler takes what it names: the call, the arguments (a type that is `Deserialize + JsonSchema`), both, or
    /// nothing. The input schema is derived from the arguments' type, unless the definition brings its own. A panic of
    /// the handler becomes an error for the assistant.
    ///
    /// The tool is registered now if the host is there, and again whenever it loads. Adding a name again replaces the
    /// tool, in its place (R-CLI-2). While another thread registers, that one does this too, and the method does not
    /// wait for it.
    ///
    /// # Errors
    ///
    /// What can be known without the host: see [`AddToolError`]. Nothing is kept then. What the host refuses reaches
    /// the [callback](super::ClientBuilder::on_registration_failed) instead.
    ///
    /// ```
    /// use schemars::JsonSchema;
    /// use serde::{Deserialize, Serialize};
    /// use serde_json::json;
    /// use xivmcp_client::{AddToolError, McpToolDefinition, XivMcpClient};
    /// use xivmcp_mock_host::MockHost;
    ///
    /// /// Which bag to count.
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Count {
    ///     /// 1 to 4; all bags if absent.
    ///     bag: Option<u8>,
    /// }
    ///
    /// #[derive(Serialize)]
    /// struct Free {
    ///     free_slots: u32, // arrives as "freeSlots"
    /// }
    ///
    /// fn register(client: &XivMcpClient) -> Result<(), AddToolError> {
    ///     client.add_tool(
    ///         McpToolDefinition::new("myplugin_count", "Counts free bag slots.").read_only(true),
    ///         |args: Count| {
    ///             if args.bag.is_some_and(|bag| !(1..=4).contains(&bag)) {
    ///                 return Err("There is no such bag: give 1 to 4.".into());
    ///             }
    ///             Ok(Free { free_slots: 12 })
    ///         },
    ///     )
    /// }
    ///
    /// let host = MockHost::simulated();
    /// let plugin = host.load("MyPlugin", register);
    /// host.player().enable(&plugin);
    /// let count = |args| host.assistant().call("myplugin_count", args);
    /// assert_eq!(count(json!({"bag": 2})).expect_result(), json!({"freeSlots": 12}));
    /// assert_eq!(count(json!({"bag": 9})).expect_error(), "There is no such bag: give 1 to 4.");
    /// assert!(count(json!({"bag": "all"})).expect_error().contains("bag")); // the handler is not called
    /// ```
    pub fn add_tool<Takes>(
        &self,
        definition: ToolDefinition,
        handler: impl QuickHandler<Takes>,
    ) -> Result<(), AddToolError> {
        let handler = handler.erase();
        self.add(definition, handler.schema, Handler::Quick(handler.run))
    }

    /// Adds a tool that may take long. Its handler is an async closure or function; it starts on the framework thread
    /// and goes on elsewhere, for as long as it likes.
    ///
    /// It takes the same as that of a [quick tool](Self::add_tool), and gets the [`McpCall`](crate::McpCall) to wait
    /// with. Everything else is as there.
    ///
    /// # Errors
    ///
    /// As [`add_tool`](Self::add_tool).
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_client::{AddToolError, McpCall, McpCapabilities, McpToolDefinition, XivMcpClient};
    /// use xivmcp_mock_host::{Answer, MockHost};
    ///
    /// fn register(client: &XivMcpClient) -> Result<(), AddToolError> {
    ///     client.add_long_running_tool(
    ///         McpToolDefinition::new("myplugin_farm", "Farms the zone for an hour.")
    ///             .capabilities([McpCapabilities::MoveCharacter, McpCapabilities::Combat]),
    ///         async |call: McpCall| {
    ///             for minute in 1..=60 {
    ///                 call.sleep(Duration::from_secs(60)).await?; // ends the call when it is cancelled
    ///                 call.progress(format!("{minute} min"));
    ///             }
    ///             Ok("done")
    ///         },
    ///     )
    /// }
    ///
    /// let host = MockHost::simulated();
    /// let plugin = host.load("MyPlugin", register);
    /// host.player().enable(&plugin);
    /// host.player().answer_all(Answer::Once);
    /// assert_eq!(host.assistant().call("myplugin_farm", ()).expect_result(), "done"); // an hour later, in no time
    /// ```
    pub fn add_long_running_tool<Takes>(
        &self,
        definition: ToolDefinition,
        handler: impl LongRunningHandler<Takes>,
    ) -> Result<(), AddToolError> {
        let handler = handler.erase();
        self.add(definition, handler.schema, Handler::LongRunning(handler.start))
    }

    fn add(
        &self,
        mut definition: ToolDefinition,
        derive: Option<DeriveSchema>,
        handler: Handler,
    ) -> Result<(), AddToolError> {
        let tool = definition.name.clone();
        let broken = |error| AddToolError::Definition { tool: tool.clone(), error };
        // A schema of the author's own wins, also one that is wrong.
        if definition.input_schema.is_none()
            && definition.schema_fault().is_none()
            && let Some(derive) = derive
        {
            let schema = derive().map_err(|error| AddToolError::Schema { tool: tool.clone(), error })?;
            let schema = JsonText::parse(schema).map_err(|error| broken(DefinitionError::NotJson(error)))?;
            definition.input_schema = Some(schema);
        }
        definition.check().map_err(&broken)?;
        let json = JsonText::from_serialize(&definition).map_err(|error| broken(DefinitionError::NotJson(error)))?;
        let added = Tool { name: definition.name.as_str().into(), definition: json.into_string(), handler };
        if !self.shared.registry.add(added) {
            return Err(AddToolError::Disposed { tool });
        }
        self.shared.settle();
        Ok(())
    }

    /// Removes a tool, and unregisters it if the host is there. Calls of it that are running go on. Gives whether there
    /// was such a tool; an unknown name does nothing (R-CLI-13).
    ///
    /// ```
    /// use xivmcp_client::{McpToolDefinition, XivMcpClient};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
    ///     client.add_tool(McpToolDefinition::new("myplugin_count", "Counts.").read_only(true), || Ok(12))
    /// });
    /// host.player().enable(&plugin);
    /// assert!(plugin.client().remove_tool("myplugin_count"));
    /// assert!(host.assistant().tools().is_empty());
    /// assert!(!plugin.client().remove_tool("myplugin_count"));  // it is gone already
    /// ```
    #[expect(clippy::must_use_candidate, reason = "it is called for what it does")]
    pub fn remove_tool(&self, name: &str) -> bool {
        let removed = self.shared.registry.remove(name);
        self.shared.settle();
        removed
    }

    /// Declares the tools that this plugin's jobs use and that are not its own. It replaces what was declared before;
    /// nothing clears it. Declared now if the host is there, and again whenever it loads.
    ///
    /// # Errors
    ///
    /// [`ClientError::Declaration`] for what can be known without the host (R-DEP-1 to R-DEP-3); the previous
    /// declaration stays. [`ClientError::Disposed`]. What the host refuses reaches the
    /// [callback](super::ClientBuilder::on_registration_failed) instead.
    ///
    /// ```
    /// use xivmcp_client::{ClientError, McpDependency, XivMcpClient};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// fn register(client: &XivMcpClient) -> Result<(), ClientError> {
    ///     client.uses_tools([
    ///         McpDependency::built_in("navigate_to"),
    ///         McpDependency::from_plugin("other_sell", "Other", "Other Plugin", "https://example.com/repo.json", "1.2"),
    ///     ])
    /// }
    ///
    /// let plugin = host.load("MyPlugin", register);
    /// let status = plugin.client().get_status();
    /// assert!(status.dependencies[0].is_ok());
    /// assert_eq!(status.dependencies[1].install[0].plugin, "Other"); // what a window would offer to install
    /// ```
    pub fn uses_tools(&self, tools: impl IntoIterator<Item = ToolDependency>) -> Result<(), ClientError> {
        let declaration = DependencyDeclaration::new(tools);
        declaration.check_known()?;
        // Texts always write; were it otherwise, the host would refuse the blank declaration and say so.
        let json = serde_json::to_string(&declaration).unwrap_or_default();
        if !self.shared.registry.declare(json) {
            return Err(ClientError::Disposed);
        }
        self.shared.settle();
        Ok(())
    }
}
