//! Dalamud's call gates in one process: a table of names that all plugins and the host share (R-IPC-1…8).
//!
//! Plugins reach it through their [`MockTransport`]; the host itself through the driver. No lock is held while foreign
//! code runs, so providers may call, provide, take away and be called again at will (R-IPC-7, R-IPC-8).

mod convert;
mod traffic;
mod transport;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::ThreadId;
use std::time::Duration;

use xivmcp_client::ipc::{IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcType, IpcValue};

use self::convert::convert;
pub(crate) use self::traffic::{Clock, Traffic};
pub use self::traffic::{TrafficEntry, TrafficKind};
pub use self::transport::MockTransport;
pub(crate) use self::transport::{Connection, Framework};

/// Tells the time since the host was made, for the record of the traffic.
pub(crate) type Now = Box<dyn Fn() -> Duration + Send + Sync>;
/// Told about a panic in foreign code at a gate.
pub(crate) type OnPanic = Box<dyn Fn(String) + Send + Sync>;

/// The table of gates.
pub(crate) struct Bus {
    gates: Mutex<Gates>,
    /// Who is calling, per thread, innermost last. Kept here and not in a thread-local, so that it dies with the host.
    callers: Mutex<HashMap<ThreadId, Vec<Option<Arc<str>>>>>,
    traffic: Traffic,
    now: Now,
    on_panic: OnPanic,
}

#[derive(Default)]
struct Gates {
    by_name: BTreeMap<String, Gate>,
    next: u64,
}

#[derive(Default)]
struct Gate {
    function: Option<Entry<IpcFunction>>,
    action: Option<Entry<IpcAction>>,
    subscribers: Vec<Entry<IpcAction>>,
}

#[derive(Clone)]
struct Entry<F> {
    number: u64,
    owner: u64,
    signature: IpcSignature,
    call: F,
}

#[derive(Clone, Copy)]
enum Slot {
    Function,
    Action,
    Subscriber,
}

impl Bus {
    pub(crate) fn new(now: Now, on_panic: OnPanic) -> Arc<Self> {
        Arc::new(Self {
            gates: Mutex::default(),
            callers: Mutex::default(),
            traffic: Traffic::default(),
            now,
            on_panic,
        })
    }

    fn gates(&self) -> MutexGuard<'_, Gates> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new connection for the plugin `name`.
    pub(crate) fn connect(&self, name: &str) -> Arc<Connection> {
        let number = self.gates().number();
        Connection::new(name, number)
    }

    /// What crossed the gates.
    pub(crate) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Who makes the innermost call on this thread (R-IPC-6); a message has no caller.
    pub(crate) fn caller(&self) -> Option<Arc<str>> {
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.get(&std::thread::current().id())?.last()?.clone()
    }

    /// Calls the function at `gate` for `from`.
    pub(crate) fn call_function(
        &self,
        from: &Arc<str>,
        gate: &str,
        arguments: &[IpcValue],
        returns: IpcType,
    ) -> Result<IpcValue, IpcError> {
        self.recorded(Some(from), gate, TrafficKind::Function, arguments, || {
            let entry = self.gates().by_name.get(gate).and_then(|gate| gate.function.clone());
            let entry = entry.ok_or_else(|| IpcError::NotReady { gate: gate.to_owned() })?;
            let arguments = fitting(gate, arguments, &entry.signature.parameters)?;
            let value = self.guarded(gate, || (entry.call)(&arguments))?;
            if value.ipc_type() != entry.signature.returns && entry.signature.returns != IpcType::Unit {
                return Err(IpcError::Failed {
                    gate: gate.to_owned(),
                    kind: "InvalidCastException".to_owned(),
                    message: format!("provided as {}, it gave {}", entry.signature.returns, value.ipc_type()),
                });
            }
            convert(&value, returns).ok_or_else(|| IpcError::TypeMismatch {
                gate: gate.to_owned(),
                place: "return value".to_owned(),
                given: value.ipc_type(),
                expected: returns,
            })
        })
    }

