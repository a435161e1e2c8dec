//! Tools of a plugin that hangs, each in its own way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use xivmcp_client::{AddToolError, ClientHandle, McpCall, McpCapabilities, McpToolDefinition, McpToolError};

/// Never comes back.
pub(crate) fn forever() -> ! {
    loop {
        std::thread::park();
    }
}

/// Adds the tools. `at_unload` is set by the one that lets the plugin's end hang.
pub(crate) fn add(client: &ClientHandle, at_unload: &Arc<AtomicBool>) -> Result<(), AddToolError> {
    let reading = |name: &str, description: &str| McpToolDefinition::new(name, description).read_only(true);
    client.add_tool(
        reading("tools_hang_framework", "Holds the framework thread for good."),
        || -> Result<(), McpToolError> { forever() },
    )?;
    let handler = McpToolDefinition::new("tools_hang_handler", "Holds a thread of the plugin's own for good.");
    client.add_long_running_tool(
        handler.capabilities([McpCapabilities::GameUi]),
        async |call: McpCall| -> Result<(), McpToolError> {
            // Until it first waits, it runs on the framework thread.
            call.sleep(Duration::from_millis(1)).await?;
            tracing::info!("the handler hangs");
            forever()
        },
    )?;
    let at_unload = Arc::clone(at_unload);
    client.add_tool(reading("tools_hang_at_unload", "Lets the end of this plugin hang."), move || {
        at_unload.store(true, Ordering::SeqCst);
        Ok::<_, McpToolError>("it will hang")
    })
}
