//! What every plugin needs from Dalamud beside the gates: [`PluginServices`], a seam like [`IpcTransport`], and
//! [`PluginContext`], what a plugin's entry function gets.
//!
//! In the game `xivmcp-dalamud` implements it through its C# shim, in tests the mock host does. A plugin that only
//! offers tools needs none of it.
//!
//! Every method may be called from any thread. Handlers of commands, updates and session events are called on the
//! framework thread; the services hold no lock meanwhile, so a handler may call any method, and drop its own guard.
//!
//! [`IpcTransport`]: crate::ipc::IpcTransport

use std::fmt;
use std::sync::Arc;

use crate::ipc::{IpcGuard, IpcTransport};
use crate::runtime::Runtime;

/// How much a line of the log matters. Dalamud's levels, as far as `tracing` knows them too.
///
/// ```
/// assert!(xivmcp_client::services::LogLevel::Debug < xivmcp_client::services::LogLevel::Warning);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// Dalamud's `Verbose`, tracing's `TRACE`.
    Verbose,
    /// Dalamud's `Debug`, tracing's `DEBUG`.
    Debug,
    /// Dalamud's `Information`, tracing's `INFO`.
    Information,
    /// Dalamud's `Warning`, tracing's `WARN`.
    Warning,
    /// Dalamud's `Error`, tracing's `ERROR`.
    Error,
}

/// What happened to the player's session.
///
/// ```
/// use xivmcp_client::services::{Session, SessionEvent};
///
/// fn zone(event: SessionEvent) -> Option<u32> {
///     match event {
///         SessionEvent::Login(session) | SessionEvent::TerritoryChanged(session) => Some(session.territory),
///         _ => None,
///     }
/// }
/// assert_eq!(zone(SessionEvent::Login(Session::new(129, 33))), Some(129));
/// assert_eq!(zone(SessionEvent::Logout), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// A character is in the game now.
    Login(Session),
    /// The character has left the game.
    Logout,
    /// The character is in another territory (zone) now.
    TerritoryChanged(Session),
}

/// Where the character is.
///
/// ```
/// assert_eq!(xivmcp_client::services::Session::new(129, 33).territory, 129);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// The row of the game's `TerritoryType` sheet: the zone.
    pub territory: u32,
    /// The row of the game's `World` sheet: the world that the character is on now; 0 while the game has not told.
    pub world: u32,
}

impl Session {
    /// A character in `territory` on `world`.
    ///
    /// ```
    /// assert_eq!(xivmcp_client::services::Session::new(129, 33).world, 33);
    /// ```
    #[must_use]
    pub fn new(territory: u32, world: u32) -> Self {
        Self { territory, world }
    }
}

/// Why a service could not do what was asked.
///
/// ```
/// use xivmcp_client::PluginContext;
/// use xivmcp_client::services::ServiceError;
/// use xivmcp_mock_host::MockHost;
///
/// fn character_name(context: &PluginContext) -> String {
///     match context.services.call_service("CharacterName", "null") {
///         Ok(json) => json,
///         Err(ServiceError::Failed { message, .. }) => format!("unknown: {message}"),
///         Err(error) => error.to_string(), // `Unknown` says where to register the service
///     }
/// }
///
/// let host = MockHost::simulated();
/// let plugin = host.load_plugin("MyPlugin", |context: PluginContext| Ok::<_, String>(context));
/// assert!(plugin.with(character_name).contains("Services.cs"));
/// host.dalamud().service("CharacterName", |_| Err("nobody is logged in".to_owned()));
/// assert_eq!(plugin.with(character_name), "unknown: nobody is logged in");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The host has no service of that name.
    #[error("no service named `{name}`: register it in the shim's Services.cs (in tests: script it on the mock host)")]
    Unknown {
        /// The name that was asked for.
        name: String,
    },
    /// The service failed.
    #[error("the service `{name}` failed: {kind}: {message}")]
    Failed {
        /// What was asked: the service's name, or the command's.
        name: String,
        /// The failure's type, as its language names it.
        kind: String,
        /// Its text.
        message: String,
    },
    /// Dalamud refused it: the command is taken, or its name does not start with `/`.
    #[error("`{name}` was refused: {reason}")]
    Refused {
        /// What was refused.
        name: String,
        /// Why, and what would be right.
        reason: String,
    },
    /// This plugin was unloaded.
    #[error("`{name}` cannot be used: this plugin is unloaded")]
    Closed {
        /// What was to be used.
        name: String,
    },
}

