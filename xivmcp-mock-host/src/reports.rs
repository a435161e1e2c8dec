//! What goes wrong, or is worth knowing, outside of any call that could return it: kept for the test that owns the
//! host. Failures fail it; lints only if the test denies their kind.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::core::{Lint, LintKind};
use crate::recent::Recent;

/// How many findings are kept, and how many failures; the oldest go first. A person reads them one by one.
const KEPT: usize = 10_000;

/// Is told that something was reported, on the thread that did it: it must be quick, and not call back.
pub(crate) type Reader = Box<dyn Fn() + Send + Sync>;

/// The collected reports of one host.
#[derive(Default)]
pub(crate) struct Reports {
    inner: Mutex<Inner>,
    /// Set once: only a server has one.
    reader: OnceLock<Reader>,
}

struct Inner {
    failures: Recent<String>,
    lints: Recent<Lint>,
    /// The lints that are kept: the same one again is no news.
    known: HashSet<Lint>,
    denied: BTreeSet<LintKind>,
    /// The longest time that was reported of a plugin and its tool.
    held: BTreeMap<(String, String), Duration>,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            failures: Recent::keeping(KEPT),
            lints: Recent::keeping(KEPT),
            known: HashSet::new(),
            denied: BTreeSet::new(),
            held: BTreeMap::new(),
        }
    }
}

impl Reports {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells `reader` from now on.
    #[cfg(feature = "server")]
    pub(crate) fn show(&self, reader: Reader) {
        let _ = self.reader.set(reader); // a host is served once
    }

    fn tell(&self) {
        if let Some(reader) = self.reader.get() {
            reader();
        }
    }

    /// Something that fails the test.
    pub(crate) fn failure(&self, text: String) {
        let oldest = self.lock().failures.push(text);
        drop(oldest);
        self.tell();
    }

    /// A finding. The same one again is kept once.
    pub(crate) fn lint(&self, lint: Lint) {
        let mut inner = self.lock();
        if !inner.known.insert(lint.clone()) {
            return;
        }
        if inner.denied.contains(&lint.kind) {
            let _oldest = inner.failures.push(format!("denied lint {:?}: {lint}", lint.kind));
        }
        if let Some(oldest) = inner.lints.push(lint) {
            inner.known.remove(&oldest);
        }
        drop(inner);
        self.tell();
    }

    /// From now on findings of this kind fail the test, those from before as well.
    pub(crate) fn deny(&self, kind: LintKind) {
        let mut inner = self.lock();
        if inner.denied.insert(kind) {
            let known = inner.lints.iter().filter(|lint| lint.kind == kind);
            let texts: Vec<String> = known.map(|lint| format!("denied lint {kind:?}: {lint}")).collect();
            texts.into_iter().for_each(|text| drop(inner.failures.push(text)));
        }
    }

    /// A foreign thread did something for `owner` in a simulation.
    pub(crate) fn foreign_wake(&self, owner: &str) {
        self.lint(Lint::new(
            LintKind::ForeignThread,
            owner,
            "",
            "a thread that is not the simulation's woke it: how this run goes depends on real time. Use call.blocking \
             for work that blocks, or MockHost::live() for a plugin that brings its own threads",
        ));
    }

    /// Work of `owner` held the framework thread of a live host. Told when it is new, or twice as long as what is known.
    pub(crate) fn held_framework(&self, owner: &str, tool: &str, span: Duration) {
        let mut inner = self.lock();
        let longest = inner.held.entry((owner.to_owned(), tool.to_owned())).or_default();
        if span < *longest * 2 {
            return;
        }
        *longest = span;
        drop(inner);
        let message = format!("held the framework thread for {} ms: a frame has 16 ms for everybody", span.as_millis());
        self.lint(Lint::new(LintKind::HeldFramework, owner, tool, &message));
    }

