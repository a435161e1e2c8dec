//! A plugin with a tool for each way in which a tool can run and end. Tests that load a real library use it.
//!
//! What it shall do beside the ordinary it asks the host's services: `mode` (how the entry ends), `hold` (returns when
//! the test lets it), `unload_me` (unloads this plugin).
#![forbid(unsafe_code)]

mod tools;

use std::error::Error;
use std::sync::Arc;

use xivmcp_client::ipc::IpcGuard;
use xivmcp_client::services::SessionEvent;
use xivmcp_client::{PluginContext, XivMcpClient};

xivmcp_dalamud::plugin!(start);

/// Which build this is: a reload with changed code shows another one.
const GENERATION: &str = match option_env!("TOOLS_PLUGIN_GENERATION") {
    Some(generation) => generation,
    None => "1",
};

/// What lives until the plugin is unloaded.
#[derive(Debug)]
struct Plugin {
    _command: IpcGuard,
    _session: IpcGuard,
    _client: XivMcpClient,
}

#[expect(clippy::needless_pass_by_value, reason = "an entry function takes the context")]
fn start(context: PluginContext) -> Result<Plugin, Box<dyn Error>> {
    let client = XivMcpClient::connect(&context)?;
    tools::add(&context, &client)?;
    let (services, handle) = (Arc::clone(&context.services), client.handle());
    let command = context.services.add_command(
        "/tools",
        "Prints this plugin's status.",
        Arc::new(move |command, arguments| {
            assert!(arguments != "panic", "the command was told to panic");
            services.print_chat(&format!("{command} [{arguments}] {:?}", handle.get_status().state));
        }),
    )?;
    let chat = Arc::clone(&context.services);
    let session = context.services.on_session(Arc::new(move |event| match event {
        SessionEvent::Login(session) => chat.print_chat(&format!("in {} on {}", session.territory, session.world)),
        SessionEvent::Logout => chat.print_chat("bye"),
        _ => {}
    }));
    match context.services.call_service("mode", "null").unwrap_or_default().as_str() {
        "fails" => return Err("no data for this game version".into()),
        "panics" => panic!("the entry was told to panic"),
        _ => {}
    }
    tracing::info!(generation = GENERATION, "the plugin runs");
    Ok(Plugin { _command: command, _session: session, _client: client })
}
