//! One spawned future and the states it goes through. For the pool only.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use futures::task::{ArcWake, waker_ref};

use super::state::{Shared, lock};

/// Where a task is. The future is in the task only while it is not being polled.
enum Stage {
    /// It waits to be woken.
    Parked(BoxFuture<'static, ()>),
    /// It is in the queue.
    Queued(BoxFuture<'static, ()>),
    /// A worker polls it.
    Polled,
    /// A worker polls it, and it was woken meanwhile: it goes into the queue again.
    PolledAndWoken,
    /// It is over, or was dropped.
    Over,
}

/// A spawned future.
pub(super) struct Task {
    number: u64,
    stage: Mutex<Stage>,
    shared: Weak<Shared>,
}

impl Task {
    /// Queues `future`, or drops it if the pool is stopping.
    pub(super) fn start(shared: &Arc<Shared>, future: BoxFuture<'static, ()>) {
        let mut state = lock(shared);
        if state.stopping {
            drop(state);
            caught("a dropped task", || drop(future));
            return;
        }
        let number = state.number();
        let stage = Mutex::new(Stage::Queued(future));
        let task = Arc::new(Self { number, stage, shared: Arc::downgrade(shared) });
        state.tasks.insert(number, task.clone());
        state.queue.push_back(task);
        shared.ensure_worker(&mut state);
    }

    /// Polls the future once, on a worker.
    pub(super) fn run(self: &Arc<Self>) {
        let mut future = match self.replace(Stage::Polled) {
            Stage::Queued(future) => future,
            // Dropped by a shutdown since it was queued.
            other => {
                self.replace(other);
                return;
            }
        };
        let waker = waker_ref(self);
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(&waker))));
        match polled {
            Ok(Poll::Pending) => {}
            Ok(Poll::Ready(())) => return self.end(future),
            Err(panic) => {
                tracing::error!("a task on the client's pool panicked and was dropped");
                caught("a panic's payload", || drop(panic));
                return self.end(future);
            }
        }
        let Some(shared) = self.shared.upgrade() else { return self.end(future) };
        // The lock of the pool is held over the change, so that no shutdown comes between it and the task's parking.
        let mut state = lock(&shared);
        if state.stopping {
            drop(state);
            return self.end(future);
        }
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*stage, Stage::PolledAndWoken) {
            *stage = Stage::Queued(future);
            drop(stage);
            state.queue.push_back(self.clone());
            shared.ensure_worker(&mut state);
        } else {
            *stage = Stage::Parked(future);
        }
    }

    /// Drops the future, where it is not being polled. A worker that polls it drops it afterwards.
    pub(super) fn cancel(&self) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Parked(future) | Stage::Queued(future) => {
                drop(stage);
                caught("a dropped task", || drop(future));
            }
            other => *stage = other,
        }
    }

    fn end(&self, future: BoxFuture<'static, ()>) {
        self.replace(Stage::Over);
        if let Some(shared) = self.shared.upgrade() {
            let entry = lock(&shared).tasks.remove(&self.number);
            drop(entry);
        }
        caught("a dropped task", || drop(future));
    }

    fn replace(&self, stage: Stage) -> Stage {
        std::mem::replace(&mut *self.stage.lock().unwrap_or_else(PoisonError::into_inner), stage)
    }
}

impl ArcWake for Task {
    fn wake_by_ref(task: &Arc<Self>) {
        let Some(shared) = task.shared.upgrade() else { return };
        let mut state = lock(&shared);
        if state.stopping {
            return;
        }
        let mut stage = task.stage.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Parked(future) => {
                *stage = Stage::Queued(future);
                drop(stage);
                state.queue.push_back(task.clone());
                shared.ensure_worker(&mut state);
            }
            Stage::Polled => *stage = Stage::PolledAndWoken,
            other => *stage = other,
        }
    }
}

/// Runs foreign code; a panic in it costs that code, never the thread.
pub(super) fn caught(what: &str, run: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(run)).is_err() {
        tracing::error!("{what} panicked on the client's pool");
    }
}
