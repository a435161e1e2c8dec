//! What these tests share: a host that counts what is left when the test ends, a plugin on the raw gates, definitions.

use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use xivmcp_client::ipc::{IpcError, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue};
use xivmcp_client::{
    ClientBuilder, ClientError, ClientHandle, McpCapabilities, McpToolDefinition, PendingCounts as ClientCounts,
    PluginContext, XivMcpClient,
};
use xivmcp_mock_host::{MockHost, MockTransport, PendingCounts, Plugin, RawPlugin};

/// A host. When the test ends, nothing may be left open in it, nor in any client that was loaded through it.
pub(crate) struct Stage {
    host: MockHost,
    clients: RefCell<Vec<(String, ClientHandle)>>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::of(MockHost::simulated())
    }

    pub(crate) fn of(host: MockHost) -> Self {
        Self { host, clients: RefCell::default() }
    }

    /// As the host's own `load`; the client is counted at the end, and those of its reloads with [`watch`](Self::watch).
    pub(crate) fn load<E: fmt::Display>(
        &self,
        name: &str,
        register: impl Fn(&XivMcpClient) -> Result<(), E> + Send + Sync + 'static,
    ) -> Plugin {
        let plugin = self.host.load(name, register);
        self.watch(&plugin.client());
        plugin
    }

    /// Counts this client at the end of the test, too.
    pub(crate) fn watch(&self, client: &ClientHandle) {
        self.clients.borrow_mut().push((client.internal_name().to_owned(), client.clone()));
    }

    pub(crate) fn raw(&self, name: &str) -> Raw {
        Raw { plugin: self.host.install(name), guards: Mutex::default(), log: Arc::default() }
    }
}

impl Deref for Stage {
    type Target = MockHost;

    fn deref(&self) -> &MockHost {
        &self.host
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        assert_eq!(self.host.pending(), PendingCounts::default(), "the host has something open at the end of the test");
        for (name, client) in self.clients.get_mut() {
            assert_eq!(client.pending(), ClientCounts::default(), "the client of {name} has something open");
        }
    }
}

/// A call of a tool as the plugin got it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Invoked {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) args: String,
}

#[derive(Default)]
struct Log {
    invoked: Vec<Invoked>,
    cancelled: Vec<String>,
}

/// A plugin that talks to the raw gates, and answers Invoke as the test says.
pub(crate) struct Raw {
    pub(crate) plugin: RawPlugin,
    guards: Mutex<Vec<IpcGuard>>,
    log: Arc<Mutex<Log>>,
}

impl Raw {
    /// Calls a gate; the answer is an envelope.
    pub(crate) fn ask(&self, gate: &str, arguments: &[Value]) -> Value {
        let reply = self.plugin.gate(gate, arguments);
        assert!(is_envelope(&reply), "{gate} gave {reply}");
        reply
    }

    /// The fields of an answer that is `ok`.
    pub(crate) fn ok(&self, gate: &str, arguments: &[Value]) -> Value {
        let reply = self.ask(gate, arguments);
        assert_eq!(reply["ok"], true, "{gate} refused: {reply}");
        reply
    }

    /// The error of an answer that is not `ok`.
    pub(crate) fn refused(&self, gate: &str, arguments: &[Value]) -> String {
        let reply = self.ask(gate, arguments);
        assert_eq!(reply["ok"], false, "{gate} should have refused: {reply}");
        reply["error"].as_str().expect("an error is a text").to_owned()
    }

    pub(crate) fn name(&self) -> Value {
        json!(self.plugin.name())
    }

    pub(crate) fn register(&self, definition: Value) -> Value {
        self.ok("RegisterTool", &[self.name(), definition])
    }

    pub(crate) fn register_refused(&self, definition: Value) -> String {
        self.refused("RegisterTool", &[self.name(), definition])
    }

    pub(crate) fn status(&self) -> Value {
        self.ok("GetStatus", &[self.name()])
    }

    pub(crate) fn permission(&self, capability: &str) -> Value {
        self.ok("CheckPermission", &[self.name(), json!(capability)])
    }

    /// The mode of a tool, as the status tells it.
    pub(crate) fn mode(&self, tool: &str) -> Value {
        let status = self.status();
        let tools = status["tools"].as_array().expect("tools");
        tools.iter().find(|entry| entry["name"] == tool).unwrap_or_else(|| panic!("{tool} is in {status}"))["mode"]
            .clone()
    }

    /// Provides Invoke.
    pub(crate) fn on_invoke(
        &self,
        reply: impl Fn(&MockTransport, &Invoked) -> Result<String, IpcError> + Send + Sync + 'static,
    ) {
        let transport = self.plugin.transport();
        let log = Arc::clone(&self.log);
        let signature = IpcSignature::new([IpcType::Text, IpcType::Text, IpcType::Text], IpcType::Text);
        let gate = format!("{}.XivMcp.Invoke", self.plugin.name());
        let inside = transport.clone();
        let guard = transport.provide_function(
            &gate,
            &signature,
            Arc::new(move |arguments| {
                let text = |place: usize| arguments[place].as_text().expect("a text").to_owned();
                let invoked = Invoked { id: text(0), tool: text(1), args: text(2) };
                log.lock().unwrap().invoked.push(invoked.clone());
                reply(&inside, &invoked).map(IpcValue::Text)
            }),
        );
        self.guards.lock().unwrap().push(guard.expect("Invoke can be provided"));
    }

