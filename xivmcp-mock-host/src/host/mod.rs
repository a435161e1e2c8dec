//! The test API: [`MockHost`] and the handles that it gives.

pub(crate) mod assistant;
pub(crate) mod builtin;
pub(crate) mod dalamud;
pub(crate) mod end;
pub(crate) mod game;
pub(crate) mod job;
#[cfg(feature = "loader")]
mod library;
pub(crate) mod pending_call;
pub(crate) mod player;
pub(crate) mod plugin;
pub(crate) mod raw_plugin;
pub(crate) mod seeds;
pub(crate) mod stand_in;
pub(crate) mod world;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use xivmcp_client::{PluginContext, XivMcpClient};

use self::assistant::Assistant;
use self::builtin::Builtin;
use self::dalamud::Dalamud;
use self::game::Game;
use self::job::{AsJob, JobReport};
use self::player::Player;
use self::plugin::{Entry, Plugin, Slot, register_entry, whole_entry};
use self::raw_plugin::RawPlugin;
use self::stand_in::StandIn;
use self::world::World;
use crate::bus::TrafficEntry;
use crate::core::{AuditEntry, Lint, LintKind, PendingCounts, Time};
use crate::engine::Engine;

/// XIV MCP and Dalamud, for one test.
///
/// The [crate's documentation](crate) is the guide. The host starts loaded, with nobody installed and a character in
/// the game. When it is dropped it unloads its plugins and fails the test if something is wrong that nobody has seen:
/// a panic on a thread that it runs, a handler that never ends, an expectation that does not hold, a lint that the test
/// denied. It never hides a panic of the test itself.
#[must_use = "dropping the host ends it, and its plugins with it"]
pub struct MockHost {
    world: Arc<World>,
    ended: bool,
}

impl MockHost {
    /// A host in virtual time, with seed 0.
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// host.advance(Duration::from_secs(2 * 60));
    /// assert_eq!(host.elapsed(), Duration::from_secs(120));
    /// ```
    pub fn simulated() -> Self {
        Self::simulated_with_seed(0)
    }

    /// A host in virtual time. The seed decides what runs first where several things can; a run with the same seed is
    /// the same run.
    pub fn simulated_with_seed(seed: u64) -> Self {
        Self::started(World::simulated(seed))
    }

    /// A host in real time, with a framework thread of 60 updates a second. For plugins that bring their own threads.
    ///
    /// # Panics
    ///
    /// If the system starts no thread.
    pub fn live() -> Self {
        Self::started(World::live())
    }

    /// Everything in it, for the server.
    #[cfg(feature = "server")]
    pub(crate) fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Whether it runs in real time.
    #[cfg(feature = "server")]
    pub(crate) fn is_live(&self) -> bool {
        matches!(*self.world.engine, Engine::Live(_))
    }

    fn started(world: Arc<World>) -> Self {
        let session = game::session(world.driver.lock().game());
        world.services.set_session(session);
        Self { world, ended: false }
    }

    /// Installs and loads a plugin that is made of its registrations: `register` gets the plugin's client. It runs
    /// again at each [`reload`](Plugin::reload).
    ///
    /// # Panics
    ///
    /// If `register` fails.
    #[track_caller]
    pub fn load<E: fmt::Display>(
        &self,
        name: &str,
        register: impl Fn(&XivMcpClient) -> Result<(), E> + Send + Sync + 'static,
    ) -> Plugin {
        self.load_entry(name, register_entry(register))
    }

