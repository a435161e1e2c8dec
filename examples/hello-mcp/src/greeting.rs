//! `hellomcp_greet`: quick and read-only. Its arguments show an optional text and an enum.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::services::PluginServices;
use xivmcp_client::{AddToolError, ClientHandle, JsonText, McpToolDefinition};

/// The service in `shim/Services.cs` that knows the character's name: `null` in, the name or `null` out. It reads the
/// game's state, so call it on the framework thread, where quick tools run.
pub const CHARACTER_NAME: &str = "character_name";

/// Whom to greet, and how.
#[derive(Debug, Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet. The player's character if absent.
    name: Option<String>,
    /// How to greet. Friendly if absent.
    style: Option<Style>,
}

/// How to greet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Style {
    #[default]
    Friendly,
    Formal,
    Pirate,
}

#[derive(Debug, Serialize)]
struct Greeting {
    greeting: String,
}

/// Adds the tool.
///
/// # Errors
///
/// A definition that breaks a rule.
pub fn add(client: &ClientHandle, services: &Arc<dyn PluginServices>) -> Result<(), AddToolError> {
    let services = Arc::clone(services);
    client.add_tool(
        McpToolDefinition::new("hellomcp_greet", "Says hello to somebody, in the style of your choice.")
            .read_only(true),
        move |greet: Greet| {
            let name = greet.name.unwrap_or_else(|| character_name(&*services));
            let greeting = match greet.style.unwrap_or_default() {
                Style::Friendly => format!("Hello, {name}!"),
                Style::Formal => format!("Good day to you, {name}."),
                Style::Pirate => format!("Ahoy, {name}!"),
            };
            Ok(Greeting { greeting })
        },
    )
}

/// The character's name, from the shim. Nobody needs to be logged in, so there is always a name.
fn character_name(services: &dyn PluginServices) -> String {
    let reply = services.call_service(CHARACTER_NAME, "null").ok();
    let name = reply.and_then(|json| JsonText::parse(json).ok()?.read::<Option<String>>().ok()?);
    name.unwrap_or_else(|| "traveller".to_owned())
}
