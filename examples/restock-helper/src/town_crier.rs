//! Town Crier: another plugin, by another author. In the game it would be a library of its own; here it stands in for any
//! plugin whose tools a job uses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::{AddToolError, ClientError, McpCapabilities, McpToolDefinition, PluginContext, XivMcpClient};

/// What to announce.
#[derive(Debug, Deserialize, JsonSchema)]
struct Announce {
    /// What to tell the free company.
    text: String,
}

#[derive(Debug, Serialize)]
struct Announced {
    announced: String,
}

/// Why Town Crier does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// It did not get its gates.
    #[error(transparent)]
    Connect(#[from] ClientError),
    /// Its tool's definition breaks a rule.
    #[error(transparent)]
    Tool(#[from] AddToolError),
}

/// Starts Town Crier: one tool, that announces a text. What it gives must live until it unloads.
///
/// # Errors
///
/// See [`StartError`].
pub fn start(context: PluginContext) -> Result<XivMcpClient, StartError> {
    let client = XivMcpClient::connect(&context)?;
    let services = context.services;
    client.add_tool(
        McpToolDefinition::new("towncrier_announce", "Tells the free company something.")
            .capabilities([McpCapabilities::ChatSend]),
        move |announce: Announce| {
            services.print_chat(&format!("[FC] {}", announce.text));
            Ok(Announced { announced: announce.text })
        },
    )?;
    Ok(client)
}
