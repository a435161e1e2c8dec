//! Automatic answers of the player, and the record of what was asked.

use std::sync::Arc;

use crate::core::{Answer, Question};
use crate::recent::Recent;

/// Answers some questions by itself: gives an answer, or nothing if the question is none of its own.
pub(crate) type AnswerRule = Arc<dyn Fn(&Question) -> Option<Answer> + Send + Sync>;

/// The rules, newest last, and the questions that they have answered but not told the core yet.
#[derive(Default)]
pub(crate) struct Answers {
    rules: Vec<AnswerRule>,
    ready: Vec<(u64, Answer)>,
    asked: Recent<Question>,
}

impl Answers {
    /// The rules, oldest first. They are asked without the lock on this: they are a test's code.
    pub(super) fn rules(&self) -> Vec<AnswerRule> {
        self.rules.clone()
    }

    pub(super) fn add(&mut self, rule: AnswerRule) {
        self.rules.push(rule);
    }

    pub(super) fn asked(&self) -> Vec<Question> {
        self.asked.to_vec()
    }

    pub(super) fn opened(&mut self, question: Question) {
        let _oldest = self.asked.push(question);
    }

    pub(super) fn decided(&mut self, question: u64, answer: Answer) {
        if !self.ready.iter().any(|(id, _)| *id == question) {
            self.ready.push((question, answer));
        }
    }

    pub(super) fn closed(&mut self, question: u64) {
        self.ready.retain(|(id, _)| *id != question);
    }

    pub(super) fn has_answers(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(super) fn take(&mut self) -> Vec<(u64, Answer)> {
        std::mem::take(&mut self.ready)
    }
}
