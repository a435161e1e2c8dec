//! The host's gates on the bus: what they take, and how they reach the core.

use std::sync::{Arc, Weak};

use xivmcp_client::ipc::{IpcError, IpcFunction, IpcGuard, IpcSignature, IpcType, IpcValue};
use xivmcp_protocol::HostGate;
use xivmcp_protocol::gate::{GateKind, GateReturn};

use super::Driver;

/// Provides all gates; they are there until the guards go.
pub(super) fn provide(driver: &Arc<Driver>) -> Vec<IpcGuard> {
    let weak = Arc::downgrade(driver);
    let mut guards = Vec::new();
    for gate in HostGate::ALL.iter().copied().filter(|gate| gate.kind() == GateKind::Function) {
        let (returns, function): (IpcType, IpcFunction) = match gate.returns() {
            GateReturn::Int => (IpcType::I32, with(&weak, gate, |driver| driver.lock().api_version().into())),
            GateReturn::Bool => (IpcType::Bool, with(&weak, gate, |driver| driver.lock().is_ready().into())),
            _ => (IpcType::Text, text_gate(weak.clone(), gate)),
        };
        let signature = IpcSignature::new(vec![IpcType::Text; gate.parameters().len()], returns);
        guards.push(driver.provide(gate.name(), signature, function));
    }
    guards
}

fn with(
    driver: &Weak<Driver>,
    gate: HostGate,
    answer: impl Fn(&Driver) -> IpcValue + Send + Sync + 'static,
) -> IpcFunction {
    let driver = driver.clone();
    Arc::new(move |_| driver.upgrade().map(|driver| answer(&driver)).ok_or_else(|| gone(gate)))
}

fn text_gate(driver: Weak<Driver>, gate: HostGate) -> IpcFunction {
    Arc::new(move |arguments| {
        let driver = driver.upgrade().ok_or_else(|| gone(gate))?;
        let caller = driver.bus().caller();
        let texts: Vec<&str> = arguments.iter().filter_map(IpcValue::as_text).collect();
        let reply = driver.operate(|core, now| core.gate(now, caller.as_deref(), gate, &texts));
        Ok(reply.into())
    })
}

fn gone(gate: HostGate) -> IpcError {
    IpcError::NotReady { gate: gate.name().to_owned() }
}
