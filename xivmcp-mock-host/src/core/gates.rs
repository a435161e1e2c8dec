//! The gates that plugins call (SPEC §2, §3): who calls, what is asked, and the envelope of the answer. No gate ever
//! fails into its caller, and one that refuses has changed nothing (R-ENV-2).

use serde::Serialize;
use xivmcp_protocol::{
    ApprovalAnswer, ApprovalReply, Capability, CapabilityMode, CheckedDefinition, CompletionReply, DependenciesReply,
    HostError, HostGate, JobReply, JobsReply, ListCapabilitiesReply, NoFields, PermissionReply, RegistrationReply,
    StatusReply, ToolStatus, UnregisterAllReply, UnregisterToolReply, cut_utf16, envelope, policy,
};

use super::builtin::{HOST, catalogue};
use super::call::Asker;
use super::dalamud::plugin_key;
use super::lint::argument_names;
use super::registry::Tool;
use super::time::Time;
use super::{Core, JobControl};

/// How much of a value is shown in an error.
const SHOWN_UNITS: usize = 100;

type Answer = Result<String, HostError>;

impl Core {
    /// A gate that takes and gives text. Never fails: the answer is an envelope whatever comes. `caller` is the internal
    /// name of the plugin that calls; nothing if it is unknown.
    pub(crate) fn gate(&mut self, now: Time, caller: Option<&str>, gate: HostGate, args: &[&str]) -> String {
        let answer = if self.loaded {
            self.answer_gate(now, caller, gate, args)
        } else {
            Err(HostError::new("XIV MCP is not loaded"))
        };
        answer.unwrap_or_else(|refused| envelope::error(refused.message()))
    }

    fn answer_gate(&mut self, now: Time, caller: Option<&str>, gate: HostGate, args: &[&str]) -> Answer {
        let arg = |place: usize| args.get(place).copied().unwrap_or_default();
        match gate {
            HostGate::ListCapabilities => ok(&ListCapabilitiesReply::known()),
            HostGate::RegisterTool => {
                let owner = self.owner(arg(0), caller)?;
                self.register_tool(&owner, arg(1))
            }
            HostGate::UnregisterTool => {
                let owner = self.owner(arg(0), caller)?;
                let removed = self.registry.remove(&plugin_key(&owner), arg(1));
                if removed {
                    self.list_changed();
                }
                ok(&UnregisterToolReply::new(removed))
            }
            HostGate::UnregisterAll => {
                let owner = self.owner(arg(0), caller)?;
                let removed = self.forget_registrations(&plugin_key(&owner));
                ok(&UnregisterAllReply::new(u64::try_from(removed).unwrap_or(u64::MAX)))
            }
            HostGate::GetStatus => {
                let owner = self.owner(arg(0), caller)?;
                ok(&self.status(&plugin_key(&owner)))
            }
            HostGate::DeclareDependencies => {
                let owner = self.owner(arg(0), caller)?;
                ok(&DependenciesReply::new(self.declare(&owner, arg(1))?))
            }
            HostGate::CheckPermission => {
                let owner = self.owner(arg(0), caller)?;
                ok(&self.permission(&plugin_key(&owner), arg(1)))
            }
            HostGate::RequestApproval => {
                let (id, state) = self.request_approval(now, arg(0), arg(1))?;
                ok(&ApprovalReply::new(id, state))
            }
            HostGate::GetApproval => {
                let state = self.get_approval(arg(0))?;
                ok(&ApprovalAnswer::new(arg(0), state))
            }
            HostGate::CompleteCall => ok(&CompletionReply::new(self.complete_call(now, arg(0), arg(1))?)),
            HostGate::FailCall => ok(&CompletionReply::new(self.fail_call(now, arg(0), arg(1))?)),
            HostGate::ReportProgress => {
                self.report_progress(now, arg(0), arg(1))?;
                ok(&NoFields::default())
            }
            HostGate::StartJob => {
                let owner = self.owner(arg(0), caller)?;
                let job = self.start_plugin_job(now, &owner, arg(1))?;
                ok(&JobReply::new(job))
            }
            HostGate::GetJob => {
                let order = self.job_of_caller(caller, arg(0))?;
                ok(&JobReply::new(self.jobs.describe(order)))
            }
            HostGate::ListJobs => ok(&JobsReply::new(self.jobs_of_caller(caller))),
            HostGate::PauseJob => self.control_from_gate(now, caller, arg(0), JobControl::Pause),
            HostGate::ResumeJob => self.control_from_gate(now, caller, arg(0), JobControl::Resume),
            HostGate::CancelJob => self.control_from_gate(now, caller, arg(0), JobControl::Cancel),
            _ => Err(HostError::new(format!("{gate} is no gate that takes and gives text"))),
        }
    }

