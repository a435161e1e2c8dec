//! The tools that the MCP conformance suite looks for, as a plugin of XIV MCP can offer them. What the suite asks of some
//! of them is not in a plugin's power; those do what a plugin may try, and the suite must see that it comes to nothing.

use std::error::Error;

use serde_json::json;
use xivmcp_client::{McpCall, McpToolError, XivMcpClient};

use crate::reads;

const SCHEMA: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": false
}"##;

/// Tools whose results would be more than one block of text, if a plugin's words could be.
const CONTENT: [&str; 4] =
    ["test_image_content", "test_audio_content", "test_embedded_resource", "test_multiple_content_types"];

/// Tools that would ask the app something before they answer.
const QUESTIONS: [&str; 4] =
    ["test_sampling", "test_elicitation", "test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums"];

pub(crate) fn register(client: &XivMcpClient) -> Result<(), Box<dyn Error>> {
    client
        .add_tool(reads("test_simple_text", "Gives a text."), || Ok("This is a simple text response for testing."))?;
    client.add_tool(reads("test_error_handling", "Fails."), || {
        Err::<(), _>(McpToolError::from("This tool intentionally returns an error for testing"))
    })?;
    client.add_tool(
        reads("json_schema_2020_12_tool", "Has a schema of 2020-12.").input_schema_text(SCHEMA),
        |call: McpCall| Ok(call.args_text().to_owned()),
    )?;
    client.add_long_running_tool(reads("test_reconnection", "Answers later."), async |call: McpCall| {
        call.next_frame().await?;
        Ok("answered on the stream that was asked on")
    })?;
    client.add_tool(reads("test_tool_with_progress", "Reports progress."), |call: McpCall| {
        for step in ["0/100", "50/100", "100/100"] {
            call.progress(step);
        }
        Ok("done")
    })?;
    for name in CONTENT {
        client.add_tool(reads(name, "Gives what looks like blocks of content."), || {
            Ok(json!({"content": [
                {"type": "text", "text": "Multiple content types test:"},
                {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
                {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "test://resource", "mimeType": "text/plain", "text": "a"}},
            ]}))
        })?;
    }
    for name in QUESTIONS {
        client.add_tool(reads(name, "Cannot ask the app."), || Ok("a plugin has no way to ask the app"))?;
    }
    Ok(())
}
