//! A small Dalamud for the tests: gates, a framework thread that a test plays itself, and services that record.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use xivmcp_client::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue,
};
use xivmcp_client::services::{CommandHandler, LogLevel, PluginServices, ServiceError, Session, SessionEvent};
use xivmcp_dalamud::host::{LoadError, LoadedPlugin, PluginLibrary};

/// One plugin's view of a game with nobody else in it. Clones are the same game.
#[derive(Clone)]
pub(crate) struct Game(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    changed: Condvar,
}

type SessionHandler = Arc<dyn Fn(SessionEvent) + Send + Sync>;
type Service = Arc<dyn Fn(&str) -> Result<String, ServiceError> + Send + Sync>;

#[derive(Default)]
struct State {
    next: u64,
    functions: BTreeMap<String, (u64, IpcSignature, IpcFunction)>,
    actions: BTreeMap<String, (u64, Vec<IpcType>, IpcAction)>,
    subscribers: BTreeMap<u64, (String, Vec<IpcType>, IpcAction)>,
    commands: BTreeMap<String, CommandHandler>,
    updates: BTreeMap<u64, Arc<dyn Fn() + Send + Sync>>,
    sessions: BTreeMap<u64, SessionHandler>,
    services: BTreeMap<String, Service>,
    closures: VecDeque<FrameworkClosure>,
    framework_thread: Option<ThreadId>,
    log: Vec<(LogLevel, String)>,
    chat: Vec<String>,
    messages: Vec<String>,
    /// The service `wait` holds its callers while this is set.
    hold: bool,
    waiting: usize,
}

/// The internal name of the plugin.
pub(crate) const NAME: &str = "Fixture";

impl Game {
    /// A game in which the plugin is to run in `mode`.
    pub(crate) fn new(mode: &'static str) -> Self {
        let game = Self(Arc::default());
        game.lock().hold = true;
        game.service("mode", move |_| Ok(mode.to_owned()));
        let inner = Arc::downgrade(&game.0);
        game.service("wait", move |_| {
            let Some(inner) = inner.upgrade() else { return Ok(String::new()) };
            let mut state = inner.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.waiting += 1;
            inner.changed.notify_all();
            let mut state = inner.changed.wait_while(state, |state| state.hold).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
            inner.changed.notify_all();
            Ok(String::from("waited"))
        });
        game
    }

