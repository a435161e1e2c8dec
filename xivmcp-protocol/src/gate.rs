//! The gates: their names, and what goes through each (SPEC §2).
//!
//! For the client, which calls the host's gates and provides a plugin's, and for whoever plays the host or writes traffic
//! down. The text gates take and give JSON, of which the other modules have the types.

use std::fmt;

/// The version of the gates that this crate describes; `ApiVersion` returns it. A client works with this one and newer.
///
/// ```
/// assert_eq!(xivmcp_protocol::API_VERSION, 2);
/// ```
pub const API_VERSION: i32 = 2;

/// What every gate of the host begins with.
const HOST_PREFIX: &str = "XivMcp.";

/// How a gate is used.
///
/// ```
/// use xivmcp_protocol::{HostGate, gate::GateKind};
///
/// assert_eq!(HostGate::Ready.kind(), GateKind::Message);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "Dalamud has these three")]
pub enum GateKind {
    /// Called, and returns a value.
    Function,
    /// Called, and returns nothing.
    Action,
    /// Sent to any number of subscribers.
    Message,
}

/// Who does what through a gate.
///
/// ```
/// use xivmcp_protocol::{HostGate, PluginGate, gate::GateDirection};
///
/// assert_eq!(HostGate::Disposing.direction(), GateDirection::HostTellsPlugins);
/// assert_eq!(PluginGate::Invoke.direction(), GateDirection::HostCallsPlugin);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "two sides, and a message has no caller to answer")]
pub enum GateDirection {
    /// The host provides it, a plugin calls it.
    PluginCallsHost,
    /// A plugin provides it, the host calls it.
    HostCallsPlugin,
    /// The host sends it, whoever subscribed gets it.
    HostTellsPlugins,
}

/// What a gate gives back.
///
/// ```
/// use xivmcp_protocol::{HostGate, gate::GateReturn};
///
/// assert_eq!(HostGate::ApiVersion.returns(), GateReturn::Int);
/// assert_eq!(HostGate::StartJob.returns(), GateReturn::Envelope);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GateReturn {
    /// A 32-bit integer.
    Int,
    /// A boolean.
    Bool,
    /// A string: one JSON object with `ok` (R-ENV-1).
    Envelope,
    /// A string: the reply of `Invoke` (R-CALL-6).
    InvokeReply,
    /// Nothing.
    Nothing,
}

/// What an argument is. On the wire each is a string.
///
/// ```
/// use xivmcp_protocol::{HostGate, gate::GateParameter};
///
/// assert_eq!(HostGate::CompleteCall.parameters(), [GateParameter::CallId, GateParameter::ResultJson]);
/// assert_eq!(GateParameter::ResultJson.name(), "resultJson");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GateParameter {
    /// The calling plugin's internal name.
    Owner,
    /// The name of a tool.
    Tool,
    /// A definition, JSON.
    DefinitionJson,
    /// A declaration of dependencies, JSON.
    DeclarationJson,
    /// The id of a capability.
    Capability,
    /// The id of a call.
    CallId,
    /// A request for approval, JSON.
    ApprovalRequestJson,
    /// The id of an approval.
    ApprovalId,
    /// A bare result, JSON.
    ResultJson,
    /// The message of an error.
    Message,
    /// A line for the job's log.
    Text,
    /// A job, JSON.
    JobJson,
    /// The id of a job, or its name.
    JobId,
    /// The arguments of a tool, JSON.
    ArgumentsJson,
}

impl GateParameter {
    /// The name for messages and logs, as XIV MCP's page writes it.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::gate::GateParameter::CallId.name(), "callId");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Tool => "name",
            Self::DefinitionJson => "definitionJson",
            Self::DeclarationJson => "json",
            Self::Capability => "capability",
            Self::CallId => "callId",
            Self::ApprovalRequestJson => "requestJson",
            Self::ApprovalId => "approvalId",
            Self::ResultJson => "resultJson",
            Self::Message => "message",
            Self::Text => "text",
            Self::JobJson => "jobJson",
            Self::JobId => "id",
            Self::ArgumentsJson => "argsJson",
        }
    }
}

