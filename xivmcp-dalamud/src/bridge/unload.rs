//! Stopping a plugin: bounded, in an order in which nothing is used after it is gone, and without a deadlock.
//!
//! 1. What the entry function returned is dropped: the client says goodbye through the gates, fires all tokens, and
//!    waits for its handlers. 2. What is still provided is taken away; calls in and out are refused from here on.
//! 3. Calls that are inside the plugin on other threads are waited for. 4. The runtime's threads are joined.
//! 5. Framework closures that still wait are dropped, and so is the last use of the transport.
//!
//! All of it happens on a thread of their own. So the thread that stops, which is the framework thread in the game,
//! can run framework closures meanwhile, whoever waits for them: a handler, a destructor, a thread of the author's.
//! And it can go on when the limit has passed, whatever the author's code does.
//!
//! The framework thread is also why an author's destructor does not run there: what it does to the game's state it has
//! to queue, as any other code of a plugin (`framework_guard` of a call does that).

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::instance::{Instance, Kept};
use super::panics::caught;
use super::state::{Bridge, Phase};
use xivmcp_client::runtime::PoolRuntime;

/// How long the ending thread may take after the limit, when the closures that it may wait for are dropped; and how
/// long it waits for others to let go of the context.
const GRACE: Duration = Duration::from_millis(500);

/// How long the framework thread waits before it runs closures that were queued by closures: a frame that is short.
const SHORT_FRAME: Duration = Duration::from_millis(1);

/// What is left of an earlier `stop`.
#[derive(Default)]
pub(crate) struct Ending {
    worker: Option<Worker>,
    /// What was found to be left, for a `stop` that has no time to look again.
    known: Option<String>,
}

/// The thread that ends the plugin.
struct Worker {
    thread: JoinHandle<()>,
    progress: Arc<Progress>,
}

/// How far the ending thread is.
#[derive(Default)]
struct Progress {
    step: AtomicU8,
    threads_left: AtomicBool,
}

impl Progress {
    fn is_done(&self) -> bool {
        self.step.load(Ordering::SeqCst) == DONE
    }
}

const DROPPING: u8 = 0;
const WAITING_FOR_CALLS: u8 = 1;
const JOINING: u8 = 2;
const DONE: u8 = 3;

