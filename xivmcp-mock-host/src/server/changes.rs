//! That something has changed: counters that readers wait for. They say when to look again, never what is there now,
//! so that a slow reader misses nothing and holds up nobody.

use tokio::sync::watch;

/// The counters of one server. The driver's side counts up; readers keep a receiver.
#[derive(Debug)]
pub(crate) struct Changes {
    anything: watch::Sender<u64>,
    tools: watch::Sender<u64>,
}

impl Changes {
    pub(crate) fn new() -> Self {
        Self { anything: watch::Sender::new(0), tools: watch::Sender::new(0) }
    }

    /// Something that the player's window may show has changed.
    pub(crate) fn something(&self) {
        self.anything.send_modify(|count| *count += 1);
    }

    /// What tools/list offers has changed.
    pub(crate) fn tools(&self) {
        self.tools.send_modify(|count| *count += 1);
        self.something();
    }

    /// Wakes at every change: `receiver.changed().await`, then look at the host. Several changes may be one wake.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.anything.subscribe()
    }

    /// Wakes when tools/list offers something else.
    pub(crate) fn watch_tools(&self) -> watch::Receiver<u64> {
        self.tools.subscribe()
    }
}
