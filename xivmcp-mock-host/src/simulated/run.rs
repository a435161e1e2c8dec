//! Running the simulation: one step, everything at this instant, a span of time, until something is so.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as TaskContext, Wake, Waker};
use std::thread::ThreadId;
use std::time::Duration;

use futures::future::BoxFuture;

use super::queue::FrameworkWork;
use super::task::Task;
use super::{Context, Sim, State};
use crate::bus::{Clock, panic_text};

/// So many steps without time passing are a loop that never ends.
const STEPS_AT_ONE_INSTANT: u64 = 2_000_000;
/// How long a foreign thread waits, in real time, for the simulation to be free.
const FOREIGN_PATIENCE: Duration = Duration::from_secs(10);
/// How long a wait that nothing can end gives foreign threads, in real time, to wake something.
const GRACE: Duration = Duration::from_millis(500);
/// A wait that only ticks of updates, and nothing else, kept going for so long is one that nothing ends.
const ONLY_TICKS: Duration = Duration::from_secs(6 * 3600);

/// How a wait ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waited {
    /// What was waited for is so.
    Done,
    /// The time is over.
    TimedOut,
    /// Nothing can run and no timer is set: it never will be so.
    Stuck,
}

enum Work {
    Task(Arc<Task>),
    Framework(FrameworkWork),
    Deadline,
}

impl Sim {
    /// Adds a task. It runs when the simulation is pumped.
    pub(super) fn spawn(&self, owner: &Arc<str>, future: BoxFuture<'static, ()>) {
        let mut state = self.state();
        if state.over {
            drop(state);
            drop(future);
            return;
        }
        let number = state.number();
        let task = Task::new(number, Arc::clone(owner), state.now, future, Arc::downgrade(&self.shared));
        state.tasks.insert(number, Arc::clone(&task));
        state.ready.push(task);
        state.epoch += 1;
    }

    /// Whether this thread is outside of everything that the simulation runs: in the body of a test.
    pub(crate) fn is_outside(&self) -> bool {
        let thread = std::thread::current().id();
        let state = self.state();
        state.pump.is_none_or(|(pumping, _)| pumping != thread)
            && !state.contexts.iter().any(|(inside, _)| *inside == thread)
    }

    /// Runs everything that can run without time passing. Inside the simulation it does nothing: the pump goes on.
    pub(crate) fn settle(&self) {
        if self.is_outside() && self.state().holds == 0 {
            self.pumping(Self::settle_now);
        }
    }

    /// Between `hold(true)` and `hold(false)` nothing settles.
    pub(crate) fn hold(&self, on: bool) {
        let mut state = self.state();
        state.holds = if on { state.holds + 1 } else { state.holds.saturating_sub(1) };
    }

    /// Lets `span` pass: everything that is due runs, in order.
    pub(crate) fn advance(&self, span: Duration) {
        let end = self.elapsed().saturating_add(span);
        self.pumping(|sim| {
            loop {
                sim.settle_now();
                if !sim.jump(Some(end)) {
                    break;
                }
            }
        });
    }

    /// Runs until `done` is so, or `limit` (virtual) has passed; time jumps when nothing can run.
    pub(crate) fn run_until(&self, limit: Duration, done: &mut dyn FnMut() -> bool) -> Waited {
        self.pumping(|sim| {
            let start = sim.elapsed();
            let end = start.saturating_add(limit);
            let mut last_other = start;
            loop {
                if done() {
                    return Waited::Done;
                }
                if sim.step() {
                    continue;
                }
                if sim.only_ticks() {
                    if sim.elapsed().saturating_sub(last_other) > ONLY_TICKS {
                        return Waited::Stuck;
                    }
                } else {
                    last_other = sim.elapsed();
                }
                if sim.next().is_none() {
                    if !sim.woken_from_outside() {
                        return Waited::Stuck;
                    }
                } else if !sim.jump(Some(end)) {
                    return Waited::TimedOut;
                }
            }
        })
    }