/// Handles a slash command: gets the command as typed (`/hello`) and what stands behind it, trimmed.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use xivmcp_client::services::CommandHandler;
///
/// let greeted = Arc::new(Mutex::new(String::new()));
/// let shared = greeted.clone();
/// let hello: CommandHandler = Arc::new(move |_command, rest| *shared.lock().unwrap() = rest.to_owned());
/// hello("/hello", "Tataru"); // what Dalamud does when the player types it
/// assert_eq!(*greeted.lock().unwrap(), "Tataru");
/// ```
pub type CommandHandler = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// What every plugin needs from Dalamud beside the gates. See the [module](self) for threads.
///
/// ```
/// use std::sync::Arc;
/// use xivmcp_client::PluginContext;
/// use xivmcp_client::ipc::IpcGuard;
/// use xivmcp_client::services::ServiceError;
/// use xivmcp_mock_host::MockHost;
///
/// /// `/hello` greets in the chat window, for as long as the guard is kept.
/// fn greet(context: PluginContext) -> Result<IpcGuard, ServiceError> {
///     let services = context.services.clone();
///     context.services.add_command("/hello", "Says hello.", Arc::new(move |_, name| {
///         services.print_chat(&format!("Hello, {name}!"));
///     }))
/// }
///
/// let host = MockHost::simulated();
/// host.load_plugin("MyPlugin", greet);
/// host.dalamud().run_command("/hello Tataru");
/// assert_eq!(host.dalamud().chat()[0].text, "Hello, Tataru!");
/// ```
pub trait PluginServices: Send + Sync + 'static {
    /// Writes to Dalamud's log.
    ///
    /// ```
    /// # use xivmcp_client::PluginContext;
    /// use xivmcp_client::services::LogLevel;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// host.load_plugin("MyPlugin", |context: PluginContext| {
    ///     context.services.log(LogLevel::Warning, "The market board was not read.");
    ///     Ok::<(), String>(())
    /// });
    /// assert_eq!(host.dalamud().log()[0].level, LogLevel::Warning);
    /// ```
    fn log(&self, level: LogLevel, text: &str);

    /// Prints a line into the game's chat window, for the player only.
    ///
    /// ```
    /// # use xivmcp_client::PluginContext;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// host.load_plugin("MyPlugin", |context: PluginContext| {
    ///     context.services.print_chat("31 potions are on sale.");
    ///     Ok::<(), String>(())
    /// });
    /// assert_eq!(host.dalamud().chat()[0].text, "31 potions are on sale.");
    /// assert_eq!(host.game().state().chat, 0); // nothing was sent, so `chat_send` is not needed
    /// ```
    fn print_chat(&self, text: &str);

    /// Prints a line as an error (red) into the game's chat window, for the player only.
    ///
    /// ```
    /// # use xivmcp_client::PluginContext;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// host.load_plugin("MyPlugin", |context: PluginContext| {
    ///     context.services.print_chat_error("No retainer is free.");
    ///     Ok::<(), String>(())
    /// });
    /// assert!(host.dalamud().chat()[0].error);
    /// ```
    fn print_chat_error(&self, text: &str);

    /// Adds a slash command, such as `/hello`, until the guard is dropped. `help` is what `/xlhelp` shows.
    ///
    /// # Errors
    ///
    /// [`ServiceError::Refused`] if the command is taken or does not start with `/`, [`ServiceError::Closed`] after
    /// the plugin was unloaded.
    ///
    /// ```
    /// # use xivmcp_client::PluginContext;
    /// use std::sync::Arc;
    /// use xivmcp_client::services::ServiceError;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// let plugin = host.load_plugin("MyPlugin", |context: PluginContext| {
    ///     let unslashed = context.services.add_command("hello", "Says hello.", Arc::new(|_, _| ()));
    ///     assert!(matches!(unslashed, Err(ServiceError::Refused { .. })));
    ///     context.services.add_command("/hello", "Says hello.", Arc::new(|_, _| ())) // the guard is kept
    /// });
    /// assert_eq!(host.dalamud().commands()[0].0, "/hello");
    /// plugin.unload();
    /// assert!(host.dalamud().commands().is_empty());
    /// ```
    fn add_command(&self, command: &str, help: &str, handler: CommandHandler) -> Result<IpcGuard, ServiceError>;

    /// Calls `update` once a frame on the framework thread, until the guard is dropped.
    ///
    /// ```
    /// # use xivmcp_client::PluginContext;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// let frames = Arc::new(AtomicUsize::new(0));
    /// let counter = frames.clone();
    /// host.load_plugin("MyPlugin", move |context: PluginContext| {
    ///     let counter = counter.clone();
    ///     Ok::<_, String>(context.services.on_update(Arc::new(move || drop(counter.fetch_add(1, Ordering::Relaxed)))))
    /// });
    /// host.advance(std::time::Duration::from_secs(1));
    /// assert!((55..=65).contains(&frames.load(Ordering::Relaxed)));
    /// ```
    fn on_update(&self, update: Arc<dyn Fn() + Send + Sync>) -> IpcGuard;

    /// Calls `handler` on the framework thread when a character logs in or out or changes zone, until the guard is dropped.
    ///
    /// ```
    /// # use xivmcp_client::PluginContext;
    /// use std::sync::Arc;
    /// use xivmcp_client::services::SessionEvent;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// host.load_plugin("MyPlugin", |context: PluginContext| {
    ///     let services = context.services.clone();
    ///     Ok::<_, String>(context.services.on_session(Arc::new(move |event| {
    ///         if let SessionEvent::TerritoryChanged(session) = event {
    ///             services.print_chat(&format!("zone {}", session.territory));
    ///         }
    ///     })))
    /// });
    /// host.game().move_to(130);
    /// assert_eq!(host.dalamud().chat()[0].text, "zone 130");
    /// ```
    fn on_session(&self, handler: Arc<dyn Fn(SessionEvent) + Send + Sync>) -> IpcGuard;

    /// Where the character is; nothing while nobody is logged in.
    ///
    /// ```
    /// # use xivmcp_client::PluginContext;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// let plugin = host.load_plugin("MyPlugin", |context: PluginContext| Ok::<_, String>(context));
    /// let zone = |context: &PluginContext| context.services.session().map(|session| session.territory);
    /// assert_eq!(plugin.with(zone), Some(129));
    /// host.game().log_out();
    /// assert_eq!(plugin.with(zone), None);
    /// ```
    fn session(&self) -> Option<Session>;

    /// Calls a service that the plugin's author added to the shim: JSON in, JSON out, on the calling thread.
    ///
    /// # Errors
    ///
    /// [`ServiceError::Unknown`], [`ServiceError::Failed`] or [`ServiceError::Closed`].
    ///
    /// ```
    /// # use xivmcp_client::PluginContext;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// let host = MockHost::simulated();
    /// // The game's side, as the shim's C# would do it.
    /// host.dalamud().service("CountItems", |json| Ok(if json == r#"{"id":5}"# { "12".to_owned() } else { "0".to_owned() }));
    /// let plugin = host.load_plugin("MyPlugin", |context: PluginContext| {
    ///     context.services.call_service("CountItems", r#"{"id":5}"#)
    /// });
    /// assert!(plugin.with(|count: &String| count == "12"));
    /// ```
    fn call_service(&self, name: &str, json: &str) -> Result<String, ServiceError>;
}

