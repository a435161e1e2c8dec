//! One thread, virtual time and a seed: what plugins run on in a simulated host.
//!
//! [`Sim`] is an executor that implements the client's [`Runtime`]. Whoever waits in a test pumps it: there is no
//! thread of its own. Three contexts are told apart though there is one thread: the test's body, the framework thread,
//! and the pool on which the rest of a handler runs. Which context a thread is in is kept in the simulation itself.
//!
//! - What can run is a set: woken tasks, the first closure of the framework's queue, a deadline of the host. The seed
//!   picks; nothing else is random, so a run with the same seed is the same run.
//! - Time moves only when that set is empty, and then to the next thing that is due. There are no frames in between:
//!   a closure that is queued from elsewhere runs at the same virtual instant, one that is queued from the framework
//!   thread a frame (1/60 s) later, and updates are only ticked while somebody subscribed to them.
//! - A thread that is not the simulation's may wake tasks and call gates. It is let in, and reported: what it does
//!   depends on real time, so the run does not repeat.

mod queue;
mod run;
mod sleep;
mod task;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::Waker;
use std::thread::ThreadId;
use std::time::Duration;

use futures::future::BoxFuture;
use xivmcp_client::ipc::{FrameworkClosure, IpcGuard};
use xivmcp_client::runtime::Runtime;

use self::queue::{FrameworkQueue, Picker};
pub(crate) use self::run::Waited;
use self::sleep::Sleep;
use self::task::Task;
use crate::bus::Framework;
use crate::reports::Reports;

/// One update of the game at 60 frames a second.
pub(crate) const FRAME: Duration = Duration::from_nanos(16_666_667);

/// Where a thread is, as the code that runs there sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// The game's thread.
    Framework,
    /// A thread of the pool.
    Pool,
}

/// What the host has due. The driver implements it.
pub(crate) trait Deadlines: Send + Sync {
    /// When the next thing is due, in time since the host was made.
    fn next(&self) -> Option<Duration>;
    /// Lets happen what is due.
    fn fire(&self);
    /// Who waits for what, a line each, for reports.
    fn waiting(&self) -> Vec<String>;
}

/// The simulation. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Sim {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Told when the pump is free, and when a foreign thread woke something.
    changed: Condvar,
    deadlines: OnceLock<Weak<dyn Deadlines>>,
    reports: Arc<Reports>,
    seed: u64,
}

struct State {
    now: Duration,
    picker: Picker,
    ready: Vec<Arc<Task>>,
    tasks: BTreeMap<u64, Arc<Task>>,
    timers: BTreeMap<(Duration, u64), Waker>,
    next_number: u64,
    framework: FrameworkQueue,
    contexts: Vec<(ThreadId, Context)>,
    /// The thread that pumps now, and how deep.
    pump: Option<(ThreadId, usize)>,
    /// The thread that the simulation belongs to: the last that pumped from outside.
    home: ThreadId,
    /// What holds back runs from the test's body, see [`Sim::hold`].
    holds: usize,
    /// Counts what happened, so that a waiting future can tell whether anything did.
    epoch: u64,
    /// Woken when something can run again while nobody pumps: futures that await the simulation from outside.
    observers: Vec<Waker>,
    over: bool,
}

