//! Real threads and real time: a framework thread at 60 updates a second, and for each plugin the client's own pool.
//!
//! For the program, and for plugins that bring their own threads. [`Live`] starts two threads, and joins them when it is
//! dropped: the framework thread, and one that looks whether somebody holds it. Foreign code runs on the framework thread,
//! so it may never come back; nobody waits for it without a limit.

mod holding;

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use xivmcp_client::ipc::{FrameworkClosure, IpcGuard};
use xivmcp_client::runtime::{PoolRuntime, Runtime};

use crate::bus::{Framework, panic_text};
use crate::core::Time;
use crate::reports::Reports;
use crate::simulated::{Deadlines, FRAME};

use self::holding::Holding;

/// A plugin that holds the framework thread longer than this is reported.
const HELD: Duration = Duration::from_millis(5);

/// How long work of the host waits for its turn on the framework thread. What comes before it is a plugin's that hangs.
const TURN_LIMIT: Duration = Duration::from_secs(30);

/// How many deadlines one update handles; the rest waits for the next.
const DEADLINES_PER_UPDATE: usize = 1000;

/// The live engine. Dropping it stops and joins the framework thread.
pub(crate) struct Live {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    watcher: Mutex<Option<JoinHandle<()>>>,
    id: ThreadId,
    start: Time,
}

struct Shared {
    queue: Mutex<Queue>,
    /// The framework thread is to look at its queue before the next frame.
    wake: Condvar,
    /// The framework thread has ended.
    ended: Condvar,
    deadlines: OnceLock<Weak<dyn Deadlines>>,
    holding: Holding,
    reports: Arc<Reports>,
    began: Instant,
}

/// Something for the framework thread, on behalf of a plugin and one of its tools; of the host itself if there is none.
struct Work {
    owner: Arc<str>,
    tool: Box<str>,
    closure: FrameworkClosure,
}

type UpdateFn = Arc<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Queue {
    /// The host's own work: it waits for no frame.
    urgent: VecDeque<Work>,
    /// Something is due now: it waits for no frame either.
    due: bool,
    closures: VecDeque<Work>,
    updates: BTreeMap<u64, (Arc<str>, UpdateFn)>,
    next: u64,
    stop: bool,
    ended: bool,
}

impl Live {
    /// # Panics
    ///
    /// If the system starts no thread.
    pub(crate) fn new(reports: Arc<Reports>) -> Self {
        let began = Instant::now();
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start = Time::from_millis(i64::try_from(epoch.as_millis()).unwrap_or(i64::MAX));
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            wake: Condvar::new(),
            ended: Condvar::new(),
            deadlines: OnceLock::new(),
            holding: Holding::default(),
            reports,
            began,
        });
        let inside = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("framework".to_owned()).spawn(move || inside.run());
        let thread = thread.expect("the system starts a thread");
        let id = thread.thread().id();
        let inside = Arc::clone(&shared);
        let watch = move || inside.holding.watch(&inside.reports);
        // Without it nobody says who holds the framework thread until it is free again.
        let watcher = std::thread::Builder::new().name("framework-watch".to_owned()).spawn(watch).ok();
        Self { shared, thread: Mutex::new(Some(thread)), watcher: Mutex::new(watcher), id, start }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.shared.began.elapsed()
    }

    pub(crate) fn start(&self) -> Time {
        self.start
    }

    pub(crate) fn set_deadlines(&self, deadlines: Weak<dyn Deadlines>) {
        let _ = self.shared.deadlines.set(deadlines);
    }

    /// A pool for one plugin, joined when its last handle goes.
    #[expect(clippy::unused_self, reason = "the other engine needs it")]
    pub(crate) fn runtime(&self) -> Arc<dyn Runtime> {
        Arc::new(PoolRuntime::new())
    }

    /// Runs `work` on the framework thread and waits for it.
    ///
    /// # Panics
    ///
    /// As `work` does, on this thread; if a plugin holds the framework thread for so long that `work` does not get its
    /// turn; and if that thread is gone.
    pub(crate) fn on_framework<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> R {
        self.on_framework_within(TURN_LIMIT, work).unwrap_or_else(|held| panic!("{held}"))
    }

    /// As [`on_framework`](Self::on_framework). If the turn of `work` does not come within `limit`, it never runs; the
    /// error says who holds the thread.
    pub(crate) fn on_framework_within<R: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, String> {
        if self.is_framework_thread() {
            return Ok(work());
        }
        let (sender, receiver) = mpsc::channel();
        let taken = Arc::new(AtomicBool::new(false));
        let begun = Arc::clone(&taken);
        let closure = move || {
            if !begun.swap(true, Ordering::SeqCst) {
                let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
            }
        };
        // The host is its own owner here: a test may hold its own framework thread as long as it likes.
        self.run_on_next_update(&"".into(), Box::new(closure));
        let mut result = receiver.recv_timeout(limit);
        if matches!(result, Err(RecvTimeoutError::Timeout)) {
            if !taken.swap(true, Ordering::SeqCst) {
                return Err(self.held());
            }
            result = receiver.recv().map_err(RecvTimeoutError::from);
        }
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => panic!("the framework thread has ended"),
        }
    }

    fn held(&self) -> String {
        self.shared.holding.sentence().unwrap_or_else(|| "the framework thread does not get to it".to_owned())
    }

    /// Drops what a plugin left behind for the framework thread.
    pub(crate) fn release_owner(&self, owner: &str) {
        let mut queue = self.shared.lock();
        let (gone, kept) = std::mem::take(&mut queue.closures).into_iter().partition(|work| *work.owner == *owner);
        queue.closures = kept;
        let updates: Vec<_> = queue.updates.extract_if(.., |_, (of, _)| **of == *owner).collect();
        drop(queue);
        let closures: VecDeque<Work> = gone;
        drop((closures, updates));
    }

    /// Runs the host's own work, on behalf of `owner` and its `tool`, as soon as the framework thread is free. Calls do not wait for the
    /// next frame: what an assistant waits for is then what the plugin does, and many calls fit into a frame.
    pub(crate) fn run_host_work(&self, owner: &Arc<str>, tool: &str, closure: FrameworkClosure) {
        let mut queue = self.shared.lock();
        if queue.stop {
            drop(queue);
            drop(closure);
            return;
        }
        queue.urgent.push_back(Work { owner: Arc::clone(owner), tool: tool.into(), closure });
        drop(queue);
        self.shared.wake.notify_all();
    }

    /// Says that something of the host is due now.
    pub(crate) fn is_due(&self) {
        let mut queue = self.shared.lock();
        if !queue.due {
            queue.due = true;
            drop(queue);
            self.shared.wake.notify_all();
        }
    }

    pub(crate) fn on_update(&self, owner: &Arc<str>, update: Arc<dyn Fn() + Send + Sync>) -> IpcGuard {
        let mut queue = self.shared.lock();
        queue.next += 1;
        let number = queue.next;
        queue.updates.insert(number, (Arc::clone(owner), update));
        drop(queue);
        let shared = Arc::downgrade(&self.shared);
        IpcGuard::new(move || {
            if let Some(shared) = shared.upgrade() {
                let removed = shared.lock().updates.remove(&number);
                drop(removed);
            }
        })
    }
}

