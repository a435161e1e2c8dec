//! A plugin without the client: for tests of the gates themselves, and to stand in for another plugin.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use xivmcp_client::ipc::{IpcError, IpcTransport, IpcType, IpcValue};
use xivmcp_protocol::HostGate;

use super::plugin::{Plugin, Slot};
use super::world::World;
use crate::bus::MockTransport;

/// A plugin that talks to the raw gates, from [`MockHost::install`](crate::MockHost::install).
///
/// ```
/// use serde_json::json;
/// use xivmcp_mock_host::MockHost;
///
/// let host = MockHost::simulated();
/// let raw = host.install("RawPlugin");
/// let definition = json!({"name": "raw_ping", "description": "Answers.", "readOnly": true});
/// let reply = raw.gate("RegisterTool", &[json!("RawPlugin"), definition]);
/// assert_eq!(reply["state"], "undecided");
/// let reply = raw.gate("RegisterTool", &[json!("Other"), json!({})]);
/// assert_eq!(reply["ok"], false);
/// ```
#[derive(Clone)]
pub struct RawPlugin {
    plugin: Plugin,
    world: Arc<World>,
}

impl RawPlugin {
    pub(super) fn new(world: &Arc<World>, slot: Arc<Slot>) -> Self {
        Self { plugin: Plugin::new(world, slot), world: Arc::clone(world) }
    }

    /// The internal name.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.install("Cat").name(), "Cat");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        self.plugin.name()
    }

    /// Its view of the gates.
    ///
    /// # Panics
    ///
    /// If it is unloaded.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::ipc::IpcTransport;
    /// assert!(!host.install("Cat").transport().is_framework_thread());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn transport(&self) -> MockTransport {
        self.plugin.transport()
    }

    /// Calls a gate of the host by its short name and gives the reply as JSON; arguments that are no text are sent as
    /// their JSON.
    ///
    /// # Panics
    ///
    /// If the call itself fails; [`try_gate`](Self::try_gate) gives that as an error.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.install("Cat").gate("GetStatus", &["Cat".into()])["state"], "undecided");
    /// ```
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "some gates are called for what they do")]
    pub fn gate(&self, gate: &str, arguments: &[Value]) -> Value {
        match self.try_gate(gate, arguments) {
            Ok(reply) => reply,
            Err(error) => self.world.fail(&format!("{}: {error}", self.name())),
        }
    }

    /// Calls a gate of the host by its short name.
    ///
    /// # Errors
    ///
    /// What the bus says: the gate is not there, or takes other arguments.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::ipc::IpcError;
    /// let error = host.install("Cat").try_gate("GetJob", &[]).unwrap_err();
    /// assert!(matches!(error, IpcError::LengthMismatch { given: 0, expected: 1, .. }));
    /// ```
    pub fn try_gate(&self, gate: &str, arguments: &[Value]) -> Result<Value, IpcError> {
        self.world.settle();
        let name = format!("XivMcp.{gate}");
        let values: Vec<IpcValue> = arguments.iter().map(argument).collect();
        let reply = self.transport().call_function(&name, &values, reply_type(&name));
        self.world.settle();
        reply.map(|reply| match reply {
            IpcValue::Text(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            IpcValue::Bool(truth) => truth.into(),
            IpcValue::I32(number) => number.into(),
            _ => Value::Null,
        })
    }

    /// Unloads it: its gates go, and the host hears of it.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use serde_json::json;
    /// let cat = host.install("Cat");
    /// cat.gate("RegisterTool", &["Cat".into(), json!({"name": "cat_purr", "description": "Purrs.", "readOnly": true})]);
    /// host.player().enable(&cat);
    /// assert_eq!(host.assistant().tools().len(), 1);
    /// cat.unload();
    /// assert!(host.assistant().tools().is_empty());
    /// ```
    pub fn unload(&self) {
        self.plugin.unload();
    }

    /// Unloads it, and loads it again; it provides nothing and has registered nothing then.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::ipc::IpcTransport;
    ///
    /// let cat = host.install("Cat");
    /// let old = cat.transport();
    /// cat.reload();
    /// assert!(old.call_action("Dog.Fetch", &[]).unwrap_err().to_string().contains("unloaded")); // a new connection
    /// assert_eq!(cat.gate("IsReady", &[]), true);
    /// ```
    #[track_caller]
    pub fn reload(&self) {
        self.plugin.reload();
    }
}

/// A JSON value as an argument of a gate.
pub(crate) fn argument(value: &Value) -> IpcValue {
    match value {
        Value::String(text) => text.as_str().into(),
        other => other.to_string().into(),
    }
}

/// What a gate of the host gives.
pub(crate) fn reply_type(gate: &str) -> IpcType {
    match HostGate::from_name(gate) {
        Some(HostGate::ApiVersion) => IpcType::I32,
        Some(HostGate::IsReady) => IpcType::Bool,
        _ => IpcType::Text,
    }
}

impl AsRef<str> for RawPlugin {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Debug for RawPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawPlugin").field("name", &self.name()).finish_non_exhaustive()
    }
}
