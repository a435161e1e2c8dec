//! What was provided at a gate is taken away by dropping its guard.

use std::fmt;

/// Keeps what was provided or subscribed at a gate there. Dropping it takes it away.
///
/// ```
/// use std::sync::Arc;
/// use xivmcp_client::ipc::{IpcSignature, IpcTransport, IpcType};
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let transport = host.install("MyPlugin").transport();
///
/// let signature = IpcSignature::new([], IpcType::Bool);
/// let guard = transport.provide_function("MyPlugin.IsReady", &signature, Arc::new(|_| Ok(true.into())))?;
/// let is_ready = || transport.call_function("MyPlugin.IsReady", &[], IpcType::Bool);
/// assert_eq!(is_ready(), Ok(true.into()));
/// drop(guard);
/// assert!(is_ready().is_err());
/// # Ok::<(), xivmcp_client::ipc::IpcError>(())
/// ```
#[must_use = "dropping the guard takes away at once what was just provided or subscribed"]
pub struct IpcGuard {
    release: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl IpcGuard {
    /// A guard that calls `release` once, when it is dropped. For those who implement a transport.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
    /// use xivmcp_client::ipc::IpcGuard;
    ///
    /// let released = Arc::new(AtomicBool::new(false));
    /// let flag = released.clone();
    /// drop(IpcGuard::new(move || flag.store(true, Ordering::Relaxed)));
    /// assert!(released.load(Ordering::Relaxed));
    /// ```
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
