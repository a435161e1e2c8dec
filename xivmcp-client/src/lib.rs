//! The client that a plugin's author uses. See the crate's README.
#![forbid(unsafe_code)]

pub mod ipc;
pub mod runtime;
pub mod services;

pub use services::PluginContext;

/// Placeholder for the client's owner type.
#[derive(Debug)]
#[non_exhaustive]
pub struct XivMcpClient;
