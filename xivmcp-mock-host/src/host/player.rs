//! The player: settings, and answers to questions.

use std::fmt;
use std::sync::Arc;

use xivmcp_protocol::PermissionMode;

use super::job::AsJob;
use super::world::World;
use crate::core::{Access, Answer, Core, JobControl, PlayerError, Question, Time};

/// Capabilities that take something away from the player for good.
const SPENDING: [&str; 4] = ["spend_gil", "spend_currency", "trade_items", "discard_items"];

/// The person at the game, from [`MockHost::player`](crate::MockHost::player).
///
/// Plugins are named by their handle or their internal name; modes by text (`"allow"`, `"ask"`, `"deny"`) or by
/// [`PermissionMode`]. Every method panics, with the host's reason, at what the player could not do.
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
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// host.player().enable(&cat);
    /// ```
    #[track_caller]
    pub fn enable(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_enable(plugin.as_ref(), None));
    }

    /// Enables a plugin without a review, as settings brought along from elsewhere can: its acting capabilities count as
    /// growth when it registers the next time (R-POL-6).
    #[track_caller]
    pub fn enable_unreviewed(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_enable_unreviewed(plugin.as_ref()));
    }

    /// Keeps a plugin disabled (R-POL-7).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// host.player().keep_disabled(&cat);
    /// ```
    #[track_caller]
    pub fn keep_disabled(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_keep_disabled(plugin.as_ref(), None));
    }

    /// Looks at a plugin's page now, to decide about it later: what registers meanwhile was not shown (R-POL-5).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// let shown = host.player().look_at(&cat);
    /// // What the plugin registers from here on waits for consent.
    /// shown.enable();
    /// ```
    #[must_use]
    #[track_caller]
    pub fn look_at(&self, plugin: impl AsRef<str>) -> ShownPlugin {
        let plugin = plugin.as_ref().to_owned();
        let shown = self.world.look(|core| core.player_shown(&plugin));
        ShownPlugin { player: self.clone(), plugin, shown }
    }

    /// Ends a plugin's suspension (R-POL-7).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # host.player().enable(&cat);
    /// host.player().lift(&cat);
    /// ```
    #[track_caller]
    pub fn lift(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_lift(plugin.as_ref()));
    }

    /// Forgets the answers for this session about a plugin's tools, and those given to the plugin.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// host.player().clear_session(&cat);
    /// ```
    #[track_caller]
    pub fn clear_session(&self, plugin: impl AsRef<str>) {
        self.does(|core, _| core.player_clear_session(plugin.as_ref()));
    }

    /// Sets a plugin's mode for a capability.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// host.player().set_mode(&cat, "spend_gil", "deny");
    /// ```
    #[track_caller]
    pub fn set_mode(&self, plugin: impl AsRef<str>, capability: impl AsRef<str>, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_capability(plugin.as_ref(), capability.as_ref(), mode));
    }

    /// Sets a plugin's mode for a capability back to the capability's default.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// host.player().reset_mode(&cat, "spend_gil");
    /// ```
    #[track_caller]
    pub fn reset_mode(&self, plugin: impl AsRef<str>, capability: impl AsRef<str>) {
        self.does(|core, _| core.player_set_capability(plugin.as_ref(), capability.as_ref(), None));
    }

    /// Gives a tool of a plugin a mode of its own.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// host.player().set_tool_mode(&cat, "cat_purr", "allow");
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// ```
    #[track_caller]
    pub fn set_tool_mode(&self, plugin: impl AsRef<str>, tool: &str, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_tool(plugin.as_ref(), tool, mode));
    }

    /// Lets a tool of a plugin follow its capabilities again.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// host.player().reset_tool_mode(&cat, "cat_purr");
    /// ```
    #[track_caller]
    pub fn reset_tool_mode(&self, plugin: impl AsRef<str>, tool: &str) {
        self.does(|core, _| core.player_set_tool(plugin.as_ref(), tool, None));
    }

    /// Sets what the reading tools of a group of the host's own tools may do.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.player().set_group_read("game_data", "deny");
    /// assert!(host.assistant().call("get_inventory", ()).wait().error().is_some());
    /// ```
    #[track_caller]
    pub fn set_group_read(&self, group: &str, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_group(group, Access::Read, mode));
    }

    /// Sets what the writing tools of a group of the host's own tools may do.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.player().set_group_write("market", "ask");
    /// ```
    #[track_caller]
    pub fn set_group_write(&self, group: &str, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_group(group, Access::Write, mode));
    }

    /// Turns a group of the host's own tools on or off.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.player().turn_group("game_data", false);
    /// assert!(host.assistant().tool("get_inventory").is_none());
    /// ```
    #[track_caller]
    pub fn turn_group(&self, group: &str, on: bool) {
        self.does(|core, _| core.player_set_group_on(group, on));
    }

    /// Gives one of the host's own tools a mode of its own.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.player().set_builtin_mode("navigate_to", "allow");
    /// ```
    #[track_caller]
    pub fn set_builtin_mode(&self, tool: &str, mode: impl Into<PermissionMode>) {
        let mode = Some(mode.into());
        self.does(|core, _| core.player_set_builtin(tool, mode));
    }

    /// Lets one of the host's own tools follow its group again.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// host.player().reset_builtin_mode("navigate_to");
    /// ```
    #[track_caller]
    pub fn reset_builtin_mode(&self, tool: &str) {
        self.does(|core, _| core.player_set_builtin(tool, None));
    }

    /// The open questions, oldest first.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// host.assistant().call("cat_purr", ());
    /// assert_eq!(host.player().questions()[0].tool, "cat_purr");
    /// ```
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        self.world.look(Core::questions)
    }

    /// Every question that was asked so far, answered or not, oldest first.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// assert!(host.player().asked().is_empty());
    /// ```
    #[must_use]
    pub fn asked(&self) -> Vec<Question> {
        self.world.settle();
        self.world.driver.asked()
    }

    /// Answers the oldest open question, and gives it.
    ///
    /// # Panics
    ///
    /// If none is open.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// # use xivmcp_mock_host::Answer;
    /// let call = host.assistant().call("cat_purr", ());
    /// assert_eq!(host.player().answer(Answer::Once).caller, "assistant");
    /// assert_eq!(call.expect_result(), "purr");
    /// ```
    #[track_caller]
    #[expect(clippy::must_use_candidate, reason = "the answer is the point")]
    pub fn answer(&self, answer: Answer) -> Question {
        let Some(question) = self.questions().into_iter().next() else {
            self.world.fail("the player has no open question to answer");
        };
        self.does(|core, now| core.answer(now, question.id, answer))
    }

    /// Answers a certain question.
    ///
    /// # Panics
    ///
    /// If it is not open any more.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// # use xivmcp_mock_host::Answer;
    /// # let call = host.assistant().call("cat_purr", ());
    /// let question = host.player().questions().remove(0);
    /// host.player().answer_question(&question, Answer::Once);
    /// ```
    #[track_caller]
    pub fn answer_question(&self, question: &Question, answer: Answer) {
        self.does(|core, now| core.answer(now, question.id, answer));
    }

    /// From now on every question is answered so, those that are open as well. Later rules come first.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// # use xivmcp_mock_host::Answer;
    /// host.player().answer_all(Answer::Session);
    /// assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
    /// ```
    pub fn answer_all(&self, answer: Answer) {
        self.answer_with(move |_| Some(answer));
    }

    /// From now on questions about spending (gil, currencies, trading, discarding) are denied. Other rules answer the
    /// rest.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_mock_host::Answer;
    /// host.player().answer_all(Answer::Once);
    /// host.player().deny_spending();
    /// ```
    pub fn deny_spending(&self) {
        self.answer_with(|question| {
            let spends = question.capabilities.iter().any(|capability| SPENDING.contains(&&**capability));
            spends.then_some(Answer::Denied)
        });
    }

    /// From now on `rule` answers the questions for which it gives something. It is asked when a question opens, and
    /// before older rules.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # use xivmcp_mock_host::Answer;
    /// host.player().answer_with(|question| (question.tool == "cat_purr").then_some(Answer::Once));
    /// ```
    pub fn answer_with(&self, rule: impl Fn(&Question) -> Option<Answer> + Send + Sync + 'static) {
        self.world.settle();
        self.world.driver.add_answer(Arc::new(rule));
        self.world.settle();
    }

    /// Pauses a job (R-JOB-6).
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

    /// Resumes a job.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
    /// # host.player().enable(&dog);
    /// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
    /// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
    /// # host.player().pause_job(&job);
    /// host.player().resume_job(&job);
    /// assert_eq!(host.job(&job).state(), "running");
    /// ```
    #[track_caller]
    pub fn resume_job(&self, job: &(impl AsJob + ?Sized)) {
        self.control(job, JobControl::Resume);
    }

    /// Cancels a job, for good.
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

/// What the player saw of a plugin, see [`Player::look_at`].
pub struct ShownPlugin {
    player: Player,
    plugin: String,
    shown: crate::core::Shown,
}

impl ShownPlugin {
    /// Enables the plugin with what was shown.
    #[track_caller]
    pub fn enable(self) {
        self.player.does(|core, _| core.player_enable(&self.plugin, Some(&self.shown)));
    }

    /// Keeps the plugin disabled, with what was shown.
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
