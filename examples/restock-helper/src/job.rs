//! The job, and what it depends on. The host runs the steps one after the other, asks the player where a setting says so,
//! and waits for somebody to decide if one fails.

use serde::Serialize;
use xivmcp_client::{ClientError, ClientHandle, Job, McpDependency, McpJob, McpJobStep};

use crate::plan::Stock;

/// The arguments of the host's `buy_item`. A placeholder is a text until the step runs; then it has its value's type.
#[derive(Debug, Serialize)]
struct BuyItem {
    item: String,
    quantity: String,
}

/// The arguments of the host's `navigate_to`.
#[derive(Debug, Serialize)]
struct NavigateTo {
    destination: &'static str,
}

/// The arguments of Town Crier's `towncrier_announce`.
#[derive(Debug, Serialize)]
struct Announce {
    text: String,
}

/// What the job uses that is not the plugin's own. The player sees what of it is missing, and where to get it.
#[must_use]
pub fn dependencies() -> [McpDependency; 3] {
    [
        McpDependency::built_in("buy_item"),
        McpDependency::built_in("navigate_to"),
        McpDependency::from_plugin(
            "towncrier_announce",
            "TownCrier",
            "Town Crier",
            "https://example.com/towncrier/repo.json",
            "1.2",
        ),
    ]
}

/// Starts the job: plan, buy, walk, tell.
///
/// # Errors
///
/// The host refuses it: the plugin is not enabled, or one of its [`dependencies`] is not there. The message is fit for
/// the player.
pub fn restock(client: &ClientHandle, stock: Stock) -> Result<Job, ClientError> {
    let mut job = McpJob::new(format!("Restock {}", stock.item));
    let plan = job.add(McpJobStep::new("restockhelper_plan").id("plan").args(stock));
    let buy = BuyItem { item: plan.result("item"), quantity: plan.result("quantity") };
    let buy = job.add(McpJobStep::new("buy_item").id("buy").args(buy));
    job.add(McpJobStep::new("navigate_to").id("walk").args(NavigateTo { destination: "summoning bell" }));
    let (quantity, item, gil) = (plan.result("quantity"), plan.result("item"), buy.result("gil_spent"));
    let text = format!("Bought {quantity} {item} for {gil} gil.");
    job.add(McpJobStep::new("towncrier_announce").id("tell").args(Announce { text }).note("Tells the company"));
    client.start_job(&job)
}
