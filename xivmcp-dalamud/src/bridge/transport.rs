//! The bridge as [`IpcTransport`]: gates, and the framework thread.

use xivmcp_client::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue,
};

use super::state::{Bridge, Phase, Provided};
use crate::ffi::Outcome;

impl IpcTransport for Bridge {
    fn internal_name(&self) -> &str {
        &self.internal_name
    }

    fn call_function(&self, gate: &str, arguments: &[IpcValue], returns: IpcType) -> Result<IpcValue, IpcError> {
        self.check_open(gate)?;
        let _mark = self.outbound();
        let value = value_or_error(self.host.call_function(gate, arguments, returns), gate, arguments)?;
        let given = value.ipc_type();
        if given == returns {
            Ok(value)
        } else {
            let (gate, place) = (gate.to_owned(), String::from("return value"));
            Err(IpcError::TypeMismatch { gate, place, given: returns, expected: given })
        }
    }

    fn call_action(&self, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError> {
        self.check_open(gate)?;
        let _mark = self.outbound();
        value_or_error(self.host.call_action(gate, arguments), gate, arguments).map(drop)
    }

    fn send_message(&self, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError> {
        self.check_open(gate)?;
        let _mark = self.outbound();
        value_or_error(self.host.send_message(gate, arguments), gate, arguments).map(drop)
    }

    fn provide_function(
        &self,
        gate: &str,
        signature: &IpcSignature,
        function: IpcFunction,
    ) -> Result<IpcGuard, IpcError> {
        self.check_open(gate)?;
        check_parameters(gate, &signature.parameters)?;
        self.provide(Provided::Function(signature.clone().into(), function), |id| {
            let _mark = self.outbound();
            value_or_error(self.host.provide_function(gate, signature, id), gate, &[]).map(drop)
        })
    }

    fn provide_action(&self, gate: &str, parameters: &[IpcType], action: IpcAction) -> Result<IpcGuard, IpcError> {
        self.check_open(gate)?;
        check_parameters(gate, parameters)?;
        self.provide(Provided::Action(parameters.into(), action), |id| {
            let _mark = self.outbound();
            value_or_error(self.host.provide_action(gate, parameters, id), gate, &[]).map(drop)
        })
    }

    fn subscribe(&self, gate: &str, parameters: &[IpcType], subscriber: IpcAction) -> Result<IpcGuard, IpcError> {
        self.check_open(gate)?;
        check_parameters(gate, parameters)?;
        self.provide(Provided::Action(parameters.into(), subscriber), |id| {
            let _mark = self.outbound();
            value_or_error(self.host.subscribe(gate, parameters, id), gate, &[]).map(drop)
        })
    }

    fn run_on_next_update(&self, closure: FrameworkClosure) {
        let id = match self.keep_closure(closure) {
            Ok(id) => id,
            Err(too_late) => return drop(too_late),
        };
        let _mark = self.outbound();
        if self.host.run_on_next_update(id) != Outcome::DONE && self.phase() == Phase::Open {
            // It will never be called: its owner learns of that by the drop.
            let closure = self.take_closure(id);
            drop(closure);
        }
        // While the plugin stops, the stopping thread runs it or drops it.
    }

    fn is_framework_thread(&self) -> bool {
        self.host.is_framework_thread()
    }
}

impl Bridge {
    fn check_open(&self, gate: &str) -> Result<(), IpcError> {
        if self.is_open() { Ok(()) } else { Err(IpcError::Closed { gate: gate.to_owned() }) }
    }
}

fn check_parameters(gate: &str, parameters: &[IpcType]) -> Result<(), IpcError> {
    let refuse = |reason| Err(IpcError::Unsupported { gate: gate.to_owned(), reason });
    if parameters.len() > IpcSignature::MAX_PARAMETERS {
        return refuse(format!(
            "it was to have {} parameters, a gate has at most {}",
            parameters.len(),
            IpcSignature::MAX_PARAMETERS
        ));
    }
    match parameters.iter().position(|&parameter| parameter == IpcType::Unit) {
        Some(at) => refuse(format!("parameter {} is of type object, which is none that a value can have", at + 1)),
        None => Ok(()),
    }
}

/// What a call of `gate` came to, in the words of the transport.
pub(crate) fn value_or_error(outcome: Outcome, gate: &str, arguments: &[IpcValue]) -> Result<IpcValue, IpcError> {
    let gate = gate.to_owned();
    Err(match outcome {
        Outcome::Done(value) => return Ok(value),
        Outcome::NotReady(_) => IpcError::NotReady { gate },
        Outcome::LengthMismatch { given, expected: Some(expected), .. } => {
            IpcError::LengthMismatch { gate, given: given.unwrap_or(arguments.len()), expected }
        }
        Outcome::TypeMismatch { position, given: Some(given), expected: Some(expected), .. } => {
            let place = if position == 0 { String::from("return value") } else { format!("argument {position}") };
            IpcError::TypeMismatch { gate, place, given, expected }
        }
        Outcome::LengthMismatch { text: message, .. } | Outcome::TypeMismatch { text: message, .. } => {
            IpcError::Mismatch { gate, message }
        }
        Outcome::Failed { kind, text: message } => IpcError::Failed { gate, kind, message },
        Outcome::Panicked(message) => IpcError::Failed { gate, kind: String::from("panic"), message },
        Outcome::Closed(_) => IpcError::Closed { gate },
        Outcome::BadText(message) => IpcError::Failed { gate, kind: String::from("BadText"), message },
        Outcome::Unsupported(reason)
        | Outcome::Version(reason)
        | Outcome::Unknown(reason)
        | Outcome::Refused(reason)
        | Outcome::KeepLoaded(reason) => IpcError::Unsupported { gate, reason },
        Outcome::Invalid(text) => {
            IpcError::Unsupported { gate, reason: format!("the other side says that the call breaks the ABI: {text}") }
        }
    })
}
