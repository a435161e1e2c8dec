//! Which plugins of this library live, and which of them is on the stack of a thread.
//!
//! One library can be started several times in a process. The panic hook and the `log` crate's logger are per library,
//! so both need to know whose log a line goes to; and a `stop` needs to know whether it was called from inside a call
//! of the plugin that it is to stop. A plugin's slot is its bit in a thread's mask, so neither needs a list on the heap:
//! heap that a static owns would be lost when the library is unmapped, and a thread-local with a destructor keeps it
//! mapped.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use crate::abi::LogSeverity;
use crate::ffi::HostHandle;

/// How many plugins may live in one library at once: the bits of a mask.
pub(crate) const LIMIT: usize = 64;

/// The hosts of the plugins that live, by slot.
static HOSTS: Mutex<[Option<HostHandle>; LIMIT]> = Mutex::new([None; LIMIT]);

thread_local! {
    /// The plugins that have a call into or out of them on this thread, and the innermost one.
    static ON_STACK: Cell<OnStack> = const { Cell::new(OnStack { mask: 0, innermost: None }) };
}

#[derive(Clone, Copy)]
struct OnStack {
    mask: u64,
    innermost: Option<usize>,
}

/// One plugin's slot, until [`free`](Self::free).
#[derive(Debug)]
pub(crate) struct Slot(usize);

impl Slot {
    /// A slot for a plugin on `host`, and whether it is the only one; a sentence if there is none left.
    pub(crate) fn take(host: HostHandle) -> Result<(Self, bool), String> {
        let mut hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
        let first = hosts.iter().all(Option::is_none);
        let Some(free) = hosts.iter().position(Option::is_none) else {
            return Err(format!("{LIMIT} plugins were started from this library already"));
        };
        hosts[free] = Some(host);
        Ok((Self(free), first))
    }

    /// Marks this thread as inside a call into or out of the plugin, until the mark is dropped.
    pub(crate) fn mark(&self) -> Mark {
        let before = ON_STACK.get();
        ON_STACK.set(OnStack { mask: before.mask | 1 << self.0, innermost: Some(self.0) });
        Mark { before }
    }

    /// Whether this thread is inside a call into or out of the plugin.
    pub(crate) fn is_on_this_stack(&self) -> bool {
        ON_STACK.get().mask & 1 << self.0 != 0
    }

    /// Frees the slot, and tells whether it was the last one.
    pub(crate) fn free(&self) -> bool {
        let mut hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
        hosts[self.0] = None;
        hosts.iter().all(Option::is_none)
    }
}

/// See [`Slot::mark`].
#[must_use = "the mark goes when this is dropped"]
pub(crate) struct Mark {
    before: OnStack,
}

impl Drop for Mark {
    fn drop(&mut self) {
        ON_STACK.set(self.before);
    }
}

/// Writes a line to the log of the plugin that this thread is inside of, else of the one that lives here.
pub(crate) fn log(level: LogSeverity, text: &str) {
    let host = {
        let hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
        let innermost = ON_STACK.get().innermost.and_then(|slot| hosts[slot]);
        innermost.or_else(|| hosts.iter().flatten().next().copied())
    };
    if let Some(host) = host {
        host.log(level, text);
    }
}
