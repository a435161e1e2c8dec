//! A plugin with a tool for each way in which a tool can run and end. Tests that load a real library use it.
//!
//! What it shall do beside the ordinary it asks the host's services: `mode` (how the entry ends), `hold` (returns when
//! the test lets it), `unload_me` (unloads this plugin). Its entry hangs if there is the file that the variable
//! `TOOLS_PLUGIN_HANGS` names.
#![forbid(unsafe_code)]

mod hanging;
mod tools;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Whether its end hangs.
    hangs: Arc<AtomicBool>,
    _command: IpcGuard,
    _session: IpcGuard,
    _client: XivMcpClient,
}

impl Drop for Plugin {
    fn drop(&mut self) {
        if self.hangs.load(Ordering::SeqCst) {
            hanging::forever();
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an entry function takes the context")]
fn start(context: PluginContext) -> Result<Plugin, Box<dyn Error>> {
    let client = XivMcpClient::connect(&context)?;
    tools::add(&context, &client)?;
    let hangs = Arc::default();
    hanging::add(&client, &hangs)?;
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
    if std::env::var_os("TOOLS_PLUGIN_HANGS").is_some_and(|file| Path::new(&file).exists()) {
        tracing::info!("the entry hangs");
        hanging::forever();
    }
    match context.services.call_service("mode", "null").unwrap_or_default().as_str() {
        "fails" => return Err("no data for this game version".into()),
        "panics" => panic!("the entry was told to panic"),
        _ => {}
    }
    tracing::info!(generation = GENERATION, "the plugin runs");
    Ok(Plugin { hangs, _command: command, _session: session, _client: client })
}
