//! A plugin that does everything a plugin can do at the boundary. The tests load it from Rust, from C and under
//! valgrind; what it shall do beside the ordinary it asks the host's service `mode`.
//!
//! Its gates are named `<InternalName>.<Gate>`; see `gates.rs`.
#![forbid(unsafe_code)]

pub mod bare_game;
mod gates;
mod modes;

use std::sync::Arc;

use xivmcp_client::PluginContext;
use xivmcp_client::ipc::{IpcError, IpcGuard};

xivmcp_dalamud::plugin!(start);

/// What lives until the plugin is stopped.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fixture {
    /// What is provided. Dropped first, as the fields stand.
    pub guards: Vec<IpcGuard>,
    /// What the mode keeps: its drop is the point of some.
    pub mode: modes::Kept,
}

/// The entry function.
///
/// # Errors
///
/// If the mode is one that fails, or a gate cannot be provided.
#[expect(clippy::needless_pass_by_value, reason = "an entry function takes the context")]
pub fn start(context: PluginContext) -> Result<Fixture, Box<dyn std::error::Error>> {
    let mode = context.services.call_service("mode", "{}").unwrap_or_default();
    tracing::info!(mode, "the fixture starts");
    let mut guards = gates::provide(&context).map_err(|error: IpcError| error.to_string())?;
    guards.extend(listen(&context)?);
    let mode = modes::enter(&mode, &context)?;
    Ok(Fixture { guards, mode })
}

/// The command `/fixture`, an update counter (gate `Updates`) and session events (message `Session`).
fn listen(context: &PluginContext) -> Result<Vec<IpcGuard>, Box<dyn std::error::Error>> {
    let (services, transport) = (&context.services, &context.transport);
    let chat = Arc::clone(services);
    let command = services.add_command(
        "/fixture",
        "Prints what it is given",
        Arc::new(move |command, arguments| match arguments {
            "panic" => panic!("the command panics"),
            "error" => chat.print_chat_error("an error"),
            _ => chat.print_chat(&format!("{command}: {arguments}")),
        }),
    )?;
    let (sender, gate) = (Arc::clone(transport), format!("{}.Session", context.internal_name()));
    let session = services.on_session(Arc::new(move |event| {
        let _ = sender.send_message(&gate, &[format!("{event:?}").into()]);
    }));
    Ok(vec![command, session])
}
