//! Finding placeholders in a text.

use super::Placeholder;

/// A piece of a string argument.
///
/// ```
/// use xivmcp_protocol::placeholder::{Segment, parse};
///
/// assert!(matches!(parse("{{farm.kills}}")[..], [Segment::Placeholder(_)]));
/// assert_eq!(parse("31 kills"), [Segment::Literal("31 kills")]);
/// ```
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

pub(super) const fn is_step_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