    /// Calls the action at `gate` for `from`.
    pub(crate) fn call_action(&self, from: &Arc<str>, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError> {
        self.recorded(Some(from), gate, TrafficKind::Action, arguments, || {
            let entry = self.gates().by_name.get(gate).and_then(|gate| gate.action.clone());
            let entry = entry.ok_or_else(|| IpcError::NotReady { gate: gate.to_owned() })?;
            let arguments = fitting(gate, arguments, &entry.signature.parameters)?;
            self.guarded(gate, || (entry.call)(&arguments))?;
            Ok(IpcValue::Unit)
        })
        .map(drop)
    }

    /// Sends a message to the subscribers of `gate`, in the order in which they subscribed (R-IPC-5).
    pub(crate) fn send_message(&self, from: &Arc<str>, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError> {
        let subscribers = self.gates().by_name.get(gate).map(|gate| gate.subscribers.clone()).unwrap_or_default();
        let depth = self.depth();
        let given = arguments.iter().map(text);
        let number = self.traffic.begin((self.now)(), depth, Some(from), gate, TrafficKind::Message, given);
        let sent = self.called_by(None, || {
            for entry in &subscribers {
                let arguments = fitting(gate, arguments, &entry.signature.parameters)?;
                self.guarded(gate, || (entry.call)(&arguments))?;
            }
            Ok(())
        });
        self.traffic.end(number, sent.as_ref().map(|()| String::new()).map_err(ToString::to_string));
        sent
    }

    /// The owners (numbers of connections) that subscribed to `gate`, in order.
    pub(crate) fn subscribers(&self, gate: &str) -> Vec<u64> {
        let gates = self.gates();
        gates
            .by_name
            .get(gate)
            .map(|gate| gate.subscribers.iter().map(|entry| entry.owner).collect())
            .unwrap_or_default()
    }

    /// Whether a function is provided at `gate`.
    #[cfg(test)]
    pub(crate) fn has_function(&self, gate: &str) -> bool {
        self.gates().by_name.get(gate).is_some_and(|gate| gate.function.is_some())
    }

    /// Provides a function for the connection `owner`.
    pub(crate) fn provide_function(
        self: &Arc<Self>,
        owner: u64,
        gate: &str,
        signature: IpcSignature,
        call: IpcFunction,
    ) -> IpcGuard {
        let mut gates = self.gates();
        let number = gates.number();
        let replaced = gates.by_name.entry(gate.to_owned()).or_default().function.replace(Entry {
            number,
            owner,
            signature,
            call,
        });
        drop(gates);
        drop(replaced);
        self.guard(gate, Slot::Function, number)
    }

    fn provide_action(self: &Arc<Self>, owner: u64, gate: &str, parameters: &[IpcType], call: IpcAction) -> IpcGuard {
        let signature = IpcSignature::new(parameters, IpcType::Unit);
        let mut gates = self.gates();
        let number = gates.number();
        let replaced =
            gates.by_name.entry(gate.to_owned()).or_default().action.replace(Entry { number, owner, signature, call });
        drop(gates);
        drop(replaced);
        self.guard(gate, Slot::Action, number)
    }

    fn subscribe(self: &Arc<Self>, owner: u64, gate: &str, parameters: &[IpcType], call: IpcAction) -> IpcGuard {
        let signature = IpcSignature::new(parameters, IpcType::Unit);
        let mut gates = self.gates();
        let number = gates.number();
        gates.by_name.entry(gate.to_owned()).or_default().subscribers.push(Entry { number, owner, signature, call });
        drop(gates);
        self.guard(gate, Slot::Subscriber, number)
    }

    /// Takes away what `owner` left behind, and names those gates.
    pub(crate) fn release_owner(&self, owner: u64) -> Vec<String> {
        let mut left = Vec::new();
        let mut removed = Removed::default();
        let mut gates = self.gates();
        for (name, gate) in &mut gates.by_name {
            let before = removed.count();
            removed.functions.extend(gate.function.take_if(|entry| entry.owner == owner));
            removed.actions.extend(gate.action.take_if(|entry| entry.owner == owner));
            removed.actions.extend(gate.subscribers.extract_if(.., |entry| entry.owner == owner));
            if removed.count() > before {
                left.push(name.clone());
            }
        }
        gates.by_name.retain(|_, gate| !gate.is_empty());
        drop(gates);
        drop(removed);
        left
    }

    fn guard(self: &Arc<Self>, gate: &str, slot: Slot, number: u64) -> IpcGuard {
        let bus: Weak<Self> = Arc::downgrade(self);
        let name = gate.to_owned();
        IpcGuard::new(move || {
            if let Some(bus) = bus.upgrade() {
                bus.remove(&name, slot, number);
            }
        })
    }

    /// Takes one entry away, unless another has replaced it. What it captured is dropped after the lock.
    fn remove(&self, name: &str, slot: Slot, number: u64) {
        let mut removed = Removed::default();
        let mut gates = self.gates();
        let Some(gate) = gates.by_name.get_mut(name) else { return };
        match slot {
            Slot::Function => removed.functions.extend(gate.function.take_if(|entry| entry.number == number)),
            Slot::Action => removed.actions.extend(gate.action.take_if(|entry| entry.number == number)),
            Slot::Subscriber => {
                removed.actions.extend(gate.subscribers.extract_if(.., |entry| entry.number == number));
            }
        }
        if gate.is_empty() {
            gates.by_name.remove(name);
        }
        drop(gates);
        drop(removed);
    }

    fn depth(&self) -> usize {
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.get(&std::thread::current().id()).map_or(0, Vec::len)
    }

    fn recorded(
        &self,
        from: Option<&Arc<str>>,
        gate: &str,
        kind: TrafficKind,
        arguments: &[IpcValue],
        call: impl FnOnce() -> Result<IpcValue, IpcError>,
    ) -> Result<IpcValue, IpcError> {
        let depth = self.depth();
        let given = arguments.iter().map(text);
        let number = self.traffic.begin((self.now)(), depth, from.map(|from| &**from), gate, kind, given);
        let outcome = self.called_by(from.cloned(), call);
        self.traffic.end(number, outcome.as_ref().map(text).map_err(ToString::to_string));
        outcome
    }

    /// Runs `call` with `from` as the caller on this thread. `call` does not unwind.
    fn called_by<R>(&self, from: Option<Arc<str>>, call: impl FnOnce() -> R) -> R {
        let thread = std::thread::current().id();
        let callers = || self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers().entry(thread).or_default().push(from);
        let result = call();
        let mut callers = callers();
        if let Some(stack) = callers.get_mut(&thread) {
            stack.pop();
            if stack.is_empty() {
                callers.remove(&thread);
            }
        }
        result
    }

    /// Runs foreign code; a panic is reported, and becomes an error (nothing unwinds through a gate).
    fn guarded<R>(&self, gate: &str, call: impl FnOnce() -> Result<R, IpcError>) -> Result<R, IpcError> {
        catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
            let message = panic_text(&*panic);
            (self.on_panic)(format!("a panic at the gate {gate}: {message}"));
            Err(IpcError::Failed { gate: gate.to_owned(), kind: "panic".to_owned(), message })
        })
    }
}

