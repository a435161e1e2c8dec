//! A call of the assistant that runs, and its end.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::world::World;
use crate::bus::Clock;
use crate::core::Outcome;
use crate::driver::CallCell;
use crate::engine::Engine;

/// How long, in real time, an `.await` that nothing in the simulation can end leaves other code to end it.
const PATIENCE: Duration = Duration::from_secs(2);

/// A call that was started, from [`Assistant::call`](crate::Assistant::call). Dropping it leaves the call running.
///
/// Wait for it with [`wait`](Self::wait) in a plain test, or with `.await` under any executor. In a simulation both let
/// virtual time jump, but only when nothing can run.
///
/// ```
/// use std::time::Duration;
/// use serde_json::json;
/// use xivmcp_client::{McpCall, McpCapabilities, McpToolDefinition, XivMcpClient};
/// use xivmcp_mock_host::{Answer, MockHost};
///
/// let host = MockHost::simulated();
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     let definition = McpToolDefinition::new("myplugin_rest", "Rests.").capabilities([McpCapabilities::GameUi]);
///     client.add_long_running_tool(definition, async |call: McpCall| {
///         call.sleep(Duration::from_secs(3600)).await?;
///         Ok("rested")
///     })
/// });
/// host.player().enable(&plugin);
/// host.player().answer_all(Answer::Once);
///
/// let call = host.assistant().call("myplugin_rest", json!({}));
/// assert!(call.is_running());
/// assert_eq!(call.wait().expect_result(), "rested");       // an hour later
///
/// let call = host.assistant().call("myplugin_rest", json!({}));
/// call.give_up();
/// call.expect_cancelled();
/// ```
pub struct PendingCall {
    world: Arc<World>,
    cell: Arc<CallCell>,
    /// The simulation's count of events when this was last polled and nothing could run.
    seen: Option<u64>,
    stuck_since: Option<Instant>,
}

impl PendingCall {
    pub(crate) fn new(world: &Arc<World>, cell: Arc<CallCell>) -> Self {
        Self { world: Arc::clone(world), cell, seen: None, stuck_since: None }
    }

    /// The call's id.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.assistant().call("get_inventory", ()).id().len(), 32);
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        self.cell.id.as_str()
    }

    /// How it ended; nothing while it runs.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().call("get_inventory", ()).outcome().is_some());
    /// ```
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.world.settle();
        self.cell.outcome()
    }

    /// Whether it still runs.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(!host.assistant().call("get_inventory", ()).is_running());
    /// ```
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.outcome().is_none()
    }

    /// Waits for its end.
    ///
    /// # Panics
    ///
    /// If it never ends: in a simulation when nothing can run and no timer is set, or after 8 days; in a live host
    /// after 30 s. The message says who waits for what.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// let outcome = host.assistant().call("no_such_tool", ()).wait();
    /// assert!(outcome.error().unwrap().contains("no_such_tool"));
    /// ```
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "waiting is the point for some")]
    pub fn wait(&self) -> Outcome {
        let waited = self.world.wait_for(&self.cell);
        match (waited, self.cell.outcome()) {
            (_, Some(outcome)) => outcome,
            (Err(why), None) => self.world.fail(&format!("{} does not end: {why}", self.what())),
            (Ok(()), None) => self.world.fail(&format!("{} does not end", self.what())),
        }
    }

    /// The app gives up (R-CALL-9). The call ends when its plugin says so, or after two minutes.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.builtin("get_inventory").takes(std::time::Duration::from_secs(60));
    /// let call = host.assistant().call("get_inventory", ());
    /// call.give_up();
    /// call.expect_cancelled();
    /// ```
    pub fn give_up(&self) {
        self.world.act(|core, now| core.assistant_give_up(now, &self.cell.id));
    }

    /// Waits, and gives the result.
    ///
    /// # Panics
    ///
    /// If it ends in another way, or not at all.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.assistant().call("get_inventory", ()).expect_result(), serde_json::json!({}));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn expect_result(&self) -> Value {
        match self.wait() {
            Outcome::Result(text) => serde_json::from_str(text.get()).unwrap_or(Value::Null),
            other => self.wrong("a result", &other),
        }
    }

    /// Waits, and gives the error's text.
    ///
    /// # Panics
    ///
    /// If it ends in another way, or not at all.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().call("no_such_tool", ()).expect_error().contains("no_such_tool"));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn expect_error(&self) -> String {
        match self.wait() {
            Outcome::Error(text) | Outcome::UnknownTool(text) => text,
            other => self.wrong("an error", &other),
        }
    }

    /// Waits until it has ended as cancelled.
    ///
    /// # Panics
    ///
    /// If it ends in another way, or not at all.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.builtin("get_inventory").takes(std::time::Duration::from_secs(60));
    /// let call = host.assistant().call("get_inventory", ());
    /// call.give_up();
    /// call.expect_cancelled();
    /// ```
    #[track_caller]
    pub fn expect_cancelled(&self) {
        match self.wait() {
            Outcome::Cancelled => {}
            other => self.wrong("cancelled", &other),
        }
    }

    /// Checks that it runs.
    ///
    /// # Panics
    ///
    /// If it has ended.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.builtin("get_inventory").takes(std::time::Duration::from_secs(60));
    /// host.assistant().call("get_inventory", ()).expect_running();
    /// ```
    #[track_caller]
    pub fn expect_running(&self) {
        if let Some(outcome) = self.outcome() {
            self.wrong("still running", &outcome);
        }
    }

    #[track_caller]
    fn wrong(&self, expected: &str, came: &Outcome) -> ! {
        self.world.fail(&format!("{}\n  expected: {expected}\n      came: {came}", self.what()))
    }

    fn what(&self) -> String {
        let since = Clock(self.cell.since.since(self.world.engine.start()));
        format!("the call of {} (since {since})", self.cell.tool)
    }

    /// Nothing in the simulation can end it; other code of the test may.
    fn stuck(&mut self, context: &Context<'_>) {
        match self.stuck_since {
            Some(since) if since.elapsed() >= PATIENCE => {
                let why = self.world.stuck();
                self.world.fail(&format!("{} does not end: {why}", self.what()));
            }
            Some(_) => {}
            None => {
                self.stuck_since = Some(Instant::now());
                let waker = context.waker().clone();
                std::thread::spawn(move || {
                    std::thread::sleep(PATIENCE);
                    waker.wake();
                });
            }
        }
    }
}

