//! Dalamud's services for plugins in a mock host: log, chat, commands, updates, session, the author's own services.
//!
//! [`ServiceBook`] is what all plugins of a host share; each gets a [`MockServices`] of its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use xivmcp_client::ipc::IpcGuard;
use xivmcp_client::services::{CommandHandler, LogLevel, PluginServices, ServiceError, Session, SessionEvent};

use crate::bus::Connection;
use crate::core::Time;
use crate::engine::Engine;
use crate::recent::Recent;

/// A line that a plugin wrote to Dalamud's log, from [`Dalamud::log`](crate::Dalamud::log).
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// use xivmcp_client::PluginContext;
/// use xivmcp_client::services::LogLevel;
///
/// host.load_plugin("Cat", |context: PluginContext| {
///     context.services.log(LogLevel::Warning, "There is no fish.");
///     Ok::<(), String>(())
/// });
/// let log = host.dalamud().log();
/// assert_eq!((log[0].plugin.as_str(), log[0].level), ("Cat", LogLevel::Warning));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// When.
    pub time: Time,
    /// The plugin.
    pub plugin: String,
    /// How much it matters.
    pub level: LogLevel,
    /// The text.
    pub text: String,
}

/// A line that a plugin printed into the game's chat window, from [`Dalamud::chat`](crate::Dalamud::chat). The player alone
/// reads it: nothing was sent.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// use xivmcp_client::PluginContext;
///
/// host.load_plugin("Cat", |context: PluginContext| {
///     context.services.print_chat("Purr.");
///     Ok::<(), String>(())
/// });
/// let line = &host.dalamud().chat()[0];
/// assert_eq!((line.plugin.as_str(), line.text.as_str(), line.error), ("Cat", "Purr.", false));
/// assert_eq!(host.game().state().chat, 0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatLine {
    /// When.
    pub time: Time,
    /// The plugin.
    pub plugin: String,
    /// Whether it was printed as an error.
    pub error: bool,
    /// The text.
    pub text: String,
}

/// A service that a test scripted: JSON in, JSON out, or a failure's text.
pub(crate) type ScriptedService = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;
type SessionHandler = Arc<dyn Fn(SessionEvent) + Send + Sync>;

/// Is shown lines of the log, on the thread that writes them.
pub(crate) type LogReader = Box<dyn Fn(&LogLine) + Send + Sync>;

/// The services of one host.
pub(crate) struct ServiceBook {
    inner: Mutex<Inner>,
    /// Is shown each line of the log as it comes. Set once: only a server has one.
    reader: OnceLock<LogReader>,
    engine: Weak<Engine>,
}

#[derive(Default)]
struct Inner {
    log: Recent<LogLine>,
    chat: Recent<ChatLine>,
    commands: BTreeMap<String, Command>,
    sessions: BTreeMap<u64, (u64, SessionHandler)>,
    session: Option<Session>,
    scripted: BTreeMap<String, ScriptedService>,
    next: u64,
}

struct Command {
    number: u64,
    owner: u64,
    help: String,
    handler: CommandHandler,
}

impl ServiceBook {
    pub(crate) fn new(engine: &Arc<Engine>) -> Arc<Self> {
        Arc::new(Self { inner: Mutex::default(), reader: OnceLock::new(), engine: Arc::downgrade(engine) })
    }

    /// Shows `reader` each line of the log from now on.
    #[cfg(feature = "server")]
    pub(crate) fn show_log(&self, reader: LogReader) {
        let _ = self.reader.set(reader); // a host is served once
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Time {
        self.engine.upgrade().map_or(Time::SIMULATION_START, |engine| engine.now())
    }

    pub(crate) fn log(&self) -> Vec<LogLine> {
        self.lock().log.to_vec()
    }

    pub(crate) fn chat(&self) -> Vec<ChatLine> {
        self.lock().chat.to_vec()
    }

    /// Commands and their help.
    pub(crate) fn commands(&self) -> Vec<(String, String)> {
        self.lock().commands.iter().map(|(name, command)| (name.clone(), command.help.clone())).collect()
    }

    pub(crate) fn command(&self, name: &str) -> Option<CommandHandler> {
        self.lock().commands.get(name).map(|command| Arc::clone(&command.handler))
    }

    pub(crate) fn script(&self, name: &str, service: ScriptedService) {
        let replaced = self.lock().scripted.insert(name.to_owned(), service);
        drop(replaced);
    }

    /// Who is told about sessions, in the order in which they subscribed.
    pub(crate) fn session_handlers(&self) -> Vec<SessionHandler> {
        self.lock().sessions.values().map(|(_, handler)| Arc::clone(handler)).collect()
    }

    /// What plugins see from now on; gives what they saw before.
    pub(crate) fn set_session(&self, session: Option<Session>) -> Option<Session> {
        std::mem::replace(&mut self.lock().session, session)
    }

    /// Takes away what a plugin left behind.
    pub(crate) fn release_owner(&self, owner: u64) {
        let mut inner = self.lock();
        let (gone, kept) =
            std::mem::take(&mut inner.commands).into_iter().partition(|(_, command)| command.owner == owner);
        inner.commands = kept;
        let (gone_sessions, kept) =
            std::mem::take(&mut inner.sessions).into_iter().partition(|(_, (of, _))| *of == owner);
        inner.sessions = kept;
        drop(inner);
        let gone: (BTreeMap<String, Command>, BTreeMap<u64, (u64, SessionHandler)>) = (gone, gone_sessions);
        drop(gone);
    }
}

impl Inner {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

/// One plugin's services.
pub(crate) struct MockServices {
    book: Arc<ServiceBook>,
    connection: Arc<Connection>,
    engine: Arc<Engine>,
}

impl MockServices {
    pub(crate) fn new(book: &Arc<ServiceBook>, connection: &Arc<Connection>, engine: &Arc<Engine>) -> Self {
        Self { book: Arc::clone(book), connection: Arc::clone(connection), engine: Arc::clone(engine) }
    }

