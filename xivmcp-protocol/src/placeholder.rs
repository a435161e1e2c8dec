//! Placeholders in the arguments of job steps: `{{step.path}}` stands for a part of an earlier step's result (R-JOB-4).
//!
//! The client writes them (its job builder prints a [`Placeholder`], and finds with [`placeholders`] what an author wrote by
//! hand); the host resolves them when a step is about to run ([`resolve`]). Neither side has its own idea of the grammar.
//!
//! What the rule leaves open, and how it is here:
//! - **Where a placeholder begins.** At the leftmost `{{` from which one can be read, as a search with the regular expression
//!   `\{\{([A-Za-z0-9_-]+)\.([^}]+)\}\}` would find it. So `{{{a.b}}` is a `{` and a placeholder.
//! - **Keys without case.** A key that is spelt exactly so wins. Otherwise the first key, in the order of the map, that is equal when
//!   every character of both is lower-cased for itself (so `ß` is not `SS`).
//! - **Numbers.** A part of the path that consists of ASCII digits is an index where it meets an array, counted from 0, and a key where
//!   it meets an object.
//! - **Empty parts.** `{{a..b}}` asks for the key `""`, which JSON may have.
//! - **Steps.** How a step id is compared is the lookup's affair.
//!
//! Nothing here panics, and parsing takes time in proportion to the text.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

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
        if step.is_empty() || !step.bytes().all(is_step_byte) {
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

/// A piece of a string argument.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the grammar knows only these two")]
pub enum Segment<'a> {
    /// Text that stays as it is, never empty.
    Literal(&'a str),
    /// What is to be replaced.
    Placeholder(Placeholder),
}

/// Takes a string argument apart. The pieces, printed one after the other, are the text again.
///
/// ```
/// use xivmcp_protocol::placeholder::{Placeholder, Segment, parse};
///
/// assert_eq!(
///     parse("Sell {{farm.drops}} now"),
///     [
///         Segment::Literal("Sell "),
///         Segment::Placeholder(Placeholder::new("farm", "drops")?),
///         Segment::Literal(" now"),
///     ]
/// );
/// assert_eq!(parse("{{ farm.drops }}"), [Segment::Literal("{{ farm.drops }}")]);
/// # Ok::<(), xivmcp_protocol::placeholder::PlaceholderSyntaxError>(())
/// ```
#[must_use]
pub fn parse(text: &str) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut scan = Scan { text, at: 0, next_close: None };
    let mut literal_from = 0;
    while let Some((start, placeholder)) = scan.next() {
        if literal_from < start {
            segments.push(Segment::Literal(&text[literal_from..start]));
        }
        segments.push(Segment::Placeholder(placeholder));
        literal_from = scan.at;
    }
    if literal_from < text.len() {
        segments.push(Segment::Literal(&text[literal_from..]));
    }
    segments
}

/// The search for placeholders, from left to right.
struct Scan<'a> {
    text: &'a str,
    /// Everything before this byte is done.
    at: usize,
    /// The first `}` at or after some place that was asked about. Kept, because many false starts may share one, and looking
    /// for it from each of them would take quadratic time.
    next_close: Option<usize>,
}

impl Scan<'_> {
    /// The next placeholder and where it starts; `at` is then behind it.
    fn next(&mut self) -> Option<(usize, Placeholder)> {
        loop {
            let start = self.at + self.text[self.at..].find("{{")?;
            if let Some((end, placeholder)) = self.read(start) {
                self.at = end;
                return Some((start, placeholder));
            }
            self.at = start + 1;
        }
    }

    /// The placeholder that starts at `start`, where `{{` is, and where it ends.
    fn read(&mut self, start: usize) -> Option<(usize, Placeholder)> {
        let step_from = start + 2;
        let bytes = self.text.as_bytes();
        let step_len = bytes[step_from..].iter().take_while(|byte| is_step_byte(**byte)).count();
        let dot = step_from + step_len;
        if step_len == 0 || bytes.get(dot) != Some(&b'.') {
            return None;
        }
        let path_from = dot + 1;
        let close = self.close_from(path_from);
        if close == path_from || bytes.get(close) != Some(&b'}') || bytes.get(close + 1) != Some(&b'}') {
            return None;
        }
        let (step, path) = (self.text[step_from..dot].to_owned(), self.text[path_from..close].to_owned());
        Some((close + 2, Placeholder { step, path }))
    }

    /// Where the first `}` at or after `from` is, or the end of the text.
    fn close_from(&mut self, from: usize) -> usize {
        match self.next_close {
            Some(close) if from <= close => close,
            _ => {
                let close = self.text[from..].find('}').map_or(self.text.len(), |offset| from + offset);
                *self.next_close.insert(close)
            }
        }
    }
}

