//! `hellomcp_print`: quick, and it acts: it prints a line into the game's chat window. It checks what it got before it
//! does anything, and its errors tell the assistant what would be right.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::services::PluginServices;
use xivmcp_client::{AddToolError, ClientHandle, McpCapabilities, McpToolDefinition, McpToolError};

/// Most characters of a line.
const MAX_CHARS: usize = 200;

/// What to print.
#[derive(Debug, Deserialize, JsonSchema)]
struct Print {
    /// One line, 1 to 200 characters.
    text: String,
}

#[derive(Debug, Serialize)]
struct Printed {
    printed: String,
}

/// Adds the tool.
///
/// # Errors
///
/// A definition that breaks a rule.
pub fn add(client: &ClientHandle, services: &Arc<dyn PluginServices>) -> Result<(), AddToolError> {
    let services = Arc::clone(services);
    client.add_tool(
        McpToolDefinition::new("hellomcp_print", "Prints one line into the player's chat window. Nobody else sees it.")
            .capabilities([McpCapabilities::GameUi]),
        move |print: Print| {
            check(&print.text)?;
            services.print_chat(&print.text);
            Ok(Printed { printed: print.text })
        },
    )
}

fn check(text: &str) -> Result<(), McpToolError> {
    if text.trim().is_empty() {
        return Err("'text' is blank: give one line of 1 to 200 characters.".into());
    }
    if text.contains(['\n', '\r']) {
        return Err("'text' has more than one line: call this tool once for each line.".into());
    }
    let count = text.chars().count();
    if count > MAX_CHARS {
        return Err(format!("'text' has {count} characters: give at most {MAX_CHARS}.").into());
    }
    Ok(())
}
