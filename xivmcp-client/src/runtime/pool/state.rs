//! What a pool's threads share, and the loops that they run. For the pool only.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::{self, JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use super::MAX_BLOCKING_THREADS;
use super::task::{Task, caught};

/// How long a thread for blocking work waits for more of it before it ends.
const BLOCKING_IDLE: Duration = Duration::from_secs(10);

/// What a thread does. It decides when the thread may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Worker,
    Timer,
    Blocking,
}

/// What a thread runs until it may end. It gives back the lock under which it decided so.
type Loop = fn(&Arc<Shared>) -> MutexGuard<'_, State>;

/// One thread that the pool has started and not joined yet.
pub(super) struct PoolThread {
    number: u64,
    role: Role,
    pub(super) id: ThreadId,
    /// The thread has done all that it will ever do; only the join is left.
    pub(super) ended: bool,
    handle: Option<JoinHandle<()>>,
}

impl PoolThread {
    pub(super) fn join(mut self) {
        if let Some(handle) = self.handle.take() {
            // The loops catch every panic; what is left would be a panic of ours, which has been printed.
            let _ = handle.join();
        }
    }
}

/// Everything that changes, under one lock.
pub(super) struct State {
    pub(super) queue: VecDeque<Arc<Task>>,
    /// Every task that is not over, so that those which wait can be dropped.
    pub(super) tasks: HashMap<u64, Arc<Task>>,
    pub(super) blocking: VecDeque<Box<dyn FnOnce() + Send>>,
    pub(super) timers: BTreeMap<(Instant, u64), Waker>,
    pub(super) threads: Vec<PoolThread>,
    pub(super) stopping: bool,
    next_number: u64,
    /// How many workers there should be: the pool's size, and one more for each worker that waits in `block_on`.
    wanted_workers: usize,
    idle_workers: usize,
    idle_blocking: usize,
}

impl State {
    /// A number that this pool gives once.
    pub(super) fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    fn running(&self, role: Role) -> usize {
        self.threads.iter().filter(|thread| thread.role == role && !thread.ended).count()
    }
}

/// What the pool's handle, its threads, its tasks and its sleeps share.
pub(super) struct Shared {
    state: Mutex<State>,
    work: Condvar,
    blocking_work: Condvar,
    pub(super) timers_changed: Condvar,
    pub(super) ended: Condvar,
}

