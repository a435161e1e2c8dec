//! A scripted host behind a transport: it records what reaches it and replies as a host that takes everything, unless
//! the test says otherwise. The thread that makes it is the framework thread, until another one is named.
#![allow(dead_code, unreachable_pub, reason = "each test file uses another part of it")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xivmcp_client::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue,
};
use xivmcp_client::protocol::envelope;
use xivmcp_client::{McpToolError, XivMcpClient};

pub const PLUGIN: &str = "MyPlugin";
/// Far more than anything here takes: a test that needs it has failed.
pub const LONG: Duration = Duration::from_secs(30);

/// How a pending call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Completed(String),
    Failed(String),
}

/// Replies to a gate in the host's place. Nothing: the host replies itself.
type Script = Arc<dyn Fn(&str, &[String]) -> Option<String> + Send + Sync>;

#[derive(Default)]
struct State {
    unloaded: bool,
    version: Option<i32>,
    tools: Vec<String>,
    declared: Option<Value>,
    calls: Vec<(String, Vec<String>)>,
    ends: BTreeMap<String, Vec<End>>,
    progress: Vec<(String, String)>,
    functions: BTreeMap<String, IpcFunction>,
    actions: BTreeMap<String, IpcAction>,
    subscribers: Vec<(u64, String, IpcAction)>,
    next: u64,
    queue: VecDeque<FrameworkClosure>,
    refuses_closures: bool,
    script: Option<Script>,
    framework: Option<ThreadId>,
    interruption: Option<Box<dyn FnOnce() + Send>>,
}

