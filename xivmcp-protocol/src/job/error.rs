//! What can be wrong with a job that a plugin sends.

use crate::object::shown;

/// What is wrong with a job that was sent. Fields are named by their path in the JSON, counted from 0.
///
/// ```
/// use xivmcp_protocol::{JobRequest, JobRequestError};
///
/// assert_eq!(JobRequest::new("Farm", []).check(), Err(JobRequestError::NoSteps));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobRequestError {
    /// The text is no JSON at all.
    #[error("the job is no JSON: {reason}")]
    NotJson {
        /// What is wrong, and where.
        reason: String,
    },
    /// A field is needed and is not there, or is null.
    #[error("`{field}` is missing")]
    Missing {
        /// The field.
        field: String,
    },
    /// A text is needed and is blank.
    #[error("`{field}` is blank")]
    Blank {
        /// The field.
        field: String,
    },
    /// A field is not what it must be.
    #[error("{} must be {expected}, not {value}", shown_field(field))]
    WrongType {
        /// The field, or `the job`.
        field: String,
        /// What it must be.
        expected: &'static str,
        /// What came, as JSON, cut.
        value: String,
    },
    /// `steps` is empty.
    #[error("`steps` is empty: a job needs at least one step")]
    NoSteps,
    /// A step was sent with an id that another has.
    #[error("`{step}.id` is `{}`, which {holder} has already: each step needs an id of its own", shown(id))]
    IdUsedTwice {
        /// The later step.
        step: String,
        /// The id of both.
        id: String,
        /// Who has it.
        holder: String,
    },
    /// A step was sent without an id, and the one it would get is taken.
    #[error("`{step}` has no `id` and would get `{id}`, which {holder} has already: give it an id of its own")]
    NumberTaken {
        /// The step without an id.
        step: String,
        /// What it would get.
        id: String,
        /// Who has it.
        holder: String,
    },
}

fn shown_field(field: &str) -> String {
    if field.contains(' ') { field.to_owned() } else { format!("`{field}`") }
}
