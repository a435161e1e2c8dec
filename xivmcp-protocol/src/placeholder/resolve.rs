//! Replacing placeholders by parts of results, on JSON as text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Placeholder, Segment, parse};
use crate::JsonText;

/// All placeholders in the string values of `args`, at any depth, in their order. Keys are not looked at.
///
/// ```
/// use xivmcp_protocol::{JsonText, placeholder::placeholders};
///
/// let args = JsonText::parse(r#"{"items": ["{{farm.drops}}"], "{{not.here}}": 1}"#)?;
/// let found: Vec<String> = placeholders(&args).iter().map(ToString::to_string).collect();
/// assert_eq!(found, ["{{farm.drops}}"]);
/// # Ok::<(), xivmcp_protocol::JsonTextError>(())
/// ```
#[must_use]
pub fn placeholders(args: &JsonText) -> Vec<Placeholder> {
    let mut found = Vec::new();
    for text in texts_with_braces(args) {
        found.extend(parse(&text).into_iter().filter_map(|segment| match segment {
            Segment::Placeholder(placeholder) => Some(placeholder),
            Segment::Literal(_) => None,
        }));
    }
    found
}

/// The string values of `args` that may hold placeholders, at any depth, in their order: those with `{{` in them.
///
/// Nothing else in `args` is read, so numbers that no Rust type holds, and any depth, are fine.
///
/// ```
/// use xivmcp_protocol::{JsonText, placeholder::texts_with_braces};
///
/// let args = JsonText::parse(r#"{"far": 1e400, "note": "{{farm.kills}} kills", "item": "Hide"}"#)?;
/// assert_eq!(texts_with_braces(&args), ["{{farm.kills}} kills"]);
/// # Ok::<(), xivmcp_protocol::JsonTextError>(())
/// ```
#[must_use]
pub fn texts_with_braces(args: &JsonText) -> Vec<String> {
    let texts = Tokens::of(args.get()).filter_map(|token| match token {
        Token::Text(token) => text_with_braces(token),
        _ => None,
    });
    texts.collect()
}

/// What a lookup knows of a step; see [`resolve`].
///
/// ```
/// use xivmcp_protocol::placeholder::StepResult;
///
/// assert!(matches!(StepResult::from(serde_json::json!(5)), StepResult::Value(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a step is not there, has no result, or has one")]
pub enum StepResult<'a> {
    /// The job has no step with that id.
    MissingStep,
    /// The step has not run yet, or was skipped. A result that is JSON's null counts as this too.
    NoResult,
    /// The step's result.
    Value(Cow<'a, JsonText>),
}

impl<'a> From<&'a JsonText> for StepResult<'a> {
    fn from(result: &'a JsonText) -> Self {
        Self::Value(Cow::Borrowed(result))
    }
}

impl From<JsonText> for StepResult<'_> {
    fn from(result: JsonText) -> Self {
        Self::Value(Cow::Owned(result))
    }
}

/// The tree's compact text.
impl From<serde_json::Value> for StepResult<'_> {
    fn from(result: serde_json::Value) -> Self {
        JsonText::from(result).into()
    }
}

/// Why a placeholder cannot be replaced. The step that has it in its arguments fails with this text (R-JOB-4).
///
/// ```
/// use xivmcp_protocol::{JsonText, placeholder::{StepResult, resolve}};
///
/// let error = resolve(&JsonText::parse(r#""{{farm.kills}}""#).unwrap(), |_| StepResult::MissingStep).unwrap_err();
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
    /// # use xivmcp_protocol::{JsonText, placeholder::{StepResult, resolve}};
    /// let error = resolve(&JsonText::parse(r#""{{farm.kills}}""#).unwrap(), |_| StepResult::NoResult).unwrap_err();
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

/// `args` with all placeholders in its string values replaced, at any depth; everything else keeps its bytes.
///
/// A placeholder that is alone in its string becomes the value itself, with its type. In a longer string a text is put
/// in as it is, and anything else as compact JSON. What was put in is not looked at again. `lookup` gives the result of the
/// step with that id; it is called once for each placeholder, in their order.
///
/// # Errors
///
/// The first placeholder that cannot be replaced; see [`PlaceholderError`].
///
/// ```
/// use xivmcp_protocol::{JsonText, placeholder::{StepResult, resolve}};
///
/// let farmed = JsonText::parse(r#"{"kills": 31, "drops": [{"name": "Hide"}]}"#).unwrap();
/// let args = JsonText::parse(r#"{"note": "{{farm.kills}} kills, first {{farm.drops.0.name}}", "count": "{{farm.kills}}"}"#).unwrap();
/// let resolved = resolve(&args, |step| if step == "farm" { (&farmed).into() } else { StepResult::MissingStep })?;
/// assert_eq!(resolved.get(), r#"{"note": "31 kills, first Hide", "count": 31}"#);
/// # Ok::<(), xivmcp_protocol::placeholder::PlaceholderError>(())
/// ```
pub fn resolve<'a>(
    args: &JsonText,
    mut lookup: impl FnMut(&str) -> StepResult<'a>,
) -> Result<JsonText, PlaceholderError> {
    let mut resolved = String::with_capacity(args.get().len());
    for token in Tokens::of(args.get()) {
        match token {
            Token::Text(token) => match text_with_braces(token) {
                Some(text) => resolve_text(token, &text, &mut lookup, &mut resolved)?,
                None => resolved.push_str(token),
            },
            Token::Key(other) | Token::Space(other) | Token::Other(other) => resolved.push_str(other),
        }
    }
    // One JSON value was replaced by another, so this is JSON; the arguments stand in for the failure that cannot be.
    Ok(JsonText::parse(resolved).unwrap_or_else(|_| args.clone()))
}

