//! The program `run`, with plugins from their libraries: it loads them again when they change, and it ends whatever they do.
#![allow(missing_docs, reason = "tests")]
#![cfg(unix)] // signals, and files that are replaced while they are open

mod app;
mod hanging;
mod program;
mod watching;

use std::time::{Duration, Instant};

/// How long a test waits for anything before it fails. What it waits for comes within seconds; a busy machine takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Looks until there is something.
#[track_caller]
fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
