//! Plugins in the host: loading, unloading, and the handles that a test holds of them.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use xivmcp_client::{ClientHandle, PluginContext, XivMcpClient};

use super::world::World;
use crate::bus::{Connection, MockTransport, panic_text};
use crate::core::{InstallChange, Lint, LintKind};
use crate::services::MockServices;

/// How long the end of a plugin in a live host may take. Longer than what a plugin from a library may take, which says
/// more about what hangs.
const UNLOAD_LIMIT: Duration = Duration::from_secs(20);

/// What keeps a loaded plugin alive, and its client if the host made it.
pub(super) struct Loaded {
    pub(super) client: Option<ClientHandle>,
    /// What the entry gave. Locked only while a test looks at it.
    pub(super) alive: Arc<Mutex<Box<dyn Any + Send>>>,
}

/// Starts a plugin; run again at each reload.
pub(super) type Entry = Box<dyn Fn(PluginContext) -> Result<Loaded, String> + Send + Sync>;

/// A plugin of the test: its entry, and what is loaded of it now.
pub(crate) struct Slot {
    name: Arc<str>,
    entry: Option<Entry>,
    now: Mutex<Option<Running>>,
}

struct Running {
    connection: Arc<Connection>,
    transport: MockTransport,
    loaded: Option<Loaded>,
}

impl Slot {
    pub(super) fn new(name: &str, entry: Option<Entry>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), entry, now: Mutex::default() })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn now(&self) -> MutexGuard<'_, Option<Running>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_loaded(&self) -> bool {
        self.now().is_some()
    }

    /// Loads it: on the list first, then its entry, then it counts as loaded.
    pub(crate) fn load(&self, world: &Arc<World>) -> Result<(), String> {
        if self.is_loaded() {
            return Err(format!("{} is loaded already", self.name));
        }
        let change = InstallChange { loaded: Some(false), ..InstallChange::default() };
        let installed = world.driver.operate(|core, now| core.dalamud_install(now, &self.name, change));
        installed.map_err(|error| error.to_string())?;
        let connection = world.bus.connect(&self.name);
        world.know(connection.number(), connection.name());
        let transport =
            MockTransport::new(Arc::clone(&connection), Arc::clone(&world.bus), Arc::clone(&world.engine) as _);
        let running = Running { connection: Arc::clone(&connection), transport: transport.clone(), loaded: None };
        *self.now() = Some(running);
        if let Some(entry) = &self.entry {
            let services = MockServices::new(&world.services, &connection, &world.engine);
            let runtime = world.engine.runtime(connection.name());
            let context = PluginContext::new(Arc::new(transport), Arc::new(services), runtime);
            let entered = world.engine.on_pool(|| catch_unwind(AssertUnwindSafe(|| entry(context))));
            let entered = entered.unwrap_or_else(|panic| Err(format!("its entry panicked: {}", panic_text(&*panic))));
            match entered {
                Ok(loaded) => {
                    if let Some(running) = self.now().as_mut() {
                        running.loaded = Some(loaded);
                    }
                }
                Err(error) => {
                    self.unload(world);
                    return Err(error);
                }
            }
        }
        let loaded = world.driver.operate(|core, now| core.dalamud_set_loaded(now, &self.name, true));
        loaded.map_err(|error| error.to_string())
    }

    /// Unloads it as in the game: its end runs on a thread of its own, while the framework thread goes on; then its gates
    /// go, then the host hears of it.
    pub(crate) fn unload(&self, world: &Arc<World>) {
        let Some(running) = self.now().take() else { return };
        let loaded = running.loaded;
        let reports = Arc::clone(&world.reports);
        let name = Arc::clone(&self.name);
        let ended = world.engine.end_within(UNLOAD_LIMIT, move || {
            let ended = catch_unwind(AssertUnwindSafe(|| drop(loaded)));
            if let Err(panic) = ended {
                reports.failure(format!("{name} panicked while it was unloaded: {}", panic_text(&*panic)));
            }
        });
        if !ended {
            let (name, seconds) = (&self.name, UNLOAD_LIMIT.as_secs());
            world
                .reports
                .failure(format!("{name} is not unloaded after {seconds} s: dropping what its entry gave goes on"));
        }
        running.connection.close();
        let left = world.bus.release_owner(running.connection.number());
        world.services.release_owner(running.connection.number());
        world.engine.release_owner(&self.name);
        if self.entry.is_some() {
            for gate in left {
                let text =
                    format!("the gate {gate} was still there after it was unloaded: keep the guard, and drop it");
                world.reports.lint(Lint::new(LintKind::LeftGate, &self.name, "", &text));
            }
        }
        // A plugin that is not on the list any more has nothing to be told.
        let _ = world.driver.operate(|core, now| core.dalamud_set_loaded(now, &self.name, false));
        world.forget(running.connection.number());
    }

    fn client(&self) -> Option<ClientHandle> {
        self.now().as_ref()?.loaded.as_ref()?.client.clone()
    }

    fn alive(&self) -> Option<Arc<Mutex<Box<dyn Any + Send>>>> {
        self.now().as_ref()?.loaded.as_ref().map(|loaded| Arc::clone(&loaded.alive))
    }

    fn transport(&self) -> Option<MockTransport> {
        self.now().as_ref().map(|running| running.transport.clone())
    }
}

