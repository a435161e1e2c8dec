//! Whether a call may run (R-CALL-1, R-JOB-9, R-JOB-12). Every refusal says what the player can change.

use xivmcp_protocol::{Capability, PermissionMode, PluginState};

use super::{Asker, Target};
use crate::core::builtin::{BuiltinTool, HOST, catalogue};
use crate::core::dalamud::plugin_key;
use crate::core::registry::Tool;
use crate::core::{Access, Core};

/// What the check says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The settings allow it.
    Allowed,
    /// The player has answered for the session.
    Covered,
    /// The player is to be asked.
    Ask,
    /// A setting or a state forbids it, and this is what the player can change.
    Blocked(String),
}

impl Core {
    /// The tool of that name, a plugin's or the host's own.
    pub(in crate::core) fn target(&self, tool: &str) -> Option<Target> {
        match self.registry.get(tool) {
            Some(tool) => Some(Target::Plugin(tool.clone())),
            None => catalogue().tool(tool).map(Target::Builtin),
        }
    }

    /// Why a running step keeps the assistant from this call, if it does (R-JOB-9).
    pub(super) fn busy(&self, target: &Target) -> Option<String> {
        let free = match target {
            Target::Builtin(tool) => tool.job_control || tool.stop_tool,
            Target::Plugin(_) => false,
        };
        if free || target.is_read_only() {
            return None;
        }
        let job = self.jobs.acting_job()?;
        Some(format!(
            "\"{}\" cannot run now: the job \"{}\" ({}) is running a step. Read-only tools work meanwhile; pause or cancel the job \
             to act yourself",
            target.name(),
            job.name,
            job.id
        ))
    }

    /// R-CALL-1 from "plugin enabled" on; for the host's own tools their group and plugins instead.
    pub(super) fn verdict(&self, target: &Target, asker: &Asker) -> Verdict {
        match target {
            Target::Plugin(tool) => self.plugin_verdict(tool, asker),
            Target::Builtin(tool) => self.builtin_verdict(tool, asker),
        }
    }

    fn plugin_verdict(&self, tool: &Tool, asker: &Asker) -> Verdict {
        let policy = self.policies.get(&tool.owner_key);
        if let Some(reason) = self.why_not_running(&tool.owner_key, tool.name()) {
            return Verdict::Blocked(reason);
        }
        let mode = policy.tool_mode(tool.name(), tool.capabilities());
        if mode == PermissionMode::Deny {
            let plugin = self.plugins.display_name(&tool.owner);
            return Verdict::Blocked(if policy.has_own_mode(tool.name()) {
                format!(
                    "The player has set \"{}\" of {plugin} to deny in XIV MCP; the player can change that there",
                    tool.name()
                )
            } else {
                let denied = denied(tool.capabilities(), |capability| policy.capability_mode(capability));
                format!(
                    "\"{}\" of {plugin} needs {denied}, which the player has set to deny in XIV MCP; the player can change that there",
                    tool.name()
                )
            });
        }
        if let Some(reason) = self.refused_by_caller(asker, &tool.owner_key, tool.name(), tool.capabilities()) {
            return Verdict::Blocked(reason);
        }
        let is_critical = tool.capabilities().iter().any(Capability::is_critical);
        match mode {
            PermissionMode::Allow => Verdict::Allowed,
            // An answer from before the tool was registered again with a critical capability was for that once (R-CALL-2).
            _ if !is_critical && self.session.covers(asker, &tool.owner_key, tool.name(), None, true) => {
                Verdict::Covered
            }
            _ => Verdict::Ask,
        }
    }

    /// Why none of a plugin's tools run, if so: not enabled, waiting for consent, suspended, in this order (R-CALL-1).
    pub(in crate::core) fn why_not_running(&self, owner_key: &str, tool: &str) -> Option<String> {
        let policy = self.policies.get(owner_key);
        let plugin = self.plugins.display_name(owner_key);
        if !policy.enabled {
            return Some(match policy.state() {
                PluginState::KeptDisabled => format!(
                    "\"{tool}\" cannot run: the player keeps {plugin} disabled in XIV MCP; the player can enable it there"
                ),
                _ => format!(
                    "\"{tool}\" cannot run: {plugin} is not enabled in XIV MCP yet; the player can enable it there"
                ),
            });
        }
        if policy.awaiting_consent {
            return Some(format!(
                "\"{tool}\" cannot run: {plugin} offers something new and is awaiting consent; the player can review and enable it in \
                 XIV MCP"
            ));
        }
        policy.suspended.as_ref().map(|reason| {
            format!(
                "\"{tool}\" cannot run: {plugin} is suspended: {reason}. The player can lift the suspension in XIV MCP"
            )
        })
    }

