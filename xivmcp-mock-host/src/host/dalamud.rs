//! Dalamud: its list of plugins, XIV MCP's own coming and going, its log, chat, commands and services.

use std::fmt;
use std::sync::Arc;

use super::world::World;
use crate::core::InstallChange;
use crate::services::{ChatLine, LogLine};

/// Dalamud, from [`MockHost::dalamud`](crate::MockHost::dalamud).
///
/// Plugins that the test loaded are unloaded and loaded for real; others are entries of the list without code, for
/// declared dependencies.
///
/// ```
/// use xivmcp_mock_host::MockHost;
///
/// let host = MockHost::simulated();
/// host.dalamud().install("vnavmesh");
/// host.dalamud().update("vnavmesh", "1.2.0");
/// host.dalamud().disable("vnavmesh");
/// host.dalamud().uninstall("vnavmesh");
/// ```
#[derive(Clone)]
pub struct Dalamud {
    world: Arc<World>,
}

impl Dalamud {
    pub(crate) fn new(world: &Arc<World>) -> Self {
        Self { world: Arc::clone(world) }
    }

    #[track_caller]
    fn change(&self, plugin: &str, change: InstallChange) {
        if let Err(error) = self.world.act(|core, now| core.dalamud_install(now, plugin, change)) {
            self.world.fail(&format!("Dalamud cannot do that: {error}"));
        }
    }

    /// Puts a plugin without code on the list: loaded, version 1.0.0, with its internal name as display name.
    ///
    /// # Panics
    ///
    /// If that is no name for a plugin.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.dalamud().install("vnavmesh");
    /// ```
    #[track_caller]
    pub fn install(&self, plugin: impl AsRef<str>) {
        self.change(plugin.as_ref(), InstallChange::default());
    }

    /// Gives a plugin another version.
    ///
    /// # Panics
    ///
    /// If that is no version.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # host.dalamud().install("vnavmesh");
    /// host.dalamud().update("vnavmesh", "1.2.0");
    /// ```
    #[track_caller]
    pub fn update(&self, plugin: impl AsRef<str>, version: &str) {
        self.change(plugin.as_ref(), InstallChange { version: Some(version.to_owned()), ..InstallChange::default() });
    }

    /// Gives a plugin the name that the player reads.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # host.dalamud().install("vnavmesh");
    /// host.dalamud().set_display_name("vnavmesh", "VNav");
    /// ```
    #[track_caller]
    pub fn set_display_name(&self, plugin: impl AsRef<str>, name: &str) {
        self.change(plugin.as_ref(), InstallChange { name: Some(name.to_owned()), ..InstallChange::default() });
    }

    /// Unloads a plugin; it stays installed.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # host.dalamud().install("vnavmesh");
    /// host.dalamud().disable("vnavmesh");
    /// ```
    #[track_caller]
    pub fn disable(&self, plugin: impl AsRef<str>) {
        let plugin = plugin.as_ref();
        self.world.settle();
        if let Some(slot) = self.world.plugin(plugin) {
            slot.unload(&self.world);
        }
        self.change(plugin, InstallChange { loaded: Some(false), ..InstallChange::default() });
    }

    /// Loads a plugin that is installed.
    ///
    /// # Panics
    ///
    /// If its entry fails.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # host.dalamud().install("vnavmesh");
    /// # host.dalamud().disable("vnavmesh");
    /// host.dalamud().enable("vnavmesh");
    /// ```
    #[track_caller]
    pub fn enable(&self, plugin: impl AsRef<str>) {
        let plugin = plugin.as_ref();
        self.world.settle();
        match self.world.plugin(plugin).filter(|slot| !slot.is_loaded()) {
            Some(slot) => {
                if let Err(error) = slot.load(&self.world) {
                    self.world.fail(&format!("{plugin} cannot be loaded: {error}"));
                }
                self.world.settle();
            }
            None => self.change(plugin, InstallChange { loaded: Some(true), ..InstallChange::default() }),
        }
    }