    /// Loads the fixture into it.
    pub(crate) fn load(&self) -> Result<LoadedPlugin, LoadError> {
        let path = PluginLibrary::find("xivmcp-fixture-plugin")?;
        PluginLibrary::open(path)?.start(Arc::new(self.clone()), Arc::new(self.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn service(
        &self,
        name: &str,
        service: impl Fn(&str) -> Result<String, ServiceError> + Send + Sync + 'static,
    ) {
        self.lock().services.insert(name.to_owned(), Arc::new(service));
    }

    /// Waits until `callers` are held by the service `wait`.
    pub(crate) fn wait_for_held(&self, callers: usize) {
        let state = self.lock();
        drop(self.0.changed.wait_while(state, |state| state.waiting < callers));
    }

    /// Lets the service `wait` return.
    pub(crate) fn let_go(&self) {
        self.lock().hold = false;
        self.0.changed.notify_all();
    }

    /// Calls the text function `gate` of the plugin.
    pub(crate) fn call(&self, gate: &str, arguments: &[&str]) -> Result<String, IpcError> {
        let arguments: Vec<IpcValue> = arguments.iter().map(|&text| text.into()).collect();
        let value = self.call_function(&format!("{NAME}.{gate}"), &arguments, IpcType::Text)?;
        Ok(value.as_text().expect("text was asked for").to_owned())
    }

    pub(crate) fn act(&self, gate: &str, arguments: &[&str]) -> Result<(), IpcError> {
        let arguments: Vec<IpcValue> = arguments.iter().map(|&text| text.into()).collect();
        self.call_action(&format!("{NAME}.{gate}"), &arguments)
    }

    /// Makes this thread the framework thread for the time of `body`.
    pub(crate) fn on_framework_thread<R>(&self, body: impl FnOnce() -> R) -> R {
        self.lock().framework_thread = Some(std::thread::current().id());
        let result = body();
        self.lock().framework_thread = None;
        result
    }

    /// One frame: the closures that wait now, then the update handlers.
    pub(crate) fn frame(&self) {
        self.on_framework_thread(|| {
            let closures = std::mem::take(&mut self.lock().closures);
            for closure in closures {
                closure();
            }
            let updates: Vec<_> = self.lock().updates.values().cloned().collect();
            for update in updates {
                update();
            }
        });
    }

    /// Drops the closures that wait: the game unloads.
    pub(crate) fn give_up_closures(&self) {
        let closures = std::mem::take(&mut self.lock().closures);
        drop(closures);
    }

    pub(crate) fn closures_waiting(&self) -> usize {
        self.lock().closures.len()
    }

    /// Waits until at least one closure is queued.
    pub(crate) fn wait_for_closure(&self) {
        let state = self.lock();
        drop(self.0.changed.wait_while(state, |state| state.closures.is_empty()));
    }

    /// Waits until at least `count` messages were sent.
    pub(crate) fn wait_for_messages(&self, count: usize) -> Vec<String> {
        let state = self.lock();
        let state = self.0.changed.wait_while(state, |state| state.messages.len() < count);
        state.unwrap_or_else(PoisonError::into_inner).messages.clone()
    }

    pub(crate) fn session_event(&self, event: SessionEvent) {
        let handlers: Vec<_> = self.lock().sessions.values().cloned().collect();
        self.on_framework_thread(|| handlers.iter().for_each(|handler| handler(event)));
    }

    pub(crate) fn type_command(&self, command: &str, arguments: &str) {
        let handler = self.lock().commands.get(command).cloned().expect("the command is there");
        self.on_framework_thread(|| handler(command, arguments));
    }

    pub(crate) fn chat(&self) -> Vec<String> {
        self.lock().chat.clone()
    }

    pub(crate) fn messages(&self) -> Vec<String> {
        self.lock().messages.clone()
    }

    pub(crate) fn log_lines(&self) -> Vec<(LogLevel, String)> {
        self.lock().log.clone()
    }

    /// Whether a line of the log contains `text`.
    pub(crate) fn logged(&self, text: &str) -> bool {
        self.lock().log.iter().any(|(_, line)| line.contains(text))
    }

    /// What the plugin still has in the game's hands.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        let state = self.lock();
        let mut left: Vec<String> = state.functions.keys().chain(state.actions.keys()).cloned().collect();
        left.extend(state.subscribers.values().map(|(gate, ..)| format!("subscriber of {gate}")));
        left.extend(state.commands.keys().cloned());
        left.extend(state.updates.keys().map(|id| format!("update {id}")));
        left.extend(state.sessions.keys().map(|id| format!("session {id}")));
        left.extend(state.closures.iter().map(|_| String::from("closure")));
        left
    }

    fn id(&self) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        state.next
    }

    /// A guard that undoes something, if the game is still there.
    fn guard(
        &self,
        undo: impl FnOnce(&mut State) -> Option<Box<dyn std::any::Any>> + Send + Sync + 'static,
    ) -> IpcGuard {
        let inner = Arc::downgrade(&self.0);
        IpcGuard::new(move || {
            if let Some(inner) = inner.upgrade() {
                let undone = undo(&mut inner.state.lock().unwrap_or_else(PoisonError::into_inner));
                drop(undone);
            }
        })
    }
}

fn check(gate: &str, given: &[IpcValue], expected: &[IpcType]) -> Result<(), IpcError> {
    let gate = || gate.to_owned();
    if given.len() != expected.len() {
        return Err(IpcError::LengthMismatch { gate: gate(), given: given.len(), expected: expected.len() });
    }
    for (at, (given, &expected)) in given.iter().map(IpcValue::ipc_type).zip(expected).enumerate() {
        if given != expected {
            let place = format!("argument {}", at + 1);
            return Err(IpcError::TypeMismatch { gate: gate(), place, given, expected });
        }
    }
    Ok(())
}

impl IpcTransport for Game {
    fn internal_name(&self) -> &str {
        NAME
    }

    fn call_function(&self, gate: &str, arguments: &[IpcValue], returns: IpcType) -> Result<IpcValue, IpcError> {
        let found = self.lock().functions.get(gate).cloned();
        let Some((_, signature, function)) = found else { return Err(IpcError::NotReady { gate: gate.to_owned() }) };
        check(gate, arguments, &signature.parameters)?;
        if returns != signature.returns {
            let (gate, place) = (gate.to_owned(), String::from("return value"));
            return Err(IpcError::TypeMismatch { gate, place, given: returns, expected: signature.returns });
        }
        function(arguments)
    }