impl Instance {
    /// See `stop` of the plugin's table.
    pub(super) fn end_within(&self, limit: Duration) -> Result<(), String> {
        let mut ending = match self.ending.try_lock() {
            Ok(ending) => ending,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(String::from("it is being stopped already, on another thread"));
            }
        };
        let deadline = Instant::now() + limit;
        let asked_again = self.bridge.phase() == Phase::Closed;
        let (mut worker, mut is_old) = match ending.worker.take() {
            Some(worker) => (worker, true),
            None => (begin(self, deadline)?, false),
        };
        if self.bridge.slot.is_on_this_stack() {
            ending.worker = Some(worker);
            return Err(String::from(
                "it was told to stop from inside a call of its own: stop it again once that call has returned",
            ));
        }
        loop {
            self.attend(&worker.progress, deadline);
            if !worker.progress.is_done() {
                // Out of time. Whoever waits for a framework closure learns now that it will not run, and has a moment
                // to act on it. Once only: the shim asks again each second, on the thread that draws the game.
                self.bridge.close();
                if !asked_again {
                    self.attend(&worker.progress, Instant::now() + GRACE);
                }
            }
            let step = worker.progress.step.load(Ordering::SeqCst);
            if step != DONE {
                ending.worker = Some(worker);
                return Err(ending.known.clone().unwrap_or_else(|| match step {
                    DROPPING => String::from("what its entry function returned is still being dropped"),
                    WAITING_FOR_CALLS => self.calls_text(),
                    _ => String::from("its threads are still being joined"),
                }));
            }
            // It has done its last step: joining takes no time worth a limit.
            let _ = worker.thread.join();
            let Some(text) = self.what_is_left(&worker.progress) else { return Ok(()) };
            ending.known = Some(text.clone());
            if !is_old {
                return Err(text);
            }
            // The limit of an earlier stop was over; this one has its own.
            (worker, is_old) = (begin(self, deadline)?, false);
        }
    }

    /// What still runs, or holds something, after the ending thread has done all it could.
    fn what_is_left(&self, progress: &Progress) -> Option<String> {
        if self.bridge.calls_inside() > 0 {
            Some(self.calls_text())
        } else if progress.threads_left.load(Ordering::SeqCst) {
            Some(String::from("a handler or a task of it did not end in time (the log names the tool)"))
        } else if Arc::strong_count(&self.bridge) > 1 {
            Some(String::from(
                "something of it still holds its context: a thread of its own that it did not join, or a value that \
                 was leaked",
            ))
        } else {
            None
        }
    }

    fn calls_text(&self) -> String {
        match self.bridge.calls_inside() {
            1 => String::from("a call into it has not returned"),
            n => format!("{n} calls into it have not returned"),
        }
    }

    /// Waits for the ending thread until `deadline`; on the framework thread it runs framework closures meanwhile.
    fn attend(&self, progress: &Progress, deadline: Instant) {
        let on_framework_thread = self.bridge.host.is_framework_thread();
        loop {
            let seen = self.bridge.changes();
            if progress.is_done() {
                return;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            if on_framework_thread && self.run_waiting_closures() {
                std::thread::sleep(left.min(SHORT_FRAME));
            } else {
                self.bridge.wait_for_change(seen, left);
            }
        }
    }

    /// Runs the closures that wait now; those that they queue wait for the next time.
    fn run_waiting_closures(&self) -> bool {
        let waiting = self.bridge.waiting_closures();
        for &id in &waiting {
            if let Some(closure) = self.bridge.take_closure(id) {
                // A panic is logged by the hook.
                let _ = self.bridge.finish_closure(closure, false);
            }
        }
        !waiting.is_empty()
    }
}

/// Starts the thread that ends the plugin.
fn begin(instance: &Instance, deadline: Instant) -> Result<Worker, String> {
    let progress = Arc::<Progress>::default();
    let (told, bridge) = (Arc::clone(&progress), Arc::clone(&instance.bridge));
    let (runtime, kept) = (Arc::clone(&instance.runtime), Arc::clone(&instance.kept));
    std::thread::Builder::new()
        .name(String::from("xivmcp-unload"))
        .spawn(move || end(&bridge, &runtime, &kept, &told, deadline))
        .map(|thread| Worker { thread, progress })
        .map_err(|error| format!("the thread that ends it could not be started: {error}"))
}

/// What the ending thread does.
fn end(
    bridge: &Arc<Bridge>,
    runtime: &PoolRuntime,
    kept: &Mutex<Option<Kept>>,
    progress: &Progress,
    deadline: Instant,
) {
    let left = || deadline.saturating_duration_since(Instant::now());
    let reached = |step| {
        progress.step.store(step, Ordering::SeqCst);
        bridge.notify();
    };
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Err(text) = caught(|| drop(kept)) {
        bridge.complain(&format!("dropping what the plugin's entry function returned panicked: {text}"));
    }
    bridge.advance_to(Phase::Closing);
    bridge.take_back();

    reached(WAITING_FOR_CALLS);
    loop {
        let seen = bridge.changes();
        if bridge.calls_inside() == 0 || left().is_zero() {
            break;
        }
        bridge.wait_for_change(seen, left());
    }

    reached(JOINING);
    let ended = caught(|| runtime.shutdown(left().max(GRACE / 2))).unwrap_or(false);
    progress.threads_left.store(!ended, Ordering::SeqCst);
    bridge.close();
    // The instance holds the bridge, and this thread. Any other holder is the author's, and may be about to let go.
    let patience = Instant::now() + GRACE.min(left());
    while Arc::strong_count(bridge) > 2 && Instant::now() < patience {
        std::thread::sleep(SHORT_FRAME);
    }
    reached(DONE);
}
