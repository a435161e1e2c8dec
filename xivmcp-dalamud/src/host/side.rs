//! [`HostSide`]: what the plugin's calls arrive at, and what calls the plugin.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

use xivmcp_client::ipc::{IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue};
use xivmcp_client::services::{LogLevel, PluginServices, ServiceError, Session, SessionEvent};

use crate::abi::{SessionChange, SessionState};
use crate::bridge::value_or_error;
use crate::ffi::{Outcome, Place, PluginHandle};

/// The host of one plugin.
pub(crate) struct HostSide {
    transport: Arc<dyn IpcTransport>,
    services: Arc<dyn PluginServices>,
    this: Weak<HostSide>,
    /// Where the plugin puts its table.
    pub(crate) place: Place,
    /// What was provided for the plugin, by its ids.
    guards: Mutex<BTreeMap<u64, IpcGuard>>,
    /// The plugin has stopped: nothing calls it any more.
    stopped: AtomicBool,
    /// Calls that are inside the plugin.
    inside: AtomicUsize,
    left: Condvar,
    left_lock: Mutex<()>,
}

impl HostSide {
    pub(crate) fn new(transport: Arc<dyn IpcTransport>, services: Arc<dyn PluginServices>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            transport,
            services,
            this: Weak::clone(this),
            place: Place::new(),
            guards: Mutex::default(),
            stopped: AtomicBool::new(false),
            inside: AtomicUsize::new(0),
            left: Condvar::new(),
            left_lock: Mutex::new(()),
        })
    }

    pub(crate) fn internal_name(&self) -> &str {
        self.transport.internal_name()
    }

    /// Takes away what is left of what was provided, and lets no call into the plugin begin. True once none is inside.
    pub(crate) fn finish(&self, limit: Duration) -> bool {
        self.stopped.store(true, Ordering::SeqCst);
        let guards = std::mem::take(&mut *self.guards.lock().unwrap_or_else(PoisonError::into_inner));
        drop(guards);
        let guard = self.left_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.left.wait_timeout_while(guard, limit, |()| self.inside.load(Ordering::SeqCst) > 0);
        let (_guard, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        !waited.timed_out()
    }

    /// Calls the plugin, if it has not stopped.
    pub(crate) fn enter<R>(&self, call: impl FnOnce(PluginHandle) -> R) -> Option<R> {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let _left = Leave(self);
        if self.stopped.load(Ordering::SeqCst) {
            return None;
        }
        self.place.handle().ok().map(call)
    }

    pub(crate) fn call_function(&self, gate: &str, arguments: &[IpcValue], returns: IpcType) -> Outcome {
        self.transport.call_function(gate, arguments, returns).map_or_else(|error| outcome(gate, error), Outcome::Done)
    }

    pub(crate) fn call_action(&self, gate: &str, arguments: &[IpcValue]) -> Outcome {
        done(gate, self.transport.call_action(gate, arguments))
    }

    pub(crate) fn send_message(&self, gate: &str, arguments: &[IpcValue]) -> Outcome {
        done(gate, self.transport.send_message(gate, arguments))
    }

    pub(crate) fn provide_function(&self, gate: &str, signature: &IpcSignature, id: u64) -> Outcome {
        let (this, name) = (Weak::clone(&self.this), gate.to_owned());
        let function: IpcFunction = Arc::new(move |arguments| invoke(&this, &name, id, arguments));
        self.keep(gate, id, self.transport.provide_function(gate, signature, function))
    }

    pub(crate) fn provide_action(&self, gate: &str, parameters: &[IpcType], id: u64) -> Outcome {
        self.keep(gate, id, self.transport.provide_action(gate, parameters, self.action(gate, id)))
    }

    pub(crate) fn subscribe(&self, gate: &str, parameters: &[IpcType], id: u64) -> Outcome {
        self.keep(gate, id, self.transport.subscribe(gate, parameters, self.action(gate, id)))
    }

    fn action(&self, gate: &str, id: u64) -> IpcAction {
        let (this, name) = (Weak::clone(&self.this), gate.to_owned());
        Arc::new(move |arguments| invoke(&this, &name, id, arguments).map(drop))
    }

    fn keep(&self, gate: &str, id: u64, provided: Result<IpcGuard, IpcError>) -> Outcome {
        match provided {
            Ok(guard) => self.keep_guard(id, guard),
            Err(error) => outcome(gate, error),
        }
    }

    fn keep_guard(&self, id: u64, guard: IpcGuard) -> Outcome {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner).insert(id, guard);
        if self.stopped.load(Ordering::SeqCst) {
            return self.remove(id);
        }
        Outcome::DONE
    }

    pub(crate) fn remove(&self, id: u64) -> Outcome {
        let guard = self.guards.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        drop(guard);
        Outcome::DONE
    }

    pub(crate) fn run_on_next_update(&self, id: u64) -> Outcome {
        let ticket = Ticket { host: Weak::clone(&self.this), id, ran: false };
        self.transport.run_on_next_update(Box::new(move || ticket.run()));
        Outcome::DONE
    }

    pub(crate) fn is_framework_thread(&self) -> bool {
        self.transport.is_framework_thread()
    }

    pub(crate) fn log(&self, level: LogLevel, text: &str) {
        self.services.log(level, text);
    }

    pub(crate) fn print_chat(&self, is_error: bool, text: &str) -> Outcome {
        if is_error {
            self.services.print_chat_error(text);
        } else {
            self.services.print_chat(text);
        }
        Outcome::DONE
    }

    pub(crate) fn add_command(&self, command: &str, help: &str, id: u64) -> Outcome {
        let this = Weak::clone(&self.this);
        let handler = Arc::new(move |command: &str, arguments: &str| {
            enter(&this, |plugin| plugin.command(id, command, arguments));
        });
        match self.services.add_command(command, help, handler) {
            Ok(guard) => self.keep_guard(id, guard),
            Err(error) => service_outcome(error),
        }
    }

    pub(crate) fn on_update(&self, id: u64) -> Outcome {
        let this = Weak::clone(&self.this);
        let guard = self.services.on_update(Arc::new(move || {
            enter(&this, |plugin| plugin.update(id));
        }));
        self.keep_guard(id, guard)
    }

    pub(crate) fn on_session(&self, id: u64) -> Outcome {
        let this = Weak::clone(&self.this);
        let guard = self.services.on_session(Arc::new(move |event| {
            let state = |session: Session| SessionState { territory: session.territory, world: session.world };
            let (change, session) = match event {
                SessionEvent::Login(session) => (SessionChange::Login, Some(state(session))),
                SessionEvent::Logout => (SessionChange::Logout, None),
                SessionEvent::TerritoryChanged(session) => (SessionChange::TerritoryChanged, Some(state(session))),
                _ => return,
            };
            enter(&this, |plugin| plugin.session_event(id, change, session));
        }));
        self.keep_guard(id, guard)
    }

    pub(crate) fn session(&self) -> Option<Session> {
        self.services.session()
    }

    pub(crate) fn call_service(&self, name: &str, json: &str) -> Outcome {
        self.services.call_service(name, json).map_or_else(service_outcome, |json| Outcome::Done(json.into()))
    }
}

