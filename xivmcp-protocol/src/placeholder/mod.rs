//! Placeholders in the arguments of job steps: `{{step.path}}` stands for a part of an earlier step's result (R-JOB-4).
//!
//! The client writes them (its job builder prints a [`Placeholder`], and finds with [`texts_with_braces`] what an author
//! wrote by hand); the host resolves them when a step is about to run ([`resolve`]). Neither side has its own idea of the grammar.
//!
//! What the rule leaves open, and how it is here:
//! - **Where a placeholder begins.** At the leftmost `{{` from which one can be read, as a search with the regular expression
//!   `\{\{([A-Za-z0-9_-]+)\.([^}]+)\}\}` would find it. So `{{{a.b}}` is a `{` and a placeholder.
//! - **Keys without case.** A key that is spelt exactly so wins (the last of them, should it stand twice). Otherwise the first key in the
//!   object that is equal when every character of both is lower-cased for itself (so `ß` is not `SS`).
//! - **Numbers.** A part of the path that consists of ASCII digits is an index where it meets an array, counted from 0, and a key where
//!   it meets an object.
//! - **Empty parts.** `{{a..b}}` asks for the key `""`, which JSON may have.
//! - **Steps.** How a step id is compared is the lookup's affair.
//!
//! All of it works on JSON as text, so that what is not replaced keeps its bytes: numbers, the order of keys, white space.
//! Nothing here panics or recurses, whatever the depth, and reading takes time in proportion to the text.

mod grammar;
mod resolve;

use std::fmt;

pub use grammar::{Segment, parse};
pub use resolve::{PlaceholderError, StepResult, placeholders, resolve, texts_with_braces};

/// A reference to a part of a step's result, such as `{{farm.kills}}`.
///
/// Its [`Display`](fmt::Display) is the text that goes into a step's arguments.
///
/// ```
/// use xivmcp_protocol::placeholder::Placeholder;
///
/// let kills = Placeholder::new("farm", "zones.0.kills")?;
/// assert_eq!(kills.to_string(), "{{farm.zones.0.kills}}");
/// # Ok::<(), xivmcp_protocol::placeholder::PlaceholderSyntaxError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Placeholder {
    step: String,
    path: String,
}

impl Placeholder {
    /// A reference to `path` in the result of the step with the id `step`.
    ///
    /// # Errors
    ///
    /// If the text would not be read as that placeholder: the step's id must be one or more of `A-Z a-z 0-9 _ -`, the path one or
    /// more characters other than `}`.
    ///
    /// ```
    /// use xivmcp_protocol::placeholder::Placeholder;
    ///
    /// assert!(Placeholder::new("my step", "kills").is_err());
    /// assert!(Placeholder::new("farm", "").is_err());
    /// ```
    pub fn new(step: impl Into<String>, path: impl Into<String>) -> Result<Self, PlaceholderSyntaxError> {
        let (step, path) = (step.into(), path.into());
        if step.is_empty() || !step.bytes().all(grammar::is_step_byte) {
            return Err(PlaceholderSyntaxError::Step { step });
        }
        if path.is_empty() || path.contains('}') {
            return Err(PlaceholderSyntaxError::Path { step, path });
        }
        Ok(Self { step, path })
    }

    /// The id of the step.
    ///
    /// ```
    /// # use xivmcp_protocol::placeholder::Placeholder;
    /// assert_eq!(Placeholder::new("farm", "kills")?.step(), "farm");
    /// # Ok::<(), xivmcp_protocol::placeholder::PlaceholderSyntaxError>(())
    /// ```
    #[must_use]
    pub fn step(&self) -> &str {
        &self.step
    }

    /// The whole path, as it was written.
    ///
    /// ```
    /// # use xivmcp_protocol::placeholder::Placeholder;
    /// assert_eq!(Placeholder::new("farm", "zones.0")?.path(), "zones.0");
    /// # Ok::<(), xivmcp_protocol::placeholder::PlaceholderSyntaxError>(())
    /// ```
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The keys and indexes of the path, in order.
    ///
    /// ```
    /// # use xivmcp_protocol::placeholder::Placeholder;
    /// let placeholder = Placeholder::new("farm", "zones.0.kills")?;
    /// assert!(placeholder.keys().eq(["zones", "0", "kills"]));
    /// # Ok::<(), xivmcp_protocol::placeholder::PlaceholderSyntaxError>(())
    /// ```
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.path.split('.')
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{{}.{}}}}}", self.step, self.path)
    }
}

/// Why a step id and a path make no placeholder.
///
/// ```
/// use xivmcp_protocol::placeholder::{Placeholder, PlaceholderSyntaxError};
///
/// assert!(matches!(Placeholder::new("my step", "kills"), Err(PlaceholderSyntaxError::Step { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceholderSyntaxError {
    /// The step's id cannot stand in a placeholder.
    #[error("the step id {step:?} cannot be used in a placeholder: it must be one or more of A-Z a-z 0-9 _ -")]
    Step {
        /// The step's id.
        step: String,
    },
    /// The path cannot stand in a placeholder.
    #[error(
        "the path {path:?} into the result of step {step:?} must be one or more characters, and none of them a closing brace"
    )]
    Path {
        /// The step's id.
        step: String,
        /// The path.
        path: String,
    },
}

#[cfg(test)]
mod tests;
