#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod call;
mod client;
mod error;
mod framework;
pub mod ipc;
mod job;
mod notify;
mod panics;
pub mod runtime;
pub mod services;
mod tool_error;
mod typed;

pub use call::{FrameworkGuard, McpCall, TestCall};
pub use client::{
    ClientBuilder, ClientHandle, DEFAULT_DISPOSE_LIMIT, DisposeReport, McpStatus, PendingCounts, XivMcpClient,
};
pub use error::{AddToolError, ClientError, RegistrationFailed, RegistrationSubject};
pub use job::{JobError, McpJob, McpJobStep, StepRef};
pub use services::PluginContext;
pub use tokio_util::sync::CancellationToken;
pub use tool_error::{Cancelled, McpToolError};
pub use typed::handler::{LongRunningHandler, QuickHandler};
pub use typed::result::AsIs;
pub use typed::schema::SchemaError;
pub use xivmcp_protocol as protocol;
pub use xivmcp_protocol::{
    Capability as McpCapabilities, CapabilityMode, CurrentStep, DeclarationError, DefinitionError, DependencyState,
    DependencyStatus as McpDependencyStatus, HostError, InstallEntry, Job, JobProgress, JobState, JsonText,
    JsonTextError, PermissionMode as McpPermission, PluginState as McpPluginState, StepState,
    ToolDefinition as McpToolDefinition, ToolDependency as McpDependency, ToolStatus,
};
