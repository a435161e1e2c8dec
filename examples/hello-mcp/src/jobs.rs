//! Two jobs: what the plugin starts itself, and the player sees step by step. A step may be one's own tool or one of the
//! host's; a placeholder puts the result of an earlier step into the arguments of a later one.

use serde::Serialize;
use xivmcp_client::{ClientError, ClientHandle, Job, McpDependency, McpJob, McpJobStep};

/// The arguments of `hellomcp_countdown`, as a step sends them. Names arrive exactly as they are written here.
#[derive(Debug, Serialize)]
struct CountdownArgs {
    seconds: u32,
}

/// The arguments of `hellomcp_print`.
#[derive(Debug, Serialize)]
struct PrintArgs {
    text: String,
}

/// The arguments of the host's own `navigate_to`.
#[derive(Debug, Serialize)]
struct NavigateArgs {
    destination: &'static str,
}

/// Tells the host which of its tools the jobs use, so that the player sees what is missing before a job starts.
///
/// # Errors
///
/// A declaration that breaks a rule.
pub fn declare_dependencies(client: &ClientHandle) -> Result<(), ClientError> {
    client.uses_tools([McpDependency::built_in("get_game_status"), McpDependency::built_in("navigate_to")])
}

/// Counts down, prints how long that took, then looks at the game.
///
/// # Errors
///
/// The host refuses it: the plugin is not enabled, or a tool is not there.
pub fn start_countdown(client: &ClientHandle) -> Result<Job, ClientError> {
    let mut job = McpJob::new("Count down and tell");
    let countdown =
        McpJobStep::new("hellomcp_countdown").args(CountdownArgs { seconds: 3 }).note("Counts down in chat");
    let countdown = job.add(countdown);
    let text = format!("Counted {} seconds.", countdown.result("countedSeconds"));
    job.add(McpJobStep::new("hellomcp_print").args(PrintArgs { text }));
    job.add(McpJobStep::new("get_game_status").note("Looks at the game"));
    client.start_job(&job)
}

/// Walks to a summoning bell, then says so.
///
/// # Errors
///
/// As [`start_countdown`].
pub fn start_bell(client: &ClientHandle) -> Result<Job, ClientError> {
    let job = McpJob::new("Walk to a bell")
        .step(McpJobStep::new("navigate_to").args(NavigateArgs { destination: "summoning bell" }))
        .step(McpJobStep::new("hellomcp_print").args(PrintArgs { text: "Here is the bell.".to_owned() }));
    client.start_job(&job)
}