    /// Installs and loads a plugin by its own entry, the one it has in the game: what the entry gives lives until the
    /// plugin is unloaded, and is then dropped, not on the framework thread, as in the game. The entry runs again at each
    /// [`reload`](Plugin::reload).
    ///
    /// ```
    /// use xivmcp_client::PluginContext;
    /// use xivmcp_client::services::LogLevel;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// let plugin = host.load_plugin("MyPlugin", |context: PluginContext| {
    ///     context.services.log(LogLevel::Information, "Hello!");
    ///     let hello = context.services.clone();
    ///     context.services.add_command("/hello", "Says hello.", std::sync::Arc::new(move |_, whom| {
    ///         hello.print_chat(&format!("Hello, {whom}!"));
    ///     }))
    /// });
    /// host.dalamud().run_command("/hello you");
    /// assert_eq!(host.dalamud().chat()[0].text, "Hello, you!");
    /// plugin.unload();
    /// assert!(host.dalamud().commands().is_empty());
    /// ```
    ///
    /// # Panics
    ///
    /// If the entry fails.
    #[track_caller]
    pub fn load_plugin<T: Send + 'static, E: fmt::Display>(
        &self,
        name: &str,
        entry: impl Fn(PluginContext) -> Result<T, E> + Send + Sync + 'static,
    ) -> Plugin {
        self.load_entry(name, whole_entry(entry))
    }

    #[track_caller]
    fn load_entry(&self, name: &str, entry: Entry) -> Plugin {
        self.world.settle();
        let slot = Slot::new(name, Some(entry));
        self.add(&slot);
        if let Err(error) = slot.load(&self.world) {
            self.world.plugins().retain(|known| !Arc::ptr_eq(known, &slot));
            self.world.fail(&format!("{name} cannot be loaded: {error}"));
        }
        self.world.settle();
        Plugin::new(&self.world, slot)
    }

    /// Installs and loads a plugin without the client, that talks to the raw gates.
    ///
    /// # Panics
    ///
    /// If that is no name for a plugin.
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "some are only to be there")]
    pub fn install(&self, name: &str) -> RawPlugin {
        self.world.settle();
        let slot = Slot::new(name, None);
        self.add(&slot);
        if let Err(error) = slot.load(&self.world) {
            self.world.plugins().retain(|known| !Arc::ptr_eq(known, &slot));
            self.world.fail(&format!("{name} cannot be installed: {error}"));
        }
        self.world.settle();
        RawPlugin::new(&self.world, slot)
    }

    /// Installs another plugin that the test plays: its tools answer as scripted.
    ///
    /// # Panics
    ///
    /// If that is no name for a plugin.
    #[must_use]
    #[track_caller]
    pub fn stand_in(&self, name: &str) -> StandIn {
        StandIn::new(&self.world, self.install(name))
    }

    /// From now on it fails the test if a plugin uses a tool that the test has not scripted: a stand-in's, or one of the
    /// host's own. Otherwise such a tool answers an empty object.
    pub fn be_strict(&self) {
        self.world.set_strict();
    }

    #[track_caller]
    fn add(&self, slot: &Arc<Slot>) {
        if self.world.plugin(slot.name()).is_some() {
            self.world.fail(&format!("the plugin {} is there already: reload it, or take another name", slot.name()));
        }
        self.world.plugins().push(Arc::clone(slot));
    }

    /// The person at the game.
    #[must_use]
    pub fn player(&self) -> Player {
        Player::new(&self.world)
    }

    /// The AI app.
    #[must_use]
    pub fn assistant(&self) -> Assistant {
        Assistant::new(&self.world)
    }

    /// Dalamud: other plugins, the host's own coming and going, log, chat and commands.
    #[must_use]
    pub fn dalamud(&self) -> Dalamud {
        Dalamud::new(&self.world)
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> Game {
        Game::new(&self.world)
    }

    /// One of the host's own tools, to script it and to see its calls.
    #[must_use]
    pub fn builtin(&self, tool: &str) -> Builtin {
        Builtin::new(&self.world, tool)
    }

    /// A job, by its description, id or name, whoever started it.
    ///
    /// # Panics
    ///
    /// If there is none; the message lists the jobs.
    #[must_use]
    #[track_caller]
    pub fn job(&self, job: &(impl AsJob + ?Sized)) -> JobReport {
        let found = self.world.look(|core| core.job(job.as_job()).ok_or_else(|| core.job_ids()));
        match found {
            Ok(description) => JobReport::new(description),
            Err(ids) => {
                let ids = if ids.is_empty() { "there are none".to_owned() } else { ids.join(", ") };
                self.world.fail(&format!("there is no job {:?}; the jobs: {ids}", job.as_job()))
            }
        }
    }

    /// All jobs, newest first.
    #[must_use]
    pub fn jobs(&self) -> Vec<JobReport> {
        let jobs = self.world.look(|core| {
            let ids = core.job_ids();
            ids.iter().filter_map(|id| core.job(id)).collect::<Vec<_>>()
        });
        jobs.into_iter().map(JobReport::new).collect()
    }

    /// The audit log, newest entry first (R-AUD-1).
    #[must_use]
    pub fn audit(&self) -> Vec<AuditEntry> {
        self.world.look(|core| core.audit(None).cloned().collect())
    }

    /// The audit log of one plugin's tools, newest entry first.
    #[must_use]
    pub fn audit_of(&self, plugin: impl AsRef<str>) -> Vec<AuditEntry> {
        self.world.look(|core| core.audit(Some(plugin.as_ref())).cloned().collect())
    }

    /// What the real host would have accepted in silence.
    #[must_use]
    pub fn lints(&self) -> Vec<Lint> {
        self.world.settle();
        self.world.reports.lints()
    }

    /// A lint of this kind fails the test, when the host is finished or dropped.
    pub fn deny(&self, kind: LintKind) {
        self.world.reports.deny(kind);
    }

    /// What crossed the gates, oldest first; the last 10,000 entries.
    #[must_use]
    pub fn traffic(&self) -> Vec<TrafficEntry> {
        self.world.settle();
        self.world.bus.traffic().all()
    }

    /// The host's own log: what it tells nobody, such as a plugin without a Cancel gate.
    #[must_use]
    pub fn log(&self) -> Vec<(Time, String)> {
        self.world.settle();
        self.world.driver.log()
    }

    /// How much is open in the host.
    #[must_use]
    pub fn pending(&self) -> PendingCounts {
        self.world.look(crate::core::Core::pending)
    }

    /// Lets time pass: everything that is due runs, in order. A live host sleeps.
    pub fn advance(&self, span: Duration) {
        match &*self.world.engine {
            Engine::Simulated(sim) => sim.advance(span),
            Engine::Live(_) => std::thread::sleep(span),
        }
    }

    /// Runs everything that can run without time passing. Every method of the host does that by itself; this is for
    /// tests that do something past it. In a live host it does nothing.
    pub fn settle(&self) {
        self.world.settle();
    }

    /// Waits until `done`. In a simulation time jumps, but only when nothing can run.
    ///
    /// # Panics
    ///
    /// If it never will be so: in a simulation when nothing can run and no timer is set, or after 8 days; in a live
    /// host after 30 s.
    #[track_caller]
    pub fn wait_until(&self, mut done: impl FnMut() -> bool) {
        if let Err(why) = self.world.wait_until(&mut done) {
            self.world.fail(&format!("what the test waits for does not happen: {why}"));
        }
    }

    /// What happens inside `acts` happens at one moment: plugins run only afterwards, in the order of the seed. In a
    /// live host it makes no difference.
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
    pub fn on_framework<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> R {
        self.world.settle();
        let result = self.world.engine.on_framework(work);
        self.world.settle();
        result
    }

    /// What the host's clock shows.
    #[must_use]
    pub fn now(&self) -> Time {
        self.world.engine.now()
    }

    /// Time since the host was made.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.world.engine.elapsed()
    }
}

impl fmt::Debug for MockHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MockHost").field("elapsed", &self.elapsed()).finish_non_exhaustive()
    }
}
