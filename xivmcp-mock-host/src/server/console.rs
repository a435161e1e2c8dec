//! What a person at the terminal reads while the server runs: the plugins' log, the host's own log, findings and
//! faults. On standard error; standard output is for what programs read.

use std::fmt;
use std::io::Write;

use tokio_util::sync::CancellationToken;
use xivmcp_client::services::LogLevel;

use super::ServerState;

/// Prints lines of the plugins' log from `level` on, and everything else, until `stop`.
pub(super) fn start(state: &ServerState, level: LogLevel, stop: CancellationToken) {
    state.host.world().services.show_log(Box::new(move |line| {
        if line.level >= level {
            print(format_args!("{} {} {}: {}", line.time, word(line.level), line.plugin, line.text));
        }
    }));
    tokio::spawn(follow(state.clone(), stop));
}

async fn follow(state: ServerState, stop: CancellationToken) {
    let mut changes = state.changes.watch();
    let (mut lines, mut lints, mut failures) = (0, 0, 0);
    loop {
        let world = state.host.world();
        for (time, line) in world.driver.log_since(&mut lines) {
            print(format_args!("{time} XivMcp: {line}"));
        }
        for lint in world.reports.lints_since(&mut lints) {
            print(format_args!("lint: {lint}"));
        }
        for failure in world.reports.failures_since(&mut failures) {
            print(format_args!("fault: {failure}"));
        }
        tokio::select! {
            () = stop.cancelled() => return,
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

/// Whoever reads may be gone: the server goes on.
fn print(line: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn word(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Verbose => "verbose",
        LogLevel::Debug => "debug",
        LogLevel::Warning => "warning",
        LogLevel::Error => "error",
        _ => "information",
    }
}