    /// The owner as Dalamud spells it, if the caller may name it (R-OWN-1 to R-OWN-3).
    fn owner(&self, owner: &str, caller: Option<&str>) -> Result<String, HostError> {
        let shown = cut_utf16(owner, SHOWN_UNITS);
        if owner.trim().is_empty() {
            return Err(HostError::new(format!(
                "`owner` is blank (\"{shown}\"): it must be your plugin's internal name"
            )));
        }
        if plugin_key(owner) == plugin_key(HOST) {
            return Err(HostError::new(format!("`owner` is \"{shown}\", which is XIV MCP itself and no plugin")));
        }
        let Some(installed) = self.plugins.get(owner) else {
            return Err(HostError::new(format!(
                "`owner` is \"{shown}\", but no plugin with that internal name is installed"
            )));
        };
        let name = &installed.internal_name;
        match caller {
            Some(caller) if plugin_key(caller) == plugin_key(owner) => Ok(name.clone()),
            Some(caller) => Err(HostError::new(format!(
                "`owner` is \"{name}\", but the plugin that calls is \"{caller}\": a plugin can only act for itself"
            ))),
            None => Err(HostError::new(format!(
                "`owner` is \"{name}\", but it is not known which plugin calls: call from your plugin's own interface"
            ))),
        }
    }

    fn register_tool(&mut self, owner: &str, json: &str) -> Answer {
        let definition = CheckedDefinition::parse(json).map_err(|error| HostError::new(error.to_string()))?;
        let key = plugin_key(owner);
        let name = definition.name().as_str();
        let taken_by = if catalogue().tool(name).is_some() {
            Some("XIV MCP")
        } else {
            self.registry.get(name).filter(|tool| tool.owner_key != key).map(|_| "another plugin")
        };
        if let Some(holder) = taken_by {
            return Err(HostError::new(format!(
                "`name`: \"{name}\" is a tool of {holder} already; begin the name with your plugin's name and `_`"
            )));
        }
        self.lint_definition(owner, json, &definition);
        let policy = self.policies.get_mut_if_known(&key);
        if let Some(policy) = policy {
            policy.registered(&definition);
        }
        let policy = self.policies.get(&key);
        let mut reply = RegistrationReply::new(name, policy.state());
        reply.enabled = policy.enabled;
        reply.awaiting_consent = policy.awaiting_consent;
        reply.capabilities = definition
            .capabilities()
            .iter()
            .map(|id| {
                let mode = policy::mode_at_registration(policy.capability_mode(id), policy.enabled);
                CapabilityMode::new(id.clone(), mode)
            })
            .collect();
        let arguments = argument_names(definition.input_schema().get());
        self.registry.insert(Tool { owner: owner.to_owned(), owner_key: key, definition, arguments });
        self.list_changed();
        ok(&reply)
    }

    /// Forgets a plugin's tools and declared dependencies. Gives how many tools there were.
    pub(super) fn forget_registrations(&mut self, key: &str) -> usize {
        self.declarations.remove(key);
        let removed = self.registry.remove_all(key);
        if removed > 0 {
            self.list_changed();
        }
        removed
    }

    fn status(&self, key: &str) -> StatusReply {
        let policy = self.policies.get(key);
        let mut status = StatusReply::new(policy.state());
        status.suspend_reason.clone_from(&policy.suspended);
        status.tools = self
            .registry
            .of(key)
            .map(|tool| {
                let mode = policy.told_tool_mode(tool.name(), tool.capabilities());
                ToolStatus::new(tool.name(), mode, policy.has_own_mode(tool.name()))
            })
            .collect();
        let declared = self.registry.shown(key).capabilities;
        status.capabilities = declared
            .into_iter()
            .map(|id| {
                let mode = policy.told_capability_mode(&id);
                CapabilityMode::new(id, mode)
            })
            .collect();
        status.dependencies = self.dependencies(key);
        status
    }

    fn permission(&self, key: &str, capability: &str) -> PermissionReply {
        let policy = self.policies.get(key);
        let capability = Capability::from(capability);
        let mode = policy.told_capability_mode(&capability);
        let mut reply = PermissionReply::new(capability, mode, policy.state());
        reply.enabled = policy.enabled;
        reply.suspended = policy.suspended.is_some();
        reply
    }

    fn control_from_gate(&mut self, now: Time, caller: Option<&str>, job: &str, control: JobControl) -> Answer {
        let order = self.job_of_caller(caller, job)?;
        self.control(now, order, control).map_err(HostError::new)?;
        ok(&NoFields::default())
    }

    /// The caller of a gate, as one who starts jobs.
    pub(super) fn asker_of(&self, plugin: &str) -> Asker {
        Asker::Plugin(self.plugins.spelling(plugin).into())
    }
}

fn ok<T: Serialize>(fields: &T) -> Answer {
    Ok(envelope::ok(fields))
}
