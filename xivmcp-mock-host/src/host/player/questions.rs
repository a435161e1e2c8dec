//! The player is asked, and answers.

use std::sync::Arc;

use super::Player;
use crate::core::{Answer, Core, Question};

/// Capabilities that take something away from the player for good.
const SPENDING: [&str; 4] = ["spend_gil", "spend_currency", "trade_items", "discard_items"];

impl Player {
    /// The open questions, oldest first. One that nobody answers within 2 minutes is denied and goes (R-CALL-3, R-APP-5).
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// host.assistant().call("cat_purr", ());
    /// assert_eq!(host.player().questions()[0].tool, "cat_purr");
    /// host.advance(std::time::Duration::from_secs(120));
    /// assert!(host.player().questions().is_empty());
    /// ```
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        self.world.look(Core::questions)
    }

    /// Every question that was asked so far, answered or not, oldest first; the last 100,000 of them.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// # use xivmcp_mock_host::Answer;
    /// host.player().answer_all(Answer::Always);
    /// host.assistant().call("cat_purr", ());
    /// host.assistant().call("cat_purr", ());
    /// assert_eq!(host.player().asked().len(), 1); // always: the second call asked no more
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
    /// let [first, second] = [(); 2].map(|()| host.assistant().call("cat_purr", ()));
    /// let question = host.player().questions().remove(1);
    /// host.player().answer_question(&question, Answer::Once);
    /// assert!(first.is_running() && !second.is_running());
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
    /// # use xivmcp_client::{McpCapabilities, McpToolDefinition};
    /// # use xivmcp_mock_host::Answer;
    /// # let cat = host.stand_in("Cat");
    /// # host.player().enable(&cat);
    /// cat.offers(McpToolDefinition::new("cat_purr", "Purrs.").capabilities([McpCapabilities::GameUi]));
    /// cat.offers(McpToolDefinition::new("cat_buy", "Buys fish.").capabilities([McpCapabilities::SpendGil]));
    /// # host.player().enable(&cat);
    /// host.player().answer_all(Answer::Once);
    /// host.player().deny_spending();
    /// assert!(host.assistant().call("cat_purr", ()).wait().result().is_some());
    /// assert!(host.assistant().call("cat_buy", ()).wait().error().is_some());
    /// ```
    pub fn deny_spending(&self) {
        self.answer_with(|question| {
            let spends = question.capabilities.iter().any(|capability| SPENDING.contains(&&**capability));
            spends.then_some(Answer::Denied)
        });
    }

    /// From now on `rule` answers the questions for which it gives something. It is asked when a question opens, and
    /// before older rules; questions that are open already are asked about at once.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let cat = host.stand_in("Cat");
    /// # let purr = xivmcp_client::McpToolDefinition::new("cat_purr", "Purrs.").capabilities([xivmcp_client::McpCapabilities::GameUi]);
    /// # let purr = cat.offers(purr).returns("purr");
    /// # host.player().enable(&cat);
    /// # use xivmcp_mock_host::Answer;
    /// host.player().answer_with(|question| (question.caller == "assistant:Tataru").then_some(Answer::Once));
    /// assert!(host.assistant().call("cat_purr", ()).is_running());
    /// assert_eq!(host.assistant().named("Tataru").call("cat_purr", ()).expect_result(), "purr");
    /// ```
    pub fn answer_with(&self, rule: impl Fn(&Question) -> Option<Answer> + Send + Sync + 'static) {
        self.world.settle();
        self.world.driver.add_answer(Arc::new(rule));
        self.world.settle();
    }
}
