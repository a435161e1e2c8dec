//! Cutting text as the host does: by UTF-16 units, because .NET counts those, yet never inside a character.
//!
//! For whoever shortens text before it crosses a gate, or plays the side that does (summaries, log lines, audit entries).

/// The length in UTF-16 units, which is what .NET calls a string's length.
///
/// ```
/// use xivmcp_protocol::utf16_len;
///
/// assert_eq!(utf16_len("Tataru"), 6);
/// assert_eq!(utf16_len("é"), 1);
/// assert_eq!(utf16_len("🐤"), 2);
/// ```
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The longest beginning of `text` that has at most `max_units` UTF-16 units and ends between two characters.
///
/// A character outside the basic plane counts two units; where only one is left, it goes as a whole, so the result may be
/// one unit shorter than asked. Nothing is added to show the cut.
///
/// ```
/// use xivmcp_protocol::cut_utf16;
///
/// assert_eq!(cut_utf16("chocobo", 20), "chocobo");
/// assert_eq!(cut_utf16("chocobo", 4), "choc");
/// assert_eq!(cut_utf16("a🐤b", 2), "a");
/// assert_eq!(cut_utf16("a🐤b", 3), "a🐤");
/// ```
#[must_use]
pub fn cut_utf16(text: &str, max_units: usize) -> &str {
    if text.len() <= max_units {
        return text; // a character never has more UTF-16 units than UTF-8 bytes
    }
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > max_units {
            return &text[..at];
        }
    }
    text
}
