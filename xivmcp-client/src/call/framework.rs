//! The framework thread, for calls: run something there, wait for the next frame, and [`FrameworkGuard`].

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot;

use super::McpCall;
use super::state::CallState;
use crate::panics::{caught, caught_for_later};
use crate::tool_error::{Cancelled, McpToolError};

impl McpCall {
    /// Runs `work` on the framework thread, the only one that may touch the game, and gives its value. On that thread
    /// already, it runs at once; else at the next update. The future may be dropped before: then it does not run.
    ///
    /// It is work and no wait: it also runs after the call was cancelled, so that a handler can clean up. A loop
    /// therefore waits with [`next_frame`](Self::next_frame) or [`sleep`](Self::sleep), which end with the call. For
    /// what must be cleaned up in any case there is [`framework_guard`](Self::framework_guard).
    ///
    /// A panic in the work is a panic of the handler.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if the framework thread will not run it any more: the plugin is unloading.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_where");
    /// let call = test.call();
    /// assert_eq!(test.run(call.on_framework_thread(|| "Limsa Lominsa")), Ok("Limsa Lominsa"));
    /// ```
    pub async fn on_framework_thread<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Cancelled> {
        let client = &self.state.client;
        if client.transport.is_framework_thread() {
            return Ok(work());
        }
        let (sender, receiver) = oneshot::channel();
        let ticket = self.state.ticket();
        let closure = move || {
            let ticket = ticket;
            if !sender.is_canceled() {
                // Whoever waited may have gone since; what it gets is then dropped here, on the framework thread.
                let _ = sender.send(ticket.call().inside(|| caught_for_later(work)));
            }
        };
        client.framework.push(&*client.transport, Box::new(closure));
        let done = receiver.await.map_err(|_| Cancelled::new())?;
        Ok(done.unwrap_or_else(|panic| panic.go_on()))
    }

    /// Waits for the framework thread's next update, about 16 ms at 60 frames a second.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] as soon as the call is cancelled.
    ///
    /// ```
    /// let test = xivmcp_client::TestCall::new("myplugin_wait");
    /// let call = test.call();
    /// assert_eq!(test.run(call.next_frame()), Ok(()));
    /// assert_eq!(test.elapsed().as_millis(), 16);
    /// ```
    pub async fn next_frame(&self) -> Result<(), Cancelled> {
        self.check_cancelled()?;
        let client = &self.state.client;
        let (sender, receiver) = oneshot::channel();
        let closure = move || {
            let _ = sender.send(());
        };
        client.framework.push(&*client.transport, Box::new(closure));
        self.run_until_cancelled(receiver).await?.map_err(|_| Cancelled::new())
    }

    /// Runs `start` on the framework thread, and `stop` there with what it gave when the guard goes: at the end of the
    /// handler's block, by `?`, when the call is cancelled, or when the handler panics. In each case `stop` has run
    /// before the call is reported as ended.
    ///
    /// Should the game give up its framework thread before that, the state is dropped without `stop`.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if the call was cancelled before `start` ran, or the plugin is unloading.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use xivmcp_client::{McpCall, McpToolError, TestCall};
    ///
    /// async fn walk(call: McpCall, log: Arc<Mutex<Vec<&'static str>>>) -> Result<u32, McpToolError> {
    ///     let stopped = log.clone();
    ///     let walking = call
    ///         .framework_guard(|| 0, move |_steps| stopped.lock().unwrap().push("stopped"))
    ///         .await?;
    ///     call.next_frame().await?;
    ///     let steps = walking.with(|steps| { *steps += 2; *steps }).await?;
    ///     log.lock().unwrap().push("walked");
    ///     Ok(steps)
    /// }
    ///
    /// let log = Arc::new(Mutex::new(Vec::new()));
    /// let test = TestCall::new("myplugin_walk");
    /// assert_eq!(test.run(walk(test.call(), log.clone())), Ok(2));
    /// assert_eq!(*log.lock().unwrap(), ["walked", "stopped"]);
    /// ```
    pub async fn framework_guard<S: Send + 'static>(
        &self,
        start: impl FnOnce() -> S + Send + 'static,
        stop: impl FnOnce(S) + Send + 'static,
    ) -> Result<FrameworkGuard<S>, Cancelled> {
        self.guarded(move || Ok::<_, Infallible>(start()), stop).await.map(|Ok(guard)| guard)
    }

    /// As [`framework_guard`](Self::framework_guard), with a `start` that can fail. `stop` does not run then.
    ///
    /// # Errors
    ///
    /// The error of `start`, as `?` makes it one of the tool; also the cancellation, as there.
    ///
    /// ```
    /// use xivmcp_client::TestCall;
    ///
    /// let test = TestCall::new("myplugin_farm");
    /// let call = test.call();
    /// let started = test.run(call.try_framework_guard(|| Err::<(), _>("You are in combat."), |()| ()));
    /// assert_eq!(started.unwrap_err().message(), "You are in combat.");
    /// ```
    pub async fn try_framework_guard<S: Send + 'static, E: Into<McpToolError> + Send + 'static>(
        &self,
        start: impl FnOnce() -> Result<S, E> + Send + 'static,
        stop: impl FnOnce(S) + Send + 'static,
    ) -> Result<FrameworkGuard<S>, McpToolError> {
        self.guarded(start, stop).await?.map_err(Into::into)
    }

    async fn guarded<S: Send + 'static, E: Send + 'static>(
        &self,
        start: impl FnOnce() -> Result<S, E> + Send + 'static,
        stop: impl FnOnce(S) + Send + 'static,
    ) -> Result<Result<FrameworkGuard<S>, E>, Cancelled> {
        self.check_cancelled()?;
        let call = self.clone();
        self.on_framework_thread(move || {
            // Asked again, because frames may have passed.
            call.check_cancelled()?;
            Ok(start().map(|state| {
                let slot = Slot { state: State::Free(state), stop: Some(Box::new(stop)), stop_after_use: false };
                FrameworkGuard { slot: Arc::new(Mutex::new(slot)), call }
            }))
        })
        .await?
    }
}