impl Gates {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl Gate {
    fn is_empty(&self) -> bool {
        self.function.is_none() && self.action.is_none() && self.subscribers.is_empty()
    }
}

/// Entries that were taken out of the table, to be dropped without the lock.
#[derive(Default)]
struct Removed {
    functions: Vec<Entry<IpcFunction>>,
    actions: Vec<Entry<IpcAction>>,
}

impl Removed {
    fn count(&self) -> usize {
        self.functions.len() + self.actions.len()
    }
}

/// The arguments as the gate's parameters (R-IPC-3).
fn fitting(gate: &str, arguments: &[IpcValue], parameters: &[IpcType]) -> Result<Vec<IpcValue>, IpcError> {
    if arguments.len() != parameters.len() {
        return Err(IpcError::LengthMismatch {
            gate: gate.to_owned(),
            given: arguments.len(),
            expected: parameters.len(),
        });
    }
    let fit = |(index, (argument, parameter)): (usize, (&IpcValue, &IpcType))| {
        convert(argument, *parameter).ok_or_else(|| IpcError::TypeMismatch {
            gate: gate.to_owned(),
            place: format!("argument {}", index + 1),
            given: argument.ipc_type(),
            expected: *parameter,
        })
    };
    arguments.iter().zip(parameters).enumerate().map(fit).collect()
}

/// A value as text for the record.
fn text(value: &IpcValue) -> String {
    match value {
        IpcValue::Unit => String::new(),
        IpcValue::Text(text) => text.clone(),
        IpcValue::Bool(value) => value.to_string(),
        IpcValue::I8(value) => value.to_string(),
        IpcValue::U8(value) => value.to_string(),
        IpcValue::I16(value) => value.to_string(),
        IpcValue::U16(value) => value.to_string(),
        IpcValue::I32(value) => value.to_string(),
        IpcValue::U32(value) => value.to_string(),
        IpcValue::I64(value) => value.to_string(),
        IpcValue::U64(value) => value.to_string(),
        IpcValue::F32(value) => value.to_string(),
        IpcValue::F64(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a text".to_owned()
    }
}
