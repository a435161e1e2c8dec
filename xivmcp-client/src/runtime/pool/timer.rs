//! A sleep of the pool. For the pool only.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::state::{Shared, lock};

/// Longer sleeps than this count as this long; a moment so far away may not fit into an [`Instant`].
const LONGEST: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// Ready at its moment. After the pool has stopped, it never becomes ready.
pub(super) struct Sleep {
    shared: Weak<Shared>,
    due: Instant,
    /// Its entry in the timers, once it has one.
    number: Option<u64>,
}

impl Sleep {
    pub(super) fn new(shared: &Arc<Shared>, duration: Duration) -> Self {
        Self { shared: Arc::downgrade(shared), due: Instant::now() + duration.min(LONGEST), number: None }
    }

    fn forget(&mut self) -> Option<Waker> {
        let number = self.number.take()?;
        lock(&*self.shared.upgrade()?).timers.remove(&(self.due, number))
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.due {
            drop(self.forget());
            return Poll::Ready(());
        }
        let Some(shared) = self.shared.upgrade() else { return Poll::Pending };
        let waker = context.waker().clone();
        let mut state = lock(&shared);
        if state.stopping {
            return Poll::Pending;
        }
        let number = match self.number {
            Some(number) => number,
            None => *self.number.insert(state.number()),
        };
        let former = state.timers.insert((self.due, number), waker);
        if former.is_none() {
            shared.ensure_timer(&mut state);
        }
        drop(state);
        drop(former);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        drop(self.forget());
    }
}