const fn is_step_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// All placeholders in the string values of `value`, at any depth. Keys are not looked at.
///
/// ```
/// use xivmcp_protocol::placeholder::placeholders;
///
/// let args = serde_json::json!({ "items": ["{{farm.drops}}"], "{{not.here}}": 1 });
/// let found: Vec<String> = placeholders(&args).iter().map(ToString::to_string).collect();
/// assert_eq!(found, ["{{farm.drops}}"]);
/// ```
#[must_use]
pub fn placeholders(value: &Value) -> Vec<Placeholder> {
    fn collect(value: &Value, found: &mut Vec<Placeholder>) {
        match value {
            Value::String(text) => found.extend(parse(text).into_iter().filter_map(|segment| match segment {
                Segment::Placeholder(placeholder) => Some(placeholder),
                Segment::Literal(_) => None,
            })),
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

/// What a lookup knows of a step; see [`resolve`].
///
/// ```
/// use xivmcp_protocol::placeholder::StepResult;
///
/// assert!(matches!(StepResult::from(serde_json::json!(5)), StepResult::Value(_)));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a step is not there, has no result, or has one")]
pub enum StepResult<'a> {
    /// The job has no step with that id.
    MissingStep,
    /// The step has not run yet, or was skipped. A result that is JSON's null counts as this too.
    NoResult,
    /// The step's result.
    Value(Cow<'a, Value>),
}

impl<'a> From<&'a Value> for StepResult<'a> {
    fn from(value: &'a Value) -> Self {
        Self::Value(Cow::Borrowed(value))
    }
}

impl From<Value> for StepResult<'_> {
    fn from(value: Value) -> Self {
        Self::Value(Cow::Owned(value))
    }
}

/// Why a placeholder cannot be replaced. The step that has it in its arguments fails with this text (R-JOB-4).
///
/// ```
/// use xivmcp_protocol::placeholder::{StepResult, resolve};
///
/// let error = resolve(&serde_json::json!("{{farm.kills}}"), |_| StepResult::MissingStep).unwrap_err();
/// assert_eq!(error.to_string(), "{{farm.kills}}: the job has no step with the id \"farm\"");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceholderError {
    /// The job has no such step.
    #[error("{placeholder}: the job has no step with the id {:?}", placeholder.step)]
    MissingStep {
        /// What was to be replaced.
        placeholder: Placeholder,
    },
    /// The step did not run yet, was skipped, or gave null.
    #[error("{placeholder}: step {:?} has no result (it has not run yet, was skipped, or its result is null)", placeholder.step)]
    NoResult {
        /// What was to be replaced.
        placeholder: Placeholder,
    },
    /// The step's result has no such part.
    #[error("{placeholder}: the result of step {:?} has no {:?}: there is no {key:?}", placeholder.step, placeholder.path)]
    MissingPath {
        /// What was to be replaced.
        placeholder: Placeholder,
        /// The first part of the path that is not there.
        key: String,
    },
    /// The part of the result is there, and is null.
    #[error("{placeholder}: {:?} in the result of step {:?} is null", placeholder.path, placeholder.step)]
    Null {
        /// What was to be replaced.
        placeholder: Placeholder,
    },
}

impl PlaceholderError {
    /// What could not be replaced.
    ///
    /// ```
    /// # use xivmcp_protocol::placeholder::{StepResult, resolve};
    /// let error = resolve(&serde_json::json!("{{farm.kills}}"), |_| StepResult::NoResult).unwrap_err();
    /// assert_eq!(error.placeholder().path(), "kills");
    /// ```
    #[must_use]
    pub fn placeholder(&self) -> &Placeholder {
        match self {
            Self::MissingStep { placeholder }
            | Self::NoResult { placeholder }
            | Self::MissingPath { placeholder, .. }
            | Self::Null { placeholder } => placeholder,
        }
    }
}

