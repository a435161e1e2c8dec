//! A host in Rust: loads a plugin's library and plays the shim's part, over any [`IpcTransport`] and
//! [`PluginServices`] (feature `loader`).
//!
//! The mock host uses it, so that a test or a session without the game runs the very library that is shipped. A real
//! game is never behind it.
//!
//! [`PluginLibrary::open`] maps a file, [`PluginLibrary::start`] starts the plugin in it, and [`LoadedPlugin`] is that
//! plugin until it is stopped.
//!
//! [`IpcTransport`]: xivmcp_client::ipc::IpcTransport
//! [`PluginServices`]: xivmcp_client::services::PluginServices

mod library;
mod loaded;
mod side;

pub use library::{LoadError, PluginLibrary};
pub use loaded::{LoadedPlugin, STOP_LIMIT, StillRunning};
pub(crate) use side::HostSide;
