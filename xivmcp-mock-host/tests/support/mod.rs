//! What the tests of the host share: a plugin with a tool of each kind, and catching the failure of a test.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use xivmcp_client::{AddToolError, McpCall, McpCapabilities, McpToolDefinition, XivMcpClient};
use xivmcp_mock_host::{Answer, MockHost, Plugin};

/// Adds `cat_ping` (quick, reads), `cat_nap` (sleeps an hour, acts), `cat_deaf` (never ends) to a plugin named Cat.
pub(crate) fn register(client: &XivMcpClient) -> Result<(), AddToolError> {
    client.add_tool(McpToolDefinition::new("cat_ping", "Answers.").read_only(true), || Ok("pong"))?;
    let nap = McpToolDefinition::new("cat_nap", "Sleeps an hour.").capabilities([McpCapabilities::GameUi]);
    client.add_long_running_tool(nap, async |call: McpCall| {
        for minute in 1..=60 {
            call.sleep(Duration::from_secs(60)).await?;
            call.progress(format!("{minute} min"));
        }
        Ok("rested")
    })?;
    let deaf = McpToolDefinition::new("cat_deaf", "Never ends.").capabilities([McpCapabilities::GameUi]);
    client.add_long_running_tool(deaf, async || {
        std::future::pending::<()>().await;
        Ok(())
    })
}

/// The plugin, enabled, with every question answered `once`.
pub(crate) fn cat(host: &MockHost) -> Plugin {
    let plugin = host.load("Cat", register);
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    plugin
}

/// The text with which `test` fails.
pub(crate) fn failure(test: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(test)).expect_err("the test should have failed");
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap()
}
