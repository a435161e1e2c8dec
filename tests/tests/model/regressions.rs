//! Sequences that once went wrong, each with a name.

use super::ops::Op;
use super::play;

// R-CALL-2, R-POL-3
#[test]
fn an_answer_for_the_session_does_not_cover_a_tool_that_has_become_critical() {
    let ops = [
        Op::Register { plugin: 0, name: 0, declared: 6 },
        Op::Enable { plugin: 0 },
        Op::Call { name: 0 },
        Op::Answer { question: 0, answer: 2 },
        Op::Register { plugin: 0, name: 0, declared: 8 },
        Op::Enable { plugin: 0 },
        Op::RequestApproval { call: 0, capability: 0 },
        Op::Call { name: 0 },
        Op::RequestApproval { call: 1, capability: 2 },
    ];
    assert_eq!(play(0, &ops), Ok(()));
}

// R-APP-5: no fault so far; random sequences come here seldom.
#[test]
fn a_cancelled_call_closes_the_question_about_its_approval() {
    let ops = [
        Op::Register { plugin: 0, name: 0, declared: 6 },
        Op::Enable { plugin: 0 },
        Op::Call { name: 0 },
        Op::Answer { question: 0, answer: 1 },
        Op::WillReact { plugin: 0, reaction: 2 },
        Op::RequestApproval { call: 0, capability: 0 },
        Op::GiveUp { call: 0 },
        Op::GetApproval { approval: 0 },
        Op::GetApproval { approval: 0 },
        Op::RequestApproval { call: 0, capability: 0 },
        Op::Advance { seconds: 125 },
    ];
    assert_eq!(play(0, &ops), Ok(()));
}