#[derive(Default)]
pub struct Host {
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Host {
    pub fn new() -> Arc<Self> {
        let host = Arc::new(Self::default());
        host.lock().framework = Some(thread::current().id());
        host
    }

    pub fn client(self: &Arc<Self>) -> XivMcpClient {
        XivMcpClient::builder(self.clone()).connect().unwrap()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap()
    }

    fn changed(&self) {
        self.state.1.notify_all();
    }

    pub fn script(&self, script: impl Fn(&str, &[String]) -> Option<String> + Send + Sync + 'static) {
        self.lock().script = Some(Arc::new(script));
    }

    /// The next registration finds nobody, after `meanwhile` has happened.
    pub fn interrupt_registration(&self, meanwhile: impl FnOnce() + Send + 'static) {
        self.lock().interruption = Some(Box::new(meanwhile));
    }

    pub fn refuse_closures(&self) {
        let given_up = {
            let mut state = self.lock();
            state.refuses_closures = true;
            std::mem::take(&mut state.queue)
        };
        drop(given_up);
    }

    /// Makes this thread the framework thread.
    pub fn become_framework_thread(&self) {
        self.lock().framework = Some(thread::current().id());
    }

    pub fn set_version(&self, version: i32) {
        self.lock().version = Some(version);
    }

    /// As SPEC R-CALL-10 has it: gates first, then Ready.
    pub fn load(&self) {
        let mut state = self.lock();
        state.unloaded = false;
        state.tools.clear();
        state.declared = None;
        drop(state);
        self.send("XivMcp.Ready");
    }

    /// Disposing first, then the gates go.
    pub fn unload(&self) {
        self.send("XivMcp.Disposing");
        self.gates_go();
    }

    pub fn gates_go(&self) {
        let mut state = self.lock();
        state.unloaded = true;
        state.tools.clear();
    }

    fn send(&self, message: &str) {
        let subscribers: Vec<_> =
            self.lock().subscribers.iter().filter(|(_, gate, _)| gate == message).map(|(.., s)| s.clone()).collect();
        for subscriber in subscribers {
            subscriber(&[]).unwrap();
        }
    }

    /// Calls a tool as the host does, and gives the reply.
    pub fn invoke(&self, id: &str, tool: &str, args: &str) -> Value {
        let reply = self.invoke_text(id, tool, args);
        serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{error}: {reply}"))
    }

    pub fn invoke_text(&self, id: &str, tool: &str, args: &str) -> String {
        let function = self.lock().functions.get("MyPlugin.XivMcp.Invoke").cloned().expect("an Invoke gate");
        match function(&[id.into(), tool.into(), args.into()]).unwrap() {
            IpcValue::Text(reply) => reply,
            other => panic!("{other:?}"),
        }
    }

    /// Starts a long-running call.
    pub fn start(&self, id: &str, tool: &str) {
        assert_eq!(self.invoke(id, tool, "{}"), json!({ "pending": true }));
    }

    pub fn cancel(&self, id: &str) {
        let action = self.lock().actions.get("MyPlugin.XivMcp.Cancel").cloned().expect("a Cancel gate");
        action(&[id.into()]).unwrap();
    }

    /// One frame: runs what was queued before it.
    pub fn update(&self) -> usize {
        let closures = std::mem::take(&mut self.lock().queue);
        let count = closures.len();
        closures.into_iter().for_each(|closure| closure());
        count
    }

    /// Waits for something that other threads do, with frames if this is the framework thread.
    pub fn wait_until(&self, what: &str, condition: impl Fn() -> bool) {
        let started = Instant::now();
        while !condition() {
            assert!(started.elapsed() < LONG, "still waiting for {what}");
            if self.is_framework_thread() && self.update() > 0 {
                continue;
            }
            let state = self.lock();
            drop(self.state.1.wait_timeout(state, Duration::from_millis(1)).unwrap());
        }
    }

    /// Waits for the end of a call; it must be the only one.
    pub fn end_of(&self, id: &str) -> End {
        self.wait_until(&format!("the end of {id}"), || self.lock().ends.contains_key(id));
        self.ends(id).pop().unwrap()
    }

    pub fn ends(&self, id: &str) -> Vec<End> {
        self.lock().ends.get(id).cloned().unwrap_or_default()
    }

    pub fn end_count(&self) -> usize {
        self.lock().ends.values().map(Vec::len).sum()
    }

    pub fn tools(&self) -> Vec<String> {
        self.lock().tools.clone()
    }

    pub fn declared(&self) -> Option<Value> {
        self.lock().declared.clone()
    }

    pub fn progress(&self) -> Vec<(String, String)> {
        self.lock().progress.clone()
    }

    pub fn provided(&self) -> Vec<String> {
        let state = self.lock();
        let mut gates: Vec<String> = state.functions.keys().chain(state.actions.keys()).cloned().collect();
        gates.extend(state.subscribers.iter().map(|(_, gate, _)| gate.clone()));
        gates.sort();
        gates
    }

    /// What reached the host's gates since the last time, as `Gate argument argument`, without the version checks.
    pub fn heard(&self) -> Vec<String> {
        let calls = std::mem::take(&mut self.lock().calls);
        let calls = calls.into_iter().filter(|(gate, _)| gate != "ApiVersion");
        calls.map(|(gate, arguments)| format!("{gate} {}", arguments.join(" ")).trim().to_owned()).collect()
    }

    fn reply(&self, gate: &str, arguments: &[String]) -> String {
        let mut state = self.lock();
        let argument = |at: usize| arguments.get(at).cloned().unwrap_or_default();
        let fields = match gate {
            "RegisterTool" => {
                let definition: Value = serde_json::from_str(&argument(1)).unwrap();
                let name = definition["name"].as_str().unwrap().to_owned();
                if !state.tools.contains(&name) {
                    state.tools.push(name.clone());
                }
                json!({ "name": name, "enabled": true, "awaitingConsent": false, "state": "enabled", "capabilities": [] })
            }
            "UnregisterTool" => {
                let count = state.tools.len();
                state.tools.retain(|name| *name != argument(1));
                json!({ "removed": state.tools.len() < count })
            }
            "UnregisterAll" => {
                state.declared = None;
                json!({ "removed": std::mem::take(&mut state.tools).len() })
            }
            "DeclareDependencies" => {
                state.declared = Some(serde_json::from_str(&argument(1)).unwrap());
                json!({ "dependencies": [] })
            }
            "CompleteCall" | "FailCall" => {
                let end = if gate == "FailCall" { End::Failed(argument(1)) } else { End::Completed(argument(1)) };
                let ends = state.ends.entry(argument(0)).or_default();
                ends.push(end);
                json!({ "accepted": ends.len() == 1 })
            }
            "ReportProgress" => {
                state.progress.push((argument(0), argument(1)));
                json!({})
            }
            _ => return envelope::error(&format!("{gate} is not scripted")),
        };
        drop(state);
        self.changed();
        envelope::ok(&fields)
    }

    fn provide<T: Clone + Send + 'static>(
        &self,
        gate: &str,
        value: T,
        map: fn(&mut State) -> &mut BTreeMap<String, T>,
    ) -> IpcGuard {
        map(&mut self.lock()).insert(gate.to_owned(), value);
        let (state, gate) = (self.state.clone(), gate.to_owned());
        IpcGuard::new(move || drop(map(&mut state.0.lock().unwrap()).remove(&gate)))
    }
}

