//! The framework thread's queue, and the seeded choice of what runs next.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use xivmcp_client::ipc::FrameworkClosure;

use super::FRAME;
use crate::bus::Clock;

/// Picks by the seed (`SplitMix64`). Its own few lines, so that a seed means the same run in every version.
pub(super) struct Picker {
    state: u64,
}

impl Picker {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `count`, which is not 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % count as u64).unwrap_or(0)
    }
}

/// Closures for the framework thread, in the order in which they were queued, and subscribers of updates.
#[derive(Default)]
pub(super) struct FrameworkQueue {
    /// By when they are due, then by when they were queued.
    closures: BTreeMap<(Duration, u64), Queued>,
    next: u64,
    /// When the last of the plugins' closures is due.
    last: Duration,
    updates: BTreeMap<u64, Update>,
    next_tick: Option<Duration>,
}

struct Queued {
    owner: Arc<str>,
    closure: FrameworkClosure,
}

struct Update {
    owner: Arc<str>,
    call: UpdateFn,
}

/// What a subscriber of updates has called.
pub(super) type UpdateFn = Arc<dyn Fn() + Send + Sync>;

/// Something to run in the framework context.
pub(super) enum FrameworkWork {
    Closure(Arc<str>, FrameworkClosure),
    Tick(Vec<(Arc<str>, UpdateFn)>),
}

impl FrameworkQueue {
    /// Queues a plugin's closure for `earliest`, but never before those that wait already: the order of queueing holds.
    pub(super) fn push(&mut self, earliest: Duration, owner: Arc<str>, closure: FrameworkClosure) {
        self.last = self.last.max(earliest);
        self.insert(self.last, owner, closure);
    }

    /// Queues the host's own work for `now`, wherever it is queued from: the host waits for no frame.
    pub(super) fn push_host(&mut self, now: Duration, owner: Arc<str>, closure: FrameworkClosure) {
        self.insert(now, owner, closure);
    }

    fn insert(&mut self, due: Duration, owner: Arc<str>, closure: FrameworkClosure) {
        self.next += 1;
        self.closures.insert((due, self.next), Queued { owner, closure });
    }

    pub(super) fn subscribe(&mut self, number: u64, owner: Arc<str>, call: Arc<dyn Fn() + Send + Sync>, now: Duration) {
        self.updates.insert(number, Update { owner, call });
        self.next_tick.get_or_insert(now + FRAME);
    }

    pub(super) fn unsubscribe(&mut self, number: u64) -> Option<impl Sized + use<>> {
        let removed = self.updates.remove(&number);
        if self.updates.is_empty() {
            self.next_tick = None;
        }
        removed
    }

    /// Takes out what a plugin left behind.
    pub(super) fn release_owner(&mut self, owner: &str) -> impl Sized + use<> {
        let closures: Vec<Queued> =
            self.closures.extract_if(.., |_, queued| *queued.owner == *owner).map(|(_, queued)| queued).collect();
        let updates: Vec<Update> =
            self.updates.extract_if(.., |_, update| *update.owner == *owner).map(|(_, update)| update).collect();
        if self.updates.is_empty() {
            self.next_tick = None;
        }
        (closures, updates)
    }

    /// When the next thing is due.
    pub(super) fn next(&self) -> Option<Duration> {
        self.next_closure().into_iter().chain(self.next_tick).min()
    }

    /// When the next closure is due; ticks do not count.
    pub(super) fn next_closure(&self) -> Option<Duration> {
        self.closures.keys().next().map(|(due, _)| *due)
    }

    /// Takes out what is due first.
    pub(super) fn take(&mut self, now: Duration) -> Option<FrameworkWork> {
        if self.next_closure().is_some_and(|due| due <= now) {
            let (_, queued) = self.closures.pop_first()?;
            return Some(FrameworkWork::Closure(queued.owner, queued.closure));
        }
        let tick = self.next_tick.filter(|tick| *tick <= now)?;
        self.next_tick = Some(tick + FRAME);
        Some(FrameworkWork::Tick(
            self.updates.values().map(|update| (Arc::clone(&update.owner), Arc::clone(&update.call))).collect(),
        ))
    }

    /// Lines for a report: what waits for the framework thread.
    pub(super) fn describe(&self) -> Vec<String> {
        let closures = self.closures.iter();
        closures
            .map(|((due, _), queued)| {
                format!("a closure of {} waits for the framework thread (due {})", queued.owner, Clock(*due))
            })
            .collect()
    }
}
