//! Scenario files: sessions with the host written down as JSON Lines, for authors of any language and for conformance.
//!
//! A line is one step with one verb: a plugin calls a gate, the player answers, the assistant calls a tool, time
//! passes. Each step gives something, prints it, and may `expect` it to be something. The program
//! `xivmcp-mock-host replay FILE…` plays them. All verbs, and how expectations match, stand in `docs/SCENARIO.md` of the
//! repository.
//!
//! ```
//! use xivmcp_mock_host::scenario::Scenario;
//!
//! let scenario = Scenario::parse(r#"
//! {"gate": "RegisterTool", "as": "Ghost", "args": ["Ghost", {"name": "ghost_boo", "description": "Boo."}], "expect": {"ok": false, "error": "~Ghost"}}
//! {"install": "HelloMcp", "name": "Hello MCP"}
//! {"gate": "RegisterTool", "as": "HelloMcp", "args": ["HelloMcp", {"name": "hellomcp_hi", "description": "Hi.", "readOnly": true}], "expect": {"ok": true, "state": "undecided"}}
//! {"provide": "Invoke", "as": "HelloMcp", "reply": {"result": "hi"}}
//! {"player": "enable", "plugin": "HelloMcp"}
//! {"assistant": "call", "tool": "hellomcp_hi", "expect": {"result": "hi"}}
//! "#).unwrap();
//! let mismatches = scenario.play(|played| println!("{}", played.gives));
//! assert!(mismatches.is_empty(), "{mismatches:?}");
//! ```

mod game;
mod line;
mod matching;
mod names;
mod play;
mod stage;
mod views;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use self::line::Step;
use self::matching::Difference;

/// A scenario that was read. It can be played as often as one likes, each time against a fresh host.
///
/// ```
/// use xivmcp_mock_host::scenario::Scenario;
///
/// let scenario = Scenario::parse(r#"{"gate": "ApiVersion", "as": "Cat", "expect": 2}"#)?;
/// assert!(scenario.play(|_| {}).is_empty());
/// # Ok::<(), xivmcp_mock_host::scenario::BadLine>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scenario {
    steps: Vec<Step>,
}

/// A line that is no step.
///
/// ```
/// # use xivmcp_mock_host::scenario::Scenario;
/// assert!(Scenario::parse("{}").unwrap_err().reason.starts_with("no verb"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
#[non_exhaustive]
pub struct BadLine {
    /// The line's number, from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub reason: String,
}

/// A step that was played.
///
/// ```
/// # use xivmcp_mock_host::scenario::Scenario;
/// let scenario = Scenario::parse("\n{\"advance\": \"1s\"}")?;
/// scenario.play(|played| assert_eq!((played.line, played.gives.to_string()), (2, "{}".to_owned())));
/// # Ok::<(), xivmcp_mock_host::scenario::BadLine>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Played {
    /// The line's number, from 1.
    pub line: usize,
    /// What the step gave.
    pub gives: Value,
}

/// An expectation that did not hold, or a step that could not be done.
///
/// ```
/// # use xivmcp_mock_host::scenario::Scenario;
/// let scenario = Scenario::parse(r#"{"gate": "ApiVersion", "as": "Cat", "expect": 1}"#)?;
/// assert_eq!(scenario.play(|_| {})[0].line, 1);
/// # Ok::<(), xivmcp_mock_host::scenario::BadLine>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The line's number, from 1.
    pub line: usize,
    /// What was expected, and what came.
    pub message: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl Scenario {
    /// Reads a scenario. Blank lines and lines that start with `#` are skipped.
    ///
    /// ```
    /// use xivmcp_mock_host::scenario::Scenario;
    ///
    /// let bad = Scenario::parse("# a comment\n{\"advance\": \"soon\"}").unwrap_err();
    /// assert_eq!(bad.line, 2);
    /// ```
    ///
    /// # Errors
    ///
    /// The first line that is no step.
    pub fn parse(text: &str) -> Result<Self, BadLine> {
        let mut steps = Vec::new();
        for (index, text) in text.lines().enumerate() {
            let (line, text) = (index + 1, text.trim());
            if index == 0 && text.starts_with('\u{feff}') {
                return Err(BadLine { line, reason: "the file begins with a byte order mark: remove it".to_owned() });
            }
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            steps.push(Step::read(line, text).map_err(|reason| BadLine { line, reason })?);
        }
        check_names(&steps)?;
        Ok(Self { steps })
    }

    /// Plays it, and tells what each step gave. What did not match, in the order of the steps; empty if all held.
    ///
    /// A step that does not match does not end the scenario.
    ///
    /// ```
    /// # use xivmcp_mock_host::scenario::Scenario;
    /// let scenario = Scenario::parse(r#"{"gate": "IsReady", "as": "Cat", "expect": true}"#)?;
    /// assert!(scenario.play(|played| println!("{}", played.gives)).is_empty());
    /// # Ok::<(), xivmcp_mock_host::scenario::BadLine>(())
    /// ```
    pub fn play(&self, mut told: impl FnMut(&Played)) -> Vec<Mismatch> {
        play::play(self, &mut told)
    }

    /// How many steps it has.
    ///
    /// ```
    /// # use xivmcp_mock_host::scenario::Scenario;
    /// assert_eq!(Scenario::parse("# nothing\n{\"advance\": \"1s\"}").unwrap().len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has no step.
    ///
    /// ```
    /// # use xivmcp_mock_host::scenario::Scenario;
    /// assert!(Scenario::parse("# nothing").unwrap().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// A name that nothing saves is a misspelt one.
fn check_names(steps: &[Step]) -> Result<(), BadLine> {
    let mut saved = BTreeSet::from(["callId".to_owned()]);
    for step in steps {
        let (saves, used) = step.names();
        // What `during` saves is there when it plays, which may be before a later step of the same `during`.
        saved.extend(saves);
        if let Some(unknown) = used.into_iter().find(|name| !saved.contains(name)) {
            let reason = format!("${{{unknown}}}: no step before saves `{unknown}`");
            return Err(BadLine { line: step.line, reason });
        }
    }
    Ok(())
}

fn difference_text(difference: &Difference, expected: &Value, came: &Value) -> String {
    let place = if difference.path.is_empty() {
        String::new()
    } else {
        let Difference { path, expected, came } = difference;
        format!("\n     where: {} is {}, not {}", &path[1..], cut(came), cut(expected))
    };
    format!("what came is not what was expected\n  expected: {}\n      came: {}{place}", cut(expected), cut(came))
}

/// JSON for a message, cut.
fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(1000) {
        Some((end, _)) => format!("{}… (cut)", &text[..end]),
        None => text,
    }
}
