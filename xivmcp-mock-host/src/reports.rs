//! What goes wrong, or is worth knowing, outside of any call that could return it: kept for the test that owns the
//! host. Failures fail it; lints only if the test denies their kind.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::core::{Lint, LintKind};

/// The collected reports of one host.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    failures: Vec<String>,
    lints: Vec<Lint>,
    denied: BTreeSet<LintKind>,
}

impl Reports {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something that fails the test.
    pub(crate) fn failure(&self, text: String) {
        self.lock().failures.push(text);
    }

    /// A finding. The same one again is kept once.
    pub(crate) fn lint(&self, lint: Lint) {
        let mut inner = self.lock();
        if inner.lints.contains(&lint) {
            return;
        }
        if inner.denied.contains(&lint.kind) {
            inner.failures.push(format!("denied lint {:?}: {lint}", lint.kind));
        }
        inner.lints.push(lint);
    }

    /// From now on findings of this kind fail the test, those from before as well.
    pub(crate) fn deny(&self, kind: LintKind) {
        let mut inner = self.lock();
        if inner.denied.insert(kind) {
            let known = inner.lints.iter().filter(|lint| lint.kind == kind);
            let texts: Vec<String> = known.map(|lint| format!("denied lint {kind:?}: {lint}")).collect();
            inner.failures.extend(texts);
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

    /// Work of `owner` held the framework thread of a live host.
    pub(crate) fn held_framework(&self, owner: &str, span: Duration) {
        self.lint(Lint::new(
            LintKind::HeldFramework,
            owner,
            "",
            &format!("held the framework thread for {} ms: a frame has 16 ms for everybody", span.as_millis()),
        ));
    }

    /// All findings so far.
    pub(crate) fn lints(&self) -> Vec<Lint> {
        self.lock().lints.clone()
    }

    /// The failures so far; they stay.
    #[cfg(feature = "server")]
    pub(crate) fn failures(&self) -> Vec<String> {
        self.lock().failures.clone()
    }

    /// The findings after the first `known` ones, which are known then.
    #[cfg(feature = "server")]
    pub(crate) fn lints_since(&self, known: &mut usize) -> Vec<Lint> {
        let inner = self.lock();
        let new = inner.lints.get(*known..).unwrap_or_default().to_vec();
        *known = inner.lints.len();
        new
    }

    /// The failures after the first `known` ones, which are known then.
    #[cfg(feature = "server")]
    pub(crate) fn failures_since(&self, known: &mut usize) -> Vec<String> {
        let inner = self.lock();
        let new = inner.failures.get(*known..).unwrap_or_default().to_vec();
        *known = inner.failures.len();
        new
    }

    /// Takes the failures out.
    pub(crate) fn take_failures(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().failures)
    }
}