    /// Work of `owner` holds the framework thread of a live host for `span` now, and goes on.
    pub(crate) fn holds_framework(&self, owner: &str, tool: &str, span: Duration) {
        let message = format!(
            "has held the framework thread for more than {} s and goes on: the game stands still meanwhile. Wait in a \
             long-running tool, and block in call.blocking",
            span.as_secs()
        );
        self.lint(Lint::new(LintKind::HeldFramework, owner, tool, &message));
    }

    /// The findings that are kept.
    pub(crate) fn lints(&self) -> Vec<Lint> {
        self.lock().lints.to_vec()
    }

    /// The newest findings and failures, oldest first, at most `limit` of each; and how many more are kept.
    #[cfg(feature = "server")]
    pub(crate) fn newest(&self, limit: usize) -> (Vec<Lint>, Vec<String>, usize) {
        let inner = self.lock();
        let beyond = |kept: usize| kept.saturating_sub(limit);
        let (lints, failures) = (beyond(inner.lints.iter().len()), beyond(inner.failures.iter().len()));
        let newest_lints = inner.lints.iter().skip(lints).cloned().collect();
        let newest_failures = inner.failures.iter().skip(failures).cloned().collect();
        (newest_lints, newest_failures, lints + failures)
    }

    /// The findings after the first `known` ones, which are known then.
    #[cfg(feature = "server")]
    pub(crate) fn lints_since(&self, known: &mut usize) -> Vec<Lint> {
        self.lock().lints.since(known)
    }

    /// The failures after the first `known` ones, which are known then.
    #[cfg(feature = "server")]
    pub(crate) fn failures_since(&self, known: &mut usize) -> Vec<String> {
        self.lock().failures.since(known)
    }

    /// Takes the failures out.
    pub(crate) fn take_failures(&self) -> Vec<String> {
        let (gone, kept) = self.lock().failures.take();
        let earlier = (gone > 0).then(|| format!("{gone} earlier failures are not kept"));
        earlier.into_iter().chain(kept).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint(number: usize) -> Lint {
        Lint::new(LintKind::UnknownArgument, "Cat", "cat_purr", &format!("the argument `{number}` was dropped"))
    }

    #[test]
    fn the_newest_findings_are_kept_each_once_and_one_that_is_gone_is_news_again() {
        let reports = Reports::default();
        (0..KEPT).for_each(|number| reports.lint(lint(number)));
        reports.lint(lint(KEPT - 1));
        assert_eq!((reports.lints().len(), reports.lints()[0].clone()), (KEPT, lint(0)));
        reports.lint(lint(KEPT));
        reports.lint(lint(0));
        let lints = reports.lints();
        assert_eq!((lints.len(), &lints[0], &lints[KEPT - 1]), (KEPT, &lint(2), &lint(0)));
        assert_eq!(reports.lock().known.len(), KEPT);
    }

    #[test]
    fn the_newest_failures_are_kept_and_the_end_says_how_many_came_before() {
        let reports = Reports::default();
        (0..KEPT + 5).for_each(|number| reports.failure(number.to_string()));
        let failures = reports.take_failures();
        assert_eq!(failures.len(), KEPT + 1);
        assert_eq!(failures[..2], ["5 earlier failures are not kept", "5"]);
        assert!(reports.take_failures().is_empty());
    }

    #[test]
    fn a_plugin_that_is_slow_in_each_frame_is_found_again_only_when_it_gets_much_slower() {
        let reports = Reports::default();
        for millis in [6, 7, 11, 12, 13, 6, 23, 24, 5] {
            reports.held_framework("Cat", "", Duration::from_millis(millis));
        }
        reports.held_framework("Cat", "cat_purr", Duration::from_millis(6));
        let spans: Vec<_> = reports.lints().iter().map(|lint| format!("{lint}")).collect();
        assert_eq!(spans.len(), 4, "{spans:?}");
        assert!(spans[1].starts_with("Cat: held the framework thread for 12 ms"), "{spans:?}");
        assert!(spans[3].starts_with("Cat, cat_purr: held the framework thread for 6 ms"), "{spans:?}");
    }
}
