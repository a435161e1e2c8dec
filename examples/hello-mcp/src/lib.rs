//! Hello MCP: a plugin to start from. It runs in the game, on the mock host and in its tests, all from
//! [`start`].
//!
//! | Module | Shows |
//! |---|---|
//! | [`greeting`] | a quick tool that only reads; an enum argument; a service of the author's own |
//! | [`printing`] | a quick tool that acts; checking before acting |
//! | [`countdown`] | a long-running tool; progress; cancellation with cleanup on the framework thread |
//! | [`purchase`] | a long-running tool that asks the player for approval, with the price |
//! | [`jobs`] | jobs out of one's own tools and the host's; declaring what they use |
//! | [`command`] | the slash command `/hellomcp` |
#![forbid(unsafe_code)]

pub mod command;
pub mod countdown;
pub mod greeting;
pub mod jobs;
pub mod printing;
pub mod purchase;

use std::error::Error;
use std::sync::Arc;

use xivmcp_client::ipc::IpcGuard;
use xivmcp_client::services::{LogLevel, PluginServices};
use xivmcp_client::{AddToolError, ClientHandle, PluginContext, XivMcpClient};

xivmcp_dalamud::plugin!(start);

/// The running plugin: what must live until it unloads.
#[derive(Debug)]
#[must_use = "dropping it ends the plugin"]
pub struct HelloMcp {
    // Fields drop in this order: first the command, so that nobody uses the client any more.
    _command: IpcGuard,
    client: XivMcpClient,
}

impl HelloMcp {
    /// The plugin's client.
    pub fn client(&self) -> &XivMcpClient {
        &self.client
    }
}

/// Starts the plugin: connects to XIV MCP, adds the tools, declares what the jobs use, and adds the command.
///
/// # Errors
///
/// What the client or Dalamud refused; nothing of the plugin is left then.
pub fn start(context: PluginContext) -> Result<HelloMcp, Box<dyn Error + Send + Sync>> {
    let builder = XivMcpClient::builder_for(&context);
    let services = context.services;
    let log = Arc::clone(&services);
    let client =
        builder.on_registration_failed(move |failure| log.log(LogLevel::Error, &failure.to_string())).connect()?;
    register(&client, &services)?;
    jobs::declare_dependencies(&client)?;
    let command = command::add(&services, client.handle())?;
    Ok(HelloMcp { _command: command, client })
}

/// Adds the four tools.
///
/// # Errors
///
/// A definition that breaks a rule; see [`AddToolError`].
pub fn register(client: &ClientHandle, services: &Arc<dyn PluginServices>) -> Result<(), AddToolError> {
    greeting::add(client, services)?;
    printing::add(client, services)?;
    countdown::add(client, services)?;
    purchase::add(client)
}