impl IpcTransport for Host {
    fn internal_name(&self) -> &str {
        PLUGIN
    }

    fn call_function(&self, gate: &str, arguments: &[IpcValue], returns: IpcType) -> Result<IpcValue, IpcError> {
        let gate_name = gate.strip_prefix("XivMcp.").expect("a gate of the host").to_owned();
        let arguments: Vec<String> = arguments.iter().map(|value| value.as_text().unwrap().to_owned()).collect();
        let (script, version) = {
            let mut state = self.lock();
            if state.unloaded {
                return Err(IpcError::NotReady { gate: gate.to_owned() });
            }
            state.calls.push((gate_name.clone(), arguments.clone()));
            (state.script.clone(), state.version.unwrap_or(2))
        };
        let interruption = (gate_name == "RegisterTool").then(|| self.lock().interruption.take()).flatten();
        if let Some(meanwhile) = interruption {
            meanwhile();
            return Err(IpcError::NotReady { gate: gate.to_owned() });
        }
        if gate_name == "ApiVersion" {
            assert_eq!(returns, IpcType::I32);
            return Ok(IpcValue::I32(version));
        }
        assert_eq!(returns, IpcType::Text);
        let reply = script.and_then(|script| script(&gate_name, &arguments));
        Ok(IpcValue::Text(reply.unwrap_or_else(|| self.reply(&gate_name, &arguments))))
    }

    fn call_action(&self, gate: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Err(IpcError::NotReady { gate: gate.to_owned() })
    }

    fn send_message(&self, _: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Ok(())
    }

    fn provide_function(&self, gate: &str, _: &IpcSignature, function: IpcFunction) -> Result<IpcGuard, IpcError> {
        Ok(self.provide(gate, function, |state| &mut state.functions))
    }

    fn provide_action(&self, gate: &str, _: &[IpcType], action: IpcAction) -> Result<IpcGuard, IpcError> {
        Ok(self.provide(gate, action, |state| &mut state.actions))
    }

    fn subscribe(&self, gate: &str, _: &[IpcType], subscriber: IpcAction) -> Result<IpcGuard, IpcError> {
        let mut state = self.lock();
        state.next += 1;
        let number = state.next;
        state.subscribers.push((number, gate.to_owned(), subscriber));
        drop(state);
        let state = self.state.clone();
        Ok(IpcGuard::new(move || {
            let mut state = state.0.lock().unwrap();
            let at = state.subscribers.iter().position(|(other, ..)| *other == number);
            let gone = at.map(|at| state.subscribers.remove(at));
            drop(state);
            drop(gone);
        }))
    }

    fn run_on_next_update(&self, closure: FrameworkClosure) {
        let mut state = self.lock();
        if state.refuses_closures {
            drop(state);
            drop(closure);
            return;
        }
        state.queue.push_back(closure);
        drop(state);
        self.changed();
    }

    fn is_framework_thread(&self) -> bool {
        self.lock().framework == Some(thread::current().id())
    }
}

/// A definition that changes nothing.
pub fn reading(name: &str) -> xivmcp_client::McpToolDefinition {
    xivmcp_client::McpToolDefinition::new(name, "Reads something.").read_only(true)
}

/// A handler's result without a value.
pub type Nothing = Result<(), McpToolError>;

/// The threads of this process, where the system tells.
pub fn thread_count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}
