//! [`PoolRuntime`]: the runtime that a client makes for itself. A few threads of its own, with a timer, all of them
//! joined when it goes.
//!
//! Why not an executor from the registry: a plugin's library is freed when it unloads, so no thread of ours may
//! outlive that moment. `futures::executor::ThreadPool` keeps no join handles. There is no static here either: what
//! owns heap in a static is lost when the library is unmapped.
//!
//! Threads start when they are first needed: workers (two at most, see [`PoolRuntime::with_workers`]), a timer, and a
//! thread for each piece of blocking work that runs at the same time. One lock guards the state; nothing foreign (a
//! future, a waker, a destructor) runs while it is held.

mod state;
mod task;
mod timer;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;

use super::Runtime;
use super::park::block_on_thread;
use state::{Shared, lock};
use task::Task;
use timer::Sleep;

/// How many workers a pool has that was not told otherwise. Handlers wait most of the time; two, so that one that
/// computes does not hold up the rest.
///
/// ```
/// assert_eq!(xivmcp_client::runtime::DEFAULT_WORKERS, 2);
/// ```
pub const DEFAULT_WORKERS: usize = 2;

/// How much blocking work a pool runs at the same time. More of it waits its turn.
///
/// ```
/// assert_eq!(xivmcp_client::runtime::MAX_BLOCKING_THREADS, 64);
/// ```
pub const MAX_BLOCKING_THREADS: usize = 64;

/// How long dropping a pool waits for its threads.
///
/// ```
/// assert_eq!(xivmcp_client::runtime::SHUTDOWN_LIMIT.as_secs(), 2);
/// ```
pub const SHUTDOWN_LIMIT: Duration = Duration::from_secs(2);

/// The default [`Runtime`]: a small pool of threads with its own timer.
///
/// Dropping it drops the tasks that are queued or waiting, and stops and joins its threads (all but the one that drops it,
/// if that is one of them). A thread that does not come back from foreign code within [`SHUTDOWN_LIMIT`] is
/// given up with a warning; [`shutdown`](Self::shutdown) tells the caller so.
///
/// ```
/// use std::sync::{Arc, mpsc};
/// use xivmcp_client::runtime::{PoolRuntime, Runtime};
///
/// let runtime = Arc::new(PoolRuntime::new());
/// let (sender, receiver) = mpsc::channel();
/// runtime.spawn(Box::pin(async move {
///     let _ = sender.send("done");
/// }));
/// assert_eq!(receiver.recv(), Ok("done"));
/// assert!(runtime.shutdown(std::time::Duration::from_secs(5)));
/// ```
pub struct PoolRuntime {
    shared: Arc<Shared>,
    started: Instant,
}

