//! The bridge as [`PluginServices`]: log, chat, commands, updates, session, and the author's own services.

use std::sync::Arc;

use xivmcp_client::ipc::IpcGuard;
use xivmcp_client::services::{CommandHandler, LogLevel, PluginServices, ServiceError, Session, SessionEvent};

use super::state::{Bridge, Provided};
use crate::abi::LogSeverity;
use crate::ffi::Outcome;

impl PluginServices for Bridge {
    fn log(&self, level: LogLevel, text: &str) {
        let severity = match level {
            LogLevel::Verbose => LogSeverity::Verbose,
            LogLevel::Debug => LogSeverity::Debug,
            LogLevel::Information => LogSeverity::Information,
            LogLevel::Warning => LogSeverity::Warning,
            _ => LogSeverity::Error,
        };
        let _mark = self.outbound();
        self.host.log(severity, text);
    }

    fn print_chat(&self, text: &str) {
        self.print(false, text);
    }

    fn print_chat_error(&self, text: &str) {
        self.print(true, text);
    }

    fn add_command(&self, command: &str, help: &str, handler: CommandHandler) -> Result<IpcGuard, ServiceError> {
        self.check_usable(command)?;
        self.provide(Provided::Command(handler), |id| {
            let _mark = self.outbound();
            text_or_error(self.host.add_command(command, help, id), command).map(drop)
        })
    }

    fn on_update(&self, update: Arc<dyn Fn() + Send + Sync>) -> IpcGuard {
        self.listen("updates", Provided::Update(update), |id| self.host.on_update(id))
    }

    fn on_session(&self, handler: Arc<dyn Fn(SessionEvent) + Send + Sync>) -> IpcGuard {
        self.listen("session events", Provided::Session(handler), |id| self.host.on_session(id))
    }

    fn session(&self) -> Option<Session> {
        let _mark = self.outbound();
        self.host.session().map(|state| Session::new(state.territory, state.world))
    }

    fn call_service(&self, name: &str, json: &str) -> Result<String, ServiceError> {
        self.check_usable(name)?;
        let _mark = self.outbound();
        text_or_error(self.host.call_service(name, json), name)
    }
}

impl Bridge {
    fn check_usable(&self, name: &str) -> Result<(), ServiceError> {
        if self.is_open() { Ok(()) } else { Err(ServiceError::Closed { name: name.to_owned() }) }
    }

    fn print(&self, is_error: bool, text: &str) {
        if !self.is_open() {
            return;
        }
        let _mark = self.outbound();
        let outcome = self.host.print_chat(is_error, text);
        if outcome != Outcome::DONE {
            self.complain(&format!("a line could not be printed to chat ({outcome:?}): {text}"));
        }
    }

    /// Asks the host for events. A host that has none is told of in the log; the guard is then one of nothing.
    fn listen(&self, what: &str, provided: Provided, ask: impl FnOnce(u64) -> Outcome) -> IpcGuard {
        let listening = self.provide(provided, |id| {
            let _mark = self.outbound();
            match ask(id) {
                Outcome::Done(_) => Ok(()),
                other => Err(other),
            }
        });
        listening.unwrap_or_else(|outcome| {
            if self.is_open() {
                self.complain(&format!("there are no {what}: {outcome:?}"));
            }
            IpcGuard::new(|| ())
        })
    }
}

/// What asking for `name` came to, in the words of the services.
fn text_or_error(outcome: Outcome, name: &str) -> Result<String, ServiceError> {
    let name = name.to_owned();
    Err(match outcome {
        Outcome::Done(value) => return Ok(value.as_text().map(str::to_owned).unwrap_or_default()),
        Outcome::Unknown(_) => ServiceError::Unknown { name },
        Outcome::Failed { kind, text: message } => ServiceError::Failed { name, kind, message },
        Outcome::Panicked(message) => ServiceError::Failed { name, kind: String::from("panic"), message },
        Outcome::Closed(_) => ServiceError::Closed { name },
        Outcome::Refused(reason) | Outcome::Unsupported(reason) => ServiceError::Refused { name, reason },
        Outcome::BadText(message) => ServiceError::Failed { name, kind: String::from("BadText"), message },
        other => ServiceError::Failed { name, kind: String::from("status"), message: other.into_text() },
    })
}