impl Framework for Live {
    fn run_on_next_update(&self, owner: &Arc<str>, closure: FrameworkClosure) {
        let mut queue = self.shared.lock();
        if queue.stop {
            drop(queue);
            drop(closure);
        } else {
            queue.closures.push_back(Work { owner: Arc::clone(owner), tool: "".into(), closure });
        }
    }

    fn is_framework_thread(&self) -> bool {
        std::thread::current().id() == self.id
    }
}

impl Live {
    /// Stops the framework thread and joins it, unless this is that thread. What is queued is dropped.
    ///
    /// # Errors
    ///
    /// Who holds it, if it does not end within `limit`. It ends when it is let go.
    pub(crate) fn stop(&self, limit: Duration) -> Result<(), String> {
        let left = {
            let mut queue = self.shared.lock();
            queue.stop = true;
            (std::mem::take(&mut queue.urgent), std::mem::take(&mut queue.closures))
        };
        self.shared.wake.notify_all();
        drop(left);
        self.shared.holding.stop_watching();
        if let Some(watcher) = take(&self.watcher) {
            let _ = watcher.join();
        }
        let Some(thread) = take(&self.thread).filter(|_| !self.is_framework_thread()) else { return Ok(()) };
        let waited = self.shared.ended.wait_timeout_while(self.shared.lock(), limit, |queue| !queue.ended);
        if !waited.unwrap_or_else(PoisonError::into_inner).0.ended {
            return Err(self.held());
        }
        let _ = thread.join();
        Ok(())
    }
}

fn take<T>(from: &Mutex<Option<T>>) -> Option<T> {
    from.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl Drop for Live {
    fn drop(&mut self) {
        // Who ends a host has stopped it before, and told of this.
        let _ = self.stop(TURN_LIMIT);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The framework thread.
    fn run(&self) {
        self.frames();
        self.lock().ended = true;
        self.ended.notify_all();
    }

    fn frames(&self) {
        let mut next = Instant::now();
        loop {
            next = (next + FRAME).max(Instant::now());
            self.until(next);
            let mut queue = self.lock();
            if queue.stop {
                return;
            }
            let closures = std::mem::take(&mut queue.closures);
            let updates: Vec<_> = queue.updates.values().cloned().collect();
            drop(queue);
            for work in closures {
                self.measured(work);
            }
            for (owner, update) in updates {
                self.measured(Work { owner, tool: "".into(), closure: Box::new(move || update()) });
            }
            self.fire_deadlines();
        }
    }

    /// Waits for the next frame, and does meanwhile what does not wait for one.
    fn until(&self, next: Instant) {
        loop {
            let mut queue = self.lock();
            while !queue.stop && queue.urgent.is_empty() && !queue.due {
                let rest = next.saturating_duration_since(Instant::now());
                if rest.is_zero() {
                    return;
                }
                queue = self.wake.wait_timeout(queue, rest).unwrap_or_else(PoisonError::into_inner).0;
            }
            if queue.stop {
                return;
            }
            let urgent = std::mem::take(&mut queue.urgent);
            queue.due = false;
            drop(queue);
            for work in urgent {
                self.measured(work);
            }
            self.fire_deadlines();
            if Instant::now() >= next {
                return; // however much comes, frames go on
            }
        }
    }

    fn fire_deadlines(&self) {
        let Some(deadlines) = self.deadlines.get().and_then(Weak::upgrade) else { return };
        for _ in 0..DEADLINES_PER_UPDATE {
            if deadlines.next().is_none_or(|due| due > self.began.elapsed()) {
                break;
            }
            deadlines.fire();
        }
    }

    /// Runs a plugin's work; reports a panic, and when it held the thread.
    fn measured(&self, work: Work) {
        let Work { owner, tool, closure } = work;
        let began = self.holding.begin(&owner, &tool);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(closure)) {
            let text = panic_text(&*panic);
            self.reports.failure(format!("a closure of {owner} panicked on the framework thread: {text}"));
        }
        let held = began.elapsed();
        self.holding.end();
        if held > HELD && !owner.is_empty() {
            self.reports.held_framework(&owner, &tool, held);
        }
    }
}
