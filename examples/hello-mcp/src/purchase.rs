//! `hellomcp_pretend_purchase`: long-running. It looks whether the player allows spending at all, then asks for approval
//! with the price in the question. It only pretends: no gil is spent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::{
    AddToolError, ClientHandle, McpCall, McpCapabilities, McpPermission, McpToolDefinition, McpToolError,
};

/// What to buy.
#[derive(Debug, Deserialize, JsonSchema)]
struct Purchase {
    /// What to buy.
    item: String,
    /// The price in gil.
    price: u32,
}

#[derive(Debug, Serialize)]
struct Outcome {
    bought: bool,
    note: String,
}

/// Adds the tool.
///
/// # Errors
///
/// A definition that breaks a rule.
pub fn add(client: &ClientHandle) -> Result<(), AddToolError> {
    client.add_long_running_tool(
        McpToolDefinition::new(
            "hellomcp_pretend_purchase",
            "Pretends to buy an item, once the player approves the price.",
        )
        .capabilities([McpCapabilities::SpendGil]),
        async |call: McpCall, purchase: Purchase| buy(call, purchase).await,
    )
}

async fn buy(call: McpCall, purchase: Purchase) -> Result<Outcome, McpToolError> {
    let Purchase { item, price } = purchase;
    let gil = with_thousands(price);
    if call.client().check_permission(McpCapabilities::SpendGil)? == McpPermission::Deny {
        return Err("The player does not allow this plugin to spend gil.".into());
    }
    let approved =
        call.request_approval(McpCapabilities::SpendGil, format!("Pretend to buy {item} for {gil} gil")).await?;
    let note = if approved {
        format!("Pretended to buy {item} for {gil} gil.")
    } else {
        format!("The player declined {item} for {gil} gil. Do not ask again for the same.")
    };
    Ok(Outcome { bought: approved, note })
}

/// `3200` as `3,200`.
fn with_thousands(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::with_thousands;

    #[test]
    fn a_price_is_grouped_by_thousands() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (3_200, "3,200"), (u32::MAX, "4,294,967,295")];
        for (number, text) in cases {
            assert_eq!(with_thousands(number), text);
        }
    }
}