    /// Invoke always replies this.
    pub(crate) fn replies(&self, reply: &str) {
        let reply = reply.to_owned();
        self.on_invoke(move |_, _| Ok(reply.clone()));
    }

    /// Provides Cancel.
    pub(crate) fn on_cancel(&self, react: impl Fn(&MockTransport, &str) + Send + Sync + 'static) {
        let transport = self.plugin.transport();
        let (inside, log) = (transport.clone(), Arc::clone(&self.log));
        let gate = format!("{}.XivMcp.Cancel", self.plugin.name());
        let action = Arc::new(move |arguments: &[IpcValue]| {
            let id = arguments[0].as_text().expect("a text");
            log.lock().unwrap().cancelled.push(id.to_owned());
            react(&inside, id);
            Ok(())
        });
        let guard = transport.provide_action(&gate, &[IpcType::Text], action);
        self.guards.lock().unwrap().push(guard.expect("Cancel can be provided"));
    }

    /// Takes Invoke and Cancel away.
    pub(crate) fn provide_nothing(&self) {
        self.guards.lock().unwrap().clear();
    }

    pub(crate) fn invoked(&self) -> Vec<Invoked> {
        self.log.lock().unwrap().invoked.clone()
    }

    pub(crate) fn cancelled(&self) -> Vec<String> {
        self.log.lock().unwrap().cancelled.clone()
    }

    pub(crate) fn complete(&self, call: &str, result: &str) -> Value {
        self.ok("CompleteCall", &[json!(call), json!(result)])["accepted"].clone()
    }

    pub(crate) fn fail(&self, call: &str, message: &str) -> Value {
        self.ok("FailCall", &[json!(call), json!(message)])["accepted"].clone()
    }
}

/// Calls a gate from inside the host's own calls, where nothing else may run.
pub(crate) fn inside(transport: &MockTransport, gate: &str, arguments: &[&str]) -> Value {
    let values: Vec<IpcValue> = arguments.iter().map(|text| IpcValue::from(*text)).collect();
    let reply = transport.call_function(&format!("XivMcp.{gate}"), &values, IpcType::Text);
    let reply = reply.unwrap_or_else(|error| panic!("{gate} failed into its caller: {error}"));
    let reply = serde_json::from_str(reply.as_text().expect("a text")).expect("JSON");
    assert!(is_envelope(&reply), "{gate} gave {reply}");
    reply
}

/// R-ENV-1: an object with `ok`, and a sentence in `error` if it is false.
pub(crate) fn is_envelope(reply: &Value) -> bool {
    match (reply.is_object(), &reply["ok"]) {
        (true, Value::Bool(true)) => reply.get("error").is_none(),
        (true, Value::Bool(false)) => reply["error"].as_str().is_some_and(|error| !error.trim().is_empty()),
        _ => false,
    }
}

/// The definition of a tool that only reads.
pub(crate) fn reading(name: &str) -> Value {
    json!({"name": name, "description": "Reads.", "readOnly": true})
}

/// The definition of a tool that acts.
pub(crate) fn acting(name: &str, capabilities: &[&str]) -> Value {
    json!({"name": name, "description": "Acts.", "capabilities": capabilities})
}

/// A call without arguments.
pub(crate) const NO_ARGS: Value = Value::Null;

/// Checks that a message names everything that it should.
#[track_caller]
pub(crate) fn names(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "the message should name {part:?}: {message}");
    }
}

/// Loads a plugin whose client is built as the test says, and gives a handle of it. Its owner is what
/// [`Plugin::with`] shows.
pub(crate) fn load_built(
    host: &Stage,
    name: &str,
    build: impl Fn(ClientBuilder) -> ClientBuilder + Send + Sync + 'static,
    register: impl Fn(&XivMcpClient, &PluginContext) + Send + Sync + 'static,
) -> (Plugin, ClientHandle) {
    let plugin = host.load_plugin(name, move |context: PluginContext| {
        let client = build(XivMcpClient::builder_for(&context)).connect()?;
        register(&client, &context);
        Ok::<_, ClientError>(client)
    });
    let handle = plugin.with(|client: &XivMcpClient| client.handle());
    host.watch(&handle);
    (plugin, handle)
}

/// What the plugin asked of the host's gates, as `Gate(arguments)`, in its order; the version and the status are left out.
pub(crate) fn asked_by(host: &Stage, name: &str) -> Vec<String> {
    let entries = host.traffic().into_iter().filter(|entry| entry.from.as_deref() == Some(name));
    let asked = entries.filter_map(|entry| {
        let gate = entry.gate.strip_prefix("XivMcp.")?.to_owned();
        let second = entry.arguments.get(1).map(|text| {
            let json: Value = serde_json::from_str(text).unwrap_or_default();
            json["name"].as_str().map_or_else(|| text.clone(), str::to_owned)
        });
        (gate != "ApiVersion").then(|| second.map_or(gate.clone(), |second| format!("{gate} {second}")))
    });
    asked.collect()
}

/// A definition of a tool that only reads, for the client.
pub(crate) fn reads(name: &str) -> McpToolDefinition {
    McpToolDefinition::new(name, "Reads.").read_only(true)
}

/// A definition of a tool that acts, for the client.
pub(crate) fn acts(name: &str) -> McpToolDefinition {
    McpToolDefinition::new(name, "Acts.").capabilities([McpCapabilities::GameUi])
}
