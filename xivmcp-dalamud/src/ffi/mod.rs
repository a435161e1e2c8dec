//! The only place with `unsafe`: what crosses the boundary is read and written here, and nothing else is done.
//!
//! Both sides live here, since they do the same with their ends swapped: `HostHandle` and `plugin_entries` are the
//! plugin's side, `PluginHandle` and `host_entries` (feature `loader`) the host's. Towards the rest of the crate
//! everything is safe: values are `IpcValue`s, and what a call comes to is an
//! `Outcome`. Called by `bridge`, `host` and the `plugin!` macro only.
//!
//! What makes it sound is the ABI's contract (`include/xivmcp.h`), which the other side has to keep. It lies in the same
//! process and can do anything, so this module guards against mistakes, not against malice:
//!
//! - Checked, and answered with a status: NULL for a table, a place, a reply or arguments; versions, sizes and holes of
//!   tables; counts, value types and statuses that are not known; a length that no slice can have; bytes that are not
//!   UTF-8; ids that are unknown or of another kind; calls during and after `stop`; a second `stop` meanwhile.
//! - Not checkable, and so undefined behaviour if the other side does it: a pointer that is not NULL and leads nowhere,
//!   or to less than its length says; a text that changes during the call; a reply that is not zeroed (its buffers leak
//!   at best); a `free` that is called twice, or with other values; a `context` that is not the table's; unwinding into
//!   this side; `release` while a call is inside, or any call after it; freeing the library before `release` has
//!   returned.
#![allow(unsafe_code, reason = "this is the one module for it; each block says why it holds")]

mod buffers;
mod entry;
#[cfg(feature = "loader")]
mod host_entries;
mod host_handle;
mod outcome;
mod plugin_entries;
#[cfg(feature = "loader")]
mod plugin_handle;
mod values;

pub use entry::enter;
#[cfg(feature = "loader")]
pub(crate) use host_entries::{Place, release, start};
pub(crate) use host_handle::{HostHandle, Refusal, SDK_NAME};
pub(crate) use outcome::Outcome;
#[cfg(feature = "loader")]
pub(crate) use plugin_handle::{PluginFile, PluginHandle};