/// A plugin that a test loaded with [`MockHost::load`](crate::MockHost::load) or
/// [`load_plugin`](crate::MockHost::load_plugin). Cheap to clone; the host keeps the plugin itself.
///
/// ```
/// use xivmcp_client::{McpToolDefinition, XivMcpClient};
/// use xivmcp_mock_host::MockHost;
///
/// let host = MockHost::simulated();
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     client.add_tool(McpToolDefinition::new("myplugin_ping", "Answers.").read_only(true), || Ok("pong"))
/// });
/// host.player().enable(&plugin);
/// assert_eq!(host.assistant().call("myplugin_ping", ()).expect_result(), "pong");
///
/// plugin.reload();
/// assert_eq!(host.assistant().call("myplugin_ping", ()).expect_result(), "pong");
/// plugin.unload();
/// assert!(host.assistant().tools().is_empty());
/// ```
#[derive(Clone)]
pub struct Plugin {
    world: Arc<World>,
    slot: Arc<Slot>,
}

impl Plugin {
    pub(super) fn new(world: &Arc<World>, slot: Arc<Slot>) -> Self {
        Self { world: Arc::clone(world), slot }
    }

    /// The internal name.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// assert_eq!(dog.name(), "Dog");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.slot.name
    }

    /// Whether it is loaded now.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// assert!(dog.is_loaded());
    /// host.dalamud().disable(&dog);
    /// assert!(!dog.is_loaded());
    /// ```
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.slot.is_loaded()
    }

    /// Its client, to do what the plugin itself could do: start jobs, ask for its status. Each reload makes a new one.
    ///
    /// # Panics
    ///
    /// If the plugin is unloaded, or was loaded with [`load_plugin`](crate::MockHost::load_plugin): then its own entry
    /// has the client, and [`with`](Self::with) reaches what the entry gave.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_client::{McpJob, McpJobStep};
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// host.player().enable(&dog);
    /// assert!(dog.client().get_status().can_run());
    /// let job = dog.client().start_job(McpJob::new("Look").step(McpJobStep::new("get_inventory"))).unwrap();
    /// assert_eq!(host.job(&job).state(), "completed");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn client(&self) -> ClientHandle {
        self.world.settle();
        self.slot.client().unwrap_or_else(|| {
            let why = if self.slot.is_loaded() {
                "was loaded with load_plugin, its entry has the client (reach it through `with`)"
            } else {
                "is not loaded"
            };
            self.world.fail(&format!("{} has no client here: it {why}", self.name()))
        })
    }

    /// Looks at what the plugin's entry gave ([`load_plugin`](crate::MockHost::load_plugin)), and gives what `look` gives.
    ///
    /// ```
    /// use xivmcp_client::{ClientError, PluginContext, XivMcpClient};
    /// use xivmcp_mock_host::MockHost;
    ///
    /// struct MyPlugin {
    ///     client: XivMcpClient,
    /// }
    ///
    /// fn start(context: PluginContext) -> Result<MyPlugin, ClientError> {
    ///     Ok(MyPlugin { client: XivMcpClient::connect(&context)? })
    /// }
    ///
    /// let host = MockHost::simulated();
    /// let plugin = host.load_plugin("MyPlugin", start);
    /// assert!(plugin.with(|running: &MyPlugin| running.client.is_available()));
    /// ```
    ///
    /// # Panics
    ///
    /// If the plugin is unloaded, if its entry gave something of another type, and if it is called inside `look`.
    #[track_caller]
    pub fn with<T: 'static, R>(&self, look: impl FnOnce(&T) -> R) -> R {
        self.world.settle();
        let Some(alive) = self.slot.alive() else {
            self.world.fail(&format!("{} is not loaded: there is nothing to look at", self.name()));
        };
        let Ok(alive) = alive.try_lock() else {
            self.world.fail(&format!("{} is being looked at already: `with` inside `with`", self.name()));
        };
        let Some(running) = alive.downcast_ref::<T>() else {
            let wanted = std::any::type_name::<T>();
            self.world.fail(&format!("{}: its entry gave something else than {wanted}", self.name()));
        };
        let result = look(running);
        drop(alive);
        self.world.settle();
        result
    }

    /// Its view of the gates, for what the client does not do.
    ///
    /// # Panics
    ///
    /// If the plugin is unloaded.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// use xivmcp_client::ipc::{IpcTransport, IpcType};
    ///
    /// // The host hears who calls: nobody registers tools under another plugin's name (R-OWN-3).
    /// let arguments = ["Cat".into(), r#"{"name": "cat_purr", "description": "Purrs."}"#.into()];
    /// let reply = dog.transport().call_function("XivMcp.RegisterTool", &arguments, IpcType::Text)?;
    /// assert!(reply.as_text().unwrap().starts_with(r#"{"ok":false"#));
    /// # Ok::<(), xivmcp_client::ipc::IpcError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn transport(&self) -> MockTransport {
        let transport = self.slot.transport();
        transport.unwrap_or_else(|| self.world.fail(&format!("{} is not loaded: it reaches no gate", self.name())))
    }

    /// Unloads it, as Dalamud does: what its entry gave is dropped on a thread of its own while the framework thread goes on,
    /// and its client is disposed with it (R-OWN-4). Nothing happens if it is unloaded already.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// let client = dog.client();
    /// dog.unload();
    /// assert!(client.is_disposed() && !dog.is_loaded());
    /// ```
    pub fn unload(&self) {
        self.world.settle();
        self.slot.unload(&self.world);
        self.world.settle();
    }

    /// Loads it again, after unloading it if need be: its entry runs again.
    ///
    /// # Panics
    ///
    /// If the entry fails.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// let before = dog.client();
    /// dog.reload();
    /// assert!(before.is_disposed());            // each load has a client of its own
    /// assert!(dog.client().is_available());
    /// ```
    #[track_caller]
    pub fn reload(&self) {
        self.unload();
        if let Err(error) = self.slot.load(&self.world) {
            self.world.fail(&format!("{} cannot be loaded: {error}", self.name()));
        }
        self.world.settle();
    }

    /// Loads it; the error is the entry's.
    #[cfg(feature = "loader")]
    pub(super) fn load_again(&self) -> Result<(), String> {
        self.slot.load(&self.world)
    }

    /// What the real host would have accepted in silence, of this plugin.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::{McpToolDefinition, XivMcpClient};
    ///
    /// let cat = host.load("Cat", |client: &XivMcpClient| {
    ///     client.add_tool(McpToolDefinition::new("purr", "Purrs.").read_only(true), || Ok("purr"))
    /// });
    /// assert!(cat.lints()[0].to_string().contains("`cat_`")); // how its tools should begin
    /// ```
    #[must_use]
    pub fn lints(&self) -> Vec<Lint> {
        self.world.settle();
        let lints = self.world.reports.lints();
        lints.into_iter().filter(|lint| lint.plugin.eq_ignore_ascii_case(self.name())).collect()
    }
}

impl AsRef<str> for Plugin {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").field("name", &self.name()).field("loaded", &self.is_loaded()).finish()
    }
}

impl fmt::Display for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn alive(running: impl Any + Send) -> Arc<Mutex<Box<dyn Any + Send>>> {
    Arc::new(Mutex::new(Box::new(running)))
}

/// The entry of a plugin that only registers tools.
pub(super) fn register_entry<E: fmt::Display>(
    register: impl Fn(&XivMcpClient) -> Result<(), E> + Send + Sync + 'static,
) -> Entry {
    Box::new(move |context| {
        let client = XivMcpClient::connect(&context).map_err(|error| error.to_string())?;
        register(&client).map_err(|error| error.to_string())?;
        Ok(Loaded { client: Some(client.handle()), alive: alive(client) })
    })
}

/// The entry of a plugin that does everything itself.
pub(super) fn whole_entry<T: Send + 'static, E: fmt::Display>(
    entry: impl Fn(PluginContext) -> Result<T, E> + Send + Sync + 'static,
) -> Entry {
    Box::new(move |context| {
        let running = entry(context).map_err(|error| error.to_string())?;
        Ok(Loaded { client: None, alive: alive(running) })
    })
}