impl Future for PendingCall {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        if let Some(outcome) = self.cell.outcome_or_wake(context.waker()) {
            return Poll::Ready(outcome);
        }
        let engine = Arc::clone(&self.world.engine);
        let Engine::Simulated(sim) = &*engine else { return Poll::Pending };
        if !sim.is_outside() {
            return Poll::Pending; // polled by the simulation itself, which goes on
        }
        sim.settle();
        if let Some(outcome) = self.cell.outcome() {
            return Poll::Ready(outcome);
        }
        // Nothing can run. What else the test awaits gets its turn before time jumps.
        let epoch = sim.epoch();
        if self.seen != Some(epoch) {
            (self.seen, self.stuck_since) = (Some(epoch), None);
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if !sim.jump_once() {
            sim.observe(context.waker());
            self.stuck(context);
            return Poll::Pending;
        }
        if let Some(outcome) = self.cell.outcome() {
            return Poll::Ready(outcome);
        }
        self.seen = Some(sim.epoch());
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl fmt::Debug for PendingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCall")
            .field("id", &self.cell.id)
            .field("tool", &self.cell.tool)
            .field("outcome", &self.cell.outcome())
            .finish_non_exhaustive()
    }
}

impl Outcome {
    /// The result as JSON; nothing if it ended in another way.
    ///
    /// ```
    /// # use xivmcp_mock_host::Outcome;
    /// assert_eq!(Outcome::Cancelled.result(), None);
    /// ```
    #[must_use]
    pub fn result(&self) -> Option<Value> {
        match self {
            Self::Result(text) => serde_json::from_str(text.get()).ok(),
            _ => None,
        }
    }

    /// The error's text; nothing if it ended in another way.
    ///
    /// ```
    /// # use xivmcp_mock_host::Outcome;
    /// assert_eq!(Outcome::Error("No.".to_owned()).error(), Some("No."));
    /// ```
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Error(text) | Self::UnknownTool(text) => Some(text),
            _ => None,
        }
    }

    /// The result.
    ///
    /// # Panics
    ///
    /// If it ended in another way.
    ///
    /// ```
    /// # use xivmcp_mock_host::Outcome;
    /// # let text = xivmcp_client::JsonText::parse("7").unwrap();
    /// assert_eq!(Outcome::Result(text).expect_result(), 7);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn expect_result(&self) -> Value {
        self.result().unwrap_or_else(|| panic!("expected a result, came: {self}"))
    }

    /// The error's text.
    ///
    /// # Panics
    ///
    /// If it ended in another way.
    ///
    /// ```
    /// # use xivmcp_mock_host::Outcome;
    /// assert_eq!(Outcome::Error("No.".to_owned()).expect_error(), "No.");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn expect_error(&self) -> &str {
        self.error().unwrap_or_else(|| panic!("expected an error, came: {self}"))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result(text) => write!(f, "the result {}", text.get()),
            Self::Error(text) | Self::UnknownTool(text) => write!(f, "the error {text:?}"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}