    /// One jump of time and everything at that instant, if nothing can run before; whether anything happened.
    pub(crate) fn jump_once(&self) -> bool {
        self.pumping(|sim| {
            if sim.settle_now() > 0 {
                return true;
            }
            let jumped = sim.jump(None);
            if jumped {
                sim.settle_now();
            }
            jumped
        })
    }

    /// Counts what happened so far.
    pub(crate) fn epoch(&self) -> u64 {
        self.state().epoch
    }

    /// Waits for `future` inside the simulation, see [`Runtime::block_on`](xivmcp_client::runtime::Runtime::block_on).
    pub(super) fn block_on(&self, mut future: Pin<&mut (dyn Future<Output = ()> + Send)>, limit: Duration) -> bool {
        let woken = Arc::new(Woken { flag: AtomicBool::new(true), sim: self.clone() });
        let waker = Waker::from(Arc::clone(&woken));
        let mut done = || {
            woken.flag.swap(false, Ordering::AcqRel)
                && future.as_mut().poll(&mut TaskContext::from_waker(&waker)).is_ready()
        };
        let end = self.elapsed().saturating_add(limit);
        match self.run_until(limit, &mut done) {
            Waited::Done => true,
            Waited::TimedOut => false,
            Waited::Stuck => {
                let mut state = self.state();
                state.now = state.now.max(end);
                false
            }
        }
    }

    /// Who waits for what since when, a line each.
    pub(crate) fn waiting(&self) -> Vec<String> {
        let mut lines = self.deadlines().map(|deadlines| deadlines.waiting()).unwrap_or_default();
        let state = self.state();
        lines.extend(state.tasks.values().map(|task| task.describe(state.now)));
        lines.extend(state.framework.describe());
        lines
    }

