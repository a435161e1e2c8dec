//! The names of struct fields as they arrive at the assistant: camelCase (R-CLI-10). For [`result`](super)
//! alone.

use std::borrow::Cow;

/// What a field's name becomes.
///
/// `kill_count` and `KillCount` become `killCount`, `KILL_COUNT` too; leading underscores stay (`_meta`), a trailing
/// one goes (`type_`). A name that is camelCase already, or has other signs in it, stays as it is.
pub(super) fn camel_case(name: &str) -> Cow<'_, str> {
    if is_plain(name) { Cow::Borrowed(name) } else { Cow::Owned(convert(name)) }
}

/// Whether the name stays as it is, as most names do.
fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    !bytes.first().is_some_and(|b| b.is_ascii_uppercase() || *b >= 0x80) && !bytes.contains(&b'_')
}

/// How a name was written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It is one word in lower case.
    AsItIs,
    /// It was in `snake_case`: lower case letters and digits, each underscore before a letter. Two different names that
    /// are as it is or in `snake_case` never meet.
    FromSnakeCase,
    /// It has other signs, so this did not write it. Another name may become the same.
    NotYet,
}

/// Longer names take the detour.
const USUAL_LENGTH: usize = 40;

/// Writes the usual names as a JSON text, without a detour: this runs for each field of each struct.
#[inline]
pub(super) fn write_usual(name: &str, out: &mut Vec<u8>) -> Written {
    if name.len() > USUAL_LENGTH {
        return Written::NotYet;
    }
    let mut text = [b'"'; USUAL_LENGTH + 2];
    let mut length = 1;
    let mut previous = b'_';
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' => {
                text[length] = if previous == b'_' && length > 1 { byte.to_ascii_uppercase() } else { byte };
                length += 1;
            }
            b'0'..=b'9' if previous != b'_' => {
                text[length] = byte;
                length += 1;
            }
            b'_' if previous != b'_' => {}
            _ => return Written::NotYet,
        }
        previous = byte;
    }
    if previous == b'_' {
        return Written::NotYet;
    }
    out.extend_from_slice(&text[..=length]);
    if length == name.len() + 1 { Written::AsItIs } else { Written::FromSnakeCase }
}

fn convert(name: &str) -> String {
    let words = name.trim_start_matches('_');
    if words.is_empty() {
        return name.to_owned();
    }
    let mut out = String::with_capacity(name.len());
    out.push_str(&name[..name.len() - words.len()]);
    let shouted = words.contains('_') && !words.contains(char::is_lowercase);
    let mut start_of_word = false;
    let mut start_of_name = true;
    let mut chars = words.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '_' {
            start_of_word = true;
            start_of_name = false;
        } else if std::mem::take(&mut start_of_word) {
            out.extend(c.to_uppercase());
        } else if start_of_name && c.is_uppercase() {
            out.extend(c.to_lowercase());
            // `URLValue` is `urlValue`: the last capital of a run belongs to the next word.
            let after = (chars.peek().copied(), chars.clone().nth(1));
            start_of_name = !matches!(after, (Some(a), Some(b)) if a.is_uppercase() && b.is_lowercase());
        } else {
            start_of_name = false;
            if shouted { out.extend(c.to_lowercase()) } else { out.push(c) }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Written, camel_case, write_usual};

    // R-CLI-10
    #[test]
    fn names_arrive_in_camel_case() {
        for (name, arrives) in [
            ("kills", "kills"),
            ("kill_count", "killCount"),
            ("a_b_c", "aBC"),
            ("slot_1", "slot1"),
            ("slot_1_name", "slot1Name"),
            ("type_", "type"),
            ("a__b", "aB"),
            ("_meta", "_meta"),
            ("__kill_count", "__killCount"),
            ("_", "_"),
            ("", ""),
            ("killCount", "killCount"),
            ("KillCount", "killCount"),
            ("URLValue", "urlValue"),
            ("ID", "id"),
            ("KILL_COUNT", "killCount"),
            ("item-id", "item-id"),
            ("$type", "$type"),
            ("größe_ätzend", "größeÄtzend"),
            ("Äpfel", "äpfel"),
        ] {
            assert_eq!(camel_case(name), arrives, "{name}");
        }
    }

    #[test]
    fn the_usual_names_are_written_without_a_detour() {
        let written = |name| {
            let mut out = b"{".to_vec();
            let written = write_usual(name, &mut out);
            (String::from_utf8(out).unwrap(), written)
        };
        for name in ["kills", "x1", "a"] {
            assert_eq!(written(name), (format!("{{\"{name}\""), Written::AsItIs));
        }
        for name in ["kill_count", "a_b_c", "slot1_name", "a_long_name_of_many_words"] {
            assert_eq!(written(name), (format!("{{\"{}\"", camel_case(name)), Written::FromSnakeCase));
        }
        for name in ["killCount", "slot_1", "type_", "_meta", "a__b", "a_b__c", "item-id", "_", "\"", "ä_b"] {
            assert_eq!(written(name), ("{".to_owned(), Written::NotYet), "{name}");
        }
    }
}