/// What a plugin's entry function gets: everything that reaches the game. Cheap to clone.
///
/// ```
/// use xivmcp_client::{ClientError, PluginContext, XivMcpClient};
/// use xivmcp_client::services::LogLevel;
/// use xivmcp_mock_host::MockHost;
///
/// fn start(context: PluginContext) -> Result<XivMcpClient, ClientError> {
///     context.services.log(LogLevel::Information, "loading");
///     XivMcpClient::connect(&context)
/// }
///
/// let host = MockHost::simulated();
/// let plugin = host.load_plugin("MyPlugin", start); // in the game: xivmcp_dalamud::plugin!(start);
/// assert!(plugin.with(|client: &XivMcpClient| client.is_available()));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct PluginContext {
    /// The gates and the framework thread, for [`XivMcpClient`](crate::XivMcpClient) and for other plugins' gates.
    pub transport: Arc<dyn IpcTransport>,
    /// The log, chat, commands, updates, session and the author's own services.
    pub services: Arc<dyn PluginServices>,
    /// What the client's handlers run on: the client's own pool in the game, virtual time in a simulation.
    pub runtime: Arc<dyn Runtime>,
}

impl PluginContext {
    /// Puts a context together. For those who implement the seams.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use xivmcp_client::runtime::PoolRuntime;
    /// use xivmcp_client::{ClientError, PluginContext, XivMcpClient};
    /// use xivmcp_mock_host::MockHost;
    ///
    /// /// Runs handlers on a pool of three, and leaves the rest as it came.
    /// fn start(context: PluginContext) -> Result<XivMcpClient, ClientError> {
    ///     let pool = Arc::new(PoolRuntime::with_workers(3));
    ///     XivMcpClient::connect(&PluginContext::new(context.transport, context.services, pool))
    /// }
    ///
    /// let host = MockHost::live(); // a pool has threads of its own
    /// let plugin = host.load_plugin("MyPlugin", start);
    /// assert!(plugin.with(|client: &XivMcpClient| client.is_available()));
    /// ```
    pub fn new(transport: Arc<dyn IpcTransport>, services: Arc<dyn PluginServices>, runtime: Arc<dyn Runtime>) -> Self {
        Self { transport, services, runtime }
    }

    /// The plugin's internal name, as Dalamud spells it.
    ///
    /// ```
    /// use xivmcp_client::PluginContext;
    /// use xivmcp_mock_host::MockHost;
    ///
    /// fn title(context: PluginContext) -> Result<String, String> {
    ///     Ok(format!("{} is loaded", context.internal_name()))
    /// }
    ///
    /// let host = MockHost::simulated();
    /// let plugin = host.load_plugin("MyPlugin", title);
    /// assert!(plugin.with(|title: &String| title == "MyPlugin is loaded"));
    /// ```
    #[must_use]
    pub fn internal_name(&self) -> &str {
        self.transport.internal_name()
    }
}

impl fmt::Debug for PluginContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginContext").field("internal_name", &self.internal_name()).finish_non_exhaustive()
    }
}