    /// Runs `work` as the one that pumps. Waits while another thread does.
    fn pumping<R>(&self, work: impl FnOnce(&Self) -> R) -> R {
        struct Leave<'a>(&'a Sim);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                let mut state = self.0.state();
                state.pump = match state.pump {
                    Some((thread, depth)) if depth > 1 => Some((thread, depth - 1)),
                    _ => None,
                };
                drop(state);
                self.0.shared.changed.notify_all();
            }
        }
        let thread = std::thread::current().id();
        self.take_pump(thread);
        let _leave = Leave(self);
        work(self)
    }

    fn take_pump(&self, thread: ThreadId) {
        let mut state = self.state();
        loop {
            match &mut state.pump {
                None => {
                    state.pump = Some((thread, 1));
                    state.home = thread;
                    return;
                }
                Some((pumping, depth)) if *pumping == thread => {
                    *depth += 1;
                    return;
                }
                Some(_) => {
                    let (again, timeout) = self
                        .shared
                        .changed
                        .wait_timeout(state, FOREIGN_PATIENCE)
                        .unwrap_or_else(PoisonError::into_inner);
                    state = again;
                    let still = state.pump.is_some_and(|(pumping, _)| pumping != thread);
                    assert!(
                        !(timeout.timed_out() && still),
                        "a second thread has waited 10 s for the simulation, which another thread runs: a plugin that \
                         brings its own threads needs MockHost::live()"
                    );
                }
            }
        }
    }

    /// Runs what can run now; how many steps that was.
    fn settle_now(&self) -> u64 {
        let mut steps = 0;
        while self.step() {
            steps += 1;
            if steps > STEPS_AT_ONE_INSTANT {
                let waiting = self.waiting().join("\n  ");
                panic!(
                    "{STEPS_AT_ONE_INSTANT} steps at the virtual moment {} and no end: something wakes itself again \
                     and again without waiting for time to pass (use call.sleep or call.next_frame)\n  {waiting}",
                    Clock(self.elapsed())
                );
            }
        }
        steps
    }

    /// Runs one thing that can run now, picked by the seed; whether there was one.
    fn step(&self) -> bool {
        let Some(work) = self.pick() else { return false };
        match work {
            Work::Task(task) => {
                let polled = self.within(Context::Pool, || catch_unwind(AssertUnwindSafe(|| task.poll())));
                let over = polled.unwrap_or_else(|panic| {
                    let text = panic_text(&*panic);
                    self.shared.reports.failure(format!("a task of {} panicked: {text}", task.owner()));
                    true
                });
                if over {
                    let removed = self.state().tasks.remove(&task.number);
                    drop(removed);
                }
            }
            Work::Framework(FrameworkWork::Closure(owner, closure)) => self.on_framework(&owner, closure),
            Work::Framework(FrameworkWork::Tick(updates)) => {
                for (owner, update) in updates {
                    self.on_framework(&owner, move || update());
                }
            }
            Work::Deadline => {
                if let Some(deadlines) = self.deadlines() {
                    deadlines.fire();
                }
            }
        }
        true
    }

    fn on_framework(&self, owner: &str, work: impl FnOnce()) {
        let run = self.within(Context::Framework, || catch_unwind(AssertUnwindSafe(work)));
        if let Err(panic) = run {
            let text = panic_text(&*panic);
            self.shared.reports.failure(format!("a closure of {owner} panicked on the framework thread: {text}"));
        }
    }

    fn pick(&self) -> Option<Work> {
        let deadline = self.deadlines().and_then(|deadlines| deadlines.next());
        let mut state = self.state();
        let now = state.now;
        let framework = state.framework_free() && state.framework.next().is_some_and(|due| due <= now);
        let deadline = deadline.is_some_and(|due| due <= now);
        let count = state.ready.len() + usize::from(framework) + usize::from(deadline);
        if count == 0 {
            return None;
        }
        state.epoch += 1;
        let pick = if count == 1 { 0 } else { state.picker.below(count) };
        if pick < state.ready.len() {
            return Some(Work::Task(state.ready.swap_remove(pick)));
        }
        if framework && pick == state.ready.len() {
            return state.framework.take(now).map(Work::Framework);
        }
        Some(Work::Deadline)
    }

    /// When the next thing is due.
    fn next(&self) -> Option<Duration> {
        let deadline = self.deadlines().and_then(|deadlines| deadlines.next());
        let state = self.state();
        let framework = if state.framework_free() { state.framework.next() } else { None };
        let timer = state.timers.keys().next().map(|(due, _)| *due);
        deadline.into_iter().chain(framework).chain(timer).min()
    }

    /// Whether ticks of updates are all that is ahead.
    fn only_ticks(&self) -> bool {
        let deadline = self.deadlines().and_then(|deadlines| deadlines.next());
        let state = self.state();
        deadline.is_none() && state.timers.is_empty() && state.framework.next_closure().is_none()
    }

    /// Moves time to the next thing that is due, and wakes its timers. Not beyond `end`: then time is `end`, and the
    /// answer is no.
    fn jump(&self, end: Option<Duration>) -> bool {
        let next = self.next();
        let mut state = self.state();
        let Some(next) = next.filter(|next| end.is_none_or(|end| *next <= end)) else {
            state.now = end.map_or(state.now, |end| state.now.max(end));
            return false;
        };
        state.now = state.now.max(next);
        state.epoch += 1;
        let now = state.now;
        let later = state.timers.split_off(&(now, u64::MAX));
        let due = std::mem::replace(&mut state.timers, later);
        drop(state);
        for waker in due.into_values() {
            waker.wake();
        }
        true
    }

    /// Gives foreign threads a moment of real time to wake something; whether one did.
    fn woken_from_outside(&self) -> bool {
        let state = self.state();
        let before = state.epoch;
        let waited = self.shared.changed.wait_timeout_while(state, GRACE, |state| state.epoch == before);
        let (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        drop(state);
        !timeout.timed_out()
    }
}

impl State {
    /// Whether the framework thread can run something: not while it waits itself, further out.
    fn framework_free(&self) -> bool {
        !self.contexts.iter().any(|(_, context)| *context == Context::Framework)
    }
}

/// Wakes a wait inside the simulation.
struct Woken {
    flag: AtomicBool,
    sim: Sim,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.flag.store(true, Ordering::Release);
        self.sim.state().epoch += 1;
        self.sim.shared.changed.notify_all();
    }
}
