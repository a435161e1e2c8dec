//! What a call came to: [`Outcome`] here, a status and a [`Reply`] across.

use xivmcp_client::ipc::{IpcType, IpcValue};

use super::buffers::{NOTHING, hand_over, take};
use super::values::{BadValue, bits, type_code, type_of_code, value_of};
use crate::abi::{NOT_KNOWN, Reply, Status};

/// What a call across the boundary came to, in either direction. The variants are the statuses, with what each knows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Done(IpcValue),
    NotReady(String),
    Failed { kind: String, text: String },
    Panicked(String),
    LengthMismatch { given: Option<usize>, expected: Option<usize>, text: String },
    TypeMismatch { position: u32, given: Option<IpcType>, expected: Option<IpcType>, text: String },
    Closed(String),
    BadText(String),
    Unsupported(String),
    Version(String),
    Unknown(String),
    Refused(String),
    KeepLoaded(String),
    Invalid(String),
}

impl Outcome {
    /// Done, and nothing comes back.
    pub(crate) const DONE: Self = Self::Done(IpcValue::Unit);

    /// `OK` with a value, or a status with its sentence.
    fn status(&self) -> Status {
        match self {
            Self::Done(_) => Status::Ok,
            Self::NotReady(_) => Status::NotReady,
            Self::Failed { .. } => Status::Failed,
            Self::Panicked(_) => Status::Panicked,
            Self::LengthMismatch { .. } => Status::LengthMismatch,
            Self::TypeMismatch { .. } => Status::TypeMismatch,
            Self::Closed(_) => Status::Closed,
            Self::BadText(_) => Status::BadText,
            Self::Unsupported(_) => Status::Unsupported,
            Self::Version(_) => Status::Version,
            Self::Unknown(_) => Status::Unknown,
            Self::Refused(_) => Status::Refused,
            Self::KeepLoaded(_) => Status::KeepLoaded,
            Self::Invalid(_) => Status::Invalid,
        }
    }

    /// The status alone, where there is no place for more.
    pub(crate) fn into_code(self) -> i32 {
        self.status().code()
    }

