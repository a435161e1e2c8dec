//! What the host calls: Invoke, Cancel, and the messages Ready and Disposing. For the client only.
//!
//! Nothing unwinds out of here, and no subscriber fails: one that does would stop those after it (R-IPC-5).

use std::future::Future;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use futures::task::noop_waker_ref;
use xivmcp_protocol::gate::{cancel_gate, invoke_gate};
use xivmcp_protocol::{CompletionReply, HostGate, InvokeReply};

use super::registry::{Handler, Tool};
use super::shared::Shared;
use crate::McpCall;
use crate::call::running::{CallTask, panicked};
use crate::call::state::CallState;
use crate::ipc::{IpcError, IpcGuard, IpcSignature, IpcType, IpcValue};
use crate::panics::caught;
use crate::tool_error::McpToolError;
use crate::typed::handler::{RunQuick, StartLongRunning};

/// Provides and subscribes everything. The gates hold no client alive.
pub(super) fn provide(client: &Arc<Shared>) -> Result<Vec<IpcGuard>, IpcError> {
    let transport = &client.transport;
    let invoke = Arc::downgrade(client);
    let cancel = Arc::downgrade(client);
    let signature = IpcSignature::new([IpcType::Text, IpcType::Text, IpcType::Text], IpcType::Text);
    // In the order in which they are taken away: what starts something first.
    Ok(vec![
        transport.subscribe(HostGate::Ready.name(), &[], subscriber(client, Shared::host_loaded))?,
        transport.subscribe(HostGate::Disposing.name(), &[], subscriber(client, Shared::cancel_all))?,
        transport.provide_function(
            &invoke_gate(client.owner()),
            &signature,
            Arc::new(move |arguments| Ok(IpcValue::Text(invoke_gate_called(&invoke, arguments)))),
        )?,
        transport.provide_action(
            &cancel_gate(client.owner()),
            &[IpcType::Text],
            Arc::new(move |arguments| {
                let id = arguments.first().and_then(IpcValue::as_text).unwrap_or_default();
                with_client(&cancel, |client| client.cancel(id));
                Ok(())
            }),
        )?,
    ])
}

fn subscriber(client: &Arc<Shared>, react: fn(&Shared)) -> crate::ipc::IpcAction {
    let client = Arc::downgrade(client);
    Arc::new(move |_| {
        with_client(&client, |client| react(client));
        Ok(())
    })
}

fn with_client(client: &Weak<Shared>, react: impl FnOnce(&Arc<Shared>)) {
    let Some(client) = client.upgrade() else { return };
    if let Err(panic) = caught(|| react(&client)) {
        tracing::error!(panic, "the client panicked in a gate");
    }
}

fn invoke_gate_called(client: &Weak<Shared>, arguments: &[IpcValue]) -> String {
    let replied = caught(|| {
        let [IpcValue::Text(id), IpcValue::Text(tool), IpcValue::Text(args)] = arguments else {
            return error("Invoke takes three texts: the call's id, the tool's name and the arguments' JSON.");
        };
        match client.upgrade() {
            Some(client) => client.invoke(id, tool, args),
            None => error(&unloading(tool)),
        }
    });
    replied.unwrap_or_else(|panic| error(&format!("The plugin's client panicked: {panic}")))
}

fn error(message: &str) -> String {
    InvokeReply::Error(message.to_owned()).to_json()
}

fn unloading(tool: &str) -> String {
    format!("{tool} cannot run: its plugin is unloading.")
}

impl Shared {
    fn host_loaded(&self) {
        self.registry.host_loaded();
        self.settle();
    }

    pub(super) fn cancel_all(&self) {
        for call in self.calls.all() {
            call.token.cancel();
        }
    }

    fn cancel(&self, id: &str) {
        match self.calls.get(id) {
            Some(call) => call.token.cancel(),
            None => tracing::debug!(call = id, "Cancel of a call that is not running was ignored"),
        }
    }

