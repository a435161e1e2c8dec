//! One plugin's view of the bus: the mock host's [`IpcTransport`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use xivmcp_client::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue,
};

use super::Bus;

/// What the transport needs of the framework thread; both modes implement it.
pub(crate) trait Framework: Send + Sync {
    /// Queues work for the next update, on behalf of `owner`.
    fn run_on_next_update(&self, owner: &Arc<str>, closure: FrameworkClosure);
    /// Whether the calling thread is the framework thread now.
    fn is_framework_thread(&self) -> bool;
}

/// What is known of one connection to the bus, from loading a plugin to unloading it.
pub(crate) struct Connection {
    name: Arc<str>,
    number: u64,
    closed: AtomicBool,
}

impl Connection {
    /// A connection whose number is its own on this bus; the bus makes them.
    pub(super) fn new(name: &str, number: u64) -> Arc<Self> {
        Arc::new(Self { name: name.into(), number, closed: AtomicBool::new(false) })
    }

    /// The number that the bus knows the owner by.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The plugin's internal name.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// From now on nothing works through this connection.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Whether it was closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

/// The mock host's [`IpcTransport`]: one plugin's view of the gates. Cheap to clone.
///
/// A test gets one from [`MockHost::install`](crate::MockHost::install), to be a plugin that talks to the raw gates.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// use xivmcp_client::ipc::{IpcTransport, IpcType};
///
/// let transport = host.install("Cat").transport();
/// assert_eq!(transport.call_function("XivMcp.IsReady", &[], IpcType::Bool), Ok(true.into()));
/// ```
#[derive(Clone)]
pub struct MockTransport {
    connection: Arc<Connection>,
    bus: Arc<Bus>,
    framework: Arc<dyn Framework>,
}

impl MockTransport {
    pub(crate) fn new(connection: Arc<Connection>, bus: Arc<Bus>, framework: Arc<dyn Framework>) -> Self {
        Self { connection, bus, framework }
    }

    /// The plugin that makes the innermost call on this thread, for providers (R-IPC-6). Nothing outside of calls and
    /// inside messages. Dalamud's `GetContext()`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use std::sync::Arc;
    /// use xivmcp_client::ipc::{IpcSignature, IpcTransport, IpcType};
    ///
    /// let cat = host.install("Cat").transport();
    /// let inside = cat.clone();
    /// let who = move |_: &[_]| Ok(inside.caller().unwrap_or_default().into());
    /// let who = cat.provide_function("Cat.Who", &IpcSignature::new([], IpcType::Text), Arc::new(who))?;
    /// let dog = host.install("Dog").transport();
    /// assert_eq!(dog.call_function("Cat.Who", &[], IpcType::Text)?, "Dog".into());
    /// # Ok::<(), xivmcp_client::ipc::IpcError>(())
    /// ```
    #[must_use]
    pub fn caller(&self) -> Option<String> {
        self.bus.caller().map(|caller| caller.to_string())
    }

    fn open(&self, gate: &str) -> Result<(), IpcError> {
        if self.connection.is_closed() { Err(IpcError::Closed { gate: gate.to_owned() }) } else { Ok(()) }
    }

    fn providable(&self, gate: &str, parameters: &[IpcType]) -> Result<(), IpcError> {
        self.open(gate)?;
        let reason = if parameters.len() > IpcSignature::MAX_PARAMETERS {
            let (most, given) = (IpcSignature::MAX_PARAMETERS, parameters.len());
            format!("a gate takes at most {most} parameters, {given} were declared")
        } else if parameters.contains(&IpcType::Unit) {
            "a parameter cannot be of the type that stands for nothing".to_owned()
        } else {
            return Ok(());
        };
        Err(IpcError::Unsupported { gate: gate.to_owned(), reason })
    }
}

impl IpcTransport for MockTransport {
    fn internal_name(&self) -> &str {
        &self.connection.name
    }

    fn call_function(&self, gate: &str, arguments: &[IpcValue], returns: IpcType) -> Result<IpcValue, IpcError> {
        self.open(gate)?;
        self.bus.call_function(&self.connection.name, gate, arguments, returns)
    }

    fn call_action(&self, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError> {
        self.open(gate)?;
        self.bus.call_action(&self.connection.name, gate, arguments)
    }

    fn send_message(&self, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError> {
        self.open(gate)?;
        self.bus.send_message(&self.connection.name, gate, arguments)
    }

    fn provide_function(
        &self,
        gate: &str,
        signature: &IpcSignature,
        function: IpcFunction,
    ) -> Result<IpcGuard, IpcError> {
        self.providable(gate, &signature.parameters)?;
        Ok(self.bus.provide_function(self.connection.number, gate, signature.clone(), function))
    }

    fn provide_action(&self, gate: &str, parameters: &[IpcType], action: IpcAction) -> Result<IpcGuard, IpcError> {
        self.providable(gate, parameters)?;
        Ok(self.bus.provide_action(self.connection.number, gate, parameters, action))
    }

    fn subscribe(&self, gate: &str, parameters: &[IpcType], subscriber: IpcAction) -> Result<IpcGuard, IpcError> {
        self.providable(gate, parameters)?;
        Ok(self.bus.subscribe(self.connection.number, gate, parameters, subscriber))
    }

    fn run_on_next_update(&self, closure: FrameworkClosure) {
        if self.connection.is_closed() {
            drop(closure);
        } else {
            self.framework.run_on_next_update(&self.connection.name, closure);
        }
    }

    fn is_framework_thread(&self) -> bool {
        self.framework.is_framework_thread()
    }
}

impl fmt::Debug for MockTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MockTransport").field("internal_name", &self.connection.name).finish_non_exhaustive()
    }
}
