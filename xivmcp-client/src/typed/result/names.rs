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

/// Whether the name stays as it is, and is made of what conversion leaves alone: most names.
pub(super) fn is_plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    !bytes.first().is_some_and(|b| b.is_ascii_uppercase() || *b >= 0x80) && !bytes.contains(&b'_')
}

/// Whether no other name can turn into the same one, as far as this name is concerned: lower case letters and digits,
/// each underscore before a letter. Two different names of that kind never meet.
pub(super) fn is_snake_case(name: &str) -> bool {
    let bytes = name.as_bytes();
    let fits = |(i, byte): (usize, &u8)| match byte {
        b'a'..=b'z' | b'0'..=b'9' => true,
        b'_' => i > 0 && bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase),
        _ => false,
    };
    bytes.iter().enumerate().all(fits)
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
    use super::{camel_case, is_plain, is_snake_case};

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
    fn a_plain_name_is_one_that_stays() {
        for name in ["kills", "killCount", "item-id", "x1", ""] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["kill_count", "KillCount", "_meta"] {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn two_different_snake_case_names_never_meet() {
        for name in ["kills", "kill_count", "slot1"] {
            assert!(is_snake_case(name), "{name}");
        }
        for name in ["killCount", "slot_1", "type_", "_meta", "a__b", "item-id"] {
            assert!(!is_snake_case(name), "{name}");
        }
    }
}
