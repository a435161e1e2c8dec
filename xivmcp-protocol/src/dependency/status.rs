//! Where the declared tools stand, and what the player would have to install (R-DEP-4, R-DEP-5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DependencyState, RepoUrl};

/// Where one declared tool stands. It is checked when asked, so it is only as new as the reply (R-DEP-6).
///
/// ```
/// use xivmcp_protocol::{DependencyState, DependencyStatus};
///
/// let status: DependencyStatus =
///     serde_json::from_str(r#"{"tool":"navigate_to","plugin":null,"state":"ok","message":"Ready.","install":[]}"#)?;
/// assert!(status.is_ok() && status.plugin.is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DependencyStatus {
    /// The tool.
    pub tool: String,
    /// The internal name of the plugin that has it; none, written as null, for a tool of the host.
    pub plugin: Option<String>,
    /// Where it stands.
    pub state: DependencyState,
    /// What is wrong, in words for the player; `Ready.` if nothing is.
    pub message: String,
    /// The plugins to install, enable or update.
    #[serde(default)]
    pub install: Vec<InstallEntry>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl DependencyStatus {
    /// A status with nothing to install.
    ///
    /// ```
    /// use xivmcp_protocol::{DependencyState, DependencyStatus};
    ///
    /// let status = DependencyStatus::new("navigate_to", None, DependencyState::Ok, "Ready.");
    /// assert_eq!(
    ///     serde_json::to_string(&status)?,
    ///     r#"{"tool":"navigate_to","plugin":null,"state":"ok","message":"Ready.","install":[]}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(
        tool: impl Into<String>,
        plugin: Option<String>,
        state: DependencyState,
        message: impl Into<String>,
    ) -> Self {
        Self { tool: tool.into(), plugin, state, message: message.into(), install: Vec::new(), extra: Map::new() }
    }

    /// Whether the tool can be used. In any other state a job step that calls it does not run (R-DEP-7).
    ///
    /// ```
    /// # use xivmcp_protocol::{DependencyState, DependencyStatus};
    /// assert!(!DependencyStatus::new("other_tool", None, DependencyState::ToolMissing, "").is_ok());
    /// ```
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.state == DependencyState::Ok
    }
}

/// A plugin that the player may install, enable or update.
///
/// ```
/// use xivmcp_protocol::{InstallEntry, RepoUrl};
///
/// let mut entry = InstallEntry::new("vnavmesh", "vnavmesh", &RepoUrl::OFFICIAL);
/// entry.reason = Some("Walks there for you.".to_owned());
/// assert_eq!(
///     serde_json::to_string(&entry)?,
///     r#"{"plugin":"vnavmesh","name":"vnavmesh","repo":"official","needed":false,"installed":false,"outdated":false,"#.to_owned()
///         + r#""reason":"Walks there for you."}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct InstallEntry {
    /// Its internal name.
    pub plugin: String,
    /// Its name in the installer.
    pub name: String,
    /// `official`, or the URL of its repository; text, so that a reader takes whatever a newer host sends.
    pub repo: String,
    /// Whether the tool cannot be used without it.
    pub needed: bool,
    /// Whether it is installed: then it is to be enabled or updated.
    pub installed: bool,
    /// Whether it is installed and too old.
    pub outdated: bool,
    /// What it does for the tool; left out if there is nothing to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What happens instead without it; left out where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl InstallEntry {
    /// A plugin that is not needed, not installed, and not outdated.
    ///
    /// ```
    /// # use xivmcp_protocol::{InstallEntry, RepoUrl};
    /// assert_eq!(InstallEntry::new("Other", "Other Plugin", &RepoUrl::OFFICIAL).repo, "official");
    /// ```
    pub fn new(plugin: impl Into<String>, name: impl Into<String>, repo: &RepoUrl) -> Self {
        Self {
            plugin: plugin.into(),
            name: name.into(),
            repo: repo.to_string(),
            needed: false,
            installed: false,
            outdated: false,
            reason: None,
            without: None,
            extra: Map::new(),
        }
    }
}

/// What `DeclareDependencies` replies.
///
/// ```
/// use xivmcp_protocol::{DependenciesReply, Reply};
///
/// assert!(Reply::<DependenciesReply>::parse(r#"{"ok":true,"dependencies":[]}"#).unwrap().dependencies.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DependenciesReply {
    /// One for each declared tool, in the order of the declaration.
    pub dependencies: Vec<DependencyStatus>,
}

impl DependenciesReply {
    /// A reply with these.
    ///
    /// ```
    /// # use xivmcp_protocol::DependenciesReply;
    /// assert!(DependenciesReply::new([]).dependencies.is_empty());
    /// ```
    pub fn new(dependencies: impl IntoIterator<Item = DependencyStatus>) -> Self {
        Self { dependencies: dependencies.into_iter().collect() }
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