    /// Whether the plugin whose job wants a tool that is not its own is set to deny what the tool does (R-JOB-12).
    fn refused_by_caller(
        &self,
        asker: &Asker,
        owner_key: &str,
        tool: &str,
        capabilities: &[Capability],
    ) -> Option<String> {
        let Asker::Plugin(name) = asker else { return None };
        let key = plugin_key(name);
        let policy = self.policies.get(&key);
        if key == owner_key || policy.mode_of_use(capabilities) != PermissionMode::Deny {
            return None;
        }
        let plugin = self.plugins.display_name(name);
        let state = policy.state();
        Some(if state.can_run() {
            let denied = denied(capabilities, |capability| policy.capability_mode(capability));
            format!(
                "A job of {plugin} cannot use \"{tool}\": it needs {denied}, which the player has set to deny for {plugin} in XIV MCP; \
                 the player can change that there"
            )
        } else {
            format!(
                "A job of {plugin} cannot use \"{tool}\": {plugin} is not enabled in XIV MCP (its state is {state}); the player can \
                 change that there"
            )
        })
    }

    fn builtin_verdict(&self, tool: &'static BuiltinTool, asker: &Asker) -> Verdict {
        if let Some(reason) = self.why_not_offered(tool) {
            return Verdict::Blocked(reason);
        }
        let mode = self.builtins.mode(tool);
        if mode == PermissionMode::Deny {
            let (title, access) = (group_title(tool), access_words(tool.access()));
            return Verdict::Blocked(if self.builtins.has_own_mode(tool) {
                format!("The player has set \"{}\" to deny in XIV MCP; the player can change that there", tool.name)
            } else {
                format!(
                    "\"{}\" cannot run: {access} is set to deny for \"{title}\" in XIV MCP; the player can change that there",
                    tool.name
                )
            });
        }
        let host_key = plugin_key(HOST);
        if let Some(reason) = self.refused_by_caller(asker, &host_key, &tool.name, &tool.capabilities) {
            return Verdict::Blocked(reason);
        }
        let mode = match asker.plugin_key() {
            Some(key) => mode.max(self.policies.get(&key).mode_of_use(&tool.capabilities)),
            None => mode,
        };
        match mode {
            PermissionMode::Allow => Verdict::Allowed,
            _ if self.session.covers(asker, &host_key, &tool.name, None, false) => Verdict::Covered,
            _ => Verdict::Ask,
        }
    }

    /// Why one of the host's own tools is not offered now, if so: its group is off, or a plugin that it needs is not there.
    pub(in crate::core) fn why_not_offered(&self, tool: &'static BuiltinTool) -> Option<String> {
        if !self.builtins.is_on(&tool.group) {
            return Some(format!(
                "\"{}\" cannot run: \"{}\" is turned off in XIV MCP; the player can turn it on there",
                tool.name,
                group_title(tool)
            ));
        }
        self.missing_plugin(tool)
    }
}

fn group_title(tool: &'static BuiltinTool) -> &'static str {
    catalogue().group(&tool.group).map_or(&tool.group, |group| &group.title)
}

fn access_words(access: Access) -> &'static str {
    match access {
        Access::Read => "reading",
        Access::Write => "acting",
    }
}

/// Which of a tool's capabilities are set to deny, for a message: `spend_gil`, or `spend_gil and combat`.
fn denied(capabilities: &[Capability], mode: impl Fn(&Capability) -> PermissionMode) -> String {
    let named: Vec<&str> = capabilities
        .iter()
        .filter(|capability| capability.is_acting() && mode(capability) == PermissionMode::Deny)
        .map(Capability::as_str)
        .collect();
    if named.is_empty() { Capability::ReadGame.as_str().to_owned() } else { named.join(" and ") }
}
