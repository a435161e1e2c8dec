//! Telling those who wait that something has changed. For the client's own parts.

use std::sync::{Mutex, PoisonError};
use std::task::Waker;

/// Wakes everyone who waits. Who waits registers first and looks afterwards, so no change is missed.
#[derive(Default)]
pub(crate) struct Notify {
    waiting: Mutex<Vec<Waker>>,
}

impl Notify {
    /// Wakes this waker at the next [`notify`](Self::notify).
    pub(crate) fn register(&self, waker: &Waker) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.iter().any(|known| known.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }

    /// Wakes everyone who has registered since the last time.
    pub(crate) fn notify(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(Waker::wake);
    }
}
