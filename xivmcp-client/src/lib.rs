//! The client that a plugin's author uses. See the crate's README.
#![forbid(unsafe_code)]

mod call;
pub mod ipc;
pub mod runtime;
pub mod services;
mod tool_error;
mod typed;

pub use call::McpCall;
pub use services::PluginContext;
pub use tool_error::{Cancelled, McpToolError};
pub use typed::handler::{LongRunningHandler, QuickHandler};
pub use typed::result::AsIs;
pub use typed::schema::SchemaError;

/// Placeholder for the client's owner type.
#[derive(Debug)]
#[non_exhaustive]
pub struct XivMcpClient;
