//! Timers of the simulation.

use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use super::Shared;

/// Ready at a virtual moment. After the end of the simulation it is never ready.
pub(super) struct Sleep {
    sim: Weak<Shared>,
    due: Duration,
    number: Option<u64>,
}

impl Sleep {
    pub(super) fn new(sim: &Arc<Shared>, duration: Duration) -> Self {
        let due = sim.lock().now.saturating_add(duration);
        Self { sim: Arc::downgrade(sim), due, number: None }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(sim) = self.sim.upgrade() else { return Poll::Pending };
        let waker = context.waker().clone();
        let mut state = sim.lock();
        if state.over {
            return Poll::Pending;
        }
        if state.now >= self.due {
            return Poll::Ready(());
        }
        let number = *self.number.get_or_insert_with(|| state.number());
        let replaced = state.timers.insert((self.due, number), waker);
        drop(state);
        drop(replaced);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let (Some(sim), Some(number)) = (self.sim.upgrade(), self.number) {
            let removed = sim.lock().timers.remove(&(self.due, number));
            drop(removed);
        }
    }
}