macro_rules! host_gates {
    ($( $(#[$doc:meta])* $Gate:ident: $kind:ident ( $($parameter:ident),* ) -> $returns:ident; )+) => {
        /// A gate of the host.
        ///
        /// ```
        /// use xivmcp_protocol::{HostGate, gate::{GateKind, GateParameter}};
        ///
        /// assert_eq!(HostGate::RegisterTool.name(), "XivMcp.RegisterTool");
        /// assert_eq!(HostGate::RegisterTool.kind(), GateKind::Function);
        /// assert_eq!(HostGate::RegisterTool.parameters(), [GateParameter::Owner, GateParameter::DefinitionJson]);
        /// assert_eq!(HostGate::from_name("XivMcp.RegisterTool"), Some(HostGate::RegisterTool));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum HostGate {
            $( $(#[$doc])* $Gate, )+
        }

        impl HostGate {
            /// All of them, in the order of SPEC §2.
            ///
            /// ```
            /// assert_eq!(xivmcp_protocol::HostGate::ALL[0].name(), "XivMcp.ApiVersion");
            /// ```
            pub const ALL: &'static [Self] = &[$(Self::$Gate),+];

            /// The gate's full name, as Dalamud knows it.
            ///
            /// ```
            /// assert_eq!(xivmcp_protocol::HostGate::Ready.name(), "XivMcp.Ready");
            /// ```
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $( Self::$Gate => concat!("XivMcp.", stringify!($Gate)), )+
                }
            }

            /// How it is used.
            ///
            /// ```
            /// use xivmcp_protocol::{HostGate, gate::GateKind};
            ///
            /// assert_eq!(HostGate::IsReady.kind(), GateKind::Function);
            /// ```
            #[must_use]
            pub fn kind(self) -> GateKind {
                match self {
                    $( Self::$Gate => GateKind::$kind, )+
                }
            }

            /// What it takes, in order. The number of entries is the number of arguments that a call must have.
            ///
            /// ```
            /// use xivmcp_protocol::HostGate;
            ///
            /// assert_eq!(HostGate::ListCapabilities.parameters().len(), 0);
            /// assert_eq!(HostGate::CheckPermission.parameters().len(), 2);
            /// ```
            #[must_use]
            pub fn parameters(self) -> &'static [GateParameter] {
                match self {
                    $( Self::$Gate => &[$(GateParameter::$parameter),*], )+
                }
            }

            /// What it gives back.
            ///
            /// ```
            /// use xivmcp_protocol::{HostGate, gate::GateReturn};
            ///
            /// assert_eq!(HostGate::IsReady.returns(), GateReturn::Bool);
            /// ```
            #[must_use]
            pub fn returns(self) -> GateReturn {
                match self {
                    $( Self::$Gate => GateReturn::$returns, )+
                }
            }
        }
    };
}

host_gates! {
    /// The version of the gates.
    ApiVersion: Function() -> Int;
    /// Whether the host is loaded.
    IsReady: Function() -> Bool;
    /// All capabilities. Replies [`ListCapabilitiesReply`](crate::ListCapabilitiesReply).
    ListCapabilities: Function() -> Envelope;
    /// Takes a [`ToolDefinition`](crate::ToolDefinition), replies [`RegistrationReply`](crate::RegistrationReply).
    RegisterTool: Function(Owner, DefinitionJson) -> Envelope;
    /// Replies [`UnregisterToolReply`](crate::UnregisterToolReply).
    UnregisterTool: Function(Owner, Tool) -> Envelope;
    /// Also forgets the declared dependencies. Replies [`UnregisterAllReply`](crate::UnregisterAllReply).
    UnregisterAll: Function(Owner) -> Envelope;
    /// Replies [`StatusReply`](crate::StatusReply).
    GetStatus: Function(Owner) -> Envelope;
    /// Takes a [`DependencyDeclaration`](crate::DependencyDeclaration), replies
    /// [`DependenciesReply`](crate::DependenciesReply).
    DeclareDependencies: Function(Owner, DeclarationJson) -> Envelope;
    /// Replies [`PermissionReply`](crate::PermissionReply).
    CheckPermission: Function(Owner, Capability) -> Envelope;
    /// Takes an [`ApprovalRequest`](crate::ApprovalRequest), replies [`ApprovalReply`](crate::ApprovalReply).
    RequestApproval: Function(CallId, ApprovalRequestJson) -> Envelope;
    /// Replies [`ApprovalAnswer`](crate::ApprovalAnswer).
    GetApproval: Function(ApprovalId) -> Envelope;
    /// Takes the bare result, replies [`CompletionReply`](crate::CompletionReply).
    CompleteCall: Function(CallId, ResultJson) -> Envelope;
    /// Replies [`CompletionReply`](crate::CompletionReply).
    FailCall: Function(CallId, Message) -> Envelope;
    /// Replies [`NoFields`](crate::NoFields).
    ReportProgress: Function(CallId, Text) -> Envelope;
    /// Takes a [`JobRequest`](crate::JobRequest), replies [`JobReply`](crate::JobReply).
    StartJob: Function(Owner, JobJson) -> Envelope;
    /// Replies [`JobReply`](crate::JobReply).
    GetJob: Function(JobId) -> Envelope;
    /// Replies [`JobsReply`](crate::JobsReply): the caller's own.
    ListJobs: Function(Owner) -> Envelope;
    /// Replies [`NoFields`](crate::NoFields).
    PauseJob: Function(JobId) -> Envelope;
    /// Replies [`NoFields`](crate::NoFields).
    ResumeJob: Function(JobId) -> Envelope;
    /// Replies [`NoFields`](crate::NoFields).
    CancelJob: Function(JobId) -> Envelope;
    /// Sent when the host has loaded: register now.
    Ready: Message() -> Nothing;
    /// Sent before the host unloads: stop running calls.
    Disposing: Message() -> Nothing;
}

