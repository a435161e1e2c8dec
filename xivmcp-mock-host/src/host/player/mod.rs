//! The player: decisions about plugins, and about jobs.

mod questions;
mod settings;

use std::fmt;
use std::sync::Arc;

use super::job::AsJob;
use super::world::World;
use crate::core::{Core, JobControl, PlayerError, Time};

/// The person at the game, from [`MockHost::player`](crate::MockHost::player).
///
/// Plugins are named by their handle or their internal name, in any case; modes by text (`"allow"`, `"ask"`, `"deny"`) or
/// by [`PermissionMode`](xivmcp_protocol::PermissionMode). Every method panics, with the host's reason, at what the player
/// could not do.
///
/// ```
/// use serde_json::json;
/// use xivmcp_client::{McpCapabilities, McpToolDefinition, XivMcpClient};
/// use xivmcp_mock_host::{Answer, MockHost};
///
/// let host = MockHost::simulated();
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     let definition = McpToolDefinition::new("myplugin_wave", "Waves.").capabilities([McpCapabilities::GameUi]);
///     client.add_tool(definition, || Ok("waved"))
/// });
/// host.player().enable(&plugin);
///
/// let call = host.assistant().call("myplugin_wave", json!({}));
/// assert_eq!(host.player().questions()[0].tool, "myplugin_wave");
/// host.player().answer(Answer::Once);
/// assert_eq!(call.expect_result(), "waved");
///
/// host.player().set_mode(&plugin, "game_ui", "deny");
/// assert!(host.assistant().call("myplugin_wave", json!({})).expect_error().contains("myplugin_wave"));
/// ```
#[derive(Clone)]
pub struct Player {
    world: Arc<World>,
}

impl Player {
    pub(crate) fn new(world: &Arc<World>) -> Self {
        Self { world: Arc::clone(world) }
    }

    #[track_caller]
    fn does<R>(&self, operation: impl FnOnce(&mut Core, Time) -> Result<R, PlayerError>) -> R {
        match self.world.act(operation) {
            Ok(result) => result,
            Err(error) => self.world.fail(&format!("the player cannot do that: {error}")),
        }
    }

