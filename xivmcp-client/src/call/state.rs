//! What a running call is made of: shared by the handler's [`McpCall`](super::McpCall), the client's table of calls and
//! the task that runs the handler. For the client only.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread::{self, ThreadId};

use futures::task::AtomicWaker;
use tokio_util::sync::CancellationToken;

use crate::client::shared::Shared;

/// One call.
pub(crate) struct CallState {
    pub(crate) id: Box<str>,
    pub(crate) tool: Arc<str>,
    pub(crate) args: Box<str>,
    pub(crate) token: CancellationToken,
    pub(crate) client: Arc<Shared>,
    /// Whether the end was decided: by the handler, by dropping its task, or by dispose giving up. Whoever sets it
    /// reports it.
    ended: AtomicBool,
    /// Work on the framework thread that the end has to wait for.
    tickets: AtomicUsize,
    tickets_returned: AtomicWaker,
    /// The threads that run code of this call right now; a thread is in it once for each nesting.
    inside: Mutex<Vec<ThreadId>>,
}

impl CallState {
    pub(crate) fn new(client: Arc<Shared>, id: &str, tool: Arc<str>, args: &str) -> Self {
        Self {
            id: id.into(),
            tool,
            args: args.into(),
            token: CancellationToken::new(),
            client,
            ended: AtomicBool::new(false),
            tickets: AtomicUsize::new(0),
            tickets_returned: AtomicWaker::new(),
            inside: Mutex::new(Vec::new()),
        }
    }

    /// Decides the end. `true` for the one who may report it.
    pub(crate) fn end(&self) -> bool {
        !self.ended.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Runs code of this call on this thread, so that a dispose inside it does not wait for it.
    pub(crate) fn inside<R>(&self, code: impl FnOnce() -> R) -> R {
        struct Leave<'a>(&'a CallState);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                let current = thread::current().id();
                let mut inside = self.0.inside.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(at) = inside.iter().rposition(|thread| *thread == current) {
                    inside.swap_remove(at);
                }
            }
        }
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).push(thread::current().id());
        let _leave = Leave(self);
        code()
    }

    /// Whether code of this call runs on that thread, below whoever asks.
    pub(crate) fn is_inside(&self, thread: ThreadId) -> bool {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).contains(&thread)
    }

    /// Keeps the call from being reported as ended until the ticket goes.
    pub(crate) fn ticket(self: &Arc<Self>) -> Ticket {
        self.tickets.fetch_add(1, Ordering::AcqRel);
        Ticket { call: self.clone() }
    }

    pub(crate) fn tickets(&self) -> usize {
        self.tickets.load(Ordering::Acquire)
    }

    /// Ready when no ticket is out. Only the call's own task waits for it.
    pub(crate) fn poll_tickets(&self, context: &mut Context<'_>) -> Poll<()> {
        self.tickets_returned.register(context.waker());
        if self.tickets() == 0 { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// See [`CallState::ticket`].
pub(crate) struct Ticket {
    call: Arc<CallState>,
}

impl Ticket {
    pub(crate) fn call(&self) -> &Arc<CallState> {
        &self.call
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.call.tickets.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.call.tickets_returned.wake();
        }
    }
}
