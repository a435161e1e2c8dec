//! What the player set for the host's own tools, and how tests have them answer (SPEC §13).

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use xivmcp_protocol::{JsonText, PermissionMode};

#[cfg(feature = "server")]
use super::builtin::Group;
use super::builtin::{BuiltinTool, catalogue};
use super::call::{Asker, End};
use super::player::known_mode;
use super::time::Time;
use super::views::{BuiltinCall, BuiltinScript};
use super::{Access, Core, PlayerError};

/// The longest that the step `wait` waits for `seconds` (R-JOB-13): 7 days.
const LONGEST_WAIT_SECONDS: f64 = 604_800.0;

/// How many calls are kept for those who look; the oldest go first. Nobody looks at a host that runs for days.
const CALLS_KEPT: usize = 100_000;

/// Settings, scripts, and what was called.
#[derive(Debug, Default)]
pub(super) struct Builtins {
    off: BTreeSet<&'static str>,
    groups: BTreeMap<(&'static str, Access), PermissionMode>,
    tools: BTreeMap<&'static str, PermissionMode>,
    scripts: HashMap<&'static str, BuiltinScript>,
    calls: VecDeque<BuiltinCall>,
}

/// A group's settings, by group and by what they are about.
#[cfg(feature = "server")]
pub(super) type Groups = BTreeMap<(&'static str, Access), PermissionMode>;

impl Builtins {
    /// What the player has set: groups that are off, groups' modes, tools' own modes.
    #[cfg(feature = "server")]
    pub(super) fn settings(&self) -> (&BTreeSet<&'static str>, &Groups, &BTreeMap<&'static str, PermissionMode>) {
        (&self.off, &self.groups, &self.tools)
    }

    /// Whether a group is turned on.
    pub(super) fn is_on(&self, group: &str) -> bool {
        !self.off.contains(group)
    }

    /// The tool's own setting, or its group's for reading or acting, or the group's default.
    pub(super) fn mode(&self, tool: &'static BuiltinTool) -> PermissionMode {
        if let Some(own) = self.tools.get(tool.name.as_str()) {
            return own.clone();
        }
        let access = tool.access();
        match self.groups.get(&(tool.group.as_str(), access)) {
            Some(mode) => mode.clone(),
            None => {
                catalogue().group(&tool.group).map_or(PermissionMode::Deny, |group| group.default_mode(access).clone())
            }
        }
    }

    /// What the player set for a group.
    #[cfg(feature = "server")]
    pub(super) fn group_mode(&self, group: &'static Group, access: Access) -> Option<&PermissionMode> {
        self.groups.get(&(group.id.as_str(), access))
    }

    /// The mode that the player gave a tool itself.
    #[cfg(feature = "server")]
    pub(super) fn own_mode(&self, tool: &BuiltinTool) -> Option<&PermissionMode> {
        self.tools.get(tool.name.as_str())
    }

    pub(super) fn has_own_mode(&self, tool: &BuiltinTool) -> bool {
        self.tools.contains_key(tool.name.as_str())
    }

    pub(super) fn set_tool(&mut self, tool: &'static BuiltinTool, mode: Option<PermissionMode>) {
        match mode {
            Some(mode) => self.tools.insert(&tool.name, mode),
            None => self.tools.remove(tool.name.as_str()),
        };
    }
}

impl Core {
    /// Sets what a group's tools may do; `None` is the default.
    pub(crate) fn player_set_group(
        &mut self,
        group: &str,
        access: Access,
        mode: Option<PermissionMode>,
    ) -> Result<(), PlayerError> {
        let id = known_group(group)?;
        match known_mode(mode)? {
            Some(mode) => self.builtins.groups.insert((id, access), mode),
            None => self.builtins.groups.remove(&(id, access)),
        };
        Ok(())
    }

    /// Turns a group on or off.
    pub(crate) fn player_set_group_on(&mut self, group: &str, on: bool) -> Result<(), PlayerError> {
        let id = known_group(group)?;
        let changed = if on { self.builtins.off.remove(id) } else { self.builtins.off.insert(id) };
        if changed {
            self.list_changed();
        }
        Ok(())
    }

    /// Sets the mode of one of the host's own tools; `None` follows its group.
    pub(crate) fn player_set_builtin(&mut self, tool: &str, mode: Option<PermissionMode>) -> Result<(), PlayerError> {
        self.builtins.set_tool(known_tool(tool)?, known_mode(mode)?);
        Ok(())
    }

    /// Says how one of the host's own tools answers from now on; `None`: as at first.
    pub(crate) fn script_builtin(&mut self, tool: &str, script: Option<BuiltinScript>) -> Result<(), PlayerError> {
        let tool = known_tool(tool)?;
        match script {
            Some(script) => self.builtins.scripts.insert(&tool.name, script),
            None => self.builtins.scripts.remove(tool.name.as_str()),
        };
        Ok(())
    }

    /// The calls of the host's own tools since the last time this was asked, oldest first; of more than 100,000 the last ones.
    pub(crate) fn take_builtin_calls(&mut self) -> Vec<BuiltinCall> {
        std::mem::take(&mut self.builtins.calls).into()
    }

    /// Runs one of the host's own tools: how it ends, and after how long. A script wins over what the tool does by itself.
    pub(super) fn run_builtin(
        &mut self,
        now: Time,
        tool: &'static BuiltinTool,
        args: &JsonText,
        asker: &Asker,
    ) -> (End, Duration) {
        if self.builtins.calls.len() == CALLS_KEPT {
            self.builtins.calls.pop_front();
        }
        self.builtins.calls.push_back(BuiltinCall {
            time: now,
            tool: tool.name.clone(),
            args: args.clone(),
            caller: asker.to_string(),
        });
        if let Some(script) = self.builtins.scripts.get(tool.name.as_str()) {
            let end = match &script.answer {
                Ok(result) => End::Result(result.clone()),
                Err(message) => End::Error(message.clone()),
            };
            return (end, script.takes);
        }
        if tool.name == "wait" {
            return wait(now, args).unwrap_or_else(|message| (End::Error(message), Duration::ZERO));
        }
        let answer = if tool.job_control { self.run_job_tool(now, &tool.name, args, asker) } else { Ok(empty()) };
        (answer.map_or_else(End::Error, End::Result), Duration::ZERO)
    }
}

fn empty() -> JsonText {
    JsonText::from(serde_json::json!({}))
}

/// The step `wait` (R-JOB-13): `until` wins over `seconds`.
fn wait(now: Time, args: &JsonText) -> Result<(End, Duration), String> {
    let args: serde_json::Value = args.read().unwrap_or_default();
    let takes = match &args["until"] {
        serde_json::Value::Null => {
            let seconds = args["seconds"].as_f64().unwrap_or(0.0).clamp(0.0, LONGEST_WAIT_SECONDS);
            Duration::try_from_secs_f64(seconds).unwrap_or_default()
        }
        until => {
            let time = until.as_str().and_then(Time::parse);
            time.ok_or_else(|| {
                format!(
                    "`until` of wait is no time: {until}. It must be UTC in ISO 8601, such as \"2026-01-31T18:00:00Z\""
                )
            })?
            .since(now)
        }
    };
    // In whole milliseconds, as the clock counts.
    let takes = Duration::from_millis(u64::try_from(takes.as_millis()).unwrap_or(u64::MAX));
    let waited = if takes.subsec_millis() == 0 {
        serde_json::Value::from(takes.as_secs())
    } else {
        serde_json::Value::from(takes.as_secs_f64())
    };
    let result = serde_json::json!({ "waited": waited, "now": (now + takes).to_string() });
    Ok((End::Result(JsonText::from(result)), takes))
}

fn known_group(group: &str) -> Result<&'static str, PlayerError> {
    catalogue().group(group).map(|group| group.id.as_str()).ok_or_else(|| {
        let ids: Vec<&str> = catalogue().groups.iter().map(|group| group.id.as_str()).collect();
        PlayerError { message: format!("there is no group \"{group}\"; the groups are: {}", ids.join(", ")) }
    })
}

fn known_tool(tool: &str) -> Result<&'static BuiltinTool, PlayerError> {
    catalogue().tool(tool).ok_or_else(|| PlayerError {
        message: format!("XIV MCP has no tool \"{tool}\" of its own (builtin-tools.json)"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-JOB-13
    #[test]
    fn wait_takes_seconds_or_until_and_until_wins() {
        let now = Time::SIMULATION_START;
        let cases = [
            ("{}", 0),
            (r#"{"seconds":90}"#, 90_000),
            (r#"{"seconds":0.5}"#, 500),
            (r#"{"seconds":-5}"#, 0),
            (r#"{"seconds":"90"}"#, 0),
            (r#"{"seconds":604801}"#, 604_800_000),
            (r#"{"until":"2026-01-01T00:02:00Z"}"#, 120_000),
            (r#"{"until":"2026-01-01T00:02:00Z","seconds":5}"#, 120_000),
            (r#"{"until":null,"seconds":5}"#, 5_000),
            (r#"{"until":"2025-12-31T23:59:00Z","seconds":5}"#, 0),
        ];
        for (args, milliseconds) in cases {
            let (end, takes) = wait(now, &JsonText::parse(args).unwrap()).unwrap();
            assert_eq!(takes, Duration::from_millis(milliseconds), "{args}");
            let End::Result(result) = end else { panic!("{args}") };
            let result: serde_json::Value = result.read().unwrap();
            assert_eq!(result["now"], (now + takes).to_string(), "{args}");
            assert_eq!(result["waited"].as_f64(), Some(takes.as_secs_f64()), "{args}");
        }
        for args in [r#"{"until":"soon"}"#, r#"{"until":5}"#, r#"{"until":""}"#] {
            assert!(wait(now, &JsonText::parse(args).unwrap()).unwrap_err().contains("until"), "{args}");
        }
    }

    // R-JOB-12: the setting for the tool's group, or the tool's own
    #[test]
    fn a_tool_follows_its_group_unless_the_player_set_it() {
        let mut builtins = Builtins::default();
        let tool = |name| catalogue().tool(name).unwrap();
        assert_eq!(builtins.mode(tool("get_market_listings")), PermissionMode::Allow);
        assert_eq!(builtins.mode(tool("buy_item")), PermissionMode::Deny);
        builtins.groups.insert(("market", Access::Write), PermissionMode::Ask);
        assert_eq!(builtins.mode(tool("buy_item")), PermissionMode::Ask);
        assert_eq!(builtins.mode(tool("get_market_listings")), PermissionMode::Allow);
        builtins.set_tool(tool("buy_item"), Some(PermissionMode::Allow));
        assert_eq!(builtins.mode(tool("buy_item")), PermissionMode::Allow);
        builtins.set_tool(tool("buy_item"), None);
        assert_eq!(builtins.mode(tool("buy_item")), PermissionMode::Ask);
    }
}
