//! Stand-ins for protocol types that are on their way; gone as soon as the protocol crate has them.

/// A call's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct CallId(pub String);

/// A gate of the host, by name: becomes the protocol's `HostGate`.
pub(crate) type HostGate<'a> = &'a str;

/// A mode: becomes the protocol's `PermissionMode`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum PermissionMode {
    Allow,
    Ask,
    Deny,
}
