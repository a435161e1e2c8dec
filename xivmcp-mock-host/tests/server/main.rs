//! The server over loopback HTTP: MCP as XIV MCP speaks it, and nothing for those who may not.
#![allow(missing_docs, reason = "tests")]

mod access;
mod held;
mod http;
mod mcp;
mod memory;
mod plugins;
mod program;
mod state;
mod window;

use std::time::Duration;

use serde_json::Value;
use xivmcp_client::{McpCall, McpCapabilities, McpToolDefinition, McpToolError, XivMcpClient};
use xivmcp_mock_host::server::{Options, Server, serve};
use xivmcp_mock_host::{MockHost, Plugin};

/// A host with one plugin that the player has enabled: tools that answer, fail, panic, and never end.
fn serve_plugin(options: Options) -> Server {
    serve_and_keep(options).0
}

fn serve_and_keep(options: Options) -> (Server, Plugin) {
    let host = MockHost::live();
    let plugin = host.load("MyPlugin", register);
    host.player().enable(&plugin);
    host.player().set_mode(&plugin, "game_ui", "allow");
    (serve(host, &options.port(0)).unwrap(), plugin)
}

fn register(client: &XivMcpClient) -> Result<(), Box<dyn std::error::Error>> {
    let reads = |name: &str| McpToolDefinition::new(name, "Reads.").read_only(true);
    let acts = |name: &str| McpToolDefinition::new(name, "Acts.").capabilities([McpCapabilities::GameUi]);
    client.add_tool(reads("myplugin_ping"), || Ok("pong"))?;
    client.add_tool(reads("myplugin_echo"), |call: McpCall| Ok(call.args_text().to_owned()))?;
    client.add_tool(reads("myplugin_fail"), || Err::<(), _>(McpToolError::from("the bags are full")))?;
    client.add_tool(reads("myplugin_panic"), || -> Result<&str, McpToolError> { panic!("on purpose") })?;
    client.add_tool(reads("myplugin_long"), || Ok("x".repeat(40_000)))?;
    client.add_long_running_tool(acts("myplugin_hang"), async |call: McpCall| {
        call.sleep(Duration::from_secs(3600)).await?;
        Ok("slept")
    })?;
    Ok(())
}

/// What a result says, without the mark.
fn said(answer: &Value) -> &str {
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
    text.split_once('\n').map_or(text, |(_, said)| said)
}
