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
/// use xivmcp_client::{McpDependency, XivMcpClient};
/// use xivmcp_mock_host::MockHost;
///
/// let host = MockHost::simulated();
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     client.uses_tools([McpDependency::from_plugin("cat_purr", "Cat", "Cat", "official", "1.2")])
/// });
/// let state = || plugin.client().get_status().dependencies[0].state.to_string();
/// assert_eq!(state(), "plugin_missing");
/// host.dalamud().install("Cat");
/// assert_eq!(state(), "plugin_outdated");                   // it is 1.0.0
/// host.dalamud().update("Cat", "1.2.0");
/// assert_eq!(state(), "tool_missing");                      // it has no code, and so no tools
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

    /// Puts a plugin without code on the list: loaded, version 1.0.0, with its internal name as display name. One that is
    /// there already stays as it is, but for the spelling of its name.
    ///
    /// # Panics
    ///
    /// If `plugin` is blank or `XivMcp`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.assistant().tool("list_duties").is_none());  // it needs AutoDuty (R-DEP-5)
    /// host.dalamud().install("AutoDuty");
    /// assert!(host.assistant().tool("list_duties").is_some());
    /// ```
    #[track_caller]
    pub fn install(&self, plugin: impl AsRef<str>) {
        self.change(plugin.as_ref(), InstallChange::default());
    }

    /// Gives a plugin another version, and installs it if it is not there. A plugin of the test goes on with the same code.
    ///
    /// # Panics
    ///
    /// If that is no version, which is 2 to 4 numbers with dots (R-DEP-2), or if `plugin` is blank or `XivMcp`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_client::{McpDependency, XivMcpClient};
    /// # let dog = host.load("Dog", |client: &XivMcpClient| {
    /// #     client.uses_tools([McpDependency::from_plugin("cat_purr", "Cat", "Cat", "official", "1.2")])
    /// # });
    /// # let dependency = || dog.client().get_status().dependencies.remove(0);
    /// host.dalamud().update("Cat", "1.1.9");
    /// assert!(dependency().message.contains("1.1.9"));
    /// host.dalamud().update("Cat", "1.2");
    /// assert!(dependency().install.is_empty());
    /// ```
    #[track_caller]
    pub fn update(&self, plugin: impl AsRef<str>, version: &str) {
        self.change(plugin.as_ref(), InstallChange { version: Some(version.to_owned()), ..InstallChange::default() });
    }

    /// Gives a plugin the name that the player reads, and installs it if it is not there.
    ///
    /// # Panics
    ///
    /// If `plugin` is blank or `XivMcp`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # cat.offers(xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true));
    /// host.dalamud().set_display_name(&cat, "The Cat");
    /// assert!(host.assistant().call("cat_purr", ()).expect_error().contains("The Cat"));
    /// ```
    #[track_caller]
    pub fn set_display_name(&self, plugin: impl AsRef<str>, name: &str) {
        self.change(plugin.as_ref(), InstallChange { name: Some(name.to_owned()), ..InstallChange::default() });
    }

    /// Unloads a plugin (R-OWN-4); it stays installed. One that is not there is installed, and not loaded.
    ///
    /// # Panics
    ///
    /// If `plugin` is blank or `XivMcp`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.dalamud().install("AutoDuty");
    /// host.dalamud().disable("AutoDuty");
    /// assert!(host.assistant().tool("list_duties").is_none());  // installed is not enough for it
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

    /// Loads a plugin that is installed, and installs one that is not. Nothing happens if it is loaded.
    ///
    /// # Panics
    ///
    /// If its entry fails, or if `plugin` is blank or `XivMcp`.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// host.dalamud().disable("Dog");
    /// assert!(!dog.is_loaded());
    /// host.dalamud().enable("Dog");                             // its entry runs again
    /// assert!(dog.is_loaded() && dog.client().is_available());
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

    /// Unloads a plugin and takes it off the list. Its policy stays (R-OWN-4).
    ///
    /// # Panics
    ///
    /// If it is not installed.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// host.player().enable(&dog);
    /// host.dalamud().uninstall("Dog");
    /// assert!(!dog.is_loaded());
    /// dog.reload();                                             // installs it again
    /// assert!(dog.client().get_status().can_run());             // the player's decision was kept
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

    /// What plugins wrote to the log, oldest first; the last 100,000 lines of all plugins.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::PluginContext;
    /// use xivmcp_client::services::LogLevel;
    ///
    /// host.load_plugin("Cat", |context: PluginContext| {
    ///     context.services.log(LogLevel::Warning, "There is no fish.");
    ///     Ok::<(), String>(())
    /// });
    /// assert_eq!(host.dalamud().log()[0].text, "There is no fish.");
    /// ```
    #[must_use]
    pub fn log(&self) -> Vec<LogLine> {
        self.world.settle();
        self.world.services.log()
    }

    /// What plugins printed into the chat window, oldest first; the last 100,000 lines of all plugins.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_client::PluginContext;
    /// host.load_plugin("Cat", |context: PluginContext| {
    ///     context.services.print_chat_error("There is no fish.");
    ///     Ok::<(), String>(())
    /// });
    /// let line = &host.dalamud().chat()[0];
    /// assert!(line.error && line.text == "There is no fish.");
    /// ```
    #[must_use]
    pub fn chat(&self) -> Vec<ChatLine> {
        self.world.settle();
        self.world.services.chat()
    }

    /// The commands that plugins added, with their help, in alphabetical order.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_client::PluginContext;
    /// let cat = host.load_plugin("Cat", |context: PluginContext| {
    ///     context.services.add_command("/purr", "Purrs.", std::sync::Arc::new(|_, _| ()))
    /// });
    /// assert_eq!(host.dalamud().commands(), [("/purr".to_owned(), "Purrs.".to_owned())]);
    /// cat.unload();
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

    /// Scripts a service of the author's own, for `PluginServices::call_service`: `answer` gets JSON and gives JSON, or the
    /// text of a failure. It runs on the thread that asks. The same name again replaces it.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::PluginContext;
    ///
    /// host.dalamud().service("retainers", |_json| Ok(r#"["Tataru"]"#.to_owned()));
    /// let cat = host.load_plugin("Cat", |context: PluginContext| context.services.call_service("retainers", "{}"));
    /// assert!(cat.with(|retainers: &String| retainers == r#"["Tataru"]"#));
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
