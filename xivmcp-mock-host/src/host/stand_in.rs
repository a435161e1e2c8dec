//! Another plugin, played by the test: its tools answer as scripted, and their calls are recorded.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures::future::{AbortHandle, abortable};
use serde::Serialize;
use serde_json::json;
use xivmcp_client::ipc::{IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue};
use xivmcp_client::runtime::Runtime;
use xivmcp_protocol::{HostGate, JsonText, PluginGate, ToolDefinition};

use super::builtin::to_json;
use super::raw_plugin::RawPlugin;
use super::world::World;
use crate::bus::MockTransport;
use crate::core::Time;
use crate::recent::Recent;

/// A call of a stand-in's tool.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
/// # let purr = cat.offers(purr).returns("purr");
/// # host.player().enable(&cat);
/// # host.player().set_mode(&cat, "game_ui", "allow");
/// host.assistant().call("cat_purr", ());
/// assert_eq!(cat.calls()[0].tool, "cat_purr");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StandInCall {
    /// When it was invoked.
    pub time: Time,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: JsonText,
}

/// Another plugin that the test plays, from [`MockHost::stand_in`](crate::MockHost::stand_in).
///
/// It registers what it [`offers`](Self::offers), again whenever the host loads. The player must enable it, like any
/// plugin.
///
/// ```
/// use std::time::Duration;
/// use serde_json::json;
/// use xivmcp_client::McpToolDefinition;
/// use xivmcp_mock_host::MockHost;
///
/// let host = MockHost::simulated();
/// let teller = host.stand_in("Teller");
/// let tell = teller.offers(McpToolDefinition::new("teller_tell", "Tells.").read_only(true));
/// tell.returns(json!({"told": 3})).takes(Duration::from_secs(5)).expect_calls(1);
/// host.player().enable(&teller);
///
/// let call = host.assistant().call("teller_tell", json!({"text": "Hi"}));
/// call.expect_running();
/// assert_eq!(call.expect_result(), json!({"told": 3}));
/// assert_eq!(teller.calls()[0].args.get(), r#"{"text":"Hi"}"#);
/// ```
#[derive(Clone)]
pub struct StandIn {
    raw: RawPlugin,
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    world: Weak<World>,
    transport: MockTransport,
    runtime: Arc<dyn Runtime>,
    book: Mutex<Book>,
    guards: Mutex<Vec<IpcGuard>>,
    /// The calls that take time, by id.
    running: Mutex<BTreeMap<String, AbortHandle>>,
}

#[derive(Default)]
struct Book {
    /// In the order in which they were offered.
    offered: Vec<(String, String)>,
    scripts: BTreeMap<String, Script>,
    expected: BTreeMap<String, usize>,
    calls: Recent<StandInCall>,
}

#[derive(Clone)]
struct Script {
    answer: Result<JsonText, String>,
    takes: Duration,
    /// Whether the test has said what it answers.
    said: bool,
}

impl StandIn {
    pub(super) fn new(world: &Arc<World>, raw: RawPlugin) -> Self {
        let transport = raw.transport();
        let runtime = world.engine.runtime(&transport.internal_name().into());
        let inner = Arc::new(Inner {
            world: Arc::downgrade(world),
            transport,
            runtime,
            book: Mutex::default(),
            guards: Mutex::default(),
            running: Mutex::default(),
        });
        inner.provide();
        world.stand_ins().push(Arc::clone(&inner));
        Self { raw, inner }
    }

    /// The internal name.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.stand_in("Cat").name(), "Cat");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        self.raw.name()
    }

    /// Registers a tool. Until it is scripted it answers an empty object at once.
    ///
    /// # Panics
    ///
    /// If the host refuses the definition, with the host's words.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::McpToolDefinition;
    ///
    /// let cat = host.stand_in("Cat");
    /// cat.offers(McpToolDefinition::new("cat_purr", "Purrs.").read_only(true)).returns("purr");
    /// cat.offers(McpToolDefinition::new("cat_nap", "Naps.").read_only(true));
    /// host.player().enable(&cat);
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// assert_eq!(host.assistant().call("cat_nap", ()).expect_result(), serde_json::json!({}));
    /// ```
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "an unscripted tool is one too")]
    #[expect(clippy::needless_pass_by_value, reason = "a definition is written where it is offered")]
    pub fn offers(&self, definition: ToolDefinition) -> ScriptedTool {
        let tool = definition.name.clone();
        let text = to_json(&definition).into_string();
        let reply = self.raw.gate("RegisterTool", &[self.name().into(), text.clone().into()]);
        assert!(reply["ok"] == true, "{} cannot offer {tool}: {}", self.name(), reply["error"]);
        let mut book = self.inner.book();
        book.offered.retain(|(name, _)| *name != tool);
        book.offered.push((tool.clone(), text));
        drop(book);
        ScriptedTool { inner: Arc::clone(&self.inner), tool }
    }

    /// What was called so far, oldest first; the last 100,000 calls.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// host.assistant().call("cat_purr", serde_json::json!({"loud": true}));
    /// let calls = cat.calls();
    /// assert_eq!((calls.len(), calls[0].args.get()), (1, r#"{"loud":true}"#));
    /// ```
    #[must_use]
    pub fn calls(&self) -> Vec<StandInCall> {
        if let Some(world) = self.inner.world.upgrade() {
            world.settle();
        }
        self.inner.book().calls.to_vec()
    }
}

