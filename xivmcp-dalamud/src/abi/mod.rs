//! The C ABI between a plugin's library and the host that loads it: tables, values and statuses, without behaviour.
//!
//! Plugin authors need none of this; those do who write another host, or another language's plugin side. The same
//! contract is in C in `include/xivmcp.h`, which is generated from this module (`tests/header.rs`).
//!
//! # The contract
//!
#![doc = include_str!("contract.md")]
//!
//! # A host's first call
//!
//! The header's types, as Rust has them. This host is newer than the plugin, which says what is to be done:
//!
//! ```
//! # use xivmcp_fixture_plugin as _;
//! # unsafe extern "C" {
//! #     fn xivmcp_plugin_entry_v1(host: *const HostTable, plugin: *mut *const PluginTable, message: *mut Owned) -> i32;
//! # }
//! use std::ptr;
//! use xivmcp_dalamud::abi::{HostTable, Owned, PluginEntry, PluginTable, Status, VERSION};
//!
//! // What `dlsym` or `GetProcAddress` gives for `ENTRY_SYMBOL`.
//! # let symbol = xivmcp_plugin_entry_v1;
//! let entry: PluginEntry = symbol;
//!
//! // SAFETY: all zero is a table that says it has no bytes, no names and no functions.
//! let mut host: HostTable = unsafe { std::mem::zeroed() };
//! host.size = size_of::<HostTable>() as u32;
//! host.version = VERSION + 1;
//! let mut plugin: *const PluginTable = ptr::null();
//! let mut message = Owned { ptr: ptr::null_mut(), len: 0, owner: ptr::null_mut(), free: None };
//!
//! // SAFETY: the table lives until the entry returns, and both places are ours.
//! let status = unsafe { entry(&host, &mut plugin, &mut message) };
//! assert_eq!(Status::from_code(status), Some(Status::Version));
//! assert!(plugin.is_null(), "nothing was done");
//!
//! // SAFETY: it is the plugin's text until it is freed, once, by the plugin's own function.
//! let sentence = unsafe { std::slice::from_raw_parts(message.ptr, message.len) };
//! assert!(String::from_utf8_lossy(sentence).starts_with("the host speaks version 2 of the plugin ABI"));
//! if let Some(free) = message.free {
//!     // SAFETY: with the values that came.
//!     unsafe { free(message.owner, message.ptr, message.len) };
//! }
//! ```

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
