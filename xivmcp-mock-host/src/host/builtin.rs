//! Scripting the host's own tools: what they answer, how long it takes, and what they were called with.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use xivmcp_protocol::JsonText;

use super::world::World;
use crate::core::{BuiltinCall, BuiltinScript};
use crate::recent::Recent;

/// What the tests said about the host's own tools, and their calls so far.
#[derive(Default)]
pub(crate) struct BuiltinBook {
    scripts: BTreeMap<String, BuiltinScript>,
    calls: Recent<BuiltinCall>,
    expected: BTreeMap<String, usize>,
}

impl BuiltinBook {
    /// Calls by plugins of tools that nobody scripted, as sentences. The step `wait` needs no script.
    pub(crate) fn unscripted(&self) -> Vec<String> {
        let unscripted = |call: &&BuiltinCall| {
            call.caller.starts_with("plugin:") && call.tool != "wait" && !self.scripts.contains_key(&call.tool)
        };
        let calls = self.calls.iter().filter(unscripted);
        calls
            .map(|call| {
                let (caller, args) = (&call.caller, call.args.get());
                format!("{} was called with {args} by {caller}, and the test has not scripted it", call.tool)
            })
            .collect()
    }

    /// Expectations that do not hold, as sentences.
    pub(crate) fn unmet(&self) -> Vec<String> {
        let unmet = self.expected.iter().filter_map(|(tool, expected)| {
            let came: Vec<&BuiltinCall> = self.calls.iter().filter(|call| call.tool == *tool).collect();
            (came.len() != *expected).then(|| {
                let args: Vec<String> = came.iter().map(|call| format!("\n    {}", call.args.get())).collect();
                format!("{tool} should have been called {expected} times, it was {}{}", came.len(), args.concat())
            })
        });
        unmet.collect()
    }

    /// Whether anything was expected.
    pub(crate) fn expects(&self) -> bool {
        !self.expected.is_empty()
    }
}

/// One of the host's own tools, from [`MockHost::builtin`](crate::MockHost::builtin). Unscripted, it answers an empty
/// object at once.
///
/// ```
/// use std::time::Duration;
/// use serde_json::json;
/// use xivmcp_mock_host::MockHost;
///
/// let host = MockHost::simulated();
/// host.builtin("navigate_to").returns(json!({"arrived": true})).takes(Duration::from_secs(30));
/// host.player().set_group_write("game_navigation", "allow");
///
/// let walk = host.assistant().call("navigate_to", json!({"place": "bell"}));
/// assert!(walk.is_running());
/// host.advance(Duration::from_secs(30));
/// assert_eq!(walk.expect_result(), json!({"arrived": true}));
/// assert_eq!(host.builtin("navigate_to").calls()[0].args.get(), r#"{"place":"bell"}"#);
/// ```
#[derive(Clone)]
pub struct Builtin {
    world: Arc<World>,
    tool: String,
}

impl Builtin {
    pub(crate) fn new(world: &Arc<World>, tool: &str) -> Self {
        Self { world: Arc::clone(world), tool: tool.to_owned() }
    }

    #[track_caller]
    fn change(&self, change: impl FnOnce(&mut BuiltinScript)) {
        let mut script = {
            let book = self.world.builtins();
            book.scripts.get(&self.tool).cloned()
        }
        .unwrap_or_else(|| BuiltinScript::new(Ok(to_json(&serde_json::json!({}))), Duration::ZERO));
        change(&mut script);
        self.world.builtins().scripts.insert(self.tool.clone(), script.clone());
        if let Err(error) = self.world.act(|core, _| core.script_builtin(&self.tool, Some(script))) {
            self.world.fail(&format!("cannot script {}: {error}", self.tool));
        }
    }

    /// From now on it answers `result`.
    ///
    /// # Panics
    ///
    /// If the host has no such tool, or `result` cannot be JSON.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use serde_json::json;
    /// host.builtin("get_inventory").returns(json!({"free": 12}));
    /// assert_eq!(host.assistant().call("get_inventory", ()).expect_result()["free"], 12);
    /// ```
    #[track_caller]
    pub fn returns(self, result: impl Serialize) -> Self {
        let text = to_json(&result);
        self.change(|script| script.answer = Ok(text));
        self
    }

    /// From now on it fails with `message`.
    ///
    /// # Panics
    ///
    /// If the host has no such tool.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.builtin("get_inventory").fails("Nobody is logged in.");
    /// assert_eq!(host.assistant().call("get_inventory", ()).expect_error(), "Nobody is logged in.");
    /// ```
    #[track_caller]
    pub fn fails(self, message: impl Into<String>) -> Self {
        let message = message.into();
        self.change(|script| script.answer = Err(message));
        self
    }

    /// From now on it takes so long to answer.
    ///
    /// # Panics
    ///
    /// If the host has no such tool.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.builtin("get_inventory").takes(std::time::Duration::from_secs(3));
    /// assert!(host.assistant().call("get_inventory", ()).is_running());
    /// ```
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "the script is set; the return value is for chaining")]
    pub fn takes(self, duration: Duration) -> Self {
        self.change(|script| script.takes = duration);
        self
    }

    /// The test fails unless it was called exactly so often when the host is finished or dropped. Only calls that
    /// are kept count.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.builtin("get_inventory").expect_calls(1);
    /// host.assistant().call("get_inventory", ());
    /// ```
    #[expect(clippy::must_use_candidate, reason = "the expectation is set; the return value is for chaining")]
    pub fn expect_calls(self, count: usize) -> Self {
        self.world.builtins().expected.insert(self.tool.clone(), count);
        self
    }

    /// Its calls so far, oldest first; of all the host's tools together the last 100,000 are kept.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.assistant().call("get_inventory", serde_json::json!({"bag": 1}));
    /// let calls = host.builtin("get_inventory").calls();
    /// assert_eq!((calls[0].caller.as_str(), calls[0].args.get()), ("assistant", r#"{"bag":1}"#));
    /// ```
    #[must_use]
    pub fn calls(&self) -> Vec<BuiltinCall> {
        self.world.settle();
        collect_builtin_calls(&self.world);
        let book = self.world.builtins();
        book.calls.iter().filter(|call| call.tool == self.tool).cloned().collect()
    }
}

/// Moves the calls that the core noted into the book.
pub(crate) fn collect_builtin_calls(world: &World) {
    let calls = world.driver.operate(|core, _| core.take_builtin_calls());
    let mut book = world.builtins();
    for call in calls {
        let _oldest = book.calls.push(call);
    }
}

/// `value` as JSON text.
#[track_caller]
pub(crate) fn to_json(value: &impl Serialize) -> JsonText {
    match JsonText::from_serialize(value) {
        Ok(text) => text,
        Err(error) => panic!("this cannot be JSON: {error}"),
    }
}
