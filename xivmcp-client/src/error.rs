//! What the client's methods fail with: [`ClientError`], [`AddToolError`] and, as a value for the callback,
//! [`RegistrationFailed`].

use std::fmt;

use xivmcp_protocol::{API_VERSION, ApprovalRequestError, DeclarationError, DefinitionError, EnvelopeError, HostError};

use crate::Cancelled;
use crate::ipc::IpcError;
use crate::job::JobError;
use crate::typed::schema::SchemaError;

/// Why the client could not get an answer, or why the answer was no.
///
/// ```
/// use xivmcp_client::{ClientError, TestCall};
///
/// // The host of a test call has no jobs.
/// let error = TestCall::new("myplugin_farm").call().client().get_job("12345678").unwrap_err();
/// let shown = match error {
///     ClientError::NotReady => "XIV MCP is not loaded".to_owned(),
///     ClientError::Refused(refusal) => format!("XIV MCP says: {}", refusal.message()),
///     other => other.to_string(),
/// };
/// assert_eq!(shown, "XIV MCP says: there is no job `12345678`");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The host understood and refused. Its message is for the plugin's developer.
    #[error("{0}")]
    Refused(HostError),
    /// The host is not loaded.
    #[error("XIV MCP is not loaded: try again when it is (`is_available`)")]
    NotReady,
    /// The host is too old for this client.
    #[error("XIV MCP speaks version {version} of its API, but {API_VERSION} is needed: update XIV MCP")]
    TooOld {
        /// The version that the host speaks.
        version: i32,
    },
    /// This client was disposed.
    #[error("this client was disposed: connect a new one")]
    Disposed,
    /// The host replied with something that is no reply.
    #[error("{0}")]
    Malformed(EnvelopeError),
    /// The gate itself failed.
    #[error("{0}")]
    Ipc(#[source] IpcError),
    /// The call in which this was asked was cancelled meanwhile.
    #[error("{0}")]
    Cancelled(#[source] Cancelled),
    /// The job cannot be sent as it is.
    #[error("{0}")]
    Job(#[source] JobError),
    /// The question for the player cannot be sent as it is.
    #[error("{0}")]
    Approval(#[source] ApprovalRequestError),
    /// The declared dependencies break a rule that the host has too (R-DEP-1 to R-DEP-3). The previous declaration stays.
    #[error("{0}")]
    Declaration(#[source] DeclarationError),
}

impl From<ApprovalRequestError> for ClientError {
    fn from(error: ApprovalRequestError) -> Self {
        Self::Approval(error)
    }
}

impl From<DeclarationError> for ClientError {
    fn from(error: DeclarationError) -> Self {
        Self::Declaration(error)
    }
}

impl ClientError {
    /// Whether nobody is there to hear it: the host is not loaded, or this plugin no longer is.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::NotReady | Self::Ipc(IpcError::Closed { .. }))
    }
}

impl From<EnvelopeError> for ClientError {
    fn from(error: EnvelopeError) -> Self {
        match error {
            EnvelopeError::Refused(refusal) => Self::Refused(refusal),
            malformed => Self::Malformed(malformed),
        }
    }
}

impl From<IpcError> for ClientError {
    fn from(error: IpcError) -> Self {
        match error {
            IpcError::NotReady { .. } => Self::NotReady,
            other => Self::Ipc(other),
        }
    }
}

impl From<Cancelled> for ClientError {
    fn from(cancelled: Cancelled) -> Self {
        Self::Cancelled(cancelled)
    }
}

impl From<JobError> for ClientError {
    fn from(error: JobError) -> Self {
        Self::Job(error)
    }
}

/// Why a tool was not added: a fault that shows without the host (R-CLI-3). Nothing was kept.
///
/// What only the host knows, such as a name that is taken, reaches the callback as a [`RegistrationFailed`].
///
/// ```
/// use xivmcp_client::{AddToolError, McpToolDefinition, TestCall};
///
/// let client = TestCall::new("myplugin_farm").call().client();
/// let error = client.add_tool(McpToolDefinition::new("Farm!", "Farms."), || Ok(1)).unwrap_err();
/// assert!(matches!(error, AddToolError::Definition { .. }));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AddToolError {
    /// The definition breaks a rule that the host has too (R-DEF-1 to R-DEF-4).
    #[error("the tool {tool:?} cannot be added: {error}")]
    Definition {
        /// The name in the definition.
        tool: String,
        /// The rule.
        #[source]
        error: DefinitionError,
    },
    /// No input schema can be made from the type of the handler's arguments.
    #[error("the tool {tool:?} cannot be added: {error}")]
    Schema {
        /// The name in the definition.
        tool: String,
        /// What is wrong with the type.
        #[source]
        error: SchemaError,
    },
    /// This client was disposed.
    #[error("the tool {tool:?} cannot be added: this client was disposed")]
    Disposed {
        /// The name in the definition.
        tool: String,
    },
}

/// The host has refused a tool or a dependency declaration (R-CLI-3). The method that added it had succeeded.
///
/// It displays as `<tool>: <the host's message>` or `dependencies: <the host's message>`: log it.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use xivmcp_client::{McpToolDefinition, PluginContext, RegistrationSubject, XivMcpClient};
///
/// let host = xivmcp_mock_host::MockHost::simulated();
/// let plugin = host.load_plugin("MyPlugin", |context: PluginContext| {
///     let refused = Arc::new(Mutex::new(Vec::new()));
///     let seen = refused.clone();
///     let client = XivMcpClient::builder_for(&context)
///         .on_registration_failed(move |failed| seen.lock().unwrap().push(failed.clone()))
///         .connect()
///         .map_err(|error| error.to_string())?;
///     // A tool of the host's has that name: that can only be told by the host.
///     let taken = McpToolDefinition::new("get_inventory", "Reads the bags.").read_only(true);
///     client.add_tool(taken, || Ok(0)).map_err(|error| error.to_string())?;
///     let refused = refused.lock().unwrap().clone();
///     Ok::<_, String>((client, refused))
/// });
/// plugin.with(|(_, refused): &(XivMcpClient, Vec<xivmcp_client::RegistrationFailed>)| {
///     assert_eq!(refused[0].subject, RegistrationSubject::Tool("get_inventory".to_owned()));
///     assert!(refused[0].message.contains("XIV MCP"));
/// });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistrationFailed {
    /// What was refused.
    pub subject: RegistrationSubject,
    /// The host's message.
    pub message: String,
}

/// What a [`RegistrationFailed`] is about.
///
/// ```
/// use xivmcp_client::{RegistrationFailed, RegistrationSubject};
///
/// fn is_about(failed: &RegistrationFailed, tool: &str) -> bool {
///     matches!(&failed.subject, RegistrationSubject::Tool(name) if name == tool)
/// }
/// # assert_eq!(RegistrationSubject::Dependencies.to_string(), "dependencies");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RegistrationSubject {
    /// The tool of that name.
    Tool(String),
    /// The declared dependencies, as a whole.
    Dependencies,
}

impl fmt::Display for RegistrationSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool(name) => name,
            Self::Dependencies => "dependencies",
        })
    }
}

impl fmt::Display for RegistrationFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.message)
    }
}