/// Appends to `out` the JSON that stands for the string `token`, which says `text`.
fn resolve_text<'a>(
    token: &str,
    text: &str,
    lookup: &mut dyn FnMut(&str) -> StepResult<'a>,
    out: &mut String,
) -> Result<(), PlaceholderError> {
    let mut segments = parse(text);
    if let [Segment::Literal(_)] = segments[..] {
        out.push_str(token);
        return Ok(());
    }
    if let [Segment::Placeholder(_)] = segments[..]
        && let Some(Segment::Placeholder(alone)) = segments.pop()
    {
        return look_up(alone, lookup, |value| out.push_str(value.get()));
    }
    let mut resolved = String::with_capacity(text.len());
    for segment in segments {
        match segment {
            Segment::Literal(literal) => resolved.push_str(literal),
            Segment::Placeholder(placeholder) => {
                look_up(placeholder, lookup, |value| push_as_text(value, &mut resolved))?;
            }
        }
    }
    out.push_str(&serde_json::Value::from(resolved).to_string());
    Ok(())
}

/// A text as it is, anything else as compact JSON (also a text with half of a surrogate pair, which Rust's do not hold).
fn push_as_text(value: &RawValue, out: &mut String) {
    match serde_json::from_str::<Cow<'_, str>>(value.get()) {
        Ok(text) => out.push_str(&text),
        Err(_) => {
            for token in Tokens::of(value.get()) {
                match token {
                    Token::Space(_) => {}
                    Token::Key(other) | Token::Text(other) | Token::Other(other) => out.push_str(other),
                }
            }
        }
    }
}

/// Hands the value that `placeholder` stands for to `found`.
fn look_up<'a>(
    placeholder: Placeholder,
    lookup: &mut dyn FnMut(&str) -> StepResult<'a>,
    found: impl FnOnce(&RawValue),
) -> Result<(), PlaceholderError> {
    let result = match lookup(&placeholder.step) {
        StepResult::MissingStep => return Err(PlaceholderError::MissingStep { placeholder }),
        StepResult::NoResult => return Err(PlaceholderError::NoResult { placeholder }),
        StepResult::Value(result) if result.get() == "null" => return Err(PlaceholderError::NoResult { placeholder }),
        StepResult::Value(result) => result,
    };
    match walk(result.get(), &placeholder) {
        Ok(value) if value.get() == "null" => Err(PlaceholderError::Null { placeholder }),
        Ok(value) => {
            found(value);
            Ok(())
        }
        Err(key) => Err(PlaceholderError::MissingPath { placeholder, key }),
    }
}

/// The part of `json` that the path leads to, or the first key that is not there.
fn walk<'v>(json: &'v str, placeholder: &Placeholder) -> Result<&'v RawValue, String> {
    let mut keys = placeholder.keys();
    let first = keys.next().unwrap_or_default();
    let start = step_into(json, first).ok_or_else(|| first.to_owned())?;
    keys.try_fold(start, |value, key| step_into(value.get(), key).ok_or_else(|| key.to_owned()))
}

fn step_into<'v>(json: &'v str, key: &str) -> Option<&'v RawValue> {
    match json.as_bytes().first() {
        Some(b'{') => {
            let Entries(entries) = serde_json::from_str(json).ok()?;
            let exact = entries.iter().rfind(|(name, _)| name == key);
            exact.or_else(|| entries.iter().find(|(name, _)| same_without_case(name, key))).map(|(_, value)| *value)
        }
        // A sign is not a digit, though `parse` would take it.
        Some(b'[') if key.bytes().all(|byte| byte.is_ascii_digit()) => {
            let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
            items.get(key.parse::<usize>().ok()?).copied()
        }
        _ => None,
    }
}

fn same_without_case(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

/// The entries of an object in the order in which they stand, their values unread.
struct Entries<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;

        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// What a string token says, if there can be a placeholder in it.
///
/// The look at the raw text first spares decoding most strings: braces stand there as they are or as an escape.
fn text_with_braces(token: &str) -> Option<String> {
    if !token.contains("{{") && !token.contains('\\') {
        return None;
    }
    serde_json::from_str::<String>(token).ok().filter(|text| text.contains("{{"))
}

/// A piece of a JSON text.
enum Token<'a> {
    /// A string that is an object's key, with its quotes.
    Key(&'a str),
    /// A string that is a value, with its quotes.
    Text(&'a str),
    /// White space between tokens.
    Space(&'a str),
    /// Anything else: numbers, words, punctuation.
    Other(&'a str),
}

/// The pieces of a text that is known to be JSON; put one after the other they are the text.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    const fn of(json: &'a str) -> Self {
        Self { rest: json }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.rest.as_bytes();
        let first = *bytes.first()?;
        let is_space = |byte: &u8| byte.is_ascii_whitespace();
        let len = match first {
            b'"' => string_len(bytes),
            _ if is_space(&first) => bytes.iter().take_while(|byte| is_space(byte)).count(),
            _ => bytes.iter().take_while(|byte| **byte != b'"' && !is_space(byte)).count(),
        };
        let (token, rest) = self.rest.split_at(len);
        self.rest = rest;
        Some(match first {
            // In JSON a string before a colon is a key, and no other string is.
            b'"' if rest.trim_ascii_start().starts_with(':') => Token::Key(token),
            b'"' => Token::Text(token),
            _ if is_space(&first) => Token::Space(token),
            _ => Token::Other(token),
        })
    }
}

/// The length of the string that `bytes` begin with, with its quotes.
fn string_len(bytes: &[u8]) -> usize {
    let mut escaped = false;
    let end = bytes.iter().skip(1).position(|byte| {
        let is_end = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        is_end
    });
    end.map_or(bytes.len(), |end| end + 2)
}
