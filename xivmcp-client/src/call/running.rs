//! The task of a long-running call: the handler's future, the wait for its work on the framework thread, and the
//! report. For the client only.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::call::state::CallState;
use crate::panics::caught;
use crate::tool_error::McpToolError;
use crate::typed::handler::Running;

/// Runs a handler to its end and reports it once, also when the task is dropped before.
pub(crate) struct CallTask {
    call: Arc<CallState>,
    handler: Option<Running>,
    outcome: Option<Result<String, McpToolError>>,
}

impl CallTask {
    pub(crate) fn new(call: Arc<CallState>, handler: Running) -> Self {
        Self { call, handler: Some(handler), outcome: None }
    }

    fn poll_handler(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(handler) = self.handler.as_mut() else { return Poll::Ready(()) };
        let call = &self.call;
        let polled = caught(|| call.inside(|| handler.as_mut().poll(context)));
        self.outcome = Some(match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(outcome)) => outcome,
            Err(panic) => Err(panicked(call, &panic)),
        });
        self.drop_handler();
        Poll::Ready(())
    }

    /// Drops what the handler still holds: guards among it, whose stopping the end waits for.
    fn drop_handler(&mut self) {
        let Some(handler) = self.handler.take() else { return };
        let call = &self.call;
        if let Err(panic) = caught(|| call.inside(|| drop(handler))) {
            tracing::error!(tool = &*call.tool, panic, "dropping a handler panicked");
        }
    }
}

/// The error of a handler that panicked, told as an event too: an assistant's error is easily overlooked.
pub(crate) fn panicked(call: &CallState, panic: &str) -> McpToolError {
    tracing::error!(tool = &*call.tool, call = &*call.id, panic, "the handler of a tool panicked");
    McpToolError::new(format!("{} failed: its handler panicked: {panic}", call.tool))
}

impl Future for CallTask {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.poll_handler(context).is_pending() || self.call.poll_tickets(context).is_pending() {
            return Poll::Pending;
        }
        if let Some(outcome) = self.outcome.take() {
            self.call.client.report_end(&self.call, &outcome);
        }
        Poll::Ready(())
    }
}

impl Drop for CallTask {
    fn drop(&mut self) {
        self.drop_handler();
        if !self.call.has_ended() {
            let dropped =
                || Err(McpToolError::new(format!("{} was stopped: its plugin is unloading.", self.call.tool)));
            let outcome = self.outcome.take().unwrap_or_else(dropped);
            self.call.client.report_end(&self.call, &outcome);
        }
    }
}