    fn print(&self, text: &str, error: bool) {
        let (time, plugin) = (self.book.now(), self.connection.name().to_string());
        let oldest = self.book.lock().chat.push(ChatLine { time, plugin, error, text: text.to_owned() });
        drop(oldest);
    }

    fn closed(&self, name: &str) -> Option<ServiceError> {
        self.connection.is_closed().then(|| ServiceError::Closed { name: name.to_owned() })
    }
}

impl PluginServices for MockServices {
    fn log(&self, level: LogLevel, text: &str) {
        let (time, plugin) = (self.book.now(), self.connection.name().to_string());
        let line = LogLine { time, plugin, level, text: text.to_owned() };
        if let Some(reader) = self.book.reader.get() {
            reader(&line);
        }
        let oldest = self.book.lock().log.push(line);
        drop(oldest);
    }

    fn print_chat(&self, text: &str) {
        self.print(text, false);
    }

    fn print_chat_error(&self, text: &str) {
        self.print(text, true);
    }

    fn add_command(&self, command: &str, help: &str, handler: CommandHandler) -> Result<IpcGuard, ServiceError> {
        if let Some(closed) = self.closed(command) {
            return Err(closed);
        }
        let refused = |reason: &str| ServiceError::Refused { name: command.to_owned(), reason: reason.to_owned() };
        if !command.starts_with('/') {
            return Err(refused("a command starts with `/`"));
        }
        let mut inner = self.book.lock();
        if inner.commands.contains_key(command) {
            return Err(refused("another plugin, or this one, has added it already; take another name"));
        }
        let number = inner.number();
        let owner = self.connection.number();
        inner.commands.insert(command.to_owned(), Command { number, owner, help: help.to_owned(), handler });
        drop(inner);
        let (book, name) = (Arc::downgrade(&self.book), command.to_owned());
        Ok(IpcGuard::new(move || {
            let Some(book) = book.upgrade() else { return };
            let mut inner = book.lock();
            let own = inner.commands.get(&name).is_some_and(|command| command.number == number);
            let removed = if own { inner.commands.remove(&name) } else { None };
            drop(inner);
            drop(removed);
        }))
    }

    fn on_update(&self, update: Arc<dyn Fn() + Send + Sync>) -> IpcGuard {
        let connection = Arc::clone(&self.connection);
        let while_loaded = Arc::new(move || {
            if !connection.is_closed() {
                update();
            }
        });
        self.engine.on_update(self.connection.name(), while_loaded)
    }

    fn on_session(&self, handler: SessionHandler) -> IpcGuard {
        let mut inner = self.book.lock();
        let number = inner.number();
        inner.sessions.insert(number, (self.connection.number(), handler));
        drop(inner);
        let book = Arc::downgrade(&self.book);
        IpcGuard::new(move || {
            if let Some(book) = book.upgrade() {
                let removed = book.lock().sessions.remove(&number);
                drop(removed);
            }
        })
    }

    fn session(&self) -> Option<Session> {
        self.book.lock().session
    }

    fn call_service(&self, name: &str, json: &str) -> Result<String, ServiceError> {
        if let Some(closed) = self.closed(name) {
            return Err(closed);
        }
        let service = self.book.lock().scripted.get(name).cloned();
        let service = service.ok_or_else(|| ServiceError::Unknown { name: name.to_owned() })?;
        service(json).map_err(|message| ServiceError::Failed {
            name: name.to_owned(),
            kind: "Scripted".to_owned(),
            message,
        })
    }
}
