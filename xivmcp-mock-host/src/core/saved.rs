//! What survives a restart of the host, as in the game: the player's decisions, and the jobs (R-CALL-10). For the server.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xivmcp_protocol::PermissionMode;

use super::builtin::catalogue;
use super::jobs::Record;
use super::policy::Policies;
use super::{Access, Core, Time};

/// The form of the text. Another one is refused: it would be read wrongly in silence.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    version: u32,
    plugins: Policies,
    /// Groups of the host's own tools that are turned off.
    off: BTreeSet<String>,
    reading: BTreeMap<String, PermissionMode>,
    writing: BTreeMap<String, PermissionMode>,
    tools: BTreeMap<String, PermissionMode>,
    jobs: Vec<Record>,
}

impl Core {
    /// All of it, as JSON text.
    pub(crate) fn save(&self) -> Result<String, String> {
        let (off, groups, tools) = self.builtins.settings();
        let of = |wanted: Access| {
            let groups = groups.iter().filter(move |((_, access), _)| *access == wanted);
            groups.map(|((group, _), mode)| ((*group).to_owned(), mode.clone())).collect()
        };
        let saved = Saved {
            version: VERSION,
            plugins: self.policies.clone(),
            off: off.iter().map(|group| (*group).to_owned()).collect(),
            reading: of(Access::Read),
            writing: of(Access::Write),
            tools: tools.iter().map(|(tool, mode)| ((*tool).to_owned(), mode.clone())).collect(),
            jobs: self.saved_jobs(),
        };
        serde_json::to_string_pretty(&saved).map_err(|error| error.to_string())
    }

    /// Takes back what [`save`](Self::save) gave, into a host in which nobody has decided anything yet. Settings of tools
    /// and groups that the host does not have any more are dropped.
    pub(crate) fn restore(&mut self, now: Time, text: &str) -> Result<(), String> {
        let saved: Saved = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if saved.version != VERSION {
            return Err(format!("it is of form {}, and this program knows form {VERSION}", saved.version));
        }
        self.policies = saved.plugins;
        for group in saved.off {
            let _ = self.player_set_group_on(&group, false);
        }
        for (access, modes) in [(Access::Read, saved.reading), (Access::Write, saved.writing)] {
            for (group, mode) in modes {
                let _ = self.player_set_group(&group, access, Some(mode));
            }
        }
        for (tool, mode) in saved.tools.into_iter().filter(|(tool, _)| catalogue().tool(tool).is_some()) {
            let _ = self.player_set_builtin(&tool, Some(mode));
        }
        self.restore_jobs(now, saved.jobs);
        Ok(())
    }
}
