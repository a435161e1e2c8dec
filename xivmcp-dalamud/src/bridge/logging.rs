//! `tracing` and `log` go to Dalamud's log.
//!
//! Events of `tracing` become records of the `log` crate (its feature `log`, as long as nobody sets a subscriber), and
//! records go to the host. Neither owns heap in a static: a subscriber would, and its memory would be lost each time
//! the library is unmapped. An author who wants spans or a file sets a subscriber in the entry function; then events go
//! there instead, and [`PluginServices::log`](xivmcp_client::services::PluginServices::log) still reaches Dalamud.

use super::slots;
use crate::abi::LogSeverity;

/// The logger of this library. A unit: which plugin's log a line goes to, the slots know.
struct ToDalamud;

/// Makes Dalamud's log the logger of this library, down to `Debug`, if the author has not set one.
pub(crate) fn set_logger() {
    static LOGGER: ToDalamud = ToDalamud;
    if log::set_logger(&LOGGER).is_ok() {
        log::set_max_level(log::LevelFilter::Debug);
    }
}

impl log::Log for ToDalamud {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let level = match record.level() {
            log::Level::Error => LogSeverity::Error,
            log::Level::Warn => LogSeverity::Warning,
            log::Level::Info => LogSeverity::Information,
            log::Level::Debug => LogSeverity::Debug,
            log::Level::Trace => LogSeverity::Verbose,
        };
        slots::log(level, &format!("{}: {}", record.target(), record.args()));
    }

    fn flush(&self) {}
}
