//! What can go wrong at a gate.

use super::IpcType;

/// Why a call of a gate failed. The variants are Dalamud's own errors, and what a bridge to it adds.
///
/// ```
/// use xivmcp_client::ipc::{IpcError, IpcTransport, IpcType};
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let transport = host.install("MyPlugin").transport();
///
/// let call = |gate, arguments: &[_]| transport.call_function(gate, arguments, IpcType::I32);
/// assert!(matches!(call("vnavmesh.Nav.IsReady", &[]), Err(IpcError::NotReady { .. })));
/// let given = call("XivMcp.ApiVersion", &[1.into()]).unwrap_err();
/// assert!(matches!(given, IpcError::LengthMismatch { given: 1, expected: 0, .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IpcError {
    /// Nobody provides the gate (Dalamud's `IpcNotReadyError`).
    #[error("nobody provides the gate {gate}: the plugin that owns it is not loaded")]
    NotReady {
        /// The gate that was called.
        gate: String,
    },
    /// The number of arguments is not what the gate takes (Dalamud's `IpcLengthMismatchError`).
    #[error("the gate {gate} takes {expected} arguments, {given} were given")]
    LengthMismatch {
        /// The gate that was called.
        gate: String,
        /// How many arguments were given.
        given: usize,
        /// How many the gate takes.
        expected: usize,
    },
    /// A value cannot be converted to what the gate takes or gives (Dalamud's `IpcTypeMismatchError`).
    #[error("the gate {gate} has {expected} where {given} was given ({place})")]
    TypeMismatch {
        /// The gate that was called.
        gate: String,
        /// Where: `argument 2` (counted from 1) or `return value`.
        place: String,
        /// The type that was given.
        given: IpcType,
        /// The type that is there.
        expected: IpcType,
    },
    /// The number or the types of the values do not fit, and the transport knows no more than the text that it got:
    /// Dalamud's own errors carry the numbers and types of the two above in their text only.
    #[error("the gate {gate} does not fit what was given or asked for: {message}")]
    Mismatch {
        /// The gate that was called.
        gate: String,
        /// The text.
        message: String,
    },
    /// What the gate's provider, or a subscriber, failed with.
    #[error("the gate {gate} failed: {kind}: {message}")]
    Failed {
        /// The gate that was called.
        gate: String,
        /// The type of the failure, as its language names it: `InvalidOperationException`, `panic`, …
        kind: String,
        /// Its text.
        message: String,
    },
    /// This plugin was unloaded; its transport reaches nothing any more.
    #[error("the gate {gate} cannot be used: this plugin is unloaded")]
    Closed {
        /// The gate that was to be used.
        gate: String,
    },
    /// This transport cannot do that at all.
    #[error("the gate {gate} cannot be used like that: {reason}")]
    Unsupported {
        /// The gate that was to be used.
        gate: String,
        /// What it cannot do, and what it can.
        reason: String,
    },
}

impl IpcError {
    /// The gate that the error is about.
    ///
    /// ```
    /// use xivmcp_client::ipc::IpcError;
    ///
    /// let error = IpcError::NotReady { gate: "vnavmesh.Nav.IsReady".into() };
    /// assert_eq!(error.gate(), "vnavmesh.Nav.IsReady");
    /// ```
    #[must_use]
    pub fn gate(&self) -> &str {
        match self {
            Self::NotReady { gate }
            | Self::LengthMismatch { gate, .. }
            | Self::TypeMismatch { gate, .. }
            | Self::Mismatch { gate, .. }
            | Self::Failed { gate, .. }
            | Self::Closed { gate }
            | Self::Unsupported { gate, .. } => gate,
        }
    }

    /// Whether the number or the types of the values do not fit, however much the transport knows about it.
    ///
    /// ```
    /// use xivmcp_client::ipc::IpcError;
    /// let error = IpcError::LengthMismatch { gate: "vnavmesh.Nav.IsReady".into(), given: 1, expected: 0 };
    /// assert!(error.is_mismatch());
    /// ```
    #[must_use]
    pub fn is_mismatch(&self) -> bool {
        matches!(self, Self::LengthMismatch { .. } | Self::TypeMismatch { .. } | Self::Mismatch { .. })
    }
}
