//! Every payload that crosses a gate between XIV MCP and a plugin, as typed structs, and the rules that both sides apply.
//!
//! For the client, the mock host, and anyone who talks to the gates without the client. Pure data: no threads, no async,
//! no IO. One module per subject; the names that others use most are re-exported at the root. Rules named `R-…` and sections
//! named `SPEC §…` stand in `docs/SPEC.md` of the repository.
//!
//! Two habits hold in every type:
//!
//! - **Reading is liberal.** Unknown fields are ignored, and an unknown id, state or mode is kept as it came, so that a
//!   newer host does not break an older plugin.
//! - **Writing is exact.** What is absent stays absent, `null` stands only where the host writes `null`, and JSON that is
//!   merely passed on ([`JsonText`]) keeps its bytes.
//!
//! ```
//! use xivmcp_protocol::{JsonText, cut_utf16, envelope};
//!
//! assert_eq!(envelope::error("there is no tool `fish`"), r#"{"ok":false,"error":"there is no tool `fish`"}"#);
//! assert_eq!(JsonText::parse("[1.50]").unwrap().get(), "[1.50]");
//! assert_eq!(cut_utf16("Limsa Lominsa", 5), "Limsa");
//! ```
#![forbid(unsafe_code)]

#[macro_use]
mod open_enum;

pub mod approval;
pub mod call;
pub mod capability;
pub mod dependency;
pub mod envelope;
pub mod gate;
pub mod job;
pub mod json_text;
mod object;
pub mod permission;
pub mod placeholder;
pub mod policy;
pub mod schemas;
pub mod status;
pub mod text;
pub mod tool;
pub mod version;

pub use approval::{ApprovalAnswer, ApprovalReply, ApprovalRequest, ApprovalRequestError, ApprovalState};
pub use call::{CallId, CompletionReply, InvokeReply, InvokeReplyError};
pub use capability::{Capability, CapabilityInfo, CapabilityMode, ListCapabilitiesReply, Risk};
pub use dependency::{
    CheckedDeclaration, CheckedDependency, DeclarationError, DependenciesReply, DependencyDeclaration, DependencyState,
    DependencyStatus, InstallEntry, PluginSource, RepoUrl, RepoUrlError, ToolDependency,
};
pub use envelope::{EnvelopeError, HostError, NoFields, Reply};
pub use gate::{API_VERSION, HostGate, PluginGate};
pub use job::{
    CheckedJob, CheckedStep, CurrentStep, Job, JobDescription, JobProgress, JobReply, JobRequest, JobRequestError,
    JobState, JobStep, JobStepRequest, JobsReply, StepState,
};
pub use json_text::{JsonKind, JsonText, JsonTextError};
pub use open_enum::Unknown;
pub use permission::PermissionReply;
pub use placeholder::{Placeholder, PlaceholderError, PlaceholderSyntaxError};
pub use policy::{PermissionMode, PluginState};
pub use status::{StatusReply, ToolStatus};
pub use text::{cut_utf16, utf16_len};
pub use tool::{
    CheckedDefinition, DefinitionError, RegistrationReply, ToolDefinition, ToolName, ToolNameError, UnregisterAllReply,
    UnregisterToolReply,
};
pub use version::{PluginVersion, VersionError};

/// The README's examples, compiled and run with the other doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
