//! What was provided at a gate is taken away by dropping its guard.

use std::fmt;

/// Keeps what was provided or subscribed at a gate there. Dropping it takes it away.
#[must_use = "dropping the guard takes away at once what was just provided or subscribed"]
pub struct IpcGuard {
    release: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl IpcGuard {
    /// A guard that calls `release` once, when it is dropped. For those who implement a transport.
    pub fn new(release: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self { release: Some(Box::new(release)) }
    }
}

impl Drop for IpcGuard {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            release();
        }
    }
}

impl fmt::Debug for IpcGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IpcGuard").finish_non_exhaustive()
    }
}
