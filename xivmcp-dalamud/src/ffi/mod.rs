//! The only place with `unsafe`: what crosses the boundary is read and written here, and nothing else is done.
//!
//! Both sides live here, since they do the same with their ends swapped: `HostHandle` and `plugin_entries` are the
//! plugin's side, `PluginHandle` and `host_entries` (feature `loader`) the host's. Towards the rest of the crate
//! everything is safe: values are `IpcValue`s, and what a call comes to is an
//! `Outcome`. Called by `bridge`, `host` and the `plugin!` macro only.
//!
//! What makes it sound is the ABI's contract (`include/xivmcp.h`), which the other side has to keep: pointers that are
//! passed are valid for the call, `context` until the end, and buffers are freed once.
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
