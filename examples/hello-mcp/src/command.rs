//! `/hellomcp`: where the plugin stands, and its jobs.

use std::sync::Arc;

use xivmcp_client::ipc::IpcGuard;
use xivmcp_client::services::{PluginServices, ServiceError};
use xivmcp_client::{ClientError, ClientHandle, Job};

use crate::jobs;

/// Adds the command until the guard is dropped.
///
/// # Errors
///
/// Another plugin has the command.
pub fn add(services: &Arc<dyn PluginServices>, client: ClientHandle) -> Result<IpcGuard, ServiceError> {
    let chat = Arc::clone(services);
    let run = move |_: &str, arguments: &str| match lines(&client, arguments) {
        Ok(lines) => lines.iter().for_each(|line| chat.print_chat(line)),
        Err(error) => chat.print_chat_error(&format!("Hello MCP: {error}")),
    };
    services.add_command("/hellomcp", "Shows status and jobs. Jobs to start: countdown, bell.", Arc::new(run))
}

fn lines(client: &ClientHandle, arguments: &str) -> Result<Vec<String>, ClientError> {
    match arguments {
        "" => status(client),
        "countdown" => Ok(vec![started(&jobs::start_countdown(client)?)]),
        "bell" => Ok(vec![started(&jobs::start_bell(client)?)]),
        other => Ok(vec![format!("/hellomcp does not know '{other}': say nothing, 'countdown' or 'bell'.")]),
    }
}

fn status(client: &ClientHandle) -> Result<Vec<String>, ClientError> {
    let status = client.get_status();
    let mut lines = vec![format!("Hello MCP is {}.", status.state)];
    lines.extend(status.suspend_reason.map(|reason| format!("XIV MCP says: {reason}")));
    let missing = status.dependencies.iter().filter(|dependency| !dependency.is_ok());
    lines.extend(missing.map(|dependency| format!("{}: {}", dependency.tool, dependency.message)));
    if client.is_available() {
        lines.extend(client.list_jobs()?.iter().map(|job| format!("{}: {} ({})", job.name, job.state, job.progress)));
    }
    Ok(lines)
}

fn started(job: &Job) -> String {
    format!("{} is {}.", job.name, job.state)
}
