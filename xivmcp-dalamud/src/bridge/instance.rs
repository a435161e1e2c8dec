//! [`Instance`]: one plugin that was started from this library, from its entry to its release.

use std::any::Any;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use xivmcp_client::PluginContext;
use xivmcp_client::ipc::IpcTransport;
use xivmcp_client::runtime::{PoolRuntime, Runtime};
use xivmcp_client::services::PluginServices;

use super::panics::{caught, restore_hook, set_hook};
use super::slots::Slot;
use super::state::Bridge;
use super::unload::Ending;
use crate::abi::{LogSeverity, Status};
use crate::ffi::{HostHandle, Outcome, Refusal, SDK_NAME};

/// Held while a plugin comes or goes, so that the panic hook is ours as long as one is there.
static COMING_AND_GOING: Mutex<()> = Mutex::new(());

/// How long an entry that failed waits for what it has started.
const FAILED_ENTRY_LIMIT: Duration = Duration::from_secs(5);

/// What the plugin's entry function returned: it lives until the plugin is stopped.
pub(crate) type Kept = Box<dyn Any + Send>;

/// One plugin. The host's calls arrive here.
pub(crate) struct Instance {
    pub(crate) bridge: Arc<Bridge>,
    pub(crate) runtime: Arc<PoolRuntime>,
    pub(crate) kept: Arc<Mutex<Option<Kept>>>,
    /// Held by the one thread that stops the plugin.
    pub(crate) ending: Mutex<Ending>,
}

impl Instance {
    /// A plugin that is not started yet. A sentence if too many live here.
    pub(crate) fn new(host: HostHandle, internal_name: String) -> Result<Self, String> {
        let _one_at_a_time = COMING_AND_GOING.lock().unwrap_or_else(PoisonError::into_inner);
        let (slot, first) = Slot::take(host)?;
        if first {
            set_hook();
        }
        super::logging::set_logger();
        Ok(Self {
            bridge: Bridge::new(host, internal_name, slot),
            runtime: Arc::new(PoolRuntime::new()),
            kept: Arc::default(),
            ending: Mutex::default(),
        })
    }

    /// Runs the author's entry function. If it fails, the plugin is stopped when this returns.
    pub(crate) fn start<T, E>(
        &self,
        host_name: &str,
        start: impl FnOnce(PluginContext) -> Result<T, E>,
    ) -> Result<(), Refusal>
    where
        T: Send + 'static,
        E: Display,
    {
        let name = &self.bridge.internal_name;
        let started = {
            let _inbound = self.bridge.inbound();
            self.bridge.host.log(LogSeverity::Debug, &format!("{name} starts: {SDK_NAME} on {host_name}"));
            caught(|| {
                let transport: Arc<dyn IpcTransport> = self.bridge.clone();
                let services: Arc<dyn PluginServices> = self.bridge.clone();
                let runtime: Arc<dyn Runtime> = self.runtime.clone();
                match start(PluginContext::new(transport, services, runtime)) {
                    Ok(kept) => Ok(Box::new(kept) as Kept),
                    // The alternate form has the causes of error types that know them.
                    Err(error) => Err(format!("{error:#}")),
                }
            })
        };
        let (status, sentence) = match started {
            Ok(Ok(kept)) => {
                *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
                return Ok(());
            }
            Ok(Err(sentence)) => (Status::Failed, sentence),
            Err(text) => (Status::Panicked, format!("its entry function panicked: {text}")),
        };
        Err(match self.end(FAILED_ENTRY_LIMIT) {
            Ok(()) => Refusal { status, sentence },
            Err(running) => Refusal {
                status: Status::KeepLoaded,
                sentence: format!("{sentence}; and the library must stay loaded: {running}"),
            },
        })
    }

    /// Ends the plugin; see `stop` of the plugin's table.
    pub(crate) fn stop(&self, limit: Duration) -> Outcome {
        match self.end(limit) {
            Ok(()) => Outcome::DONE,
            Err(running) => Outcome::KeepLoaded(format!("{}: {running}", self.bridge.internal_name)),
        }
    }

    fn end(&self, limit: Duration) -> Result<(), String> {
        caught(|| self.end_within(limit)).unwrap_or_else(|text| Err(format!("stopping it panicked: {text}")))
    }

    /// The last call: frees the plugin's slot and sets the panic hook again that was there before.
    pub(crate) fn release(self) {
        // What is left is this crate's own: `stop` has dropped the author's.
        let bridge = Arc::clone(&self.bridge);
        let _ = caught(|| drop(self));
        let _one_at_a_time = COMING_AND_GOING.lock().unwrap_or_else(PoisonError::into_inner);
        if bridge.slot.free() {
            restore_hook();
        }
    }
}