    /// Unloads a plugin and takes it off the list.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # host.dalamud().install("vnavmesh");
    /// host.dalamud().uninstall("vnavmesh");
    /// ```
    #[track_caller]
    pub fn uninstall(&self, plugin: impl AsRef<str>) {
        let plugin = plugin.as_ref();
        self.world.settle();
        if let Some(slot) = self.world.plugin(plugin) {
            slot.unload(&self.world);
        }
        if let Err(error) = self.world.act(|core, now| core.dalamud_uninstall(now, plugin)) {
            self.world.fail(&format!("Dalamud cannot do that: {error}"));
        }
    }

    /// Unloads XIV MCP (R-CALL-10). Gives the plugins that got `Disposing`, in that order; none if it is not loaded.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("Cat", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// assert_eq!(host.dalamud().unload_host(), ["Cat"]);
    /// ```
    #[expect(clippy::must_use_candidate, reason = "the unloading is the point")]
    pub fn unload_host(&self) -> Vec<String> {
        self.world.settle();
        let driver = Arc::clone(&self.world.driver);
        let heard = self.world.engine.on_framework(move || driver.unload());
        self.world.settle();
        self.world.names_of(&heard)
    }

    /// Loads XIV MCP again (R-CALL-10). Gives the plugins that got `Ready`, in that order; none if it is loaded already.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let plugin = host.load("Cat", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.dalamud().unload_host();
    /// assert_eq!(host.dalamud().load_host(), ["Cat"]);
    /// ```
    #[expect(clippy::must_use_candidate, reason = "the loading is the point")]
    pub fn load_host(&self) -> Vec<String> {
        self.world.settle();
        let driver = Arc::clone(&self.world.driver);
        let heard = self.world.engine.on_framework(move || driver.load());
        self.world.settle();
        self.world.names_of(&heard)
    }

    /// What plugins wrote to the log, oldest first.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.dalamud().log().is_empty());
    /// ```
    #[must_use]
    pub fn log(&self) -> Vec<LogLine> {
        self.world.settle();
        self.world.services.log()
    }

    /// What plugins printed into the chat window, oldest first.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.dalamud().chat().is_empty());
    /// ```
    #[must_use]
    pub fn chat(&self) -> Vec<ChatLine> {
        self.world.settle();
        self.world.services.chat()
    }

    /// The commands that plugins added, with their help.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.dalamud().commands().is_empty());
    /// ```
    #[must_use]
    pub fn commands(&self) -> Vec<(String, String)> {
        self.world.settle();
        self.world.services.commands()
    }

    /// The player types a command, such as `/hello there`. Its handler runs on the framework thread.
    ///
    /// # Panics
    ///
    /// If no plugin has added it, and as the handler does.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.load_plugin("Cat", |context: xivmcp_client::PluginContext| {
    ///     let services = context.services.clone();
    ///     let print = move |_: &str, whom: &str| services.print_chat(whom);
    ///     context.services.add_command("/purr", "Purrs.", std::sync::Arc::new(print))
    /// });
    /// host.dalamud().run_command("/purr you");
    /// assert_eq!(host.dalamud().chat()[0].text, "you");
    /// ```
    #[track_caller]
    pub fn run_command(&self, line: &str) {
        self.world.settle();
        let line = line.trim();
        let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let Some(handler) = self.world.services.command(name) else {
            self.world.fail(&format!("no plugin has added the command {name}"));
        };
        let (name, arguments) = (name.to_owned(), arguments.trim().to_owned());
        self.world.engine.on_framework(move || handler(&name, &arguments));
        self.world.settle();
    }

    /// Scripts a service of the author's own: `answer` gets JSON and gives JSON, or the text of a failure.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.dalamud().service("retainers", |_json| Ok("[]".to_owned()));
    /// ```
    pub fn service(&self, name: &str, answer: impl Fn(&str) -> Result<String, String> + Send + Sync + 'static) {
        self.world.services.script(name, Arc::new(answer));
    }
}

impl fmt::Debug for Dalamud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dalamud").finish_non_exhaustive()
    }
}