/// A call that is inside the plugin.
struct Leave<'a>(&'a HostSide);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let before = self.0.inside.fetch_sub(1, Ordering::SeqCst);
        if before == 1 && self.0.stopped.load(Ordering::SeqCst) {
            let _guard = self.0.left_lock.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.left.notify_all();
        }
    }
}

/// A framework closure of the plugin: it is run, or given up when this is dropped.
struct Ticket {
    host: Weak<HostSide>,
    id: u64,
    ran: bool,
}

impl Ticket {
    fn run(mut self) {
        self.ran = true;
        enter(&self.host, |plugin| plugin.run_closure(self.id, false));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.ran {
            enter(&self.host, |plugin| plugin.run_closure(self.id, true));
        }
    }
}

fn enter<R>(host: &Weak<HostSide>, call: impl FnOnce(PluginHandle) -> R) -> Option<R> {
    host.upgrade().and_then(|host| host.enter(call))
}

/// Calls what the plugin provides as `id` at `gate`.
fn invoke(host: &Weak<HostSide>, gate: &str, id: u64, arguments: &[IpcValue]) -> Result<IpcValue, IpcError> {
    match enter(host, |plugin| plugin.invoke(id, arguments)) {
        // It was taken away meanwhile: as if nothing were there.
        None | Some(Outcome::Unknown(_) | Outcome::Closed(_)) => Err(IpcError::NotReady { gate: gate.to_owned() }),
        Some(outcome) => value_or_error(outcome, gate, arguments),
    }
}

fn done(gate: &str, result: Result<(), IpcError>) -> Outcome {
    result.map_or_else(|error| outcome(gate, error), |()| Outcome::DONE)
}

/// What a call of `gate` failed with, for the plugin. An error about another gate came out of the function.
fn outcome(gate: &str, error: IpcError) -> Outcome {
    let text = error.to_string();
    if error.gate() != gate && !matches!(error, IpcError::Failed { .. }) {
        return Outcome::Failed { kind: String::from("IpcError"), text };
    }
    match error {
        IpcError::NotReady { .. } => Outcome::NotReady(text),
        IpcError::LengthMismatch { given, expected, .. } => {
            Outcome::LengthMismatch { given: Some(given), expected: Some(expected), text }
        }
        IpcError::TypeMismatch { place, given, expected, .. } => {
            let position = place.strip_prefix("argument ").and_then(|n| n.parse().ok()).unwrap_or(0);
            Outcome::TypeMismatch { position, given: Some(given), expected: Some(expected), text }
        }
        IpcError::Mismatch { message, .. } => {
            Outcome::TypeMismatch { position: 0, given: None, expected: None, text: message }
        }
        IpcError::Failed { kind, message, .. } => Outcome::Failed { kind, text: message },
        IpcError::Closed { .. } => Outcome::Closed(text),
        IpcError::Unsupported { reason, .. } => Outcome::Unsupported(reason),
        _ => Outcome::Failed { kind: String::from("IpcError"), text },
    }
}

fn service_outcome(error: ServiceError) -> Outcome {
    let text = error.to_string();
    match error {
        ServiceError::Unknown { .. } => Outcome::Unknown(text),
        ServiceError::Failed { kind, message, .. } => Outcome::Failed { kind, text: message },
        ServiceError::Refused { reason, .. } => Outcome::Refused(reason),
        ServiceError::Closed { .. } => Outcome::Closed(text),
        _ => Outcome::Failed { kind: String::from("ServiceError"), text },
    }
}
