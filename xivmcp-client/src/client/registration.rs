//! Tells the host of tools and dependencies, and the author of what the host refused. For the client only.

use xivmcp_protocol::{HostGate, NoFields};

use super::registry::Work;
use super::shared::Shared;
use crate::error::{ClientError, RegistrationFailed, RegistrationSubject};
use crate::panics::caught;

impl Shared {
    /// Works off what the host has to hear, unless another thread does, or this one further up its stack.
    pub(crate) fn settle(&self) {
        let Some(mut working) = self.registry.begin() else { return };
        let mut checked = None;
        while let Some((work, host)) = working.next() {
            // Asked once for each host and not once for each tool: a host that goes away meanwhile shows anyway.
            if checked != Some(host) && self.check_version().is_err() {
                working.host_is_gone(host);
                continue;
            }
            checked = Some(host);
            if self.run_errand(work).is_err_and(|error| error.is_gone()) {
                working.host_is_gone(host);
                checked = None;
            }
        }
        drop(working);
        self.changed.notify();
    }

    fn run_errand(&self, work: Work) -> Result<(), ClientError> {
        let owner = self.owner();
        let (subject, result) = match work {
            Work::Register(tool) => {
                let result = self.ask::<NoFields>(HostGate::RegisterTool, &[owner, &tool.definition]);
                (RegistrationSubject::Tool(tool.name.to_string()), result)
            }
            Work::Declare(declaration) => {
                let result = self.ask::<NoFields>(HostGate::DeclareDependencies, &[owner, &declaration]);
                (RegistrationSubject::Dependencies, result)
            }
            Work::Unregister(name) => {
                self.log_failure(HostGate::UnregisterTool, self.ask(HostGate::UnregisterTool, &[owner, &name]));
                return Ok(());
            }
            Work::UnregisterAll => {
                self.log_failure(HostGate::UnregisterAll, self.ask(HostGate::UnregisterAll, &[owner]));
                return Ok(());
            }
        };
        match result {
            Err(gone) if gone.is_gone() => Err(gone),
            Err(error) => {
                self.tell_failed(&RegistrationFailed { subject, message: error.to_string() });
                Ok(())
            }
            Ok(NoFields { .. }) => Ok(()),
        }
    }

    #[expect(clippy::unused_self, reason = "reads as a step of the client's work")]
    fn log_failure(&self, gate: HostGate, result: Result<NoFields, ClientError>) {
        match result {
            Ok(_) => {}
            Err(gone) if gone.is_gone() => {}
            Err(error) => tracing::warn!(gate = gate.name(), %error, "XIV MCP did not take a tool away"),
        }
    }

    fn tell_failed(&self, failed: &RegistrationFailed) {
        let Some(callback) = self.on_failed() else {
            tracing::warn!(%failed, "XIV MCP refused a registration, and nobody listens");
            return;
        };
        if let Err(panic) = caught(|| callback(failed)) {
            tracing::error!(panic, "the callback for refused registrations panicked");
        }
    }
}
