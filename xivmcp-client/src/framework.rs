//! The client's own queue of closures for the framework thread. For the client, and through it for calls.
//!
//! Why a queue beside the transport's: dispose may run on the framework thread, which then cannot reach its next
//! update. It runs the queued closures itself; the transport's closures that come later find nothing left to do.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use crate::ipc::{FrameworkClosure, IpcTransport};
use crate::notify::Notify;
use crate::panics::caught;

#[derive(Default)]
struct State {
    queue: VecDeque<FrameworkClosure>,
    /// Nothing is taken any more.
    closed: bool,
    /// The transport has given up a closure, so nothing queued will run but by pumping.
    refused: bool,
    /// How many threads wait in dispose on the framework thread, and pump.
    pumping: usize,
    /// Dispose has begun: who else should pump, if not dispose?
    disposing: bool,
}

/// Closures that wait for the framework thread, in their order.
#[derive(Default)]
pub(crate) struct FrameworkQueue {
    state: Mutex<State>,
    changed: Notify,
}

/// What the transport gets for each queued closure: it runs the oldest one that is left.
struct Turn {
    queue: Arc<FrameworkQueue>,
    ran: bool,
}

impl Turn {
    fn run(mut self) {
        self.ran = true;
        self.queue.run_one();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.ran {
            self.queue.refused();
        }
    }
}

impl FrameworkQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues `closure`; drops it if the queue is closed. It never runs inside this call.
    pub(crate) fn push(self: &Arc<Self>, transport: &dyn IpcTransport, closure: FrameworkClosure) {
        let mut state = self.lock();
        if state.closed {
            drop(state);
            drop_caught(closure);
            return;
        }
        state.queue.push_back(closure);
        drop(state);
        self.changed.notify();
        let turn = Turn { queue: self.clone(), ran: false };
        transport.run_on_next_update(Box::new(move || turn.run()));
    }

    /// Runs the oldest closure; tells whether there was one. On the framework thread only.
    fn run_one(&self) -> bool {
        let next = self.lock().queue.pop_front();
        let Some(closure) = next else { return false };
        if let Err(panic) = caught(closure) {
            tracing::error!(panic, "a closure on the framework thread panicked");
        }
        true
    }

    /// The transport gave up one closure. What is queued waits for a dispose on the framework thread, which pumps;
    /// where dispose waits elsewhere, it can never run.
    fn refused(&self) {
        let mut state = self.lock();
        state.refused = true;
        let given_up =
            if state.disposing && state.pumping == 0 { std::mem::take(&mut state.queue) } else { VecDeque::new() };
        drop(state);
        given_up.into_iter().for_each(drop_caught);
        self.changed.notify();
    }

    /// Runs what is queued now, as an update would, and tells whether there was something; `waker` hears of what is
    /// queued later. On the framework thread only.
    pub(crate) fn pump(&self, waker: &Waker) -> bool {
        self.changed.register(waker);
        let count = self.len();
        (0..count).fold(false, |ran, _| self.run_one() || ran)
    }

    /// Dispose begins to wait on this thread, until the guard goes.
    pub(crate) fn begin_dispose(&self, on_framework_thread: bool) -> Pumping<'_> {
        let mut state = self.lock();
        state.disposing = true;
        state.pumping += usize::from(on_framework_thread);
        let hopeless = state.refused && state.pumping == 0;
        let given_up = if hopeless { std::mem::take(&mut state.queue) } else { VecDeque::new() };
        drop(state);
        given_up.into_iter().for_each(drop_caught);
        Pumping { queue: self, on_framework_thread }
    }

    /// Drops what is queued, and everything that comes later.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let left = std::mem::take(&mut state.queue);
        drop(state);
        left.into_iter().for_each(drop_caught);
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().queue.len()
    }
}

/// While it lives, dispose waits; on the framework thread it pumps.
pub(crate) struct Pumping<'a> {
    queue: &'a FrameworkQueue,
    on_framework_thread: bool,
}

impl Drop for Pumping<'_> {
    fn drop(&mut self) {
        self.queue.lock().pumping -= usize::from(self.on_framework_thread);
    }
}

fn drop_caught(closure: FrameworkClosure) {
    if let Err(panic) = caught(|| drop(closure)) {
        tracing::error!(panic, "dropping a closure for the framework thread panicked");
    }
}
