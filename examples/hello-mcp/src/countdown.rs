//! `hellomcp_countdown`: long-running. It reports each second, ends at once when it is cancelled, and cleans up on the
//! framework thread in any case.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::services::PluginServices;
use xivmcp_client::{AddToolError, ClientHandle, McpCall, McpCapabilities, McpToolDefinition, McpToolError};

/// How long to count.
#[derive(Debug, Deserialize, JsonSchema)]
struct Countdown {
    /// Seconds to count down from, 1 to 600. 10 if absent.
    #[schemars(range(min = 1, max = 600))]
    seconds: Option<u32>,
}

#[derive(Debug, Serialize)]
struct Counted {
    counted_seconds: u32, // arrives as "countedSeconds"
}

/// Adds the tool.
///
/// # Errors
///
/// A definition that breaks a rule.
pub fn add(client: &ClientHandle, services: &Arc<dyn PluginServices>) -> Result<(), AddToolError> {
    let services = Arc::clone(services);
    client.add_long_running_tool(
        McpToolDefinition::new("hellomcp_countdown", "Counts down in the player's chat window, a line each second.")
            .capabilities([McpCapabilities::GameUi]),
        async move |call: McpCall, args: Countdown| count_down(call, args, services).await,
    )
}

async fn count_down(
    call: McpCall,
    args: Countdown,
    services: Arc<dyn PluginServices>,
) -> Result<Counted, McpToolError> {
    let seconds = args.seconds.unwrap_or(10);
    if !(1..=600).contains(&seconds) {
        return Err(format!("'seconds' is {seconds}: give 1 to 600.").into());
    }
    // Whatever ends this handler, `Shown::end` runs on the framework thread before the call is reported as ended.
    let shown = call.framework_guard(move || Shown::begin(services, seconds), Shown::end).await?;
    for left in (0..seconds).rev() {
        call.sleep(Duration::from_secs(1)).await?; // ends the call when it is cancelled
        shown.with(move |shown| shown.show(left)).await?;
        call.progress(format!("{left} s left"));
    }
    Ok(Counted { counted_seconds: seconds })
}

/// The countdown as the player sees it. It lives on the framework thread, as everything of the game does.
struct Shown {
    services: Arc<dyn PluginServices>,
    left: u32,
}

impl Shown {
    fn begin(services: Arc<dyn PluginServices>, seconds: u32) -> Self {
        services.print_chat(&format!("Counting down from {seconds}."));
        Self { services, left: seconds }
    }

    fn show(&mut self, left: u32) {
        self.left = left;
        self.services.print_chat(&format!("{left}…"));
    }

    fn end(self) {
        let text = match self.left {
            0 => "The countdown is done.".to_owned(),
            left => format!("The countdown was stopped with {left} s left."),
        };
        self.services.print_chat(&text);
    }
}