    fn call_action(&self, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError> {
        let found = self.lock().actions.get(gate).cloned();
        let Some((_, parameters, action)) = found else { return Err(IpcError::NotReady { gate: gate.to_owned() }) };
        check(gate, arguments, &parameters)?;
        action(arguments)
    }

    fn send_message(&self, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError> {
        let texts: Vec<_> = arguments.iter().map(|value| value.as_text().unwrap_or("?")).collect();
        self.lock().messages.push(format!("{gate}({})", texts.join(", ")));
        self.0.changed.notify_all();
        let subscribers: Vec<_> = self.lock().subscribers.values().filter(|(name, ..)| name == gate).cloned().collect();
        for (_, parameters, subscriber) in subscribers {
            check(gate, arguments, &parameters)?;
            subscriber(arguments)?;
        }
        Ok(())
    }

    fn provide_function(
        &self,
        gate: &str,
        signature: &IpcSignature,
        function: IpcFunction,
    ) -> Result<IpcGuard, IpcError> {
        let (id, name) = (self.id(), gate.to_owned());
        self.lock().functions.insert(name.clone(), (id, signature.clone(), function));
        Ok(self.guard(move |state| {
            let ours = state.functions.get(&name).is_some_and(|(there, ..)| *there == id);
            if ours { state.functions.remove(&name).map(|gone| Box::new(gone) as _) } else { None }
        }))
    }

    fn provide_action(&self, gate: &str, parameters: &[IpcType], action: IpcAction) -> Result<IpcGuard, IpcError> {
        let (id, name) = (self.id(), gate.to_owned());
        self.lock().actions.insert(name.clone(), (id, parameters.to_vec(), action));
        Ok(self.guard(move |state| {
            let ours = state.actions.get(&name).is_some_and(|(there, ..)| *there == id);
            if ours { state.actions.remove(&name).map(|gone| Box::new(gone) as _) } else { None }
        }))
    }

    fn subscribe(&self, gate: &str, parameters: &[IpcType], subscriber: IpcAction) -> Result<IpcGuard, IpcError> {
        let id = self.id();
        self.lock().subscribers.insert(id, (gate.to_owned(), parameters.to_vec(), subscriber));
        Ok(self.guard(move |state| state.subscribers.remove(&id).map(|gone| Box::new(gone) as _)))
    }

    fn run_on_next_update(&self, closure: FrameworkClosure) {
        self.lock().closures.push_back(closure);
        self.0.changed.notify_all();
    }

    fn is_framework_thread(&self) -> bool {
        self.lock().framework_thread == Some(std::thread::current().id())
    }
}

impl PluginServices for Game {
    fn log(&self, level: LogLevel, text: &str) {
        self.lock().log.push((level, text.to_owned()));
    }

    fn print_chat(&self, text: &str) {
        self.lock().chat.push(text.to_owned());
    }

    fn print_chat_error(&self, text: &str) {
        self.lock().chat.push(format!("(red) {text}"));
    }

    fn add_command(&self, command: &str, help: &str, handler: CommandHandler) -> Result<IpcGuard, ServiceError> {
        let refuse = |reason: &str| Err(ServiceError::Refused { name: command.to_owned(), reason: reason.to_owned() });
        if help.is_empty() {
            return refuse("it has no help");
        }
        let name = command.to_owned();
        self.lock().commands.insert(name.clone(), handler);
        Ok(self.guard(move |state| state.commands.remove(&name).map(|gone| Box::new(gone) as _)))
    }

    fn on_update(&self, update: Arc<dyn Fn() + Send + Sync>) -> IpcGuard {
        let id = self.id();
        self.lock().updates.insert(id, update);
        self.guard(move |state| state.updates.remove(&id).map(|gone| Box::new(gone) as _))
    }

    fn on_session(&self, handler: SessionHandler) -> IpcGuard {
        let id = self.id();
        self.lock().sessions.insert(id, handler);
        self.guard(move |state| state.sessions.remove(&id).map(|gone| Box::new(gone) as _))
    }

    fn session(&self) -> Option<Session> {
        Some(Session::new(132, 54))
    }

    fn call_service(&self, name: &str, json: &str) -> Result<String, ServiceError> {
        let service = self.lock().services.get(name).cloned();
        match service {
            Some(service) => service(json),
            None => Err(ServiceError::Unknown { name: name.to_owned() }),
        }
    }
}