/// `value` with all placeholders in its string values replaced, at any depth; keys stay.
///
/// A placeholder that is alone in its string becomes the value itself, with its type. In a longer string a text is put
/// in as it is, and anything else as compact JSON. What was put in is not looked at again. `lookup` gives the result of the
/// step with that id; it is called once for each placeholder.
///
/// # Errors
///
/// The first placeholder that cannot be replaced; see [`PlaceholderError`].
///
/// ```
/// use serde_json::json;
/// use xivmcp_protocol::placeholder::{StepResult, resolve};
///
/// let farmed = json!({ "kills": 31, "drops": [{ "name": "Hide" }] });
/// let args = json!({ "count": "{{farm.kills}}", "note": "{{farm.kills}} kills, first {{farm.drops.0.name}}" });
/// let resolved = resolve(&args, |step| if step == "farm" { (&farmed).into() } else { StepResult::MissingStep })?;
/// assert_eq!(resolved, json!({ "count": 31, "note": "31 kills, first Hide" }));
/// # Ok::<(), xivmcp_protocol::placeholder::PlaceholderError>(())
/// ```
pub fn resolve<'a>(value: &Value, mut lookup: impl FnMut(&str) -> StepResult<'a>) -> Result<Value, PlaceholderError> {
    resolve_value(value, &mut lookup)
}

/// [`resolve`] for one level; the lookup is a `dyn` so that recursion does not make a new type at each level.
fn resolve_value<'a>(value: &Value, lookup: &mut dyn FnMut(&str) -> StepResult<'a>) -> Result<Value, PlaceholderError> {
    Ok(match value {
        Value::String(text) => resolve_text(text, lookup)?,
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| resolve_value(item, lookup)).collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let resolved = fields.iter().map(|(key, field)| Ok((key.clone(), resolve_value(field, lookup)?)));
            Value::Object(resolved.collect::<Result<_, _>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

fn resolve_text<'a>(text: &str, lookup: &mut dyn FnMut(&str) -> StepResult<'a>) -> Result<Value, PlaceholderError> {
    let mut segments = parse(text);
    if let [Segment::Placeholder(_)] = segments[..]
        && let Some(Segment::Placeholder(alone)) = segments.pop()
    {
        return look_up(alone, lookup).map(Cow::into_owned);
    }
    let mut resolved = String::with_capacity(text.len());
    for segment in segments {
        match segment {
            Segment::Literal(literal) => resolved.push_str(literal),
            Segment::Placeholder(placeholder) => match look_up(placeholder, lookup)?.as_ref() {
                Value::String(text) => resolved.push_str(text),
                other => resolved.push_str(&other.to_string()),
            },
        }
    }
    Ok(Value::String(resolved))
}

fn look_up<'a>(
    placeholder: Placeholder,
    lookup: &mut dyn FnMut(&str) -> StepResult<'a>,
) -> Result<Cow<'a, Value>, PlaceholderError> {
    let result = match lookup(&placeholder.step) {
        StepResult::MissingStep => return Err(PlaceholderError::MissingStep { placeholder }),
        StepResult::NoResult => return Err(PlaceholderError::NoResult { placeholder }),
        StepResult::Value(value) if value.is_null() => return Err(PlaceholderError::NoResult { placeholder }),
        StepResult::Value(value) => value,
    };
    let found = match &result {
        Cow::Borrowed(value) => walk(value, &placeholder).map(Cow::Borrowed),
        Cow::Owned(value) => walk(value, &placeholder).cloned().map(Cow::Owned),
    };
    match found {
        Ok(value) if value.is_null() => Err(PlaceholderError::Null { placeholder }),
        Ok(value) => Ok(value),
        Err(key) => Err(PlaceholderError::MissingPath { placeholder, key }),
    }
}

/// The part of `value` that the path leads to, or the first key that is not there.
fn walk<'v>(value: &'v Value, placeholder: &Placeholder) -> Result<&'v Value, String> {
    placeholder.keys().try_fold(value, |value, key| {
        let part = match value {
            Value::Object(fields) => fields
                .get(key)
                .or_else(|| fields.iter().find(|(name, _)| same_without_case(name, key)).map(|(_, field)| field)),
            // A sign is not a digit, though `parse` would take it.
            Value::Array(items) if key.bytes().all(|byte| byte.is_ascii_digit()) => {
                key.parse::<usize>().ok().and_then(|index| items.get(index))
            }
            _ => None,
        };
        part.ok_or_else(|| key.to_owned())
    })
}

fn same_without_case(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

#[cfg(test)]
#[path = "placeholder_tests.rs"]
mod tests;