    /// The sentence that comes with it; empty if it is done.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Done(_) => String::new(),
            Self::NotReady(text)
            | Self::Failed { text, .. }
            | Self::Panicked(text)
            | Self::LengthMismatch { text, .. }
            | Self::TypeMismatch { text, .. }
            | Self::Closed(text)
            | Self::BadText(text)
            | Self::Unsupported(text)
            | Self::Version(text)
            | Self::Unknown(text)
            | Self::Refused(text)
            | Self::KeepLoaded(text)
            | Self::Invalid(text) => text,
        }
    }

    /// Writes it into the caller's reply, and gives the status to return.
    ///
    /// # Safety
    ///
    /// `reply` is what the other side passed to the call that is running; it may be NULL, then only the status counts.
    pub(crate) unsafe fn write(self, reply: *mut Reply) -> i32 {
        let code = self.status().code();
        if reply.is_null() {
            return code;
        }
        let mut answer = empty_reply();
        match self {
            Self::Done(value) => {
                answer.value_type = type_code(value.ipc_type()).unwrap_or(0);
                answer.bits = bits(&value);
                if let IpcValue::Text(text) = value {
                    answer.text = hand_over(text);
                }
            }
            Self::Failed { kind, text } => {
                answer.kind = hand_over(kind);
                answer.text = hand_over(text);
            }
            Self::LengthMismatch { given, expected, text } => {
                let count = |count: Option<usize>| count.and_then(|n| u32::try_from(n).ok()).unwrap_or(NOT_KNOWN);
                answer.given = count(given);
                answer.expected = count(expected);
                answer.text = hand_over(text);
            }
            Self::TypeMismatch { position, given, expected, text } => {
                answer.position = position;
                answer.given = given.and_then(type_code).unwrap_or(NOT_KNOWN);
                answer.expected = expected.and_then(type_code).unwrap_or(NOT_KNOWN);
                answer.text = hand_over(text);
            }
            other => answer.text = hand_over(other.into_text()),
        }
        // SAFETY: not NULL; the contract says that the caller's reply is there, and zeroed, so nothing is lost.
        unsafe { reply.write(answer) };
        code
    }

    /// Makes a call that fills a reply, and reads what it came to. Both buffers are freed.
    ///
    /// # Safety
    ///
    /// `call` gives the reply to one function of the other side's table, and returns its status.
    pub(crate) unsafe fn ask(call: impl FnOnce(*mut Reply) -> i32) -> Self {
        let mut reply = empty_reply();
        let code = call(&raw mut reply);
        // SAFETY: the other side filled them in the call that has just returned; they are taken here only.
        let (text, kind) = unsafe { (take(reply.text), take(reply.kind)) };
        let told = |text: Result<_, _>| text.unwrap_or_else(|_| String::from("(the text is not UTF-8)"));
        let Some(status) = Status::from_code(code) else {
            return Self::Failed { kind: format!("status {code}"), text: told(text) };
        };
        match status {
            Status::Ok => match type_of_code(reply.value_type) {
                None => {
                    Self::Unsupported(format!("the value that came back has the unknown type {}", reply.value_type))
                }
                Some(ipc_type) => match value_of(ipc_type, reply.bits, || text) {
                    Ok(value) => Self::Done(value),
                    Err(_) => Self::BadText(String::from("the text that came back is not UTF-8")),
                },
            },
            Status::NotReady => Self::NotReady(told(text)),
            Status::Failed => Self::Failed { kind: told(kind), text: told(text) },
            Status::Panicked => Self::Panicked(told(text)),
            Status::LengthMismatch => {
                let count = |count| if count == NOT_KNOWN { None } else { usize::try_from(count).ok() };
                Self::LengthMismatch { given: count(reply.given), expected: count(reply.expected), text: told(text) }
            }
            Status::TypeMismatch => Self::TypeMismatch {
                position: reply.position,
                given: type_of_code(reply.given),
                expected: type_of_code(reply.expected),
                text: told(text),
            },
            Status::Closed => Self::Closed(told(text)),
            Status::BadText => Self::BadText(told(text)),
            Status::Unsupported => Self::Unsupported(told(text)),
            Status::Version => Self::Version(told(text)),
            Status::Unknown => Self::Unknown(told(text)),
            Status::Refused => Self::Refused(told(text)),
            Status::KeepLoaded => Self::KeepLoaded(told(text)),
            Status::Invalid => Self::Invalid(told(text)),
        }
    }

    /// What a function without a reply came to.
    pub(crate) fn of_code(code: i32) -> Self {
        // SAFETY: the reply stays empty.
        unsafe { Self::ask(|_| code) }
    }
}

impl From<BadValue> for Outcome {
    fn from(bad: BadValue) -> Self {
        match bad {
            BadValue::Text => Self::BadText(String::from("a text that was passed is not UTF-8")),
            BadValue::Invalid(why) => Self::Invalid(why.to_owned()),
        }
    }
}

/// A reply as the caller passes it.
fn empty_reply() -> Reply {
    Reply { value_type: 0, position: 0, bits: 0, given: 0, expected: 0, text: NOTHING, kind: NOTHING }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_arrives_as_it_was_written() {
        let text = || String::from("warum");
        for outcome in [
            Outcome::DONE,
            Outcome::Done(IpcValue::I32(-5)),
            Outcome::Done("ラーメン".into()),
            Outcome::NotReady(text()),
            Outcome::Failed { kind: String::from("InvalidOperationException"), text: text() },
            Outcome::Panicked(text()),
            Outcome::LengthMismatch { given: Some(2), expected: None, text: text() },
            Outcome::TypeMismatch { position: 3, given: Some(IpcType::Text), expected: None, text: text() },
            Outcome::Closed(text()),
            Outcome::BadText(text()),
            Outcome::Unsupported(text()),
            Outcome::Version(text()),
            Outcome::Unknown(text()),
            Outcome::Refused(text()),
            Outcome::KeepLoaded(text()),
            Outcome::Invalid(String::new()),
        ] {
            let copy = outcome.clone();
            // SAFETY: the reply is passed on to one writer.
            assert_eq!(unsafe { Outcome::ask(|reply| copy.write(reply)) }, outcome);
        }
        assert_eq!(Outcome::of_code(99), Outcome::Failed { kind: String::from("status 99"), text: String::new() });
    }
}
