//! A transport that costs next to nothing, so that the benches measure the client.
#![allow(dead_code, unreachable_pub, reason = "each bench uses another part of it")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use xivmcp_client::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue,
};

/// Takes everything, and keeps the plugin's gates.
#[derive(Default)]
pub struct Silent {
    pub invoke: Mutex<Option<IpcFunction>>,
    pub cancel: Mutex<Option<IpcAction>>,
    pub ready: Mutex<Option<IpcAction>>,
    registered: AtomicUsize,
    /// When it began, and when each thousand of registrations was complete.
    marks: Mutex<Vec<Instant>>,
}

impl Silent {
    pub fn begin(&self) {
        self.registered.store(0, Ordering::Relaxed);
        *self.marks.lock().unwrap() = vec![Instant::now()];
    }

    /// How long each thousand of registrations took.
    pub fn thousands(&self) -> Vec<Duration> {
        self.marks.lock().unwrap().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    pub fn invoke_gate(&self) -> IpcFunction {
        self.invoke.lock().unwrap().clone().unwrap()
    }
}

impl IpcTransport for Silent {
    fn internal_name(&self) -> &str {
        "MyPlugin"
    }

    fn call_function(&self, gate: &str, _: &[IpcValue], returns: IpcType) -> Result<IpcValue, IpcError> {
        if gate == "XivMcp.RegisterTool" && (self.registered.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(1000) {
            self.marks.lock().unwrap().push(Instant::now());
        }
        Ok(match returns {
            IpcType::I32 => IpcValue::I32(2),
            _ => IpcValue::Text(r#"{"ok":true,"accepted":true}"#.to_owned()),
        })
    }

    fn call_action(&self, _: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Ok(())
    }

    fn send_message(&self, _: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Ok(())
    }

    fn provide_function(&self, _: &str, _: &IpcSignature, function: IpcFunction) -> Result<IpcGuard, IpcError> {
        *self.invoke.lock().unwrap() = Some(function);
        Ok(IpcGuard::new(|| {}))
    }

    fn provide_action(&self, _: &str, _: &[IpcType], action: IpcAction) -> Result<IpcGuard, IpcError> {
        *self.cancel.lock().unwrap() = Some(action);
        Ok(IpcGuard::new(|| {}))
    }

    fn subscribe(&self, gate: &str, _: &[IpcType], subscriber: IpcAction) -> Result<IpcGuard, IpcError> {
        if gate == "XivMcp.Ready" {
            *self.ready.lock().unwrap() = Some(subscriber);
        }
        Ok(IpcGuard::new(|| {}))
    }

    fn run_on_next_update(&self, closure: FrameworkClosure) {
        drop(closure);
    }

    fn is_framework_thread(&self) -> bool {
        true
    }
}

/// A client over it.
pub fn connect() -> (Arc<Silent>, xivmcp_client::XivMcpClient) {
    let silent = Arc::new(Silent::default());
    let client = xivmcp_client::XivMcpClient::builder(silent.clone()).connect().unwrap();
    (silent, client)
}
