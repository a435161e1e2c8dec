//! The game: what a test does to it, and what handlers may touch, on the framework thread only.

use std::fmt;
use std::sync::{Arc, Weak};

use xivmcp_client::services::{Session, SessionEvent};

use super::world::World;
use crate::bus::Framework;
use crate::core::{GameChange, GameState};

/// The game as the test plays it, from [`MockHost::game`](crate::MockHost::game). It may change anything at any time.
///
/// Handlers of a plugin get a [`GameHandle`] from [`handle`](Self::handle), which is as strict as the game.
///
/// ```
/// use xivmcp_mock_host::{GameChange, MockHost};
///
/// let host = MockHost::simulated();
/// assert_eq!(host.game().state().gil, 1_000_000);
/// host.game().change(GameChange::new().gil(-300).zone(130));
/// assert_eq!((host.game().state().gil, host.game().state().zone), (999_700, 130));
/// ```
#[derive(Clone)]
pub struct Game {
    world: Arc<World>,
}

impl Game {
    pub(crate) fn new(world: &Arc<World>) -> Self {
        Self { world: Arc::clone(world) }
    }

    /// How things stand.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert_eq!(host.game().state().zone, 129);
    /// ```
    #[must_use]
    pub fn state(&self) -> GameState {
        self.world.look(|core| core.game().clone())
    }

    /// Changes the game, and tells the plugins that listen about logins and zones.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_client::PluginContext;
    /// use xivmcp_mock_host::GameChange;
    ///
    /// host.load_plugin("Cat", |context: PluginContext| {
    ///     let services = context.services.clone();
    ///     let tell = move |event| services.print_chat(&format!("{event:?}"));
    ///     Ok::<_, String>(context.services.on_session(std::sync::Arc::new(tell)))
    /// });
    /// host.game().change(GameChange::new().gil(500).zone(130));
    /// assert_eq!(host.game().state().gil, 1_000_500);
    /// assert!(host.dalamud().chat()[0].text.starts_with("TerritoryChanged"));
    /// ```
    #[expect(clippy::needless_pass_by_value, reason = "a change is made for one use")]
    pub fn change(&self, change: GameChange) {
        self.world.settle();
        apply(&self.world, &change);
        self.world.settle();
    }

    /// The player goes to another zone: a row of the game's `TerritoryType` sheet.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.game().move_to(130);
    /// assert_eq!(host.game().state().zone, 130);
    /// ```
    pub fn move_to(&self, zone: u32) {
        self.change(GameChange::new().zone(zone));
    }

    /// A character comes into the game, the one from before, where it was.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_client::PluginContext;
    /// let cat = host.load_plugin("Cat", |context: PluginContext| Ok::<_, String>(context));
    /// let session = || cat.with(|context: &PluginContext| context.services.session());
    /// host.game().log_out();
    /// assert_eq!(session(), None);
    /// host.game().log_in();
    /// assert_eq!(session().unwrap().territory, 129);
    /// ```
    pub fn log_in(&self) {
        self.change(GameChange::new().logged_in(true));
    }

    /// The character leaves the game. A call that runs meanwhile did it, as far as the host can tell (R-SIDE-2).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
    /// # let purr = cat.offers(purr).takes(std::time::Duration::from_secs(5));
    /// # host.player().enable(&cat);
    /// let call = host.assistant().call("cat_purr", ());
    /// host.game().log_out();
    /// call.wait();
    /// assert_eq!(host.audit()[0].effects[0].effect, "logged_out_or_switched");
    /// assert!(host.audit()[0].suspended);
    /// ```
    pub fn log_out(&self) {
        self.change(GameChange::new().logged_in(false));
    }

    /// For handlers: cheap to clone, and does not keep the host.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// let game = host.game().handle();
    /// assert_eq!(host.on_framework(move || game.state().gil), 1_000_000);
    /// ```
    #[must_use]
    pub fn handle(&self) -> GameHandle {
        GameHandle { world: Arc::downgrade(&self.world) }
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game").finish_non_exhaustive()
    }
}

/// The game as a plugin's code may touch it: on the framework thread.
///
/// ```
/// use serde_json::json;
/// use xivmcp_client::{McpCapabilities, McpToolDefinition, XivMcpClient};
/// use xivmcp_mock_host::{Answer, GameChange, MockHost};
///
/// let host = MockHost::simulated();
/// let game = host.game().handle();
/// let plugin = host.load("MyPlugin", move |client: &XivMcpClient| {
///     let game = game.clone();
///     let definition = McpToolDefinition::new("myplugin_tip", "Tips.").capabilities([McpCapabilities::GameUi]);
///     client.add_tool(definition, move || Ok(game.change(GameChange::new().gil(-50))))
/// });
/// host.player().enable(&plugin);
/// host.player().answer_all(Answer::Once);
/// host.assistant().call("myplugin_tip", json!({})).wait();
///
/// let entry = &host.audit()[0];
/// assert_eq!(entry.effects[0].effect, "spent_gil");    // not declared:
/// assert!(entry.suspended);
/// ```
#[derive(Clone)]
pub struct GameHandle {
    world: Weak<World>,
}

