//! A host in Rust: loads a plugin's library and plays the shim's part, over any [`IpcTransport`] and
//! [`PluginServices`] (feature `loader`).
//!
//! The mock host uses it, so that a test or a session without the game runs the very library that is shipped. A real
//! game is never behind it.
//!
//! [`PluginLibrary::open`] maps a file, [`PluginLibrary::start`] starts the plugin in it, and [`LoadedPlugin`] is that
//! plugin until it is stopped.
//!
//! On Windows the library is unmapped when the plugin has ended. On other systems it stays mapped until the process
//! ends, since threads that have called a library of Rust may keep destructors in it for their own end. What a plugin
//! does at its end is the same.
//!
//! ```
//! # use xivmcp_fixture_plugin::bare_game::{BareGame, library};
//! use xivmcp_dalamud::host::{PluginLibrary, STOP_LIMIT};
//!
//! # let path = library();
//! # let game = BareGame::new("");
//! # let (transport, services) = (game.clone(), game);
//! // In a test, `PluginLibrary::find("my-plugin")?` tells the path.
//! let mut plugin = PluginLibrary::open(path)?.start(transport, services)?;
//! assert_eq!(plugin.internal_name(), "Fixture");
//! plugin.stop(STOP_LIMIT)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`IpcTransport`]: xivmcp_client::ipc::IpcTransport
//! [`PluginServices`]: xivmcp_client::services::PluginServices

mod library;
mod loaded;
mod side;
mod whole;

pub use library::{LoadError, PluginLibrary};
pub use loaded::{LoadedPlugin, STOP_LIMIT, StillRunning};
pub(crate) use side::HostSide;
