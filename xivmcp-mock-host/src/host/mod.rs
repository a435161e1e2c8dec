//! The test API: [`MockHost`] and the handles that it gives.

pub(crate) mod assistant;
pub(crate) mod builtin;
pub(crate) mod dalamud;
pub(crate) mod end;
pub(crate) mod game;
pub(crate) mod job;
#[cfg(feature = "loader")]
pub(crate) mod library;
mod looking;
pub(crate) mod pending_call;
pub(crate) mod player;
pub(crate) mod plugin;
pub(crate) mod raw_plugin;
pub(crate) mod seeds;
pub(crate) mod stand_in;
mod time;
pub(crate) mod world;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use xivmcp_client::{PluginContext, XivMcpClient};

use self::assistant::Assistant;
use self::builtin::Builtin;
use self::dalamud::Dalamud;
use self::game::Game;
use self::player::Player;
use self::plugin::{Entry, Plugin, Slot, register_entry, whole_entry};
use self::raw_plugin::RawPlugin;
use self::stand_in::StandIn;
use self::world::World;

/// XIV MCP and Dalamud, for one test.
///
/// The [crate's documentation](crate) is the guide. The host starts loaded, with nobody installed and a character in
/// the game. When it is dropped it unloads its plugins and fails the test if something is wrong that nobody has seen:
/// a panic on a thread that it runs, a handler that never ends, an expectation that does not hold, a lint that the test
/// denied. It never hides a panic of the test itself.
///
/// ```
/// use std::panic::{AssertUnwindSafe, catch_unwind};
/// use xivmcp_client::services::LogLevel;
/// use xivmcp_mock_host::MockHost;
///
/// let failed = catch_unwind(|| {
///     let host = MockHost::simulated();
///     host.load_plugin("Cat", |context: xivmcp_client::PluginContext| {
///         context.runtime.spawn(Box::pin(async { panic!("nobody waits for this task") }));
///         Ok::<(), String>(())
///     });
/// });                                                     // the host is dropped, and tells
/// assert!(failed.unwrap_err().downcast_ref::<String>().unwrap().contains("nobody waits for this task"));
/// ```
#[must_use = "dropping the host ends it, and its plugins with it"]
pub struct MockHost {
    world: Arc<World>,
    ended: AtomicBool,
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
    ///
    /// ```
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let first_id = |seed| {
    ///     let host = MockHost::simulated_with_seed(seed);
    ///     host.assistant().call("get_inventory", ()).id().to_owned()
    /// };
    /// assert_eq!(first_id(42), first_id(42));
    /// assert_ne!(first_id(42), first_id(43));
    /// ```
    pub fn simulated_with_seed(seed: u64) -> Self {
        Self::started(World::simulated(seed))
    }

    /// A host in real time, with a framework thread of 60 updates a second. For plugins that bring their own threads.
    ///
    /// # Panics
    ///
    /// If the system starts no thread.
    ///
    /// ```
    /// let host = xivmcp_mock_host::MockHost::live();
    /// assert!(host.assistant().call("get_inventory", ()).wait().result().is_some());
    /// ```
    pub fn live() -> Self {
        Self::started(World::live())
    }

    /// Everything in it, for the server.
    #[cfg(any(test, feature = "server"))]
    pub(crate) fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Whether it runs in real time.
    #[cfg(feature = "server")]
    pub(crate) fn is_live(&self) -> bool {
        matches!(*self.world.engine, crate::engine::Engine::Live(_))
    }

    fn started(world: Arc<World>) -> Self {
        let session = game::session(world.driver.lock().game());
        world.services.set_session(session);
        Self { world, ended: AtomicBool::new(false) }
    }

    /// Installs and loads a plugin that is made of its registrations: `register` gets the plugin's client. It runs
    /// again at each [`reload`](Plugin::reload).
    ///
    /// # Panics
    ///
    /// If `register` fails or panics, if the name is blank or `XivMcp`, or if a plugin of that name was loaded here already.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::{McpToolDefinition, XivMcpClient};
    ///
    /// let plugin = host.load("Cat", |client: &XivMcpClient| {
    ///     client.add_tool(McpToolDefinition::new("cat_purr", "Purrs.").read_only(true), || Ok("purr"))
    /// });
    /// assert_eq!(plugin.client().get_status().tools.len(), 1);
    /// ```
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
    /// If the entry fails or panics, if the name is blank or `XivMcp`, or if a plugin of that name was loaded here already.
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
    /// If the name is blank or `XivMcp`, or if a plugin of that name was loaded here already.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use serde_json::json;
    /// let raw = host.install("Cat");
    /// assert_eq!(raw.gate("ApiVersion", &[]), json!(2));
    /// ```
    #[track_caller]
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
    /// If the name is blank or `XivMcp`, or if a plugin of that name was loaded here already.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::McpToolDefinition;
    ///
    /// let cat = host.stand_in("Cat");
    /// cat.offers(McpToolDefinition::new("cat_purr", "Purrs.").read_only(true)).returns("purr");
    /// host.player().enable(&cat);
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn stand_in(&self, name: &str) -> StandIn {
        StandIn::new(&self.world, self.install(name))
    }

    /// From now on calls of tools that the test has not scripted fail it, when the host is finished or dropped: any call of
    /// a stand-in's tool, and those of the host's own tools by plugins (but for `wait`). Otherwise such a tool answers an empty
    /// object.
    ///
    /// ```
    /// use std::panic::{AssertUnwindSafe, catch_unwind};
    /// # use xivmcp_client::McpToolDefinition;
    /// # use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// host.be_strict();
    /// let cat = host.stand_in("Cat");
    /// cat.offers(McpToolDefinition::new("cat_purr", "Purrs.").read_only(true)); // but what does it answer?
    /// host.player().enable(&cat);
    /// host.assistant().call("cat_purr", ());
    /// let failed = catch_unwind(AssertUnwindSafe(|| host.finish())).unwrap_err();
    /// assert!(failed.downcast_ref::<String>().unwrap().contains("cat_purr"));
    /// ```
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
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.player().set_builtin_mode("navigate_to", "ask");
    /// host.assistant().call("navigate_to", ());
    /// assert_eq!(host.player().questions()[0].tool, "navigate_to");
    /// ```
    #[must_use]
    pub fn player(&self) -> Player {
        Player::new(&self.world)
    }

    /// The AI app.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().tool("get_inventory").is_some());
    /// ```
    #[must_use]
    pub fn assistant(&self) -> Assistant {
        Assistant::new(&self.world)
    }

    /// Dalamud: other plugins, the host's own coming and going, log, chat and commands.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().tool("list_duties").is_none()); // it needs a plugin
    /// host.dalamud().install("AutoDuty");
    /// assert!(host.assistant().tool("list_duties").is_some());
    /// ```
    #[must_use]
    pub fn dalamud(&self) -> Dalamud {
        Dalamud::new(&self.world)
    }

    /// The game.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.game().state().gil, 1_000_000);
    /// ```
    #[must_use]
    pub fn game(&self) -> Game {
        Game::new(&self.world)
    }

    /// One of the host's own tools, to script it and to see its calls.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.builtin("get_inventory").fails("The bags are on fire.");
    /// assert_eq!(host.assistant().call("get_inventory", ()).expect_error(), "The bags are on fire.");
    /// ```
    #[must_use]
    pub fn builtin(&self, tool: &str) -> Builtin {
        Builtin::new(&self.world, tool)
    }
}

impl fmt::Debug for MockHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MockHost").field("elapsed", &self.elapsed()).finish_non_exhaustive()
    }
}
