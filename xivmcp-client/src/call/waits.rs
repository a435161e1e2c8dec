//! The waits of a call, which end when it is cancelled.

use std::future::{Future, pending};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{BoxFuture, Either, select};
use std::pin::pin;

use super::McpCall;
use crate::panics::caught_for_later;
use crate::tool_error::Cancelled;

impl McpCall {
    /// Waits until `duration` has passed since this call.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] as soon as the call is cancelled.
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_client::{Cancelled, TestCall};
    ///
    /// let test = TestCall::new("myplugin_farm").cancel_after(Duration::from_secs(10));
    /// let call = test.call();
    /// assert_eq!(test.run(call.sleep(Duration::from_secs(9))), Ok(()));
    /// assert_eq!(test.run(call.sleep(Duration::from_secs(9))), Err(Cancelled::new()));
    /// ```
    #[must_use = "a sleep does nothing until it is awaited"]
    pub fn sleep(&self, duration: Duration) -> impl Future<Output = Result<(), Cancelled>> + Send + use<> {
        let sleep = self.time_out(duration);
        let call = self.clone();
        async move { call.run_until_cancelled(sleep).await }
    }

    /// A sleep that is not cut short.
    pub(super) fn time_out(&self, duration: Duration) -> BoxFuture<'static, ()> {
        match self.state.client.runtime.upgrade() {
            Some(runtime) => runtime.sleep(duration),
            // Without its runtime the client is disposed, and this call's token fired.
            None => Box::pin(pending()),
        }
    }

    /// Waits for `future`, but only until the call is cancelled; then the future is dropped where it stands.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] as soon as the call is cancelled. A future that is ready at the same moment is not looked at.
    ///
    /// ```
    /// use xivmcp_client::{Cancelled, TestCall};
    ///
    /// let test = TestCall::new("myplugin_farm");
    /// let call = test.call();
    /// assert_eq!(test.run(call.run_until_cancelled(async { 1 })), Ok(1));
    /// test.cancel();
    /// assert_eq!(test.run(call.run_until_cancelled(async { 1 })), Err(Cancelled::new()));
    /// ```
    pub async fn run_until_cancelled<F: Future>(&self, future: F) -> Result<F::Output, Cancelled> {
        let cancelled = pin!(self.state.token.cancelled());
        match select(cancelled, pin!(future)).await {
            Either::Left(_) => Err(Cancelled::new()),
            Either::Right((output, _)) => Ok(output),
        }
    }

    /// Runs work that blocks (files, a web request) on a thread that may be blocked, and waits for it.
    ///
    /// Work that has begun cannot be stopped: it is waited for, even if the call is cancelled meanwhile, so that
    /// nothing goes on behind the back of a call that was reported as ended. Work that can take long looks at
    /// [`is_cancelled`](Self::is_cancelled) of a clone of this call now and then, or is left to itself with
    /// `call.run_until_cancelled(call.blocking(…))`.
    ///
    /// A panic in the work is a panic of the handler.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if the call was cancelled before the work was to begin, or the client's runtime has gone.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_farm");
    /// let call = test.call();
    /// assert_eq!(test.run(call.blocking(|| 6 * 7)), Ok(42));
    /// ```
    pub async fn blocking<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> Result<R, Cancelled> {
        self.check_cancelled()?;
        let runtime = self.state.client.runtime.upgrade().ok_or_else(Cancelled::new)?;
        let (sender, receiver) = oneshot::channel();
        let call = self.state.clone();
        runtime.spawn_blocking(Box::new(move || {
            // Whether anyone still waits for it is no matter of the work's.
            let _ = sender.send(call.inside(|| caught_for_later(work)));
        }));
        drop(runtime);
        let done = receiver.await.map_err(|_| Cancelled::new())?;
        Ok(done.unwrap_or_else(|panic| panic.go_on()))
    }
}
