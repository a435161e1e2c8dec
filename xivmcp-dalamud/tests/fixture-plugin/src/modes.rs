//! What the fixture does beside the ordinary, as the host's service `mode` says.

use std::fmt;
use std::sync::{Arc, mpsc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::{McpCall, McpToolDefinition, McpToolError, PluginContext, XivMcpClient};

/// What a mode keeps until the plugin is stopped.
pub struct Kept {
    client: Option<XivMcpClient>,
    at_drop: Option<Box<dyn FnOnce() + Send>>,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(at_drop) = self.at_drop.take() {
            at_drop();
        }
    }
}

/// Enters a mode:
///
/// - `fails`, `panics`: the entry does, after all gates are there. `fails stubbornly`: and leaves work that does not end.
/// - `drop panics`: the value that the entry returned panics when it is dropped.
/// - `drop waits`: it waits for a framework closure, and prints whether that ran.
/// - `drop hangs`: it calls the service `wait`, where the host may hold it.
/// - `stubborn`: blocking work that calls the service `wait`. `thread`: a thread of its own that does.
/// - `leaks`: the context is never dropped.
/// - `leaks memory`: 4 KiB are lost.
/// - `tools`: a client, with the typed tool `fixture_shop`, and `fixture_hold`, which ignores its cancellation while the
///   service `wait` holds it.
///
/// # Errors
///
/// If the mode is one that fails.
pub(crate) fn enter(mode: &str, context: &PluginContext) -> Result<Kept, String> {
    let mut kept = Kept { client: None, at_drop: None };
    let (services, transport) = (Arc::clone(&context.services), Arc::clone(&context.transport));
    let wait = move || drop(services.call_service("wait", "{}"));
    let services = Arc::clone(&context.services);
    match mode {
        "fails" => return Err(String::from("the fixture was told to fail")),
        "fails stubbornly" => {
            let (sender, begun) = mpsc::channel();
            context.runtime.spawn_blocking(Box::new(move || {
                let _ = sender.send(());
                wait();
            }));
            let _ = begun.recv(); // work that has not begun would be dropped
            return Err(String::from("the fixture was told to fail"));
        }
        "panics" => panic!("the entry panics"),
        "drop panics" => kept.at_drop = Some(Box::new(|| panic!("the drop panics"))),
        "drop waits" => {
            kept.at_drop = Some(Box::new(move || {
                let (sender, receiver) = mpsc::channel();
                transport.run_on_next_update(Box::new(move || {
                    let _ = sender.send(());
                }));
                services.print_chat(if receiver.recv().is_ok() { "the closure ran" } else { "it was given up" });
            }));
        }
        "drop hangs" => kept.at_drop = Some(Box::new(wait)),
        "stubborn" => context.runtime.spawn_blocking(Box::new(wait)),
        "thread" => drop(std::thread::spawn(wait)),
        "leaks" => std::mem::forget(context.clone()),
        "leaks memory" => drop(Vec::leak(vec![7_u8; 4096])),
        "tools" => kept.client = Some(tools(context).map_err(|error| error.to_string())?),
        _ => {}
    }
    Ok(kept)
}

/// What is on sale.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Shop {
    /// Who sells.
    seller: String,
    /// The goods.
    items: Vec<Item>,
}

/// One of the goods.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Item {
    /// Its name.
    name: String,
    /// Its price in gil.
    price: u32,
    /// Whether it is of high quality.
    hq: bool,
}

fn tools(context: &PluginContext) -> Result<XivMcpClient, Box<dyn std::error::Error>> {
    let client = XivMcpClient::connect(context)?;
    client.add_tool(
        McpToolDefinition::new("fixture_shop", "Sorts what is on sale by price.").read_only(true),
        |mut shop: Shop| {
            shop.items.sort_by_key(|item| item.price);
            Ok::<_, McpToolError>(shop)
        },
    )?;
    let services = Arc::clone(&context.services);
    client.add_long_running_tool(
        McpToolDefinition::new("fixture_hold", "Waits for as long as it is held.").read_only(true),
        async move |call: McpCall| {
            let held = call.blocking(move || services.call_service("wait", "{}")).await?;
            Ok::<_, McpToolError>(held?)
        },
    )?;
    Ok(client)
}
