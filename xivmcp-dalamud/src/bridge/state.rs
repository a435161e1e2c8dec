//! [`Bridge`]: what the plugin's code holds, and what it has put in the host's hands.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use xivmcp_client::ipc::{FrameworkClosure, IpcAction, IpcFunction, IpcGuard, IpcSignature, IpcType};
use xivmcp_client::services::{CommandHandler, SessionEvent};

use super::panics::caught;
use super::slots::{Mark, Slot};
use crate::abi::LogSeverity;
use crate::ffi::HostHandle;

/// How far the plugin is on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    /// All works.
    Open = 0,
    /// The gates are taken away; what still runs may still have framework closures run.
    Closing = 1,
    /// Nothing works any more.
    Closed = 2,
}

/// What was provided, by its id.
#[derive(Clone)]
pub(crate) enum Provided {
    Function(Arc<IpcSignature>, IpcFunction),
    Action(Arc<[IpcType]>, IpcAction),
    Command(CommandHandler),
    Update(Arc<dyn Fn() + Send + Sync>),
    Session(Arc<dyn Fn(SessionEvent) + Send + Sync>),
}

/// One plugin's transport and services over the host's table.
pub(crate) struct Bridge {
    pub(crate) host: HostHandle,
    pub(crate) internal_name: String,
    pub(crate) slot: Slot,
    /// For guards, which must not keep the bridge.
    pub(crate) this: Weak<Bridge>,
    phase: AtomicU8,
    next_id: AtomicU64,
    provided: Mutex<BTreeMap<u64, Provided>>,
    closures: Mutex<BTreeMap<u64, FrameworkClosure>>,
    /// Calls of the host that are inside the plugin.
    inside: AtomicUsize,
    /// What a stopping thread waits for changed: a closure came, or a call left.
    changed: Condvar,
    /// Goes with `changed`; counts its causes, so that none is missed between looking and waiting.
    changes: Mutex<u64>,
}

impl Bridge {
    pub(crate) fn new(host: HostHandle, internal_name: String, slot: Slot) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            host,
            internal_name,
            slot,
            this: this.clone(),
            phase: AtomicU8::new(Phase::Open as u8),
            next_id: AtomicU64::new(1),
            provided: Mutex::default(),
            closures: Mutex::default(),
            inside: AtomicUsize::new(0),
            changed: Condvar::new(),
            changes: Mutex::new(0),
        })
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::SeqCst) {
            0 => Phase::Open,
            1 => Phase::Closing,
            _ => Phase::Closed,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.phase() == Phase::Open
    }

    pub(crate) fn advance_to(&self, phase: Phase) {
        self.phase.fetch_max(phase as u8, Ordering::SeqCst);
    }

    /// Marks a call out of the plugin on this thread.
    pub(crate) fn outbound(&self) -> Mark {
        self.slot.mark()
    }

    /// Marks and counts a call into the plugin on this thread.
    pub(crate) fn inbound(&self) -> Inbound<'_> {
        self.inside.fetch_add(1, Ordering::SeqCst);
        Inbound { bridge: self, _mark: self.slot.mark() }
    }

    pub(crate) fn calls_inside(&self) -> usize {
        self.inside.load(Ordering::SeqCst)
    }

    /// Keeps `provided` under an id, for `place` to put it into the host's hands; it is gone again if that fails.
    pub(crate) fn provide<E>(
        &self,
        provided: Provided,
        place: impl FnOnce(u64) -> Result<(), E>,
    ) -> Result<IpcGuard, E> {
        let id = self.next_id();
        lock(&self.provided).insert(id, provided);
        if let Err(error) = place(id) {
            let provided = lock(&self.provided).remove(&id);
            drop(provided);
            return Err(error);
        }
        if !self.is_open() {
            // It came too late for `take_back`.
            self.remove(id);
        }
        let this = Weak::clone(&self.this);
        Ok(IpcGuard::new(move || {
            if let Some(bridge) = this.upgrade() {
                bridge.remove(id);
            }
        }))
    }

    pub(crate) fn provided(&self, id: u64) -> Option<Provided> {
        lock(&self.provided).get(&id).cloned()
    }

    /// Takes away what has `id`, here and at the host.
    pub(crate) fn remove(&self, id: u64) {
        let provided = lock(&self.provided).remove(&id);
        if provided.is_some() {
            let _mark = self.outbound();
            self.host.remove(id);
        }
        if let Err(text) = caught(|| drop(provided)) {
            self.complain(&format!("dropping what was provided panicked: {text}"));
        }
    }

    /// Takes away everything that is still provided.
    pub(crate) fn take_back(&self) {
        loop {
            let Some(id) = lock(&self.provided).keys().next().copied() else { break };
            self.remove(id);
        }
    }

    /// Queues a closure, and gives its id; it comes back if it is too late for that.
    pub(crate) fn keep_closure(&self, closure: FrameworkClosure) -> Result<u64, FrameworkClosure> {
        let id = self.next_id();
        let mut closures = lock(&self.closures);
        // Under the lock: `close` drops what is there after it has set the phase.
        if self.phase() == Phase::Closed {
            return Err(closure);
        }
        closures.insert(id, closure);
        drop(closures);
        self.notify();
        Ok(id)
    }

    pub(crate) fn take_closure(&self, id: u64) -> Option<FrameworkClosure> {
        lock(&self.closures).remove(&id)
    }

    /// The ids of the closures that wait now, in the order in which they were queued.
    pub(crate) fn waiting_closures(&self) -> Vec<u64> {
        lock(&self.closures).keys().copied().collect()
    }

    /// Runs a closure that was taken, or drops it.
    pub(crate) fn finish_closure(&self, closure: FrameworkClosure, give_up: bool) -> Result<(), String> {
        caught(|| if give_up { drop(closure) } else { closure() })
    }

    /// From now on nothing works; closures that still wait are dropped.
    pub(crate) fn close(&self) {
        self.advance_to(Phase::Closed);
        loop {
            let Some((_, closure)) = lock(&self.closures).pop_first() else { break };
            // A panic is logged by the hook.
            let _ = self.finish_closure(closure, true);
        }
        self.notify();
    }

    /// Tells a thread that stops the plugin to look again.
    pub(crate) fn notify(&self) {
        *lock(&self.changes) += 1;
        self.changed.notify_all();
    }

    pub(crate) fn changes(&self) -> u64 {
        *lock(&self.changes)
    }

    /// Waits until something has changed since `seen`, or `limit` has passed.
    pub(crate) fn wait_for_change(&self, seen: u64, limit: Duration) {
        let guard = lock(&self.changes);
        let _ = self.changed.wait_timeout_while(guard, limit, |changes| *changes == seen);
    }

    /// Tells the developer of something that cannot be told to a caller.
    pub(crate) fn complain(&self, text: &str) {
        let _mark = self.outbound();
        self.host.log(LogSeverity::Error, text);
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }
}

/// A call of the host that is inside the plugin, until this is dropped.
pub(crate) struct Inbound<'a> {
    bridge: &'a Bridge,
    _mark: Mark,
}

impl Drop for Inbound<'_> {
    fn drop(&mut self) {
        self.bridge.inside.fetch_sub(1, Ordering::SeqCst);
        if !self.bridge.is_open() {
            self.bridge.notify();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
