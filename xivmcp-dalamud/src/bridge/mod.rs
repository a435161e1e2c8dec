//! The plugin's side of the ABI, without `unsafe`: what the plugin's code asks for goes to the host, what the host
//! calls goes to the plugin's code.
//!
//! An [`Instance`] is one plugin that was started from this library: what its entry function returned, its runtime,
//! and its [`Bridge`], which is all that the plugin's code holds of it (as transport and services). The host calls the
//! instance through `ffi`; the plugin's code calls the bridge.
//!
//! No lock is held while foreign code runs: not the host's, not the author's, not a destructor.

mod inbound;
mod instance;
mod logging;
mod panics;
mod services;
mod slots;
mod state;
mod transport;
mod unload;

pub(crate) use instance::Instance;
pub(crate) use panics::caught;
#[cfg(feature = "loader")]
pub(crate) use transport::value_or_error;