/// The state. A panic while it was locked would be ours and leaves it usable: nothing foreign runs under the lock.
pub(super) fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            state: Mutex::new(State {
                queue: VecDeque::new(),
                tasks: HashMap::new(),
                blocking: VecDeque::new(),
                timers: BTreeMap::new(),
                threads: Vec::new(),
                stopping: false,
                next_number: 0,
                wanted_workers: workers,
                idle_workers: 0,
                idle_blocking: 0,
            }),
            work: Condvar::new(),
            blocking_work: Condvar::new(),
            timers_changed: Condvar::new(),
            ended: Condvar::new(),
        }
    }

    pub(super) fn wake_everyone(&self) {
        self.work.notify_all();
        self.blocking_work.notify_all();
        self.timers_changed.notify_all();
    }

    /// Tells a worker that the queue has something, or starts one.
    pub(super) fn ensure_worker(self: &Arc<Self>, state: &mut State) {
        if state.idle_workers > 0 {
            self.work.notify_one();
        }
        if state.idle_workers < state.queue.len() && state.running(Role::Worker) < state.wanted_workers {
            self.start_thread(state, Role::Worker);
        }
    }

    /// Tells a thread that there is blocking work, or starts one.
    pub(super) fn ensure_blocking_thread(self: &Arc<Self>, state: &mut State) {
        if state.idle_blocking > 0 {
            self.blocking_work.notify_one();
        }
        if state.idle_blocking < state.blocking.len() && state.running(Role::Blocking) < MAX_BLOCKING_THREADS {
            self.start_thread(state, Role::Blocking);
        }
    }

    /// Tells the timer that its next moment may have changed, or starts it.
    pub(super) fn ensure_timer(self: &Arc<Self>, state: &mut State) {
        if state.running(Role::Timer) == 0 {
            self.start_thread(state, Role::Timer);
        } else {
            self.timers_changed.notify_one();
        }
    }

    fn start_thread(self: &Arc<Self>, state: &mut State, role: Role) {
        // Threads that ended for want of work are joined, so that their stacks do not pile up. The new thread does it,
        // because nothing may be waited for under the lock.
        let (over, alive): (Vec<_>, Vec<_>) = std::mem::take(&mut state.threads).into_iter().partition(|t| t.ended);
        state.threads = alive;

        let number = state.number();
        let shared = self.clone();
        let (name, run): (_, Loop) = match role {
            Role::Worker => ("xivmcp-worker", Self::run_worker),
            Role::Timer => ("xivmcp-timer", Self::run_timer),
            Role::Blocking => ("xivmcp-blocking", Self::run_blocking),
        };
        let started = thread::Builder::new().name(name.to_owned()).spawn(move || {
            over.into_iter().for_each(PoolThread::join);
            // The loop gives back the lock under which it decided to end, so that nobody counts this thread any more.
            let mut state = run(&shared);
            if let Some(own) = state.threads.iter_mut().find(|thread| thread.number == number) {
                own.ended = true;
            }
            drop(state);
            shared.ended.notify_all();
        });
        match started {
            Ok(handle) => {
                let id = handle.thread().id();
                state.threads.push(PoolThread { number, role, id, ended: false, handle: Some(handle) });
            }
            Err(error) => tracing::error!(%error, thread = name, "the pool cannot start a thread"),
        }
    }

    fn run_worker(self: &Arc<Self>) -> MutexGuard<'_, State> {
        let mut state = lock(self);
        loop {
            if state.stopping || state.running(Role::Worker) > state.wanted_workers {
                return state;
            }
            if let Some(task) = state.queue.pop_front() {
                drop(state);
                task.run();
                drop(task);
                state = lock(self);
            } else {
                state.idle_workers += 1;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle_workers -= 1;
            }
        }
    }

    fn run_blocking(self: &Arc<Self>) -> MutexGuard<'_, State> {
        let mut state = lock(self);
        loop {
            if state.stopping {
                return state;
            }
            if let Some(work) = state.blocking.pop_front() {
                drop(state);
                caught("blocking work", work);
                state = lock(self);
            } else {
                state.idle_blocking += 1;
                let waited = self.blocking_work.wait_timeout(state, BLOCKING_IDLE);
                let (again, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                state = again;
                state.idle_blocking -= 1;
                if timeout.timed_out() && state.blocking.is_empty() {
                    return state;
                }
            }
        }
    }

    fn run_timer(self: &Arc<Self>) -> MutexGuard<'_, State> {
        let mut state = lock(self);
        loop {
            if state.stopping {
                return state;
            }
            let now = Instant::now();
            let next = state.timers.first_key_value().map(|(key, _)| key.0);
            match next {
                Some(due) if due <= now => {
                    let waker = state.timers.pop_first().map(|(_, waker)| waker);
                    drop(state);
                    caught("a waker", || waker.into_iter().for_each(Waker::wake));
                    state = lock(self);
                }
                Some(due) => {
                    let waited = self.timers_changed.wait_timeout(state, due - now);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None => state = self.timers_changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// If this thread is one of the workers: lets another take its place until the guard goes.
    pub(super) fn replace_waiting_worker(self: &Arc<Self>) -> Option<Replaced> {
        let current = thread::current().id();
        let mut state = lock(self);
        if !state.threads.iter().any(|thread| thread.role == Role::Worker && thread.id == current) {
            return None;
        }
        state.wanted_workers += 1;
        self.ensure_worker(&mut state);
        Some(Replaced { shared: self.clone() })
    }
}

/// While it lives, the pool has one more worker.
pub(super) struct Replaced {
    shared: Arc<Shared>,
}

impl Drop for Replaced {
    fn drop(&mut self) {
        lock(&self.shared).wanted_workers -= 1;
        // An idle worker that is now one too many ends.
        self.shared.work.notify_one();
    }
}
