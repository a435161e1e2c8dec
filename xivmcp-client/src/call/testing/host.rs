//! The small host behind a [`TestCall`](super::TestCall). For it only.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use xivmcp_protocol::{API_VERSION, ApprovalRequest, Capability, HostGate, envelope};

use super::time::VirtualTime;
use crate::ipc::{
    FrameworkClosure, IpcAction, IpcError, IpcFunction, IpcGuard, IpcSignature, IpcTransport, IpcType, IpcValue,
};
use crate::runtime::Runtime;

/// How long a frame takes.
const FRAME: Duration = Duration::from_millis(16);

#[derive(Default)]
struct Script {
    approved: Vec<Capability>,
    answer_after: Duration,
    progress: Vec<String>,
    approvals: Vec<(Capability, String)>,
    /// When each question, by its number, is answered, and how.
    answers: Vec<(Duration, bool)>,
}

pub(super) struct TestHost {
    time: Arc<VirtualTime>,
    script: Mutex<Script>,
}

impl TestHost {
    pub(super) fn new(time: Arc<VirtualTime>) -> Self {
        Self { time, script: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn approve(&self, capability: Capability) {
        self.lock().approved.push(capability);
    }

    pub(super) fn answer_after(&self, duration: Duration) {
        self.lock().answer_after = duration;
    }

    pub(super) fn progress(&self) -> Vec<String> {
        self.lock().progress.clone()
    }

    pub(super) fn approvals(&self) -> Vec<(Capability, String)> {
        self.lock().approvals.clone()
    }

    fn question(&self, request: &str) -> String {
        let request = match ApprovalRequest::parse(request) {
            Ok(request) => request,
            Err(error) => return envelope::error(&error.to_string()),
        };
        let mut script = self.lock();
        let approved = script.approved.contains(request.capability());
        let due = self.time.now() + script.answer_after;
        script.approvals.push((request.capability().clone(), request.summary().to_owned()));
        script.answers.push((due, approved));
        let id = format!("{:012x}", script.answers.len() - 1);
        drop(script);
        self.answer(&id)
    }

    fn answer(&self, id: &str) -> String {
        let number = usize::from_str_radix(id, 16).unwrap_or(usize::MAX);
        let Some((due, approved)) = self.lock().answers.get(number).copied() else {
            return envelope::error(&format!("there is no approval `{id}`"));
        };
        let state = match (self.time.now() < due, approved) {
            (true, _) => "pending",
            (false, true) => "approved",
            (false, false) => "denied",
        };
        envelope::ok(&json!({ "approvalId": id, "state": state }))
    }

    fn reply(&self, gate: HostGate, arguments: &[&str]) -> String {
        let ok = |fields: Value| envelope::ok(&fields);
        match (gate, arguments) {
            (HostGate::RequestApproval, [_, request]) => self.question(request),
            (HostGate::GetApproval, [id]) => self.answer(id),
            (HostGate::ReportProgress, [_, text]) => {
                self.lock().progress.push((*text).to_owned());
                ok(json!({}))
            }
            (HostGate::CompleteCall | HostGate::FailCall, _) => ok(json!({ "accepted": true })),
            (HostGate::CheckPermission, [_, capability]) => {
                let capability = Capability::from(*capability);
                let mode = capability.default_mode();
                ok(
                    json!({ "capability": capability, "mode": mode, "enabled": true, "suspended": false, "state": "enabled" }),
                )
            }
            (HostGate::GetStatus, _) => ok(json!({
                "state": "enabled", "canRun": true, "suspendReason": null,
                "tools": [], "capabilities": [], "dependencies": [],
            })),
            (HostGate::DeclareDependencies, _) => ok(json!({ "dependencies": [] })),
            (HostGate::ListJobs, _) => ok(json!({ "jobs": [] })),
            (HostGate::StartJob, _) => envelope::error("the host of a test call runs no jobs"),
            (HostGate::GetJob | HostGate::PauseJob | HostGate::ResumeJob | HostGate::CancelJob, [id]) => {
                envelope::error(&format!("there is no job `{id}`"))
            }
            _ => ok(json!({})),
        }
    }
}

impl IpcTransport for TestHost {
    fn internal_name(&self) -> &str {
        "TestPlugin"
    }

    fn call_function(&self, gate: &str, arguments: &[IpcValue], _: IpcType) -> Result<IpcValue, IpcError> {
        match HostGate::from_name(gate) {
            Some(HostGate::ApiVersion) => Ok(IpcValue::I32(API_VERSION)),
            Some(HostGate::IsReady) => Ok(IpcValue::Bool(true)),
            Some(gate) => {
                let texts: Vec<&str> = arguments.iter().filter_map(IpcValue::as_text).collect();
                Ok(IpcValue::Text(self.reply(gate, &texts)))
            }
            None => Err(IpcError::NotReady { gate: gate.to_owned() }),
        }
    }

    fn call_action(&self, gate: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Err(IpcError::NotReady { gate: gate.to_owned() })
    }

    fn send_message(&self, _: &str, _: &[IpcValue]) -> Result<(), IpcError> {
        Ok(())
    }

    fn provide_function(&self, _: &str, _: &IpcSignature, _: IpcFunction) -> Result<IpcGuard, IpcError> {
        Ok(IpcGuard::new(|| {}))
    }

    fn provide_action(&self, _: &str, _: &[IpcType], _: IpcAction) -> Result<IpcGuard, IpcError> {
        Ok(IpcGuard::new(|| {}))
    }

    fn subscribe(&self, _: &str, _: &[IpcType], _: IpcAction) -> Result<IpcGuard, IpcError> {
        Ok(IpcGuard::new(|| {}))
    }

    fn run_on_next_update(&self, closure: FrameworkClosure) {
        let next_frame = self.time.sleep(FRAME);
        self.time.spawn(Box::pin(async move {
            next_frame.await;
            closure();
        }));
    }

    fn is_framework_thread(&self) -> bool {
        true
    }
}
