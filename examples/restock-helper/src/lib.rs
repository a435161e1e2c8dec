//! Restock Helper: one job across plugins. It plans what is short with a tool of its own, buys it and walks to a bell with
//! XIV MCP's tools, and tells others with a tool of another plugin, Town Crier.
//!
//! | Module | Shows |
//! |---|---|
//! | [`plan`] | a read-only tool that asks a service of the author's own |
//! | [`job`] | the job: placeholders between steps, and what it depends on |
//! | [`town_crier`] | the other plugin, here only so that tests and the session have one |
#![forbid(unsafe_code)]

pub mod job;
pub mod plan;
pub mod town_crier;

use std::error::Error;
use std::sync::Arc;

use xivmcp_client::services::LogLevel;
use xivmcp_client::{PluginContext, XivMcpClient};

xivmcp_dalamud::plugin!(start);

/// The running plugin: what must live until it unloads.
#[derive(Debug)]
#[must_use = "dropping it ends the plugin"]
pub struct RestockHelper {
    client: XivMcpClient,
}

impl RestockHelper {
    /// The plugin's client.
    pub fn client(&self) -> &XivMcpClient {
        &self.client
    }
}

/// Starts the plugin: connects to XIV MCP, adds the tool, and declares what the job uses.
///
/// # Errors
///
/// What the client refused; nothing of the plugin is left then.
pub fn start(context: PluginContext) -> Result<RestockHelper, Box<dyn Error + Send + Sync>> {
    let builder = XivMcpClient::builder_for(&context);
    let services = context.services;
    let log = Arc::clone(&services);
    let client =
        builder.on_registration_failed(move |failure| log.log(LogLevel::Error, &failure.to_string())).connect()?;
    plan::add(&client, &services)?;
    client.uses_tools(job::dependencies())?;
    Ok(RestockHelper { client })
}
