//! The second seam of the client: [`Runtime`], what the client needs of time and threads. Nothing else in the client
//! knows either.
//!
//! # Who calls what, where
//!
//! - Every method may be called from any thread, also from inside a task, blocking work, or a future's `poll`.
//! - [`block_on`](Runtime::block_on) is the only method that waits. The others return at once.
//! - The client polls a handler's future for the first time itself, on the framework thread, inside
//!   [`enter`](Runtime::enter), and hands it to [`spawn`](Runtime::spawn) if it is not done then.
//! - A panic in a task or in blocking work costs that task, never a worker: the client catches panics of handlers
//!   itself, a runtime must survive the rest.
//! - When the last handle to a runtime that owns threads goes, its threads are stopped and joined (not the thread that
//!   drops it); tasks and work that are left are dropped.

mod park;
mod pool;
#[cfg(feature = "tokio")]
mod tokio;

use std::pin::Pin;
use std::time::Duration;

use futures::future::BoxFuture;

pub use self::pool::{DEFAULT_WORKERS, MAX_BLOCKING_THREADS, PoolRuntime, SHUTDOWN_LIMIT};
#[cfg(feature = "tokio")]
pub use self::tokio::TokioRuntime;

/// What the client needs of time and threads. See the [module](self) for the contract.
///
/// ```
/// use std::time::Duration;
/// use xivmcp_client::runtime::{PoolRuntime, Runtime};
///
/// let runtime = PoolRuntime::new();
/// let mut nap = runtime.sleep(Duration::from_millis(1));
/// assert!(runtime.block_on(nap.as_mut(), Duration::from_secs(60)));
/// ```
pub trait Runtime: Send + Sync + 'static {
    /// Runs a task to its end, on whatever thread the runtime chooses. A runtime that is shutting down drops it.
    ///
    /// ```
    /// # use xivmcp_client::runtime::{PoolRuntime, Runtime};
    /// # let runtime = PoolRuntime::new();
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// runtime.spawn(Box::pin(async move { sender.send(std::thread::current().id()).unwrap() }));
    /// assert_ne!(receiver.recv().unwrap(), std::thread::current().id());
    /// ```
    fn spawn(&self, task: BoxFuture<'static, ()>);

    /// Runs work that blocks, where it holds up no task. A runtime that is shutting down drops it.
    ///
    /// ```
    /// # use xivmcp_client::runtime::{PoolRuntime, Runtime};
    /// # let runtime = PoolRuntime::with_workers(1);
    /// let (wake, waits) = std::sync::mpsc::channel();
    /// let (tell, told) = std::sync::mpsc::channel();
    /// runtime.spawn_blocking(Box::new(move || tell.send(waits.recv()).unwrap())); // it blocks, and yet
    /// runtime.spawn(Box::pin(async move { wake.send(31).unwrap() }));             // a task runs
    /// assert_eq!(told.recv(), Ok(Ok(31)));
    /// ```
    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>);

    /// A future that is ready `duration` after this call. It may be polled on any thread, with any executor.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use xivmcp_client::runtime::{PoolRuntime, Runtime};
    /// # let runtime = PoolRuntime::new();
    /// let (before, nap) = (runtime.now(), Duration::from_millis(1));
    /// assert!(runtime.block_on(runtime.sleep(nap).as_mut(), Duration::from_secs(60)));
    /// assert!(runtime.now() - before >= nap);
    /// ```
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// The time since a moment that the runtime chose. It never goes back.
    ///
    /// ```
    /// # use xivmcp_client::runtime::{PoolRuntime, Runtime};
    /// # let runtime = PoolRuntime::new();
    /// let before = runtime.now();
    /// assert!(runtime.now() >= before);
    /// ```
    fn now(&self) -> Duration;

    /// Runs `poll` with this runtime as the current one, for futures that look for it (tokio's timers panic without).
    ///
    /// ```
    /// # use xivmcp_client::runtime::{PoolRuntime, Runtime};
    /// # let runtime = PoolRuntime::new();
    /// let mut runs = 0;
    /// runtime.enter(&mut || runs += 1);                         // once, on this thread
    /// assert_eq!(runs, 1);
    /// ```
    fn enter(&self, poll: &mut dyn FnMut());

    /// Waits on this thread until `future` is ready (`true`), or `limit` has passed (`false`). Tasks run meanwhile; in
    /// a simulation, virtual time passes. It may be called inside another `block_on`, and on the framework thread.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use xivmcp_client::runtime::{PoolRuntime, Runtime};
    /// # let runtime = PoolRuntime::new();
    /// assert!(runtime.block_on(Box::pin(async {}).as_mut(), Duration::from_secs(60)));
    /// assert!(!runtime.block_on(Box::pin(std::future::pending()).as_mut(), Duration::from_millis(1)));
    /// ```
    fn block_on(&self, future: Pin<&mut (dyn Future<Output = ()> + Send)>, limit: Duration) -> bool;
}
