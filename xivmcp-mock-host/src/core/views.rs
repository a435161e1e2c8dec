//! What drivers and tests see of the core's state: data only, made when asked for.

use xivmcp_protocol::JsonText;

use super::time::Time;

/// A tool as tools/list offers it (R-CALL-12), from [`Assistant::tools`](crate::Assistant::tools). The description is the
/// author's, without the mark and the cut of R-CALL-11.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// use xivmcp_client::McpToolDefinition;
///
/// cat.offers(McpToolDefinition::new("cat_purr", "Purrs.").read_only(true));
/// host.player().enable(&cat);
/// let tool = host.assistant().tool("cat_purr").unwrap();
/// assert_eq!(tool.plugin.as_deref(), Some("Cat"));
/// assert_eq!(tool.input_schema.get(), r#"{"type":"object","properties":{}}"#); // it takes no arguments
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedTool {
    /// The tool's name.
    pub name: String,
    /// The plugin whose tool it is, as Dalamud spells it; nothing for the host's own.
    pub plugin: Option<String>,
    /// The plugin's display name; nothing for the host's own.
    pub plugin_name: Option<String>,
    /// The description, as registered.
    pub description: String,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// Whether its changes are hard to undo.
    pub destructive: bool,
    /// The schema of its arguments.
    pub input_schema: JsonText,
}

/// A call of one of the host's own tools, from [`Builtin::calls`](crate::Builtin::calls).
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
/// # host.player().enable(&dog);
/// use xivmcp_client::{McpJob, McpJobStep};
///
/// let step = McpJobStep::new("get_inventory").args(serde_json::json!({"bag": 1}));
/// dog.client().start_job(McpJob::new("Look").step(step)).unwrap();
/// let call = &host.builtin("get_inventory").calls()[0];
/// assert_eq!((call.caller.as_str(), call.args.get()), ("plugin:Dog", r#"{"bag":1}"#));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuiltinCall {
    /// When it began.
    pub time: Time,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: JsonText,
    /// Who called: `assistant`, `assistant:<client>` or `plugin:<owner>`.
    pub caller: String,
}

/// How one of the host's own tools answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BuiltinScript {
    /// The result, or the error.
    pub answer: Result<JsonText, String>,
    /// How long it takes.
    pub takes: std::time::Duration,
}

impl BuiltinScript {
    /// Answers `answer` after `takes`.
    #[must_use]
    pub(crate) fn new(answer: Result<JsonText, String>, takes: std::time::Duration) -> Self {
        Self { answer, takes }
    }
}

/// How much is open in the host, from [`MockHost::pending`](crate::MockHost::pending). All zero: nothing is left behind.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let dog = host.load("Dog", |_: &xivmcp_client::XivMcpClient| Ok::<(), String>(()));
/// # host.player().enable(&dog);
/// # let step = xivmcp_client::McpJobStep::new("wait").args(serde_json::json!({"seconds": 9})).id("nap");
/// # let job = dog.client().start_job(xivmcp_client::McpJob::new("Nap").step(step)).unwrap();
/// assert_eq!((host.pending().steps, host.pending().timers), (1, 1));
/// host.advance(std::time::Duration::from_secs(9));
/// assert_eq!(host.pending(), xivmcp_mock_host::PendingCounts::default());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingCounts {
    /// Calls that have not ended.
    pub calls: usize,
    /// Questions without an answer.
    pub questions: usize,
    /// Approval ids that were not read to their end.
    pub approvals: usize,
    /// Timers, but for the seven days of finished jobs.
    pub timers: usize,
    /// Steps of jobs that run.
    pub steps: usize,
}

/// Why the player cannot do that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct PlayerError {
    /// What is wrong, and what would be right.
    pub message: String,
}
