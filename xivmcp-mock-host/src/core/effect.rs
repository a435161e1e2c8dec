//! What must happen outside the core: the driver takes the effects after every operation and carries them out, in
//! order, holding no lock.

use xivmcp_protocol::{CallId, JsonText};

use super::lint::Lint;
use super::question::Question;

/// One thing that the driver does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// On the framework thread: ask [`begin_invoke`](super::Core::begin_invoke) whether the call still runs; if so,
    /// call `<owner>.XivMcp.Invoke` with the call's id, `tool` and `args`, and tell
    /// [`invoke_returned`](super::Core::invoke_returned) what came.
    Invoke { call: CallId, owner: String, tool: String, args: JsonText },
    /// On the framework thread: ask [`begin_cancel`](super::Core::begin_cancel); if so, call `<owner>.XivMcp.Cancel`
    /// with the call's id, and tell [`cancel_returned`](super::Core::cancel_returned) what came.
    Cancel { call: CallId, owner: String },
    /// A call that the assistant started is over. The core has forgotten it.
    CallEnded { call: CallId, outcome: Outcome },
    /// The player is asked something.
    QuestionOpened(Question),
    /// A question is no longer open: answered, timed out, or its call has ended.
    QuestionClosed {
        /// The question's number.
        question: u64,
    },
    /// What tools/list offers has changed.
    ListChanged,
    /// A job has changed: its state, a step, or its log.
    JobChanged {
        /// The job's id.
        job: String,
    },
    /// Something that the real host accepts in silence.
    Lint(Lint),
    /// A line for the host's own log.
    Log(String),
}

/// How a call ended, as the assistant gets it, without the marks and cuts of R-CALL-11.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// use xivmcp_mock_host::Outcome;
///
/// let text = match host.assistant().call("cat_purr", ()).wait() {
///     Outcome::Result(json) => json.get().to_owned(),
///     Outcome::UnknownTool(why) | Outcome::Error(why) => why,
///     other => other.to_string(),
/// };
/// assert!(text.contains("cat_purr"));                       // nobody offers it
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The tool's result.
    Result(JsonText),
    /// The tool, or the host, refused or failed.
    Error(String),
    /// No tool has that name. MCP has an error of its own for it; elsewhere it is an error like any other.
    UnknownTool(String),
    /// The app gave up, and the call is over.
    Cancelled,
}
