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

/// All timers, in the order in which they are due; those due together, in the order in which they were set.
#[derive(Debug, Default)]
pub(super) struct Timers {
    queue: BTreeMap<TimerId, Due>,
    next: u64,
    /// How many of them wait for a finished job's seven days.
    forgets: usize,
}

impl Timers {
    pub(super) fn set(&mut self, at: Time, due: Due) -> TimerId {
        let id = (at, self.next);
        self.next += 1;
        self.forgets += usize::from(matches!(due, Due::ForgetJob(_)));
        self.queue.insert(id, due);
        id
    }

    pub(super) fn take_back(&mut self, id: TimerId) {
        if let Some(due) = self.queue.remove(&id) {
            self.forgets -= usize::from(matches!(due, Due::ForgetJob(_)));
        }
    }

    pub(super) fn next_deadline(&self) -> Option<Time> {
        self.queue.first_key_value().map(|((at, _), _)| *at)
    }

    /// The next thing that is due at `now`, taken out of the queue.
    pub(super) fn pop_due(&mut self, now: Time) -> Option<Due> {
        let entry = self.queue.first_entry()?;
        if entry.key().0 > now {
            return None;
        }
        let due = entry.remove();
        self.forgets -= usize::from(matches!(due, Due::ForgetJob(_)));
        Some(due)
    }

    /// How many there are, but for the finished jobs'.
    pub(super) fn open(&self) -> usize {
        self.queue.len() - self.forgets
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
        assert_eq!(timers.open(), 0);
    }
}