/// Where a guard's state is.
enum State<S> {
    Free(S),
    /// `with` works on it, further up the framework thread's stack.
    InUse,
    /// `stop` has it, or had it.
    Stopped,
}

struct Slot<S> {
    state: State<S>,
    /// Taken when the guard goes.
    stop: Option<Box<dyn FnOnce(S) + Send>>,
    /// The guard went while the state was in use: whoever uses it stops it afterwards.
    stop_after_use: bool,
}

/// Keeps something going that belongs to the framework thread, until it is dropped. See
/// [`McpCall::framework_guard`].
///
/// ```
/// use xivmcp_client::{McpCall, McpToolError, TestCall};
///
/// async fn farm(call: McpCall) -> Result<u32, McpToolError> {
///     let farming = call.framework_guard(|| 0_u32, |_kills| ()).await?;
///     Ok(farming.with(|kills| { *kills += 1; *kills }).await?)
/// }
///
/// let test = TestCall::new("myplugin_farm");
/// assert_eq!(test.run(farm(test.call())), Ok(1));
/// ```
#[must_use = "dropping the guard stops at once what was just started"]
pub struct FrameworkGuard<S: Send + 'static> {
    slot: Arc<Mutex<Slot<S>>>,
    call: McpCall,
}

fn lock<S>(slot: &Mutex<Slot<S>>) -> MutexGuard<'_, Slot<S>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: Send + 'static> FrameworkGuard<S> {
    /// Runs `work` on the framework thread, with what was started, and gives its value.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if the call was cancelled before, or the plugin is unloading. `work` has then not run.
    ///
    /// # Panics
    ///
    /// With the panic of `work`, after which the guard's `stop` still runs.
    ///
    /// ```
    /// # use xivmcp_client::TestCall;
    /// let test = TestCall::new("myplugin_farm");
    /// let call = test.call();
    /// test.run(async {
    ///     let farm = call.framework_guard(|| 7, |_kills| ()).await?;
    ///     assert_eq!(farm.with(|kills| *kills).await?, 7);
    ///     Ok::<_, xivmcp_client::Cancelled>(())
    /// })
    /// .unwrap();
    /// ```
    pub async fn with<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut S) -> R + Send + 'static,
    ) -> Result<R, Cancelled> {
        self.call.check_cancelled()?;
        let slot = self.slot.clone();
        let call = self.call.state.clone();
        self.call.on_framework_thread(move || use_state(&slot, &call, work)).await?
    }

    /// Stops it now, and waits until that is done.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] if the framework thread will not run `stop` any more: the plugin is unloading.
    ///
    /// ```
    /// # use xivmcp_client::TestCall;
    /// let test = TestCall::new("myplugin_farm");
    /// let call = test.call();
    /// let kills = test.run(async {
    ///     let (sender, kills) = std::sync::mpsc::channel();
    ///     let farm = call.framework_guard(|| 7, move |kills| sender.send(kills).unwrap()).await?;
    ///     farm.stop().await?;
    ///     Ok::<_, xivmcp_client::Cancelled>(kills.try_recv())
    /// });
    /// assert_eq!(kills, Ok(Ok(7)));
    /// ```
    pub async fn stop(self) -> Result<(), Cancelled> {
        let call = self.call.clone();
        call.on_framework_thread(move || drop(self)).await
    }
}

/// On the framework thread only.
fn use_state<S, R>(slot: &Mutex<Slot<S>>, call: &CallState, work: impl FnOnce(&mut S) -> R) -> Result<R, Cancelled> {
    let mut state = {
        let mut slot = lock(slot);
        match std::mem::replace(&mut slot.state, State::InUse) {
            State::Free(state) => state,
            // A `with` inside a `with`, or one that was queued before the stop.
            other => {
                slot.state = other;
                return Err(Cancelled::new());
            }
        }
    };
    let done = caught_for_later(|| work(&mut state));
    let stop_now = {
        let mut slot = lock(slot);
        slot.state = State::Free(state);
        slot.stop_after_use
    };
    if stop_now {
        stop_state(slot, call);
    }
    Ok(done.unwrap_or_else(|panic| panic.go_on()))
}

impl<S: Send + 'static> Drop for FrameworkGuard<S> {
    fn drop(&mut self) {
        let client = &self.call.state.client;
        let slot = self.slot.clone();
        let ticket = self.call.state.ticket();
        let stop = move || stop_state(&slot, ticket.call());
        if client.transport.is_framework_thread() {
            stop();
        } else {
            client.framework.push(&*client.transport, Box::new(stop));
        }
    }
}

/// On the framework thread only.
fn stop_state<S>(slot: &Mutex<Slot<S>>, call: &CallState) {
    let (state, stop) = {
        let mut slot = lock(slot);
        if let State::InUse = slot.state {
            slot.stop_after_use = true;
            return;
        }
        (std::mem::replace(&mut slot.state, State::Stopped), slot.stop.take())
    };
    if let (State::Free(state), Some(stop)) = (state, stop)
        && let Err(panic) = caught(|| call.inside(|| stop(state)))
    {
        tracing::error!(tool = &*call.tool, call = &*call.id, panic, "the stop of a framework guard panicked");
    }
}

impl<S: Send + 'static> fmt::Debug for FrameworkGuard<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameworkGuard").field("call", &self.call).finish_non_exhaustive()
    }
}
