//! Time and threads of the host, as the test moves them.

use std::time::Duration;

use super::MockHost;
use super::world::World;
use crate::core::Time;
use crate::engine::Engine;

impl MockHost {
    /// Lets time pass: everything that is due runs, in order. A live host sleeps.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.advance(std::time::Duration::from_secs(90));
    /// assert_eq!(host.now().to_string(), "2026-01-01T00:01:30Z");
    /// ```
    pub fn advance(&self, span: Duration) {
        match &*self.world.engine {
            Engine::Simulated(sim) => sim.advance(span),
            Engine::Live(_) => std::thread::sleep(span),
        }
    }

    /// Runs everything that can run without time passing. Every method of the host does that by itself; this is for
    /// tests that do something past it. In a live host it does nothing.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    /// use xivmcp_client::ipc::IpcTransport;
    ///
    /// let ran = Arc::new(AtomicBool::new(false));
    /// let flag = ran.clone();
    /// let transport = host.install("Cat").transport();
    /// transport.run_on_next_update(Box::new(move || flag.store(true, Ordering::Relaxed))); // past the host
    /// host.settle();
    /// assert!(ran.load(Ordering::Relaxed));
    /// ```
    pub fn settle(&self) {
        self.world.settle();
    }

    /// Waits until `done`. In a simulation time jumps, but only when nothing can run.
    ///
    /// # Panics
    ///
    /// If it never will be so: in a simulation when nothing can run and no timer is set, or after 8 days; in a live
    /// host after 30 s.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.wait_until(|| host.job(&job).state() == "completed");
    /// assert_eq!(host.elapsed().as_secs(), 9);
    /// ```
    #[track_caller]
    pub fn wait_until(&self, mut done: impl FnMut() -> bool) {
        if let Err(why) = self.world.wait_until(&mut done) {
            self.world.fail(&format!("what the test waits for does not happen: {why}"));
        }
    }

    /// What happens inside `acts` happens at one moment: plugins run only afterwards, in the order of the seed. In a
    /// live host it makes no difference.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// let (bags, status) = host.at_once(|| {
    ///     (host.assistant().call("get_inventory", ()), host.assistant().call("get_game_status", ()))
    /// });
    /// assert!(bags.wait().result().is_some() && status.wait().result().is_some());
    /// ```
    pub fn at_once<R>(&self, acts: impl FnOnce() -> R) -> R {
        struct Release<'a>(&'a World);
        impl Drop for Release<'_> {
            fn drop(&mut self) {
                if let Engine::Simulated(sim) = &*self.0.engine {
                    sim.hold(false);
                }
            }
        }
        self.world.settle();
        if let Engine::Simulated(sim) = &*self.world.engine {
            sim.hold(true);
        }
        let release = Release(&self.world);
        let result = acts();
        drop(release);
        self.world.settle();
        result
    }

    /// Runs `work` on the framework thread, and gives what it gives.
    ///
    /// # Panics
    ///
    /// As `work` does; and in a live host, if its turn does not come within 30 seconds, since a plugin holds that thread.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # use xivmcp_client::ipc::IpcTransport;
    /// # let transport = host.install("Dog").transport();
    /// assert!(host.on_framework(move || transport.is_framework_thread()));
    /// ```
    pub fn on_framework<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> R {
        self.world.settle();
        let result = self.world.engine.on_framework(work);
        self.world.settle();
        result
    }

    /// What the host's clock shows.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.now().to_string(), "2026-01-01T00:00:00Z");
    /// ```
    #[must_use]
    pub fn now(&self) -> Time {
        self.world.engine.now()
    }

    /// Time since the host was made.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.elapsed().is_zero());
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.world.engine.elapsed()
    }
}
