//! Real threads and real time: a framework thread at 60 updates a second, and for each plugin the client's own pool.
//!
//! For the program, and for plugins that bring their own threads. [`Live`] starts one thread and joins it when it is
//! dropped.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak, mpsc};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use xivmcp_client::ipc::{FrameworkClosure, IpcGuard};
use xivmcp_client::runtime::{PoolRuntime, Runtime};

use crate::bus::{Framework, panic_text};
use crate::core::Time;
use crate::reports::Reports;
use crate::simulated::{Deadlines, FRAME};

/// A plugin that holds the framework thread longer than this is reported.
const HELD: Duration = Duration::from_millis(5);

/// How many deadlines one update handles; the rest waits for the next.
const DEADLINES_PER_UPDATE: usize = 1000;

/// The live engine. Dropping it stops and joins the framework thread.
pub(crate) struct Live {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    id: ThreadId,
    start: Time,
}

struct Shared {
    queue: Mutex<Queue>,
    /// The framework thread is to look at its queue before the next frame.
    wake: Condvar,
    deadlines: OnceLock<Weak<dyn Deadlines>>,
    reports: Arc<Reports>,
    began: Instant,
}

type UpdateFn = Arc<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Queue {
    /// The host's own work: it waits for no frame.
    urgent: VecDeque<(Arc<str>, FrameworkClosure)>,
    /// Something is due now: it waits for no frame either.
    due: bool,
    closures: VecDeque<(Arc<str>, FrameworkClosure)>,
    updates: BTreeMap<u64, (Arc<str>, UpdateFn)>,
    next: u64,
    stop: bool,
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
            deadlines: OnceLock::new(),
            reports,
            began,
        });
        let inside = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("framework".to_owned()).spawn(move || inside.run());
        let thread = thread.expect("the system starts a thread");
        let id = thread.thread().id();
        Self { shared, thread: Mutex::new(Some(thread)), id, start }
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
    /// As `work` does, on this thread; and if the framework thread is gone.
    pub(crate) fn on_framework<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> R {
        if self.is_framework_thread() {
            return work();
        }
        let (sender, receiver) = mpsc::channel();
        let closure = move || {
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        };
        // The host is its own owner here: a test may hold its own framework thread as long as it likes.
        self.run_on_next_update(&"".into(), Box::new(closure));
        match receiver.recv() {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => panic!("the framework thread has ended"),
        }
    }

    /// Drops what a plugin left behind for the framework thread.
    pub(crate) fn release_owner(&self, owner: &str) {
        let mut queue = self.shared.lock();
        let (gone, kept) = std::mem::take(&mut queue.closures).into_iter().partition(|(of, _)| **of == *owner);
        queue.closures = kept;
        let updates: Vec<_> = queue.updates.extract_if(.., |_, (of, _)| **of == *owner).collect();
        drop(queue);
        let closures: VecDeque<(Arc<str>, FrameworkClosure)> = gone;
        drop((closures, updates));
    }

    /// Runs the host's own work, on behalf of `owner`, as soon as the framework thread is free. Calls do not wait for the
    /// next frame: what an assistant waits for is then what the plugin does, and many calls fit into a frame.
    pub(crate) fn run_host_work(&self, owner: &Arc<str>, closure: FrameworkClosure) {
        let mut queue = self.shared.lock();
        if queue.stop {
            drop(queue);
            drop(closure);
            return;
        }
        queue.urgent.push_back((Arc::clone(owner), closure));
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
            queue.closures.push_back((Arc::clone(owner), closure));
        }
    }

    fn is_framework_thread(&self) -> bool {
        std::thread::current().id() == self.id
    }
}

impl Live {
    /// Stops the framework thread and joins it, unless this is that thread. What is queued is dropped.
    pub(crate) fn stop(&self) {
        let left = {
            let mut queue = self.shared.lock();
            queue.stop = true;
            (std::mem::take(&mut queue.urgent), std::mem::take(&mut queue.closures))
        };
        self.shared.wake.notify_all();
        drop(left);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread.filter(|_| !self.is_framework_thread()) {
            let _ = thread.join();
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The framework thread.
    fn run(&self) {
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
            for (owner, closure) in closures {
                self.measured(&owner, closure);
            }
            for (owner, update) in updates {
                self.measured(&owner, move || update());
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
            for (owner, closure) in urgent {
                self.measured(&owner, closure);
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
    fn measured(&self, owner: &str, work: impl FnOnce()) {
        let began = Instant::now();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            let text = panic_text(&*panic);
            self.reports.failure(format!("a closure of {owner} panicked on the framework thread: {text}"));
        }
        let held = began.elapsed();
        if held > HELD && !owner.is_empty() {
            self.reports.held_framework(owner, held);
        }
    }
}
