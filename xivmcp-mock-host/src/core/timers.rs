//! What is due, and when (R-TIME): the queue behind [`Core::next_deadline`](super::Core::next_deadline). Work that only
//! has to wait until the gate call that caused it has returned is due at once.

use std::collections::BTreeMap;

use super::time::Time;
use xivmcp_protocol::CallId;

/// Names a timer, so that it can be taken back.
pub(super) type TimerId = (Time, u64);

/// What happens when a timer is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    /// Nobody has answered a question (R-CALL-3, R-APP-5).
    QuestionExpired(u64),
    /// A cancelled call has not ended (R-CALL-9).
    CancelExpired(CallId),
    /// One of the host's own tools is done.
    BuiltinDone(CallId),
    /// A call has ended, and its end is handed on (R-CALL-8).
    HandOn(CallId),
    /// A job's next step may run.
    RunJobs,
    /// A finished job goes (R-JOB-11).
    ForgetJob(u64),
}

/// All timers, in the order in which they are due; those due together, in the order in which they were set. The seven days
/// of finished jobs are kept apart: they are not counted as open.
#[derive(Debug, Default)]
pub(super) struct Timers {
    work: BTreeMap<TimerId, Due>,
    forget: BTreeMap<TimerId, Due>,
    next: u64,
}

impl Timers {
    pub(super) fn set(&mut self, at: Time, due: Due) -> TimerId {
        let id = (at, self.next);
        self.next += 1;
        let queue = if matches!(due, Due::ForgetJob(_)) { &mut self.forget } else { &mut self.work };
        queue.insert(id, due);
        id
    }

    pub(super) fn take_back(&mut self, id: TimerId) {
        self.work.remove(&id);
    }

    /// When the next one is due.
    pub(super) fn next_deadline(&self) -> Option<Time> {
        let first = |queue: &BTreeMap<TimerId, Due>| queue.first_key_value().map(|((at, _), _)| *at);
        first(&self.work).into_iter().chain(first(&self.forget)).min()
    }

    /// The next thing that is due at `now`, taken out of the queue.
    pub(super) fn pop_due(&mut self, now: Time) -> Option<Due> {
        let first = |queue: &BTreeMap<TimerId, Due>| queue.first_key_value().map(|(id, _)| *id);
        let (work, forget) = (first(&self.work), first(&self.forget));
        let (id, queue) = match (work, forget) {
            (Some(work), Some(forget)) if forget < work => (forget, &mut self.forget),
            (Some(work), _) => (work, &mut self.work),
            (None, Some(forget)) => (forget, &mut self.forget),
            (None, None) => return None,
        };
        if id.0 > now { None } else { queue.remove(&id) }
    }

    /// How many there are, but for the finished jobs'.
    pub(super) fn open(&self) -> usize {
        self.work.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_due_in_order_of_time_and_then_of_setting() {
        let at = |milliseconds| Time::from_millis(milliseconds);
        let mut timers = Timers::default();
        timers.set(at(20), Due::QuestionExpired(1));
        timers.set(at(10), Due::RunJobs);
        timers.set(at(10), Due::QuestionExpired(2));
        let back = timers.set(at(5), Due::QuestionExpired(3));
        timers.set(at(30), Due::ForgetJob(1));
        timers.take_back(back);
        assert_eq!((timers.open(), timers.next_deadline()), (3, Some(at(10))));
        assert_eq!(timers.pop_due(at(9)), None);
        assert_eq!(timers.pop_due(at(15)), Some(Due::RunJobs));
        assert_eq!(timers.pop_due(at(15)), Some(Due::QuestionExpired(2)));
        assert_eq!(timers.pop_due(at(15)), None);
        assert_eq!(timers.pop_due(at(99)), Some(Due::QuestionExpired(1)));
        assert_eq!((timers.open(), timers.next_deadline()), (0, Some(at(30))));
        assert_eq!(timers.pop_due(at(99)), Some(Due::ForgetJob(1)));
        assert_eq!(timers.next_deadline(), None);
    }
}
