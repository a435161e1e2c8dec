//! A task of the simulation, and how it is woken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::future::BoxFuture;

use super::Shared;
use crate::bus::Clock;

/// A spawned future. It is its own waker.
pub(super) struct Task {
    pub(super) number: u64,
    owner: Arc<str>,
    since: Duration,
    slot: Mutex<Slot>,
    /// Whether it is among those that can run.
    queued: AtomicBool,
    sim: Weak<Shared>,
}

enum Slot {
    Waiting(BoxFuture<'static, ()>),
    /// Being polled; `again` if it was picked meanwhile, by a wait inside its own poll.
    Running {
        again: bool,
    },
    Done,
}

impl Task {
    pub(super) fn new(
        number: u64,
        owner: Arc<str>,
        since: Duration,
        future: BoxFuture<'static, ()>,
        sim: Weak<Shared>,
    ) -> Arc<Self> {
        let slot = Mutex::new(Slot::Waiting(future));
        Arc::new(Self { number, owner, since, slot, queued: AtomicBool::new(true), sim })
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plugin that it belongs to.
    pub(super) fn owner(&self) -> &Arc<str> {
        &self.owner
    }

    /// Polls it once; whether it is over.
    ///
    /// # Panics
    ///
    /// As the future does. It counts as over then.
    pub(super) fn poll(self: &Arc<Self>) -> bool {
        let mut slot = self.slot();
        let mut future = match std::mem::replace(&mut *slot, Slot::Running { again: false }) {
            Slot::Waiting(future) => future,
            Slot::Running { .. } => {
                *slot = Slot::Running { again: true };
                return false;
            }
            Slot::Done => {
                *slot = Slot::Done;
                return true;
            }
        };
        drop(slot);
        self.queued.store(false, Ordering::Release);
        let over = OverUnlessReturned(self);
        let waker = Waker::from(Arc::clone(self));
        let poll = future.as_mut().poll(&mut Context::from_waker(&waker));
        std::mem::forget(over);
        let mut slot = self.slot();
        let again = matches!(*slot, Slot::Running { again: true });
        if matches!(*slot, Slot::Done) {
            drop(slot);
            drop(future);
            return true;
        }
        *slot = if poll.is_ready() { Slot::Done } else { Slot::Waiting(future) };
        drop(slot);
        if again && poll.is_pending() {
            self.wake_by_ref();
        }
        poll == Poll::Ready(())
    }

    /// Drops the future, wherever it stands.
    pub(super) fn discard(&self) {
        let slot = std::mem::replace(&mut *self.slot(), Slot::Done);
        drop(slot);
    }

    /// A line for a report.
    pub(super) fn describe(&self, now: Duration) -> String {
        let what = if self.queued.load(Ordering::Acquire) { "could run" } else { "waits to be woken" };
        format!("a task of {} {what} (running since {}, now {})", self.owner, Clock(self.since), Clock(now))
    }
}

/// A future that panicked is over.
struct OverUnlessReturned<'a>(&'a Task);

impl Drop for OverUnlessReturned<'_> {
    fn drop(&mut self) {
        *self.0.slot() = Slot::Done;
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.queued.swap(true, Ordering::AcqRel)
            && let Some(sim) = self.sim.upgrade()
        {
            sim.make_ready(Arc::clone(self));
        }
    }
}
