//! Who holds the framework thread. The thread notes it; another one looks, and says so while it lasts: a plugin that never
//! gives the thread back would not be heard of otherwise.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::reports::Reports;

/// A plugin that holds the framework thread so long is reported while it does.
const STUCK: Duration = Duration::from_secs(1);

/// What runs on the framework thread now.
#[derive(Default)]
pub(super) struct Holding {
    state: Mutex<State>,
    /// The watching thread is to look again.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    holder: Option<Holder>,
    stop: bool,
}

struct Holder {
    owner: Arc<str>,
    tool: Box<str>,
    since: Instant,
    told: bool,
}

impl Holding {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something of `owner` begins, now. The watching thread is not woken: it looks often enough.
    pub(super) fn begin(&self, owner: &Arc<str>, tool: &str) -> Instant {
        let since = Instant::now();
        let holder = Holder { owner: Arc::clone(owner), tool: tool.into(), since, told: false };
        let before = self.lock().holder.replace(holder);
        drop(before);
        since
    }

    pub(super) fn end(&self) {
        let holder = self.lock().holder.take();
        drop(holder);
    }

    /// Who holds the thread and since when, as a sentence; nothing if nobody does.
    pub(super) fn sentence(&self) -> Option<String> {
        let state = self.lock();
        let holder = state.holder.as_ref()?;
        let tool = if holder.tool.is_empty() { String::new() } else { format!(" ({})", holder.tool) };
        let owner = if holder.owner.is_empty() { "this program itself" } else { &*holder.owner };
        let seconds = holder.since.elapsed().as_secs_f64();
        Some(format!("{owner}{tool} has held the framework thread for {seconds:.1} s and does not give it back"))
    }

    /// The watching thread, until [`stop_watching`](Self::stop_watching).
    pub(super) fn watch(&self, reports: &Reports) {
        let mut state = self.lock();
        while !state.stop {
            let mut rest = STUCK;
            // The host itself is not reported: a test may hold its own framework thread.
            if let Some(holder) = state.holder.as_mut().filter(|holder| !holder.told && !holder.owner.is_empty()) {
                rest = STUCK.saturating_sub(holder.since.elapsed());
                if rest.is_zero() {
                    holder.told = true;
                    let (owner, tool) = (Arc::clone(&holder.owner), holder.tool.clone());
                    drop(state);
                    reports.holds_framework(&owner, &tool, STUCK);
                    state = self.lock();
                    continue;
                }
            }
            state = self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn stop_watching(&self) {
        self.lock().stop = true;
        self.changed.notify_all();
    }
}
