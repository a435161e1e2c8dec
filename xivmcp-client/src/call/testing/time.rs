//! Virtual time and one thread: the runtime behind a [`TestCall`](super::TestCall). For it only.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::task::{ArcWake, waker};

use crate::panics::caught;
use crate::runtime::Runtime;

/// How long, in real time, another thread may take to wake a task while no time can pass.
const FOREIGN_LIMIT: Duration = Duration::from_secs(10);

#[derive(Default)]
struct State {
    now: Duration,
    next: u64,
    timers: BTreeMap<(Duration, u64), Waker>,
    /// The future is out while it is being polled.
    tasks: HashMap<u64, Option<BoxFuture<'static, ()>>>,
    ready: VecDeque<u64>,
}

/// Runs what can run, and otherwise lets time jump.
#[derive(Default)]
pub(super) struct VirtualTime {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    woken: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes a task, or with the number of no task the thread that waits.
struct TaskWaker {
    shared: Weak<Shared>,
    task: u64,
    woken: AtomicBool,
}

impl ArcWake for TaskWaker {
    fn wake_by_ref(waker: &Arc<Self>) {
        waker.woken.store(true, Ordering::Release);
        let Some(shared) = waker.shared.upgrade() else { return };
        let mut state = shared.lock();
        if state.tasks.contains_key(&waker.task) && !state.ready.contains(&waker.task) {
            state.ready.push_back(waker.task);
        }
        drop(state);
        shared.woken.notify_all();
    }
}

impl VirtualTime {
    fn waker(&self, task: u64) -> Arc<TaskWaker> {
        Arc::new(TaskWaker { shared: Arc::downgrade(&self.shared), task, woken: AtomicBool::new(true) })
    }

    /// Polls the task that is next. `false` if none is ready.
    fn run_task(&self) -> bool {
        let mut state = self.shared.lock();
        let Some(task) = state.ready.pop_front() else { return false };
        let Some(mut future) = state.tasks.get_mut(&task).and_then(Option::take) else { return true };
        drop(state);
        let waker = waker(self.waker(task));
        let polled = caught(|| future.as_mut().poll(&mut Context::from_waker(&waker)));
        let mut state = self.shared.lock();
        if let Ok(Poll::Pending) = polled {
            state.tasks.insert(task, Some(future));
        } else {
            state.tasks.remove(&task);
            drop(state);
            drop(future);
        }
        true
    }

    /// Jumps to the next timer that is due by `end`. `false` if there is none.
    fn jump(&self, end: Duration) -> bool {
        let mut state = self.shared.lock();
        let Some(entry) = state.timers.first_entry().filter(|entry| entry.key().0 <= end) else { return false };
        let ((due, _), waker) = entry.remove_entry();
        state.now = state.now.max(due);
        drop(state);
        waker.wake();
        true
    }
}

impl Runtime for VirtualTime {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        let mut state = self.shared.lock();
        state.next += 1;
        let number = state.next;
        state.tasks.insert(number, Some(task));
        state.ready.push_back(number);
        drop(state);
        self.shared.woken.notify_all();
    }

    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        // Its panic reaches the handler through what the work captured.
        let _ = caught(work);
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let mut state = self.shared.lock();
        state.next += 1;
        let key = (state.now.saturating_add(duration), state.next);
        drop(state);
        Box::pin(Sleep { shared: Arc::downgrade(&self.shared), key })
    }

    fn now(&self) -> Duration {
        self.shared.lock().now
    }

    fn enter(&self, poll: &mut dyn FnMut()) {
        poll();
    }

    fn block_on(&self, mut future: Pin<&mut (dyn Future<Output = ()> + Send)>, limit: Duration) -> bool {
        let own = self.waker(0);
        let waker = waker(own.clone());
        let end = self.now().saturating_add(limit);
        loop {
            if own.woken.swap(false, Ordering::AcqRel) {
                if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
                    return true;
                }
            } else if self.run_task() || self.jump(end) {
            } else if limit < Duration::MAX {
                let mut state = self.shared.lock();
                state.now = state.now.max(end);
                return false;
            } else {
                let state = self.shared.lock();
                let idle = |state: &mut State| state.ready.is_empty() && !own.woken.load(Ordering::Acquire);
                let waited = self.shared.woken.wait_timeout_while(state, FOREIGN_LIMIT, idle);
                if waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
                    return false;
                }
            }
        }
    }
}

/// Holds no time alive: it may wait inside a task of that time.
struct Sleep {
    shared: Weak<Shared>,
    key: (Duration, u64),
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(shared) = self.shared.upgrade() else { return Poll::Pending };
        let waker = context.waker().clone();
        let mut state = shared.lock();
        if state.now >= self.key.0 {
            return Poll::Ready(());
        }
        let former = state.timers.insert(self.key, waker);
        drop(state);
        drop(former);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let former = self.shared.upgrade().and_then(|shared| shared.lock().timers.remove(&self.key));
        drop(former);
    }
}