impl PoolRuntime {
    /// A pool of up to [`DEFAULT_WORKERS`] workers. No thread is started yet.
    ///
    /// ```
    /// use xivmcp_client::runtime::{PoolRuntime, Runtime};
    ///
    /// let runtime = PoolRuntime::new();
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// runtime.spawn(Box::pin(async move { sender.send(31).unwrap() })); // starts the first thread
    /// assert_eq!(receiver.recv(), Ok(31));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_workers(DEFAULT_WORKERS)
    }

    /// A pool of up to `workers` workers, at least one.
    ///
    /// ```
    /// use xivmcp_client::runtime::{PoolRuntime, Runtime};
    ///
    /// let runtime = PoolRuntime::with_workers(1);
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// for number in 0..3 {
    ///     let sender = sender.clone();
    ///     runtime.spawn(Box::pin(async move { sender.send(number).unwrap() }));
    /// }
    /// assert_eq!(receiver.iter().take(3).collect::<Vec<_>>(), [0, 1, 2]); // one worker: one after the other
    /// ```
    #[must_use]
    pub fn with_workers(workers: usize) -> Self {
        Self { shared: Arc::new(Shared::new(workers.max(1))), started: Instant::now() }
    }

    /// Drops the tasks and the work that do not run at this moment, and stops and joins the threads. What is spawned
    /// afterwards is dropped at once, and sleeps that are not over never end. Returns whether all threads but the calling one have
    /// ended within `limit`; if not, code of theirs still runs, so the library that holds it must stay loaded.
    ///
    /// Calling it again is no error.
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_client::runtime::PoolRuntime;
    ///
    /// let pool = PoolRuntime::new();
    /// assert!(pool.shutdown(Duration::from_secs(1)));
    /// assert!(pool.shutdown(Duration::from_secs(1)));
    /// ```
    #[must_use = "`false` means that a thread of this pool still runs: its code must stay loaded"]
    pub fn shutdown(&self, limit: Duration) -> bool {
        let started = Instant::now();
        let mut state = lock(&self.shared);
        state.stopping = true;
        self.shared.wake_everyone();
        drop(state);
        // Before the threads are waited for: what one of them waits for may be among these, and would never come.
        self.drop_what_waits();

        let current = thread::current().id();
        let mut state = lock(&self.shared);
        // A thread reports its end as its last own act; joining it after that takes no time worth a limit.
        loop {
            if state.threads.iter().all(|thread| thread.ended || thread.id == current) {
                break;
            }
            let Some(left) = limit.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) else {
                break;
            };
            state = self.shared.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut all_ended = true;
        let mut joinable = Vec::new();
        let mut kept = Vec::new();
        for thread in std::mem::take(&mut state.threads) {
            if thread.ended {
                joinable.push(thread);
            } else {
                all_ended &= thread.id == current;
                kept.push(thread);
            }
        }
        // A thread that is still there can be waited for by a second shutdown.
        state.threads = kept;
        drop(state);

        for thread in joinable {
            thread.join();
        }
        // Sleeps that running tasks began meanwhile.
        self.drop_what_waits();
        all_ended
    }

    /// Drops all that no thread runs. Once the pool is stopping, tasks and work do not come again.
    fn drop_what_waits(&self) {
        let mut state = lock(&self.shared);
        let queued = std::mem::take(&mut state.queue);
        let tasks = std::mem::take(&mut state.tasks);
        let blocking = std::mem::take(&mut state.blocking);
        let timers = std::mem::take(&mut state.timers);
        drop(state);

        drop(queued);
        for task in tasks.into_values() {
            task.cancel();
        }
        for work in blocking {
            task::caught("dropped work", || drop(work));
        }
        task::caught("dropped timers", || drop(timers));
    }
}

impl Default for PoolRuntime {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for PoolRuntime {
    fn drop(&mut self) {
        if !self.shutdown(SHUTDOWN_LIMIT) {
            tracing::warn!(
                limit = ?SHUTDOWN_LIMIT,
                "a thread of the pool did not end in time and was left behind: the plugin's code must stay loaded"
            );
        }
    }
}

impl Runtime for PoolRuntime {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        Task::start(&self.shared, task);
    }

    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        let mut state = lock(&self.shared);
        if state.stopping {
            drop(state);
            task::caught("dropped work", || drop(work));
            return;
        }
        state.blocking.push_back(work);
        self.shared.ensure_blocking_thread(&mut state);
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(Sleep::new(&self.shared, duration))
    }

    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn enter(&self, poll: &mut dyn FnMut()) {
        poll();
    }

    fn block_on(&self, future: Pin<&mut (dyn Future<Output = ()> + Send)>, limit: Duration) -> bool {
        // A worker that waits here runs no tasks, perhaps the very ones it waits for: another takes its place.
        let _replaced = self.shared.replace_waiting_worker();
        block_on_thread(future, limit)
    }
}

impl fmt::Debug for PoolRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.shared);
        f.debug_struct("PoolRuntime")
            .field("threads", &state.threads.iter().filter(|thread| !thread.ended).count())
            .field("tasks", &state.tasks.len())
            .field("stopping", &state.stopping)
            .finish_non_exhaustive()
    }
}