    /// Enables a plugin with all that it has registered now (R-POL-5).
    ///
    /// # Panics
    ///
    /// If it is not installed.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
    /// # let purr = cat.offers(purr).returns("purr");
    /// assert!(host.assistant().tool("cat_purr").is_none());
    /// host.player().enable(&cat);
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// ```
    #[track_caller]
    pub fn enable(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_enable(plugin.as_ref(), None));
    }

    /// Enables a plugin without a review, as settings brought along from elsewhere can: its acting capabilities count as
    /// growth when it registers the next time, and wait for consent then (R-POL-6).
    ///
    /// # Panics
    ///
    /// If it is not installed.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::{McpCapabilities, McpToolDefinition, XivMcpClient};
    ///
    /// let cat = host.load("Cat", |client: &XivMcpClient| {
    ///     let pounce = McpToolDefinition::new("cat_pounce", "Pounces.").capabilities([McpCapabilities::Combat]);
    ///     client.add_tool(pounce, || Ok("hit"))
    /// });
    /// host.player().enable_unreviewed(&cat);
    /// assert_eq!(cat.client().get_status().state.as_str(), "enabled");
    /// cat.reload();                                             // the next version registers
    /// assert_eq!(cat.client().get_status().state.as_str(), "awaiting_consent");
    /// ```
    #[track_caller]
    pub fn enable_unreviewed(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_enable_unreviewed(plugin.as_ref()));
    }

    /// Keeps a plugin disabled (R-POL-7).
    ///
    /// # Panics
    ///
    /// If it is not installed.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// assert_eq!(dog.client().get_status().state.as_str(), "undecided");
    /// host.player().keep_disabled(&dog);
    /// assert_eq!(dog.client().get_status().state.as_str(), "kept_disabled");
    /// ```
    #[track_caller]
    pub fn keep_disabled(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_keep_disabled(plugin.as_ref(), None));
    }

    /// Looks at a plugin's page now, to decide about it later: what registers meanwhile was not shown (R-POL-5).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_client::McpToolDefinition;
    /// # let cat = host.stand_in("Cat");
    /// cat.offers(McpToolDefinition::new("cat_purr", "Purrs.").read_only(true)).returns("purr");
    /// let shown = host.player().look_at(&cat);
    /// cat.offers(McpToolDefinition::new("cat_hiss", "Hisses.").read_only(true));
    /// shown.enable();                                           // with `cat_purr` alone
    /// assert!(host.assistant().call("cat_purr", ()).expect_error().contains("Cat"));
    /// host.player().enable(&cat);                               // now with both
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn look_at(&self, plugin: impl AsRef<str>) -> ShownPlugin {
        let plugin = plugin.as_ref().to_owned();
        let shown = self.world.look(|core| core.player_shown(&plugin));
        ShownPlugin { player: self.clone(), plugin, shown }
    }

    /// Ends a plugin's suspension (R-POL-7). Nothing happens if it is not suspended.
    ///
    /// # Panics
    ///
    /// If it is not installed.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").read_only(true);
    /// # let purr = cat.offers(purr).returns("purr").takes(std::time::Duration::from_secs(5));
    /// # host.player().enable(&cat);
    /// let call = host.assistant().call("cat_purr", ());
    /// host.game().change(xivmcp_mock_host::GameChange::new().gil(-50)); // while it runs, so it counts as its doing
    /// assert_eq!(call.expect_result(), "purr");
    /// assert!(host.assistant().call("cat_purr", ()).expect_error().contains("suspended"));
    ///
    /// host.player().lift(&cat);
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// ```
    #[track_caller]
    pub fn lift(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_lift(plugin.as_ref()));
    }

    /// Forgets the answers for this session about a plugin's tools, and those given to the plugin (R-CALL-2). `XivMcp`
    /// stands for the host's own tools.
    ///
    /// # Panics
    ///
    /// If it is not installed.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// # use xivmcp_mock_host::Answer;
    /// let call = host.assistant().call("cat_purr", ());
    /// host.player().answer(Answer::Session);
    /// assert!(!host.assistant().call("cat_purr", ()).is_running()); // it asks no more
    /// host.player().clear_session(&cat);
    /// assert!(host.assistant().call("cat_purr", ()).is_running());  // it asks again
    /// ```
    #[track_caller]
    pub fn clear_session(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_clear_session(plugin.as_ref()));
    }

    /// Pauses a job: its running step is cancelled, and begins anew after a resume (R-JOB-6).
    ///
    /// # Panics
    ///
    /// If there is no such job, or if it is finished.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.player().pause_job(&job);
    /// assert_eq!(host.job(&job).state(), "paused");
    /// ```
    #[track_caller]
    pub fn pause_job(&self, job: &(impl AsJob + ?Sized)) {
        self.control(job, JobControl::Pause);
    }

    /// Resumes a job that is paused or pending.
    ///
    /// # Panics
    ///
    /// If there is no such job, if it is finished, or while its current step is failed (R-JOB-5).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.player().pause_job(&job);
    /// host.player().resume_job(&job);
    /// assert_eq!(host.job(&job).state(), "running");
    /// assert_eq!(host.job(&job).step("nap").attempts, 2);
    /// ```
    #[track_caller]
    pub fn resume_job(&self, job: &(impl AsJob + ?Sized)) {
        self.control(job, JobControl::Resume);
    }

    /// Cancels a job, for good. A finished one stays as it is (R-JOB-7).
    ///
    /// # Panics
    ///
    /// If there is no such job.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// host.player().cancel_job(&job);
    /// assert_eq!(host.job(&job).state(), "cancelled");
    /// ```
    #[track_caller]
    pub fn cancel_job(&self, job: &(impl AsJob + ?Sized)) {
        self.control(job, JobControl::Cancel);
    }

    #[track_caller]
    fn control(&self, job: &(impl AsJob + ?Sized), control: JobControl) {
        let controlled = self.world.act(|core, now| core.control_job(now, job.as_job(), control));
        if let Err(error) = controlled {
            self.world.fail(&format!("the player cannot do that with the job {}: {error}", job.as_job()));
        }
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").finish_non_exhaustive()
    }
}

/// What the player saw of a plugin, see [`Player::look_at`]: the tools and capabilities that it had registered then.
///
/// A decision made with it is about exactly those (R-POL-5): what was registered since waits for consent.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// use xivmcp_client::{McpToolDefinition, XivMcpClient};
///
/// let cat = host.load("Cat", |_: &XivMcpClient| Ok::<(), String>(()));
/// let shown = host.player().look_at(&cat);
/// cat.client().add_tool(McpToolDefinition::new("cat_hiss", "Hisses.").read_only(true), || Ok("hiss")).unwrap();
/// shown.enable();
/// assert_eq!(cat.client().get_status().state.as_str(), "awaiting_consent");
/// ```
pub struct ShownPlugin {
    player: Player,
    plugin: String,
    shown: crate::core::Shown,
}

impl ShownPlugin {
    /// Enables the plugin with what was shown.
    ///
    /// # Panics
    ///
    /// If it is not installed any more.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// let shown = host.player().look_at(&dog);
    /// shown.enable();
    /// assert!(dog.client().get_status().can_run());
    /// ```
    #[track_caller]
    pub fn enable(self) {
        self.player.does(|core, _| core.player_enable(&self.plugin, Some(&self.shown)));
    }

    /// Keeps the plugin disabled, with what was shown.
    ///
    /// # Panics
    ///
    /// If it is not installed any more.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// let shown = host.player().look_at(&dog);
    /// shown.keep_disabled();
    /// assert_eq!(dog.client().get_status().state.as_str(), "kept_disabled");
    /// ```
    #[track_caller]
    pub fn keep_disabled(self) {
        self.player.does(|core, _| core.player_keep_disabled(&self.plugin, Some(&self.shown)));
    }
}

impl fmt::Debug for ShownPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShownPlugin").field("plugin", &self.plugin).finish_non_exhaustive()
    }
}