impl GameHandle {
    #[track_caller]
    fn world(&self) -> Arc<World> {
        let world = self.world.upgrade().unwrap_or_else(|| panic!("the game has ended: its host was dropped"));
        if !world.engine.is_framework_thread() {
            let text = format!(
                "the game was touched on {}: that is allowed on the framework thread only. Go there with \
                 `call.on_framework_thread(…)` in a handler, `run_on_next_update` elsewhere; a test changes the game with \
                 `host.game()`",
                world.engine.place()
            );
            world.reports.failure(text.clone());
            panic!("{text}");
        }
        world
    }

    /// How things stand.
    ///
    /// # Panics
    ///
    /// If this is not the framework thread, or the host is gone. The test fails too, if a handler swallows the panic.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let game = host.game().handle();
    /// assert!(host.on_framework(move || game.state().logged_in));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn state(&self) -> GameState {
        self.world().driver.lock().game().clone()
    }

    /// Changes the game.
    ///
    /// # Panics
    ///
    /// If this is not the framework thread, or the host is gone. The test fails too, if a handler swallows the panic.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let game = host.game().handle();
    /// host.on_framework(move || game.change(xivmcp_mock_host::GameChange::new().items(-1)));
    /// assert_eq!(host.game().state().items, 99);
    /// ```
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a change is made for one use")]
    pub fn change(&self, change: GameChange) {
        apply(&self.world(), &change);
    }
}

impl fmt::Debug for GameHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameHandle").finish_non_exhaustive()
    }
}

/// Where the character is, for Dalamud's services.
pub(crate) fn session(game: &GameState) -> Option<Session> {
    game.logged_in.then(|| Session::new(game.zone, game.world))
}

fn apply(world: &Arc<World>, change: &GameChange) {
    let after = world.driver.operate(|core, _| {
        core.change_game(change);
        session(core.game())
    });
    let before = world.services.set_session(after);
    let event = match (before, after) {
        (None, Some(session)) => SessionEvent::Login(session),
        (Some(_), None) => SessionEvent::Logout,
        (Some(before), Some(after)) if before.territory != after.territory => SessionEvent::TerritoryChanged(after),
        _ => return,
    };
    let handlers = world.services.session_handlers();
    if !handlers.is_empty() {
        world.engine.on_framework(move || handlers.iter().for_each(|handler| handler(event)));
    }
}

impl GameChange {
    /// No change yet.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new(), GameChange::default());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gil gained, or spent if negative.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new().gil(-100).gil(-20).gil, -120);
    /// ```
    #[must_use]
    pub fn gil(mut self, change: i64) -> Self {
        self.gil += change;
        self
    }

    /// Items gained, or removed if negative.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new().items(-1).items, -1);
    /// ```
    #[must_use]
    pub fn items(mut self, change: i64) -> Self {
        self.items += change;
        self
    }

    /// Lines of chat sent.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new().chat(1).chat, 1);
    /// ```
    #[must_use]
    pub fn chat(mut self, lines: i64) -> Self {
        self.chat += lines;
        self
    }

    /// Currency gained, or spent if negative.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new().currency(28, -5).currency[&28], -5);
    /// ```
    #[must_use]
    pub fn currency(mut self, id: u32, change: i64) -> Self {
        *self.currency.entry(id).or_default() += change;
        self
    }

    /// Another zone.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new().zone(130).zone, Some(130));
    /// ```
    #[must_use]
    pub fn zone(mut self, zone: u32) -> Self {
        self.zone = Some(zone);
        self
    }

    /// Another world.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new().world(67).world, Some(67));
    /// ```
    #[must_use]
    pub fn world(mut self, world: u32) -> Self {
        self.world = Some(world);
        self
    }

    /// Logs in or out.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new().logged_in(false).logged_in, Some(false));
    /// ```
    #[must_use]
    pub fn logged_in(mut self, logged_in: bool) -> Self {
        self.logged_in = Some(logged_in);
        self
    }

    /// Another character.
    ///
    /// ```
    /// # use xivmcp_mock_host::GameChange;
    /// assert_eq!(GameChange::new().character(7).character, Some(7));
    /// ```
    #[must_use]
    pub fn character(mut self, character: u64) -> Self {
        self.character = Some(character);
        self
    }
}