impl HostGate {
    /// The gate with that full name, compared exactly (R-IPC-1).
    ///
    /// ```
    /// use xivmcp_protocol::HostGate;
    ///
    /// assert_eq!(HostGate::from_name("XivMcp.IsReady"), Some(HostGate::IsReady));
    /// assert_eq!(HostGate::from_name("xivmcp.isready"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if !name.starts_with(HOST_PREFIX) {
            return None;
        }
        Self::ALL.iter().copied().find(|gate| gate.name() == name)
    }

    /// Who does what through it.
    ///
    /// ```
    /// use xivmcp_protocol::{HostGate, gate::GateDirection};
    ///
    /// assert_eq!(HostGate::GetJob.direction(), GateDirection::PluginCallsHost);
    /// ```
    #[must_use]
    pub fn direction(self) -> GateDirection {
        match self.kind() {
            GateKind::Message => GateDirection::HostTellsPlugins,
            GateKind::Function | GateKind::Action => GateDirection::PluginCallsHost,
        }
    }
}

impl fmt::Display for HostGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A gate that a plugin provides for the host.
///
/// ```
/// use xivmcp_protocol::PluginGate;
///
/// assert_eq!(PluginGate::Invoke.name("MyPlugin"), "MyPlugin.XivMcp.Invoke");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PluginGate {
    /// Runs a tool, on the framework thread (R-CALL-5).
    Invoke,
    /// Asks a pending call to stop, on the framework thread. A plugin may do without (R-CALL-9).
    Cancel,
}

impl PluginGate {
    /// The gate's full name for the plugin with that internal name.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::PluginGate::Cancel.name("MyPlugin"), "MyPlugin.XivMcp.Cancel");
    /// ```
    #[must_use]
    pub fn name(self, internal_name: &str) -> String {
        match self {
            Self::Invoke => format!("{internal_name}.XivMcp.Invoke"),
            Self::Cancel => format!("{internal_name}.XivMcp.Cancel"),
        }
    }

    /// How it is used.
    ///
    /// ```
    /// use xivmcp_protocol::{PluginGate, gate::GateKind};
    ///
    /// assert_eq!(PluginGate::Cancel.kind(), GateKind::Action);
    /// ```
    #[must_use]
    pub fn kind(self) -> GateKind {
        match self {
            Self::Invoke => GateKind::Function,
            Self::Cancel => GateKind::Action,
        }
    }

    /// What it takes, in order.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::PluginGate::Invoke.parameters().len(), 3);
    /// ```
    #[must_use]
    pub fn parameters(self) -> &'static [GateParameter] {
        match self {
            Self::Invoke => &[GateParameter::CallId, GateParameter::Tool, GateParameter::ArgumentsJson],
            Self::Cancel => &[GateParameter::CallId],
        }
    }

    /// What it gives back.
    ///
    /// ```
    /// use xivmcp_protocol::{PluginGate, gate::GateReturn};
    ///
    /// assert_eq!(PluginGate::Invoke.returns(), GateReturn::InvokeReply);
    /// ```
    #[must_use]
    pub fn returns(self) -> GateReturn {
        match self {
            Self::Invoke => GateReturn::InvokeReply,
            Self::Cancel => GateReturn::Nothing,
        }
    }

    /// Who does what through it: the host calls the plugin.
    ///
    /// ```
    /// use xivmcp_protocol::{PluginGate, gate::GateDirection};
    ///
    /// assert_eq!(PluginGate::Cancel.direction(), GateDirection::HostCallsPlugin);
    /// ```
    #[must_use]
    pub fn direction(self) -> GateDirection {
        GateDirection::HostCallsPlugin
    }
}

/// The name of a plugin's `Invoke`. Short for [`PluginGate::name`].
///
/// ```
/// assert_eq!(xivmcp_protocol::gate::invoke_gate("MyPlugin"), "MyPlugin.XivMcp.Invoke");
/// ```
#[must_use]
pub fn invoke_gate(internal_name: &str) -> String {
    PluginGate::Invoke.name(internal_name)
}

/// The name of a plugin's `Cancel`. Short for [`PluginGate::name`].
///
/// ```
/// assert_eq!(xivmcp_protocol::gate::cancel_gate("MyPlugin"), "MyPlugin.XivMcp.Cancel");
/// ```
#[must_use]
pub fn cancel_gate(internal_name: &str) -> String {
    PluginGate::Cancel.name(internal_name)
}
