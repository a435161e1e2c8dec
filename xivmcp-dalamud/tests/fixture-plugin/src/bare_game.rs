//! A game with nobody else in it, and where the fixture's library lies: for the examples in the documentation of
//! `xivmcp_dalamud`. The tests have a game of their own, which they can look into.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use xivmcp_client::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue,
};
use xivmcp_client::services::{CommandHandler, LogLevel, PluginServices, ServiceError, Session, SessionEvent};

/// Where the build has put the fixture's library, as far as cargo tells an example: they run elsewhere.
#[must_use]
pub fn library() -> PathBuf {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let file = format!("{prefix}xivmcp_fixture_plugin{suffix}");
    let folders = ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "PATH"];
    let folders =
        folders.iter().filter_map(std::env::var_os).flat_map(|all| std::env::split_paths(&all).collect::<Vec<_>>());
    folders.map(|folder| folder.join(&file)).find(|path| path.is_file()).unwrap_or(file.into())
}

/// The game: transport and services of the plugin `Fixture`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct BareGame {
    mode: String,
    hold: Mutex<Hold>,
    changed: Condvar,
}

/// The service `wait`.
#[derive(Debug, Default)]
struct Hold {
    waiting: bool,
    let_go: bool,
}

impl BareGame {
    /// A game in which the fixture runs in `mode`.
    #[must_use]
    pub fn new(mode: &str) -> Arc<Self> {
        Arc::new(Self { mode: mode.to_owned(), ..Self::default() })
    }

    /// Lets those go who wait in the service `wait`.
    pub fn let_go(&self) {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner).let_go = true;
        self.changed.notify_all();
    }

    /// Waits until somebody waits in the service `wait`.
    pub fn wait_for_held(&self) {
        let hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(hold, |hold| !hold.waiting));
    }
}

impl IpcTransport for BareGame {
    fn internal_name(&self) -> &str {
        "Fixture"
    }

    fn call_function(&self, gate: &str, _: &[IpcValue], _: IpcType) -> Result<IpcValue, IpcError> {
        Err(IpcError::NotReady { gate: gate.to_owned() })
    }

    fn call_action(&self, gate: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Err(IpcError::NotReady { gate: gate.to_owned() })
    }

    fn send_message(&self, _: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Ok(())
    }

    fn provide_function(&self, _: &str, _: &IpcSignature, _: IpcFunction) -> Result<IpcGuard, IpcError> {
        Ok(IpcGuard::new(|| ()))
    }

    fn provide_action(&self, _: &str, _: &[IpcType], _: IpcAction) -> Result<IpcGuard, IpcError> {
        Ok(IpcGuard::new(|| ()))
    }

    fn subscribe(&self, _: &str, _: &[IpcType], _: IpcAction) -> Result<IpcGuard, IpcError> {
        Ok(IpcGuard::new(|| ()))
    }

    fn run_on_next_update(&self, closure: FrameworkClosure) {
        drop(closure); // there is no next update
    }

    fn is_framework_thread(&self) -> bool {
        false
    }
}

impl PluginServices for BareGame {
    fn log(&self, _: LogLevel, _: &str) {}

    fn print_chat(&self, _: &str) {}

    fn print_chat_error(&self, _: &str) {}

    fn add_command(&self, _: &str, _: &str, _: CommandHandler) -> Result<IpcGuard, ServiceError> {
        Ok(IpcGuard::new(|| ()))
    }

    fn on_update(&self, _: Arc<dyn Fn() + Send + Sync>) -> IpcGuard {
        IpcGuard::new(|| ())
    }

    fn on_session(&self, _: Arc<dyn Fn(SessionEvent) + Send + Sync>) -> IpcGuard {
        IpcGuard::new(|| ())
    }

    fn session(&self) -> Option<Session> {
        None
    }

    fn call_service(&self, name: &str, _: &str) -> Result<String, ServiceError> {
        match name {
            "mode" => Ok(self.mode.clone()),
            "wait" => {
                let mut hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner);
                hold.waiting = true;
                self.changed.notify_all();
                drop(self.changed.wait_while(hold, |hold| !hold.let_go));
                Ok(String::new())
            }
            _ => Err(ServiceError::Unknown { name: name.to_owned() }),
        }
    }
}
