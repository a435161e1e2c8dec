#![doc = include_str!("testing_your_plugin.md")]
#![forbid(unsafe_code)]

mod bus;
mod core;
mod driver;
mod engine;
mod host;
mod live;
mod recent;
mod reports;
pub mod scenario;
#[cfg(feature = "server")]
pub mod server;
mod services;
mod simulated;

pub use self::bus::{MockTransport, TrafficEntry, TrafficKind};
pub use self::core::{
    Answer, AuditEffect, AuditEntry, AuditKind, BuiltinCall, Decision, GameChange, GameState, Lint, LintKind,
    ListedTool, Outcome, PendingCounts, Question, ReportedEnd, Time,
};
pub use self::host::MockHost;
pub use self::host::assistant::{Assistant, JobUpdate};
pub use self::host::builtin::Builtin;
pub use self::host::dalamud::Dalamud;
pub use self::host::game::{Game, GameHandle};
pub use self::host::job::{AsJob, JobLog, JobReport};
#[cfg(feature = "loader")]
pub use self::host::library::LibraryError;
pub use self::host::pending_call::PendingCall;
pub use self::host::player::{Player, ShownPlugin};
pub use self::host::plugin::Plugin;
pub use self::host::raw_plugin::RawPlugin;
pub use self::host::seeds::for_seeds;
pub use self::host::stand_in::{ScriptedTool, StandIn, StandInCall};
pub use self::services::{ChatLine, LogLine};

/// The README's example is compiled and run like all others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