impl AsRef<str> for StandIn {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Debug for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StandIn").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// A tool of a stand-in, from [`StandIn::offers`].
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
/// let purr = cat.offers(purr).fails("Not now.").takes(std::time::Duration::from_secs(2));
/// host.player().enable(&cat);
/// assert_eq!(host.assistant().call("cat_purr", ()).expect_error(), "Not now.");
/// purr.returns("purr");                                      // from now on
/// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
/// assert_eq!(host.elapsed().as_secs(), 4);
/// ```
#[derive(Clone)]
pub struct ScriptedTool {
    inner: Arc<Inner>,
    tool: String,
}

impl ScriptedTool {
    fn change(&self, change: impl FnOnce(&mut Script)) {
        change(self.inner.book().scripts.entry(self.tool.clone()).or_insert_with(Script::unscripted));
    }

    /// From now on it answers `result`.
    ///
    /// # Panics
    ///
    /// If `result` cannot be JSON.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
    /// # let purr = cat.offers(purr);
    /// # host.player().enable(&cat);
    /// purr.returns(serde_json::json!({"loud": true}));
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result()["loud"], true);
    /// ```
    #[track_caller]
    pub fn returns(self, result: impl Serialize) -> Self {
        let text = to_json(&result);
        self.change(|script| (script.answer, script.said) = (Ok(text), true));
        self
    }

    /// From now on it fails with `message`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
    /// # let purr = cat.offers(purr);
    /// # host.player().enable(&cat);
    /// purr.fails("Not now.");
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_error(), "Not now.");
    /// ```
    pub fn fails(self, message: impl Into<String>) -> Self {
        let message = message.into();
        self.change(|script| (script.answer, script.said) = (Err(message), true));
        self
    }

    /// From now on it takes so long, unless it is cancelled; then it ends at once.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// # use std::time::Duration;
    /// purr.takes(Duration::from_secs(90));
    /// let call = host.assistant().call("cat_purr", ());
    /// host.advance(Duration::from_secs(89));
    /// call.expect_running();
    /// host.advance(Duration::from_secs(1));
    /// assert_eq!(call.expect_result(), "purr");
    /// ```
    #[expect(clippy::must_use_candidate, reason = "the script is set; the return value is for chaining")]
    pub fn takes(self, duration: Duration) -> Self {
        self.change(|script| script.takes = duration);
        self
    }

    /// The test fails unless it was called exactly so often when the host is finished or dropped. Only calls that
    /// are kept count.
    ///
    /// ```
    /// use std::panic::{AssertUnwindSafe, catch_unwind};
    /// # use xivmcp_client::McpToolDefinition;
    /// # use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// let cat = host.stand_in("Cat");
    /// cat.offers(McpToolDefinition::new("cat_purr", "Purrs.").read_only(true)).expect_calls(1);
    /// let failed = catch_unwind(AssertUnwindSafe(|| host.finish())).unwrap_err(); // nobody called it
    /// assert!(failed.downcast_ref::<String>().unwrap().contains("cat_purr"));
    /// ```
    #[expect(clippy::must_use_candidate, reason = "the expectation is set; the return value is for chaining")]
    pub fn expect_calls(self, count: usize) -> Self {
        self.inner.book().expected.insert(self.tool.clone(), count);
        self
    }
}

impl fmt::Debug for ScriptedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedTool").field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl Script {
    fn unscripted() -> Self {
        Self { answer: Ok(to_json(&json!({}))), takes: Duration::ZERO, said: false }
    }
}

