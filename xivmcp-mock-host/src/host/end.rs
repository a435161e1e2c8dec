//! The end of a host: everything is unloaded, and what nobody has seen yet fails the test.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::MockHost;
use super::builtin::collect_builtin_calls;
use super::world::World;
use crate::core::PendingCounts;
use crate::engine::Engine;

/// How long the end of a live host waits for the framework thread: a plugin may hold it for good.
const FRAMEWORK_LIMIT: Duration = Duration::from_secs(5);

impl MockHost {
    /// Ends the host and checks everything. Dropping it does the same; this says it in the test.
    ///
    /// # Panics
    ///
    /// If something is wrong that the test has not seen, see [`MockHost`].
    ///
    /// ```
    /// # use std::panic::{AssertUnwindSafe, catch_unwind};
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// host.builtin("get_inventory").expect_calls(1);           // which does not come
    /// let failed = catch_unwind(AssertUnwindSafe(|| host.finish())).unwrap_err();
    /// assert!(failed.downcast_ref::<String>().unwrap().contains("get_inventory should have been called 1 times"));
    /// ```
    #[track_caller]
    pub fn finish(self) {
        self.ended.store(true, Ordering::Relaxed);
        let problems = end(&self.world);
        if !problems.is_empty() {
            fail(&self.world, &problems);
        }
    }
}

impl MockHost {
    /// Ends the host. Gives what is wrong, for those who tell it otherwise than by a panic.
    #[cfg(feature = "server")]
    pub(crate) fn end(&self) -> Vec<String> {
        self.ended.store(true, Ordering::Relaxed);
        end(&self.world)
    }
}

impl Drop for MockHost {
    fn drop(&mut self) {
        if self.ended.load(Ordering::Relaxed) {
            return;
        }
        if !std::thread::panicking() {
            let problems = end(&self.world);
            if !problems.is_empty() {
                fail(&self.world, &problems);
            }
            return;
        }
        // The test has failed: that is what it is about. It gets the traffic, unless the failure has shown it, and
        // what else is known; the end itself must not make it worse.
        let told = self.world.was_told();
        let problems = catch_unwind(AssertUnwindSafe(|| end(&self.world))).unwrap_or_default();
        if !told {
            eprintln!("{}", self.world.background());
        }
        for problem in problems {
            eprintln!("also: {problem}");
        }
    }
}

#[track_caller]
fn fail(world: &World, problems: &[String]) -> ! {
    world.fail(&format!("at the end of the host:\n  {}", problems.join("\n  ")))
}

/// Unloads everything; what is wrong, as sentences.
fn end(world: &Arc<World>) -> Vec<String> {
    let mut problems = Vec::new();
    world.settle();
    collect_builtin_calls(world);
    let running = world.driver.running();
    let stand_ins = world.stand_ins().clone();
    let book = world.builtins();
    let expects = book.expects() || stand_ins.iter().any(|stand_in| stand_in.expects());
    if expects && !running.is_empty() {
        let tools: Vec<&str> = running.iter().map(|cell| &*cell.tool).collect();
        problems.push(format!(
            "the test expects calls of tools, but ended while something still ran ({}): what it would have \
             called is not known",
            tools.join(", ")
        ));
    }
    problems.extend(book.unmet());
    if world.is_strict() {
        problems.extend(book.unscripted());
    }
    drop(book);
    problems.extend(stand_ins.iter().flat_map(|stand_in| stand_in.unmet(world.is_strict())));
    stand_ins.iter().for_each(|stand_in| stand_in.stop());
    world.stand_ins().clear();

    let plugins: Vec<_> = world.plugins().iter().rev().cloned().collect();
    for plugin in plugins {
        plugin.unload(world);
    }
    world.settle();
    let driver = Arc::clone(&world.driver);
    let unloaded = world.engine.on_framework_within(FRAMEWORK_LIMIT, move || driver.unload());
    world.settle();
    let stuck = unloaded.is_err();
    match unloaded {
        Ok(_) => {
            let left = world.driver.lock().pending();
            if left != PendingCounts::default() {
                problems.push(format!("the host was unloaded, but still has something open: {left:?}"));
            }
        }
        Err(held) => problems.push(format!("XIV MCP could not be unloaded: {held}")),
    }
    match &*world.engine {
        Engine::Simulated(sim) => {
            for line in sim.end() {
                problems.push(format!("a handler never ended, although its plugin was unloaded: {line}"));
            }
        }
        Engine::Live(live) => {
            let limit = if stuck { Duration::ZERO } else { FRAMEWORK_LIMIT };
            let stopped = live.stop(limit);
            problems.extend(stopped.err().filter(|_| !stuck));
        }
    }
    problems.extend(world.reports.take_failures());
    problems
}
