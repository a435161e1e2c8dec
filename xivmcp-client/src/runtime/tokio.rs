//! [`TokioRuntime`]: handlers run on a tokio runtime that the plugin brings (feature `tokio`).

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Runtime;
use super::park::block_on_thread;

/// A [`Runtime`] over a handle to a tokio runtime.
///
/// The runtime needs its timer (`enable_time` or `enable_all`). With a multi-threaded one, waiting inside a task is
/// fine; a current-thread runtime runs only while somebody drives it, and never while that thread waits in
/// [`block_on`](Runtime::block_on). The runtime stays the plugin's: dropping this handle stops nothing, so the plugin
/// shuts its runtime down before it unloads.
///
/// ```
/// use std::sync::mpsc;
/// use xivmcp_client::runtime::{Runtime, TokioRuntime};
///
/// let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
/// let runtime = TokioRuntime::new(tokio.handle().clone());
/// let (sender, receiver) = mpsc::channel();
/// runtime.spawn(Box::pin(async move {
///     tokio::time::sleep(std::time::Duration::from_millis(1)).await;
///     let _ = sender.send("done");
/// }));
/// assert_eq!(receiver.recv(), Ok("done"));
/// ```
pub struct TokioRuntime {
    handle: Handle,
    started: Instant,
}

impl TokioRuntime {
    /// Runs everything on the runtime behind `handle`.
    ///
    /// ```
    /// use xivmcp_client::runtime::{Runtime, TokioRuntime};
    ///
    /// let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    /// let runtime = TokioRuntime::new(tokio.handle().clone());
    /// let mut found = false;
    /// runtime.enter(&mut || found = tokio::runtime::Handle::try_current().is_ok());
    /// assert!(found);                                           // tokio's own timers work in handlers
    /// ```
    #[must_use]
    pub fn new(handle: Handle) -> Self {
        let entered = handle.enter();
        let started = Instant::now();
        drop(entered);
        Self { handle, started }
    }
}

/// A sleep on a task of its own: tokio's timer panics when it is polled after its runtime has shut down, a join handle
/// only tells so.
struct Sleep(Option<JoinHandle<()>>);

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(timer) = self.0.as_mut() else { return Poll::Pending };
        let polled = Pin::new(timer).poll(context);
        if polled.is_ready() {
            self.0 = None;
        }
        match polled {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            // The runtime has shut down: nothing will ever be due.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = &self.0 {
            timer.abort();
        }
    }
}

impl Runtime for TokioRuntime {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.handle.spawn(task);
    }

    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        self.handle.spawn_blocking(work);
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let entered = self.handle.enter();
        let due = Instant::now() + duration.min(Duration::from_secs(60 * 60 * 24 * 365));
        drop(entered);
        Box::pin(Sleep(Some(self.handle.spawn(async move { tokio::time::sleep_until(due).await }))))
    }

    fn now(&self) -> Duration {
        let _entered = self.handle.enter();
        self.started.elapsed()
    }

    fn enter(&self, poll: &mut dyn FnMut()) {
        let _outer = Outer::note();
        let _entered = self.handle.enter();
        poll();
    }

    fn block_on(&self, future: Pin<&mut (dyn Future<Output = ()> + Send)>, limit: Duration) -> bool {
        let may_hand_over = Outer::is_multi_threaded();
        let _outer = Outer::note();
        let _entered = self.handle.enter();
        if may_hand_over { hand_over_and_wait(future, limit) } else { block_on_thread(future, limit) }
    }
}

/// Waits on a worker, which hands its tasks to another one meanwhile.
///
/// Tokio does not tell where that is possible and panics elsewhere: inside a `LocalSet`, or where somebody has entered a
/// multi-threaded runtime inside a current-thread one. There is nothing to hand over there, so the thread just waits.
fn hand_over_and_wait(mut future: Pin<&mut (dyn Future<Output = ()> + Send)>, limit: Duration) -> bool {
    let mut began = false;
    let waited = catch_unwind(AssertUnwindSafe(|| {
        tokio::task::block_in_place(|| {
            began = true;
            block_on_thread(future.as_mut(), limit)
        })
    }));
    match waited {
        Ok(ready) => ready,
        Err(panic) if began => resume_unwind(panic),
        Err(_) => block_on_thread(future, limit),
    }
}

thread_local! {
    /// Whether this thread belonged to a multi-threaded runtime before this module entered another one, if it did.
    static BEFORE: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Keeps what the thread belonged to before [`TokioRuntime`] entered its own: to tokio, a handle that was only entered
/// looks like being on its worker.
struct Outer(Option<bool>);

impl Outer {
    fn note() -> Self {
        Self(BEFORE.replace(Some(Self::is_multi_threaded())))
    }

    /// What this thread runs under, whatever this module has entered since.
    fn is_multi_threaded() -> bool {
        let now = || Handle::try_current().is_ok_and(|here| here.runtime_flavor() == RuntimeFlavor::MultiThread);
        BEFORE.get().unwrap_or_else(now)
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        BEFORE.set(self.0);
    }
}

impl fmt::Debug for TokioRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokioRuntime").field("flavor", &self.handle.runtime_flavor()).finish_non_exhaustive()
    }
}
