//! The two ways to run a host, behind one set of questions: what time is it, run this on the framework thread, am I
//! on it. The driver and the test API are the same code over both.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Weak};
use std::time::Duration;

use xivmcp_client::ipc::{FrameworkClosure, IpcGuard};
use xivmcp_client::runtime::Runtime;

use crate::bus::Framework;
use crate::core::Time;
use crate::live::Live;
use crate::simulated::{Context, Deadlines, Sim};

/// How a host runs.
pub(crate) enum Engine {
    /// One thread, virtual time.
    Simulated(Sim),
    /// Real threads, real time.
    Live(Live),
}

impl Engine {
    /// Time since the host was made.
    pub(crate) fn elapsed(&self) -> Duration {
        match self {
            Self::Simulated(sim) => sim.elapsed(),
            Self::Live(live) => live.elapsed(),
        }
    }

    /// When the host was made.
    pub(crate) fn start(&self) -> Time {
        match self {
            Self::Simulated(_) => Time::SIMULATION_START,
            Self::Live(live) => live.start(),
        }
    }

    /// What the host's clock shows.
    pub(crate) fn now(&self) -> Time {
        self.start() + self.elapsed()
    }

    /// Tells who knows the host's deadlines. Once.
    pub(crate) fn set_deadlines(&self, deadlines: Weak<dyn Deadlines>) {
        match self {
            Self::Simulated(sim) => sim.set_deadlines(deadlines),
            Self::Live(live) => live.set_deadlines(deadlines),
        }
    }

    /// The runtime for one plugin.
    pub(crate) fn runtime(&self, owner: &Arc<str>) -> Arc<dyn Runtime> {
        match self {
            Self::Simulated(sim) => Arc::new(sim.runtime(owner)),
            Self::Live(live) => live.runtime(),
        }
    }

    /// Runs everything that can run without time passing, if this is the body of a test in a simulation.
    pub(crate) fn settle(&self) {
        if let Self::Simulated(sim) = self {
            sim.settle();
        }
    }

    /// Runs `work` on the framework thread and gives what it gives.
    pub(crate) fn on_framework<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> R {
        match self {
            Self::Simulated(sim) => sim.within(Context::Framework, work),
            Self::Live(live) => live.on_framework(work),
        }
    }

    /// As [`on_framework`](Self::on_framework); the error says who holds the framework thread of a live host, if it is not
    /// free within `limit`.
    pub(crate) fn on_framework_within<R: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, String> {
        match self {
            Self::Simulated(_) => Ok(self.on_framework(work)),
            Self::Live(live) => live.on_framework_within(limit, work),
        }
    }

    /// Queues the host's own work for the framework thread, on behalf of `owner` and its `tool`.
    pub(crate) fn run_host_work(&self, owner: &Arc<str>, tool: &str, closure: FrameworkClosure) {
        match self {
            Self::Simulated(sim) => sim.run_host_work(owner, closure),
            Self::Live(live) => live.run_host_work(owner, tool, closure),
        }
    }

    /// Says that something of the host is due at `deadline`. A simulation looks by itself.
    pub(crate) fn has_deadline(&self, deadline: Time) {
        if let Self::Live(live) = self
            && deadline <= self.now()
        {
            live.is_due();
        }
    }

    /// Runs `work` where a plugin's constructor runs: on a thread that is not the framework thread.
    pub(crate) fn on_pool<R>(&self, work: impl FnOnce() -> R) -> R {
        match self {
            Self::Simulated(sim) => sim.within(Context::Pool, work),
            Self::Live(_) => work(),
        }
    }

    /// Runs `work`, which ends a plugin, where a plugin ends: on a thread that is not the framework thread. Gives whether it
    /// has come back within `limit`, in real time; it goes on if not.
    pub(crate) fn end_within(&self, limit: Duration, work: impl FnOnce() + Send + 'static) -> bool {
        match self {
            Self::Simulated(sim) => sim.within(Context::Pool, work),
            // Somebody unloads a plugin there: its client runs closures for that thread itself while it ends.
            Self::Live(live) if live.is_framework_thread() => work(),
            Self::Live(_) => {
                let (sender, receiver) = mpsc::channel();
                let work = move || {
                    work();
                    let _ = sender.send(());
                };
                // Without a thread `work` is dropped, and what it would have ended with it.
                let thread = std::thread::Builder::new().name("unload".to_owned()).spawn(work);
                return thread.is_err() || receiver.recv_timeout(limit) != Err(RecvTimeoutError::Timeout);
            }
        }
        true
    }

    /// Drops what a plugin that is unloaded left behind for the framework thread.
    pub(crate) fn release_owner(&self, owner: &str) {
        match self {
            Self::Simulated(sim) => sim.release_owner(owner),
            Self::Live(live) => live.release_owner(owner),
        }
    }

    /// Where this thread is, for messages.
    pub(crate) fn place(&self) -> &'static str {
        match self {
            Self::Simulated(sim) => match sim.context() {
                Some(Context::Framework) => "the framework thread",
                Some(Context::Pool) => "a thread of the pool",
                None => "the test's thread",
            },
            Self::Live(live) if live.is_framework_thread() => "the framework thread",
            Self::Live(_) => "another thread",
        }
    }

    /// Calls `update` once a frame on the framework thread, until the guard is dropped.
    pub(crate) fn on_update(&self, owner: &Arc<str>, update: Arc<dyn Fn() + Send + Sync>) -> IpcGuard {
        match self {
            Self::Simulated(sim) => sim.on_update(owner, update),
            Self::Live(live) => live.on_update(owner, update),
        }
    }
}

impl Framework for Engine {
    fn run_on_next_update(&self, owner: &Arc<str>, closure: FrameworkClosure) {
        match self {
            Self::Simulated(sim) => sim.run_on_next_update(owner, closure),
            Self::Live(live) => live.run_on_next_update(owner, closure),
        }
    }

    fn is_framework_thread(&self) -> bool {
        match self {
            Self::Simulated(sim) => sim.is_framework_thread(),
            Self::Live(live) => live.is_framework_thread(),
        }
    }
}
