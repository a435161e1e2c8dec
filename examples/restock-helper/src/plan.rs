//! `restockhelper_plan`: how much of an item is short. It only reads: the number that the character has comes from a
//! service in the plugin's shim: a few lines of C#, as in `examples/hello-mcp/shim/Services.cs`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::services::PluginServices;
use xivmcp_client::{AddToolError, ClientHandle, JsonText, McpToolDefinition, McpToolError};

/// The service that counts: the item's name as JSON text in, how many there are out.
pub const COUNT_ITEM: &str = "count_item";

/// What to keep in stock.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::exhaustive_structs, reason = "whoever starts the job says all of it")]
pub struct Stock {
    /// The item's name.
    pub item: String,
    /// How many there should be, 1 to 9,999.
    pub keep: u32,
}

/// What is short.
#[derive(Debug, Serialize)]
struct Short {
    item: String,
    quantity: u32,
}

/// Adds the tool.
///
/// # Errors
///
/// A definition that breaks a rule.
pub fn add(client: &ClientHandle, services: &Arc<dyn PluginServices>) -> Result<(), AddToolError> {
    let services = Arc::clone(services);
    client.add_tool(
        McpToolDefinition::new("restockhelper_plan", "Tells how many of an item are short of what should be in stock.")
            .read_only(true),
        move |stock: Stock| plan(stock, &*services),
    )
}

fn plan(stock: Stock, services: &dyn PluginServices) -> Result<Short, McpToolError> {
    let Stock { item, keep } = stock;
    if !(1..=9_999).contains(&keep) {
        return Err(format!("'keep' is {keep}: give 1 to 9,999.").into());
    }
    let count = services.call_service(COUNT_ITEM, JsonText::from_serialize(&item)?.get())?;
    let count: u32 = JsonText::parse(count)?.read()?;
    match keep.checked_sub(count) {
        None | Some(0) => Err(format!("Nothing to buy: there are {count} {item}, and {keep} should be there.").into()),
        Some(quantity) => Ok(Short { item, quantity }),
    }
}
