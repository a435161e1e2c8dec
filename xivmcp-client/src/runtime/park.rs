//! Waiting on a thread for a future: what the runtimes that have real threads share for
//! [`Runtime::block_on`](super::Runtime::block_on). For the runtimes of this crate only.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::task::{ArcWake, waker};

/// One waiting thread. A signal of its own, and not the thread's parking token, so that a wait inside a wait takes
/// no wake-up from the outer one.
#[derive(Default)]
struct Signal {
    woken: Mutex<bool>,
    changed: Condvar,
}

impl ArcWake for Signal {
    fn wake_by_ref(signal: &Arc<Self>) {
        *signal.woken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        signal.changed.notify_one();
    }
}

/// Polls `future` on this thread until it is ready (`true`) or `limit` has passed (`false`). It is polled at least
/// once.
pub(super) fn block_on_thread(mut future: Pin<&mut (dyn Future<Output = ()> + Send)>, limit: Duration) -> bool {
    let signal = Arc::new(Signal::default());
    let waker = waker(signal.clone());
    let mut context = Context::from_waker(&waker);
    let started = Instant::now();
    loop {
        if let Poll::Ready(()) = future.as_mut().poll(&mut context) {
            return true;
        }
        let mut woken = signal.woken.lock().unwrap_or_else(PoisonError::into_inner);
        while !*woken {
            let Some(left) = limit.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) else {
                return false;
            };
            woken = signal.changed.wait_timeout(woken, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *woken = false;
    }
}
