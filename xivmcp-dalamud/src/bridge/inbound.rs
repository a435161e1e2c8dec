//! The host's calls: to what was provided, to framework closures, to commands and events.

use xivmcp_client::ipc::{IpcError, IpcType, IpcValue};
use xivmcp_client::services::{Session, SessionEvent};

use super::instance::Instance;
use super::panics::caught;
use super::state::{Phase, Provided};
use crate::abi::{SessionChange, SessionState};
use crate::ffi::Outcome;

impl Instance {
    /// Runs a call of the host: counted, behind the panic barrier, and refused once the gates are taken away.
    pub(crate) fn inside(&self, call: impl FnOnce(&Self) -> Outcome) -> Outcome {
        let _inbound = self.bridge.inbound();
        caught(|| call(self)).unwrap_or_else(Outcome::Panicked)
    }

    pub(crate) fn invoke(&self, id: u64, arguments: &[IpcValue]) -> Outcome {
        match self.open_provided(id) {
            Ok(Provided::Function(signature, function)) => match check(&signature.parameters, arguments) {
                Err(mismatch) => mismatch,
                Ok(()) => match function(arguments) {
                    Err(error) => failed(error),
                    Ok(value) if value.ipc_type() == signature.returns => Outcome::Done(value),
                    Ok(value) => Outcome::TypeMismatch {
                        position: 0,
                        given: Some(value.ipc_type()),
                        expected: Some(signature.returns),
                        text: format!(
                            "the function returned {}, it was provided as returning {}",
                            value.ipc_type(),
                            signature.returns
                        ),
                    },
                },
            },
            Ok(Provided::Action(parameters, action)) => match check(&parameters, arguments) {
                Err(mismatch) => mismatch,
                Ok(()) => action(arguments).map_or_else(failed, |()| Outcome::DONE),
            },
            Ok(_) => unknown(id),
            Err(outcome) => outcome,
        }
    }

    pub(crate) fn run_closure(&self, id: u64, give_up: bool) -> Outcome {
        match self.bridge.take_closure(id) {
            Some(closure) => {
                self.bridge.finish_closure(closure, give_up).map_or_else(Outcome::Panicked, |()| Outcome::DONE)
            }
            // This side has dealt with it while it stopped.
            None => Outcome::DONE,
        }
    }

    pub(crate) fn command(&self, id: u64, command: &str, arguments: &str) -> Outcome {
        match self.open_provided(id) {
            Ok(Provided::Command(handler)) => {
                handler(command, arguments.trim());
                Outcome::DONE
            }
            Ok(_) => unknown(id),
            Err(outcome) => outcome,
        }
    }

    pub(crate) fn update(&self, id: u64) -> Outcome {
        match self.open_provided(id) {
            Ok(Provided::Update(update)) => {
                update();
                Outcome::DONE
            }
            Ok(_) => unknown(id),
            Err(outcome) => outcome,
        }
    }

    pub(crate) fn session_event(&self, id: u64, change: SessionChange, session: Option<SessionState>) -> Outcome {
        let session = session.map(|state| Session::new(state.territory, state.world));
        let event = match (change, session) {
            (SessionChange::Logout, _) => SessionEvent::Logout,
            (SessionChange::Login, Some(session)) => SessionEvent::Login(session),
            (SessionChange::TerritoryChanged, Some(session)) => SessionEvent::TerritoryChanged(session),
            (_, None) => return Outcome::Invalid(String::from("the session is NULL")),
        };
        match self.open_provided(id) {
            Ok(Provided::Session(handler)) => {
                handler(event);
                Outcome::DONE
            }
            Ok(_) => unknown(id),
            Err(outcome) => outcome,
        }
    }

    fn open_provided(&self, id: u64) -> Result<Provided, Outcome> {
        if self.bridge.phase() != Phase::Open {
            return Err(Outcome::Closed(String::from("the plugin is unloaded")));
        }
        self.bridge.provided(id).ok_or_else(|| unknown(id))
    }
}

fn unknown(id: u64) -> Outcome {
    Outcome::Unknown(format!("nothing is provided as {id} (any more)"))
}

/// Whether `arguments` are what `parameters` say.
fn check(parameters: &[IpcType], arguments: &[IpcValue]) -> Result<(), Outcome> {
    if parameters.len() != arguments.len() {
        return Err(Outcome::LengthMismatch {
            given: Some(arguments.len()),
            expected: Some(parameters.len()),
            text: format!("it takes {} arguments, {} were given", parameters.len(), arguments.len()),
        });
    }
    for (at, (parameter, argument)) in (1..).zip(parameters.iter().zip(arguments)) {
        let given = argument.ipc_type();
        if given != *parameter {
            return Err(Outcome::TypeMismatch {
                position: at,
                given: Some(given),
                expected: Some(*parameter),
                text: format!("argument {at} is {given}, it takes {parameter}"),
            });
        }
    }
    Ok(())
}

/// What a function failed with, for its caller: as Dalamud would tell it, always a failure of the function itself.
fn failed(error: IpcError) -> Outcome {
    let kind = match &error {
        IpcError::NotReady { .. } => "IpcNotReadyError",
        IpcError::LengthMismatch { .. } => "IpcLengthMismatchError",
        IpcError::TypeMismatch { .. } | IpcError::Mismatch { .. } => "IpcTypeMismatchError",
        _ => "IpcError",
    };
    match error {
        IpcError::Failed { kind, message, .. } => Outcome::Failed { kind, text: message },
        other => Outcome::Failed { kind: kind.to_owned(), text: other.to_string() },
    }
}
