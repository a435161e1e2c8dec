//! The client's list of tools and its declaration, and the queue of what the host has to hear of them. For the client
//! only; [`registration`](super::registration) works the queue off.
//!
//! Only one thread at a time talks to the host about registrations, and it takes what is next from the queue; whoever
//! comes meanwhile, from another thread or from inside a callback, only adds to the queue. So the host hears
//! everything in the order in which it happened, and ends with exactly this list, though no lock is held meanwhile.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use crate::typed::handler::{RunQuick, StartLongRunning};

/// A tool that was added.
pub(crate) struct Tool {
    pub(crate) name: Arc<str>,
    /// What `RegisterTool` gets.
    pub(crate) definition: String,
    pub(crate) handler: Handler,
}

/// What runs when the tool is called.
pub(crate) enum Handler {
    Quick(Box<RunQuick>),
    LongRunning(Box<StartLongRunning>),
}

/// One thing that the host has to hear.
enum Errand {
    Register(Arc<str>),
    Unregister(Arc<str>),
    Declare,
    UnregisterAll,
}

/// An errand with what it needs, taken from the list at the moment when its turn came.
pub(crate) enum Work {
    Register(Arc<Tool>),
    Unregister(Arc<str>),
    Declare(String),
    UnregisterAll,
}

#[derive(Default)]
struct State {
    tools: BTreeMap<u64, Arc<Tool>>,
    places: HashMap<Arc<str>, u64>,
    next_place: u64,
    declaration: Option<String>,
    errands: VecDeque<Errand>,
    /// Who works the queue off.
    worker: Option<ThreadId>,
    /// Counts the Ready messages: what was queued after one must not be thrown away for an older host's absence.
    hosts: u64,
    closed: bool,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Registry {
    state: Mutex<State>,
}

impl State {
    fn in_order(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<Tool>> {
        let state = self.lock();
        state.tools.get(state.places.get(name)?).cloned()
    }

    /// Adds a tool, or replaces the one of that name in its place. `false` after dispose.
    pub(crate) fn add(&self, tool: Tool) -> bool {
        let tool = Arc::new(tool);
        let mut state = self.lock();
        if state.closed {
            drop(state);
            return false;
        }
        let place = match state.places.get(&tool.name) {
            Some(place) => *place,
            None => {
                state.next_place += 1;
                let place = state.next_place;
                state.places.insert(tool.name.clone(), place);
                place
            }
        };
        state.errands.push_back(Errand::Register(tool.name.clone()));
        let former = state.tools.insert(place, tool);
        drop(state);
        drop(former);
        true
    }

    /// Removes a tool; tells whether it was there.
    pub(crate) fn remove(&self, name: &str) -> bool {
        let mut state = self.lock();
        let Some((name, place)) = state.places.remove_entry(name) else { return false };
        let former = state.tools.remove(&place);
        state.errands.push_back(Errand::Unregister(name));
        drop(state);
        drop(former);
        true
    }

    /// Replaces the declaration. `false` after dispose.
    pub(crate) fn declare(&self, declaration: String) -> bool {
        let mut state = self.lock();
        if state.closed {
            return false;
        }
        state.declaration = Some(declaration);
        state.errands.push_back(Errand::Declare);
        true
    }

    /// A host has loaded, and knows nothing: it has to hear everything.
    pub(crate) fn host_loaded(&self) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.hosts += 1;
        let mut errands: VecDeque<_> = state.in_order().map(|tool| Errand::Register(tool.name.clone())).collect();
        if state.declaration.is_some() {
            errands.push_back(Errand::Declare);
        }
        state.errands = errands;
    }

    /// Forgets everything and takes nothing any more. What is left for the host to hear is that it is over.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.closed = true;
        state.errands = VecDeque::from([Errand::UnregisterAll]);
        state.declaration = None;
        state.places.clear();
        let tools = std::mem::take(&mut state.tools);
        drop(state);
        drop(tools);
    }

    /// Makes this thread the one that works the queue off, if nobody does and there is something in it.
    pub(crate) fn begin(&self) -> Option<Working<'_>> {
        let mut state = self.lock();
        if state.worker.is_some() || state.errands.is_empty() {
            return None;
        }
        state.worker = Some(thread::current().id());
        Some(Working { registry: self, finished: false })
    }

    /// Whether the queue is empty, or this thread is the one that works it off (so that waiting for it is no use).
    pub(crate) fn is_settled(&self) -> bool {
        let state = self.lock();
        match state.worker {
            Some(worker) => worker == thread::current().id(),
            None => state.errands.is_empty(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().tools.len()
    }

    /// How much the host still has to hear.
    pub(crate) fn unsettled(&self) -> usize {
        let state = self.lock();
        state.errands.len() + usize::from(state.worker.is_some())
    }
}

/// This thread works the queue off.
pub(crate) struct Working<'a> {
    registry: &'a Registry,
    finished: bool,
}

impl Working<'_> {
    /// What is next, and the number of the host that it is for. Nothing: the queue is empty, and this thread no longer
    /// the one that works it off.
    pub(crate) fn next(&mut self) -> Option<(Work, u64)> {
        let mut state = self.registry.lock();
        while let Some(errand) = state.errands.pop_front() {
            let work = match errand {
                // A tool that was removed or replaced since then: its present state is what counts.
                Errand::Register(name) => {
                    let tool = state.places.get(&name).and_then(|place| state.tools.get(place));
                    tool.cloned().map(Work::Register)
                }
                Errand::Unregister(name) => Some(Work::Unregister(name)),
                Errand::Declare => state.declaration.clone().map(Work::Declare),
                Errand::UnregisterAll => Some(Work::UnregisterAll),
            };
            if let Some(work) = work {
                return Some((work, state.hosts));
            }
        }
        state.worker = None;
        self.finished = true;
        None
    }

    /// That host is not there: what it had to hear, its successor hears after its Ready.
    pub(crate) fn host_is_gone(&mut self, host: u64) {
        let mut state = self.registry.lock();
        if state.hosts == host {
            state.errands.clear();
        }
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.registry.lock().worker = None;
        }
    }
}
