//! What the player is asked, and what the player can answer.

use xivmcp_protocol::{CallId, Capability, PermissionMode};

use super::audit::Decision;
use super::call::{Asker, Target};
use super::effect::Effect;
use super::time::Time;
use super::timers::{Due, TimerId};
use super::{ANSWER_LIMIT, Core, PlayerError};

/// A question that the player sees, from [`Player::questions`](crate::Player::questions): about a call (R-CALL-2), or about
/// an approval during one (R-APP-3).
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// use xivmcp_client::{McpCall, McpCapabilities, McpToolDefinition, XivMcpClient};
///
/// let cat = host.load("Cat", |client: &XivMcpClient| {
///     let buy = McpToolDefinition::new("cat_buy", "Buys.").capabilities([McpCapabilities::SpendGil]);
///     client.add_long_running_tool(buy, async |call: McpCall| {
///         Ok(call.request_approval(McpCapabilities::SpendGil, "3 fish for 60 gil").await?)
///     })
/// });
/// host.player().enable(&cat);
/// host.player().set_tool_mode(&cat, "cat_buy", "ask");
/// host.assistant().call("cat_buy", ());
/// let about_the_call = host.player().answer(xivmcp_mock_host::Answer::Once);
/// assert_eq!((about_the_call.summary, about_the_call.capabilities), (None, vec!["spend_gil".to_owned()]));
/// assert_eq!(host.player().questions()[0].summary.as_deref(), Some("3 fish for 60 gil"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// The question's number; later questions have higher ones.
    pub id: u64,
    /// The plugin whose tool it is, as Dalamud spells it; `XivMcp` for the host's own tools.
    pub plugin: String,
    /// The tool.
    pub tool: String,
    /// What the tool may do: the acting capabilities, or `read_game`. For an approval, the one that was asked for.
    pub capabilities: Vec<String>,
    /// What the plugin wrote for the player; nothing if the question is about a whole call.
    pub summary: Option<String>,
    /// Who wants it: `assistant`, `assistant:<client>` or `plugin:<owner>`.
    pub caller: String,
    /// The call that it is about.
    pub call: String,
    /// When it was asked.
    pub since: Time,
}

/// What the player answers (R-CALL-2). For a tool with a critical capability *session* and *always* count as *once*.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
/// # let purr = cat.offers(purr).returns("purr");
/// # host.player().enable(&cat);
/// use xivmcp_mock_host::Answer;
///
/// host.player().answer_all(Answer::Session);
/// for _ in 0..3 {
///     assert_eq!(host.assistant().call("cat_purr", ()).expect_result(), "purr");
/// }
/// assert_eq!(host.player().asked().len(), 1);
/// host.dalamud().unload_host();                             // this ends the session
/// host.dalamud().load_host();
/// host.assistant().call("cat_purr", ());
/// assert_eq!(host.player().asked().len(), 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Answer {
    /// No.
    Denied,
    /// Yes, this time.
    Once,
    /// Yes, and ask no more in this session.
    Session,
    /// Yes, and ask no more.
    Always,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum About {
    /// Whether a call may run.
    Call,
    /// An approval during a call, by its id.
    Approval(String),
}

/// A question that is open.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) question: Question,
    call: CallId,
    about: About,
    timer: TimerId,
}

impl Core {
    /// The open questions, oldest first.
    pub(crate) fn questions(&self) -> Vec<Question> {
        self.questions.values().map(|open| open.question.clone()).collect()
    }

    /// Asks the player. Gives the question's number.
    #[expect(clippy::too_many_arguments, reason = "what the player sees, and where the answer goes")]
    pub(super) fn open_question(
        &mut self,
        now: Time,
        call: &CallId,
        target: &Target,
        capabilities: Vec<String>,
        summary: Option<String>,
        asker: &Asker,
        about: About,
    ) -> u64 {
        self.next_question += 1;
        let id = self.next_question;
        let question = Question {
            id,
            plugin: self.owner_spelling(target),
            tool: target.name().to_owned(),
            capabilities,
            summary,
            caller: asker.to_string(),
            call: call.to_string(),
            since: now,
        };
        let timer = self.timers.set(now + ANSWER_LIMIT, Due::QuestionExpired(id));
        self.push(Effect::QuestionOpened(question.clone()));
        self.questions.insert(id, Open { question, call: call.clone(), about, timer });
        id
    }

    /// Takes a question away, answered or not.
    pub(super) fn close_question(&mut self, id: u64) -> Option<Open> {
        let open = self.questions.remove(&id)?;
        self.timers.take_back(open.timer);
        self.push(Effect::QuestionClosed { question: id });
        Some(open)
    }

    /// Answers a question. Gives the question.
    pub(crate) fn answer(&mut self, now: Time, question: u64, answer: Answer) -> Result<Question, PlayerError> {
        self.settle_question(now, question, Some(answer)).ok_or_else(|| PlayerError {
            message: format!("there is no open question {question}: it was answered, timed out, or its call has ended"),
        })
    }

    /// Nobody has answered within 2 minutes: that is a no (R-CALL-3, R-APP-5).
    pub(super) fn question_expired(&mut self, now: Time, question: u64) {
        self.settle_question(now, question, None);
    }

    fn settle_question(&mut self, now: Time, id: u64, answer: Option<Answer>) -> Option<Question> {
        let open = self.close_question(id)?;
        match &open.about {
            About::Call => self.call_answered(now, &open.call, answer),
            About::Approval(approval) => self.approval_answered(approval, answer),
        }
        Some(open.question)
    }

    /// Remembers an answer for as long as the player said (R-CALL-2, R-APP-3): about one capability of a tool, or about
    /// the whole tool. Gives the decision for the audit log.
    pub(super) fn remember_answer(
        &mut self,
        target: &Target,
        asker: &Asker,
        capability: Option<&Capability>,
        answer: Answer,
    ) -> Decision {
        if target.is_critical() {
            return Decision::Approved;
        }
        let owner_key = target.owner_key();
        match answer {
            Answer::Denied => Decision::Denied,
            Answer::Once => Decision::Approved,
            Answer::Session => {
                self.session.grant(asker, &owner_key, target.name(), capability);
                Decision::ApprovedSession
            }
            // Given to a plugin, *always* lasts for the session, and covers that plugin alone (R-JOB-12).
            Answer::Always if !asker.is_assistant() => {
                self.session.grant(asker, &owner_key, target.name(), None);
                Decision::ApprovedSession
            }
            Answer::Always => {
                match target {
                    Target::Plugin(tool) => {
                        self.policies.get_mut(&owner_key).set_tool(tool.name(), Some(PermissionMode::Allow));
                    }
                    Target::Builtin(tool) => self.builtins.set_tool(tool, Some(PermissionMode::Allow)),
                }
                Decision::ApprovedAlways
            }
        }
    }
}
