//! The assistant's running calls: who waits for which, and how it ended.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use xivmcp_protocol::CallId;

use crate::core::{Outcome, Time};

/// One call of the assistant, shared by the driver and those who wait.
#[derive(Debug)]
pub(crate) struct CallCell {
    /// The call's id.
    pub(crate) id: CallId,
    /// The tool that was called.
    pub(crate) tool: String,
    /// When it was called.
    pub(crate) since: Time,
    state: Mutex<CellState>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct CellState {
    outcome: Option<Outcome>,
    wakers: Vec<Waker>,
}

impl CallCell {
    pub(super) fn new(id: CallId, tool: &str, since: Time) -> Arc<Self> {
        Arc::new(Self { id, tool: tool.to_owned(), since, state: Mutex::default(), ended: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, CellState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it ended; nothing while it runs.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.lock().outcome.clone()
    }

    /// Wakes `waker` when it ends, unless it has: then the answer is how.
    pub(crate) fn outcome_or_wake(&self, waker: &Waker) -> Option<Outcome> {
        let mut state = self.lock();
        if state.outcome.is_none() && !state.wakers.iter().any(|known| known.will_wake(waker)) {
            state.wakers.push(waker.clone());
        }
        state.outcome.clone()
    }

    /// Waits in real time.
    pub(crate) fn wait_for(&self, limit: Duration) -> Option<Outcome> {
        let end = Instant::now() + limit;
        let mut state = self.lock();
        while state.outcome.is_none() {
            let rest = end.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                break;
            }
            state = self.ended.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.outcome.clone()
    }

    pub(super) fn end(&self, outcome: Outcome) {
        let mut state = self.lock();
        state.outcome.get_or_insert(outcome);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        self.ended.notify_all();
        for waker in wakers {
            waker.wake();
        }
    }
}