impl Sim {
    pub(crate) fn new(seed: u64, reports: Arc<Reports>) -> Self {
        let state = State {
            now: Duration::ZERO,
            picker: Picker::new(seed),
            ready: Vec::new(),
            tasks: BTreeMap::new(),
            timers: BTreeMap::new(),
            next_number: 0,
            framework: FrameworkQueue::default(),
            contexts: Vec::new(),
            pump: None,
            home: std::thread::current().id(),
            holds: 0,
            epoch: 0,
            observers: Vec::new(),
            over: false,
        };
        let state = Mutex::new(state);
        let shared = Shared { state, changed: Condvar::new(), deadlines: OnceLock::new(), reports, seed };
        Self { shared: Arc::new(shared) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }

    /// Tells who knows the host's deadlines. Once.
    pub(crate) fn set_deadlines(&self, deadlines: Weak<dyn Deadlines>) {
        let _ = self.shared.deadlines.set(deadlines);
    }

    fn deadlines(&self) -> Option<Arc<dyn Deadlines>> {
        self.shared.deadlines.get().and_then(Weak::upgrade)
    }

    /// The seed that this run was made with.
    pub(crate) fn seed(&self) -> u64 {
        self.shared.seed
    }

    /// Virtual time since the host was made.
    pub(crate) fn elapsed(&self) -> Duration {
        self.state().now
    }

    /// The runtime for one plugin, whose tasks carry its name in reports.
    pub(crate) fn runtime(&self, owner: &Arc<str>) -> SimRuntime {
        SimRuntime { sim: self.clone(), owner: Arc::clone(owner) }
    }

    /// Where this thread is; nothing in the body of a test and on foreign threads.
    pub(crate) fn context(&self) -> Option<Context> {
        let thread = std::thread::current().id();
        self.state().contexts.iter().rev().find(|(id, _)| *id == thread).map(|(_, context)| *context)
    }

    /// Runs `work` in a context.
    pub(crate) fn within<R>(&self, context: Context, work: impl FnOnce() -> R) -> R {
        struct Leave<'a>(&'a Sim, ThreadId);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                let mut state = self.0.state();
                if let Some(index) = state.contexts.iter().rposition(|(id, _)| *id == self.1) {
                    state.contexts.remove(index);
                }
            }
        }
        let thread = std::thread::current().id();
        self.state().contexts.push((thread, context));
        let _leave = Leave(self, thread);
        work()
    }

    /// Calls `update` once a frame in the framework context, until the guard is dropped.
    pub(crate) fn on_update(&self, owner: &Arc<str>, update: Arc<dyn Fn() + Send + Sync>) -> IpcGuard {
        let mut state = self.state();
        let number = state.number();
        let now = state.now;
        state.framework.subscribe(number, Arc::clone(owner), update, now);
        drop(state);
        let shared = Arc::downgrade(&self.shared);
        IpcGuard::new(move || {
            if let Some(shared) = shared.upgrade() {
                let removed = shared.lock().framework.unsubscribe(number);
                drop(removed);
            }
        })
    }

    /// Drops what a plugin left behind for the framework thread.
    pub(crate) fn release_owner(&self, owner: &str) {
        let left = self.state().framework.release_owner(owner);
        drop(left);
    }

    /// Wakes `waker` once, when something can run again although nobody pumps.
    pub(crate) fn observe(&self, waker: &Waker) {
        let mut state = self.state();
        if !state.observers.iter().any(|known| known.will_wake(waker)) {
            state.observers.push(waker.clone());
        }
    }

    /// Ends the simulation: drops what is left, and says what that was, a line each. Later tasks are dropped at once.
    pub(crate) fn end(&self) -> Vec<String> {
        let mut state = self.state();
        state.over = true;
        let now = state.now;
        let left: Vec<Arc<Task>> = std::mem::take(&mut state.tasks).into_values().collect();
        let ready = std::mem::take(&mut state.ready);
        let timers = std::mem::take(&mut state.timers);
        let framework = std::mem::take(&mut state.framework);
        drop(state);
        let mut lines: Vec<String> = left.iter().map(|task| task.describe(now)).collect();
        lines.extend(framework.describe());
        for task in left.iter().chain(&ready) {
            task.discard();
        }
        drop((timers, framework));
        lines
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A woken task joins those that can run. Notes wakes from threads that are not the simulation's.
    fn make_ready(&self, task: Arc<Task>) {
        let thread = std::thread::current().id();
        let mut state = self.lock();
        let foreign = state.is_foreign(thread);
        let owner = Arc::clone(task.owner());
        let dropped = if state.over {
            Some(task)
        } else {
            state.ready.push(task);
            state.epoch += 1;
            None
        };
        let observers = state.take_observers();
        drop(state);
        drop(dropped);
        observers.into_iter().for_each(Waker::wake);
        if foreign {
            self.reports.foreign_wake(&owner);
            self.changed.notify_all();
        }
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Who is to be woken because something can run, if nobody is there to run it.
    fn take_observers(&mut self) -> Vec<Waker> {
        if self.pump.is_none() { std::mem::take(&mut self.observers) } else { Vec::new() }
    }

    /// Whether a thread is not the one that the simulation runs on.
    fn is_foreign(&self, thread: ThreadId) -> bool {
        thread != self.home && self.pump.is_none_or(|(pumping, _)| pumping != thread)
    }
}

impl Sim {
    /// Queues the host's own work for the framework thread, on behalf of `owner`; it runs at this virtual instant.
    pub(crate) fn run_host_work(&self, owner: &Arc<str>, closure: FrameworkClosure) {
        self.queue(owner, closure, |state, owner, closure| state.framework.push_host(state.now, owner, closure));
    }

    fn queue(
        &self,
        owner: &Arc<str>,
        closure: FrameworkClosure,
        push: impl FnOnce(&mut State, Arc<str>, FrameworkClosure),
    ) {
        let mut state = self.state();
        if state.over {
            drop(state);
            drop(closure);
            return;
        }
        push(&mut state, Arc::clone(owner), closure);
        state.epoch += 1;
        let foreign = state.is_foreign(std::thread::current().id());
        let observers = state.take_observers();
        drop(state);
        observers.into_iter().for_each(Waker::wake);
        if foreign {
            self.shared.reports.foreign_wake(owner);
            self.shared.changed.notify_all();
        }
    }
}

impl Framework for Sim {
    fn run_on_next_update(&self, owner: &Arc<str>, closure: FrameworkClosure) {
        let wait = if self.context() == Some(Context::Framework) { FRAME } else { Duration::ZERO };
        self.queue(owner, closure, |state, owner, closure| {
            state.framework.push(state.now + wait, owner, closure);
        });
    }

    fn is_framework_thread(&self) -> bool {
        self.context() == Some(Context::Framework)
    }
}

/// The client's [`Runtime`] in a simulation, for one plugin.
pub(crate) struct SimRuntime {
    sim: Sim,
    owner: Arc<str>,
}

impl Runtime for SimRuntime {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.sim.spawn(&self.owner, task);
    }

    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        self.sim.spawn(&self.owner, Box::pin(async move { work() }));
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(Sleep::new(&self.sim.shared, duration))
    }

    fn now(&self) -> Duration {
        self.sim.elapsed()
    }

    fn enter(&self, poll: &mut dyn FnMut()) {
        poll();
    }

    fn block_on(&self, future: Pin<&mut (dyn Future<Output = ()> + Send)>, limit: Duration) -> bool {
        self.sim.block_on(future, limit)
    }
}
