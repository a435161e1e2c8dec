//! Declaring the tools that a plugin's jobs use, and the host's answer to it (SPEC §10).
//!
//! A [`DependencyDeclaration`] goes in. The client tells an author at once what is wrong with it, as far as that can be known
//! without the host's list of tools ([`DependencyDeclaration::check_known`]); the host checks all of it
//! ([`DependencyDeclaration::check`]). A [`DependencyStatus`] per tool comes out, in `GetStatus` too.

mod declaration;
mod error;
mod repo;
mod status;

pub use declaration::{CheckedDeclaration, CheckedDependency, DependencyDeclaration, PluginSource, ToolDependency};
pub use error::DeclarationError;
pub use repo::{RepoUrl, RepoUrlError};
pub use status::{DependenciesReply, DependencyStatus, InstallEntry};

open_enum! {
    /// Where a declared tool stands. Every state but [`Ok`](Self::Ok) keeps a job step from running.
    ///
    /// ```
    /// use xivmcp_protocol::DependencyState;
    ///
    /// assert_eq!(DependencyState::from("not_enabled"), DependencyState::NotEnabled);
    /// assert_eq!(DependencyState::ToolMissing.as_str(), "tool_missing");
    /// ```
    pub enum DependencyState {
        /// The tool can be used. Whether the player allows it is another matter.
        Ok = "ok",
        /// One of the host's tools needs a plugin that is not installed or not loaded.
        NeedsPlugin = "needs_plugin",
        /// The plugin that has the tool is not installed.
        PluginMissing = "plugin_missing",
        /// It is installed, and older than what was declared.
        PluginOutdated = "plugin_outdated",
        /// It is installed, and disabled in Dalamud.
        PluginNotLoaded = "plugin_not_loaded",
        /// It is loaded, and has not registered the tool.
        ToolMissing = "tool_missing",
        /// It has the tool, and the player has not enabled it for XIV MCP.
        NotEnabled = "not_enabled",
    }
}