    /// R-CLI-4.
    pub(crate) fn invoke(self: &Arc<Self>, id: &str, tool: &str, args: &str) -> String {
        let Some(tool) = self.registry.find(tool) else {
            if self.is_disposed() {
                return error(&unloading(tool));
            }
            return error(&format!("This plugin has no tool named {tool:?}."));
        };
        let call = Arc::new(CallState::new(self.clone(), id, tool.name.clone(), args));
        if !self.calls.enter(&call) {
            return error(&unloading(&tool.name));
        }
        let handle = McpCall::from_state(call);
        match &tool.handler {
            Handler::Quick(run) => self.run_quick(&handle, &**run, args),
            Handler::LongRunning(start) => self.start_long_running(&handle, &**start, args, &tool),
        }
    }

    fn run_quick(&self, handle: &McpCall, run: &RunQuick, args: &str) -> String {
        let call = handle.state();
        let outcome = self.entered(|| call.inside(|| caught(|| run(handle, args))));
        let outcome = outcome.unwrap_or_else(|panic| Err(panicked(call, &panic)));
        // Dispose may have given up on it and failed the call; the reply wins all the same (R-CALL-4).
        call.end();
        self.leave(call);
        match outcome {
            Ok(reply) => reply,
            Err(failed) => error(failed.message()),
        }
    }

    fn start_long_running(
        self: &Arc<Self>,
        handle: &McpCall,
        start: &StartLongRunning,
        args: &str,
        tool: &Tool,
    ) -> String {
        let call = handle.state();
        let started = self.entered(|| call.inside(|| caught(|| start(handle.clone(), args))));
        let failed = match started {
            Ok(Ok(running)) => {
                let mut task = Box::pin(CallTask::new(call.clone(), running));
                // The task polls again wherever it is spawned, so this poll needs no waker.
                let mut context = Context::from_waker(noop_waker_ref());
                if self.entered(|| task.as_mut().poll(&mut context)) == Poll::Pending {
                    match self.runtime.upgrade() {
                        Some(runtime) => runtime.spawn(task),
                        None => drop(task),
                    }
                }
                return InvokeReply::Pending.to_json();
            }
            // Wrong arguments: the handler has not begun.
            Ok(Err(failed)) => failed,
            Err(panic) => panicked(call, &panic),
        };
        tracing::debug!(tool = &*tool.name, call = &*call.id, error = failed.message(), "a call did not start");
        call.end();
        self.leave(call);
        error(failed.message())
    }

    /// Runs `code` with the runtime as the current one; without a runtime, as it is.
    fn entered<R>(&self, code: impl FnOnce() -> R) -> R {
        let mut code = Some(code);
        let mut result = None;
        let mut run = || result = code.take().map(|code| code()).or(result.take());
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.enter(&mut run);
        }
        run();
        result.expect("the code runs in one of the two")
    }

    fn leave(&self, call: &Arc<CallState>) {
        if self.calls.leave(call) {
            self.framework.close();
        }
        if self.is_disposed() {
            self.changed.notify();
        }
    }

    /// Tells the host how a pending call has ended, once. After that the call is over for this client too.
    pub(crate) fn report_end(&self, call: &Arc<CallState>, outcome: &Result<String, McpToolError>) {
        if call.end() {
            self.tell_end(call, outcome);
        }
        self.leave(call);
    }

    pub(super) fn tell_end(&self, call: &CallState, outcome: &Result<String, McpToolError>) {
        let (gate, text) = match outcome {
            Ok(json) => (HostGate::CompleteCall, json.as_str()),
            Err(failed) => (HostGate::FailCall, failed.message()),
        };
        let told = caught(|| self.ask::<CompletionReply>(gate, &[&call.id, text]));
        let (tool, id) = (&*call.tool, &*call.id);
        match told {
            Ok(Ok(reply)) if reply.accepted => {}
            Ok(Ok(_)) => tracing::debug!(tool, call = id, "the call had ended before: its result was dropped"),
            // R-CLI-6: in silence, for it is nobody's fault.
            Ok(Err(gone)) if gone.is_gone() => tracing::trace!(tool, call = id, "a call ended after XIV MCP had gone"),
            Ok(Err(error)) => {
                tracing::warn!(tool, call = id, %error, "the end of a call was not taken: it was dropped");
            }
            Err(panic) => tracing::error!(tool, call = id, panic, "the transport panicked"),
        }
    }

    pub(super) fn pending_approvals(&self) -> usize {
        self.approvals.load(Ordering::Acquire)
    }
}