impl Inner {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn provide(self: &Arc<Self>) {
        let name = self.transport.internal_name().to_owned();
        let invoked = Arc::downgrade(self);
        let signature = IpcSignature::new([IpcType::Text; 3], IpcType::Text);
        let invoke = self.transport.provide_function(
            &PluginGate::Invoke.name(&name),
            &signature,
            Arc::new(move |arguments| Ok(invoked.upgrade().map_or_else(String::new, |me| me.invoke(arguments)).into())),
        );
        let cancelled = Arc::downgrade(self);
        let cancel = self.transport.provide_action(
            &PluginGate::Cancel.name(&name),
            &[IpcType::Text],
            Arc::new(move |arguments| {
                if let (Some(me), Some(call)) = (cancelled.upgrade(), arguments.first().and_then(IpcValue::as_text)) {
                    me.end(call, &Err("The call was cancelled.".to_owned()));
                }
                Ok(())
            }),
        );
        let loaded = Arc::downgrade(self);
        let ready = self.transport.subscribe(
            HostGate::Ready.name(),
            &[],
            Arc::new(move |_| {
                if let Some(me) = loaded.upgrade() {
                    me.register();
                }
                Ok(())
            }),
        );
        let guards = [invoke, cancel, ready].into_iter().flatten();
        self.guards.lock().unwrap_or_else(PoisonError::into_inner).extend(guards);
    }

    fn register(&self) {
        let offered = self.book().offered.clone();
        for (_, definition) in offered {
            self.tell(HostGate::RegisterTool, self.transport.internal_name(), &definition);
        }
    }

    fn tell(&self, gate: HostGate, first: &str, second: &str) {
        // A host that is gone, or a call that has ended, wants no answer.
        let _ = self.transport.call_function(gate.name(), &[first.into(), second.into()], IpcType::Text);
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what takes time still, without an answer.
    pub(crate) fn stop(&self) {
        let running = std::mem::take(&mut *self.running());
        running.into_values().for_each(|timer| timer.abort());
    }

    fn end(&self, call: &str, answer: &Result<JsonText, String>) {
        let timer = self.running().remove(call);
        if let Some(timer) = timer {
            timer.abort();
        }
        match answer {
            Ok(result) => self.tell(HostGate::CompleteCall, call, result.get()),
            Err(message) => self.tell(HostGate::FailCall, call, message),
        }
    }

    fn invoke(self: &Arc<Self>, arguments: &[IpcValue]) -> String {
        let texts: Vec<&str> = arguments.iter().filter_map(IpcValue::as_text).collect();
        let [call, tool, args] = texts[..] else { return String::new() };
        let time = self.world.upgrade().map_or(Time::SIMULATION_START, |world| world.engine.now());
        let script = {
            let mut book = self.book();
            let args = JsonText::parse(args).unwrap_or_else(|_| JsonText::null());
            let _oldest = book.calls.push(StandInCall { time, tool: tool.to_owned(), args });
            book.scripts.get(tool).cloned().unwrap_or_else(Script::unscripted)
        };
        if script.takes.is_zero() {
            return match script.answer {
                Ok(result) => format!(r#"{{"result":{}}}"#, result.get()),
                Err(message) => json!({"error": message}).to_string(),
            };
        }
        let (me, call) = (Arc::downgrade(self), call.to_owned());
        let (sleep, timer) = abortable(self.runtime.sleep(script.takes));
        self.running().insert(call.clone(), timer);
        self.runtime.spawn(Box::pin(async move {
            if sleep.await.is_ok()
                && let Some(me) = me.upgrade()
            {
                me.end(&call, &script.answer);
            }
        }));
        r#"{"pending":true}"#.to_owned()
    }

    /// Expectations that do not hold, and in strict mode calls that nobody scripted, as sentences.
    pub(crate) fn unmet(&self, strict: bool) -> Vec<String> {
        let book = self.book();
        let name = self.transport.internal_name();
        let mut unmet = Vec::new();
        for (tool, expected) in &book.expected {
            let count = book.calls.iter().filter(|call| call.tool == *tool).count();
            if count != *expected {
                unmet.push(format!("{tool} of {name} should have been called {expected} times, it was {count}"));
            }
        }
        let unscripted = |call: &&StandInCall| !book.scripts.get(&call.tool).is_some_and(|script| script.said);
        for call in book.calls.iter().filter(unscripted).filter(|_| strict) {
            let args = call.args.get();
            unmet.push(format!("{} of {name} was called with {args}, and the test has not scripted it", call.tool));
        }
        unmet
    }

    /// Whether anything was expected.
    pub(crate) fn expects(&self) -> bool {
        !self.book().expected.is_empty()
    }
}
