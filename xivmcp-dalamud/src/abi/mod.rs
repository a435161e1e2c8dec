//! The C ABI between a plugin's library and the host that loads it: tables, values and statuses, without behaviour.
//!
//! Plugin authors need none of this; those do who write another host, or another language's plugin side. The same
//! contract is in C in `include/xivmcp.h`, which is generated from this module (`tests/header.rs`).
//!
//! # The contract
//!
#![doc = include_str!("contract.md")]

mod buffer;
mod host;
mod plugin;
mod status;
mod value;

pub use buffer::{Owned, Slice};
pub use host::HostTable;
pub use plugin::{PluginEntry, PluginTable};
pub use status::Status;
pub use value::{LogSeverity, Reply, SessionChange, SessionState, Value, ValueType};

/// The version of the ABI that this crate speaks, on both sides.
pub const VERSION: u32 = 1;

/// The symbol that a plugin's library exports: a [`PluginEntry`].
pub const ENTRY_SYMBOL: &str = "xivmcp_plugin_entry_v1";

/// A number that is not known, in [`Reply::given`] and [`Reply::expected`].
pub const NOT_KNOWN: u32 = u32::MAX;

/// How many arguments a gate takes at most.
pub const MAX_ARGUMENTS: usize = 8;

const _: () = assert!(size_of::<usize>() == 8, "the ABI is for 64-bit processes, as the game is");
