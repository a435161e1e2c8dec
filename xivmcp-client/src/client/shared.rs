//! What the client's owner, its handles and its calls share. For the client only.
//!
//! No lock is held while the transport, the runtime, a handler, a callback or a destructor of theirs runs, so every
//! method may be called from any thread and from inside any of them (R-CLI-12).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde::de::DeserializeOwned;
use xivmcp_protocol::{API_VERSION, HostGate, Reply};

use super::calls::Calls;
use super::registry::Registry;
use crate::error::{ClientError, RegistrationFailed};
use crate::framework::FrameworkQueue;
use crate::ipc::{IpcError, IpcGuard, IpcTransport, IpcType, IpcValue};
use crate::notify::Notify;
use crate::runtime::Runtime;

/// Hears what the host refused.
pub(crate) type FailedCallback = Arc<dyn Fn(&RegistrationFailed) + Send + Sync>;

/// One client's state.
pub(crate) struct Shared {
    pub(crate) transport: Arc<dyn IpcTransport>,
    /// The owner keeps it: what waits inside the runtime holds the client, which must not hold the runtime.
    pub(crate) runtime: Weak<dyn Runtime>,
    pub(crate) calls: Calls,
    pub(crate) registry: Registry,
    pub(crate) framework: Arc<FrameworkQueue>,
    /// Tells a dispose that waits that something has ended.
    pub(crate) changed: Notify,
    pub(crate) approvals: AtomicUsize,
    pub(crate) dispose_limit: Duration,
    gates: Mutex<Vec<IpcGuard>>,
    on_failed: Mutex<Option<FailedCallback>>,
    disposed: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(
        transport: Arc<dyn IpcTransport>,
        runtime: Weak<dyn Runtime>,
        on_failed: Option<FailedCallback>,
        dispose_limit: Duration,
    ) -> Self {
        Self {
            transport,
            runtime,
            calls: Calls::default(),
            registry: Registry::default(),
            framework: Arc::default(),
            changed: Notify::default(),
            approvals: AtomicUsize::new(0),
            dispose_limit,
            gates: Mutex::default(),
            on_failed: Mutex::new(on_failed),
            disposed: AtomicBool::new(false),
        }
    }

    pub(crate) fn owner(&self) -> &str {
        self.transport.internal_name()
    }

    pub(crate) fn is_disposed(&self) -> bool {
        self.disposed.load(Ordering::Acquire)
    }

    /// Marks the client as disposed. `true` for the first one.
    pub(crate) fn begin_dispose(&self) -> bool {
        !self.disposed.swap(true, Ordering::AcqRel)
    }

    /// Keeps what was provided at the gates, or takes it away at once if the client is disposed already.
    pub(crate) fn keep_gates(&self, guards: Vec<IpcGuard>) {
        let mut gates = lock(&self.gates);
        // Under the lock: `take_gates` comes after the mark, so either it finds these, or the mark is seen here.
        if self.is_disposed() {
            drop(gates);
            drop(guards);
        } else {
            gates.extend(guards);
        }
    }

    pub(crate) fn take_gates(&self) -> Vec<IpcGuard> {
        std::mem::take(&mut *lock(&self.gates))
    }

    pub(crate) fn on_failed(&self) -> Option<FailedCallback> {
        lock(&self.on_failed).clone()
    }

    pub(crate) fn take_on_failed(&self) -> Option<FailedCallback> {
        lock(&self.on_failed).take()
    }

    /// Calls a text gate of the host as it is.
    pub(crate) fn call_gate(&self, gate: HostGate, arguments: &[&str]) -> Result<String, IpcError> {
        let values: Vec<IpcValue> = arguments.iter().map(|text| IpcValue::from(*text)).collect();
        match self.transport.call_function(gate.name(), &values, IpcType::Text)? {
            IpcValue::Text(reply) => Ok(reply),
            other => Err(IpcError::TypeMismatch {
                gate: gate.name().to_owned(),
                place: "return value".to_owned(),
                given: other.ipc_type(),
                expected: IpcType::Text,
            }),
        }
    }

    /// Calls a text gate and reads the envelope, without asking first whether the host will do.
    pub(crate) fn ask<T: DeserializeOwned>(&self, gate: HostGate, arguments: &[&str]) -> Result<T, ClientError> {
        Ok(Reply::parse(&self.call_gate(gate, arguments)?)?)
    }

    /// As [`ask`](Self::ask), for the public methods: not disposed, loaded, and not too old.
    pub(crate) fn request<T: DeserializeOwned>(&self, gate: HostGate, arguments: &[&str]) -> Result<T, ClientError> {
        self.require_host()?;
        self.ask(gate, arguments)
    }

    /// Whether the host is there and speaks this version of the API or a newer one.
    pub(crate) fn require_host(&self) -> Result<(), ClientError> {
        if self.is_disposed() {
            return Err(ClientError::Disposed);
        }
        self.check_version()
    }

    pub(crate) fn check_version(&self) -> Result<(), ClientError> {
        match self.transport.call_function(HostGate::ApiVersion.name(), &[], IpcType::I32)? {
            IpcValue::I32(version) if version >= API_VERSION => Ok(()),
            IpcValue::I32(version) => Err(ClientError::TooOld { version }),
            other => Err(ClientError::Ipc(IpcError::TypeMismatch {
                gate: HostGate::ApiVersion.name().to_owned(),
                place: "return value".to_owned(),
                given: other.ipc_type(),
                expected: IpcType::I32,
            })),
        }
    }
}
