//! My plugin: tools for an assistant, offered through XIV MCP.

use std::error::Error;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::ipc::IpcGuard;
use xivmcp_client::{AddToolError, ClientHandle, McpToolDefinition, McpToolError, PluginContext, XivMcpClient};

// The function that starts the plugin in the game.
xivmcp_dalamud::plugin!(start);

/// What lives until the plugin is unloaded; dropping it ends everything.
pub struct MyPlugin {
    _command: IpcGuard,
    _client: XivMcpClient,
}

/// Starts the plugin: in the game, and in tests on the mock host.
pub fn start(context: PluginContext) -> Result<MyPlugin, Box<dyn Error>> {
    let client = XivMcpClient::builder_for(&context)
        .on_registration_failed(|failed| tracing::error!("XIV MCP refused {failed}"))
        .connect()?;
    add_tools(&client)?;

    let (chat, status) = (context.services.clone(), client.handle());
    let command = context.services.add_command(
        "/myplugin",
        "Prints where this plugin stands with XIV MCP.",
        std::sync::Arc::new(move |_, _| chat.print_chat(&format!("XIV MCP: {}", status.get_status().state))),
    )?;
    Ok(MyPlugin { _command: command, _client: client })
}

/// Whom to greet.
#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// The name; the player if absent.
    name: Option<String>,
}

#[derive(Serialize)]
struct Greeting {
    greeting: String,
}

/// Adds this plugin's tools.
pub fn add_tools(client: &ClientHandle) -> Result<(), AddToolError> {
    client.add_tool(McpToolDefinition::new("myplugin_greet", "Greets someone.").read_only(true), |args: Greet| {
        let name = args.name.unwrap_or_else(|| "adventurer".to_owned());
        Ok::<_, McpToolError>(Greeting { greeting: format!("Hello, {name}!") })
    })
}
