//! The table of running calls. For the client only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::call::state::CallState;

#[derive(Default)]
struct Table {
    running: HashMap<Box<str>, Arc<CallState>>,
    /// Dispose has begun: no call starts any more.
    closed: bool,
}

/// The calls that have begun and are not reported as ended yet.
#[derive(Default)]
pub(crate) struct Calls {
    table: Mutex<Table>,
}

impl Calls {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a call that begins. `false` if none may begin any more.
    ///
    /// A host never uses an id twice; should one, the newer call is the one that Cancel finds.
    pub(crate) fn enter(&self, call: &Arc<CallState>) -> bool {
        let mut table = self.lock();
        if table.closed {
            return false;
        }
        let former = table.running.insert(call.id.clone(), call.clone());
        drop(table);
        drop(former);
        true
    }

    /// Takes out a call that has been reported. `true` if it was the last one of a table that is closed.
    pub(crate) fn leave(&self, call: &Arc<CallState>) -> bool {
        let mut table = self.lock();
        let known = table.running.get(&call.id).is_some_and(|known| Arc::ptr_eq(known, call));
        let former = if known { table.running.remove(&call.id) } else { None };
        let last = table.closed && table.running.is_empty();
        drop(table);
        drop(former);
        last
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<CallState>> {
        self.lock().running.get(id).cloned()
    }

    /// Lets no call begin any more.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
    }

    /// All running calls, in no order.
    pub(crate) fn all(&self) -> Vec<Arc<CallState>> {
        self.lock().running.values().cloned().collect()
    }

    /// The running calls, but for those whose code this thread is inside of.
    pub(crate) fn elsewhere(&self) -> Vec<Arc<CallState>> {
        let current = thread::current().id();
        let mut calls = self.all();
        calls.retain(|call| !call.is_inside(current));
        calls
    }

    /// Whether there are such calls. It looks at one as a rule: dispose asks after the end of each.
    pub(crate) fn any_elsewhere(&self) -> bool {
        let current = thread::current().id();
        self.lock().running.values().any(|call| !call.is_inside(current))
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().running.len()
    }
}
