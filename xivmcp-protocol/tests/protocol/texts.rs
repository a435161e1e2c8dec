//! Cutting text, and JSON kept as text.

use proptest::prelude::*;
use xivmcp_protocol::{JsonKind, JsonText, cut_utf16, utf16_len};

#[test]
fn json_keeps_its_bytes_but_for_white_space_around_it() {
    for text in ["1.50", "1e400", "-0", "18446744073709551616", r#"{"b":1,"a":2,"b":3}"#, r#""\ud800""#, "[ 1 ,2 ]"] {
        let json = JsonText::parse(format!(" \n{text}\t")).unwrap();
        assert_eq!(json.get(), text);
        assert_eq!(serde_json::to_string(&[&json]).unwrap(), format!("[{text}]"));
        assert_eq!(serde_json::from_str::<[JsonText; 1]>(&format!("[ {text} ]")).unwrap()[0], json);
    }
}

#[test]
fn json_text_tells_what_it_is() {
    for (text, kind) in [
        ("null", JsonKind::Null),
        ("false", JsonKind::Bool),
        ("-1", JsonKind::Number),
        ("\"\"", JsonKind::String),
        ("[]", JsonKind::Array),
        ("{}", JsonKind::Object),
    ] {
        assert_eq!(JsonText::parse(text).unwrap().kind(), kind);
    }
}

#[test]
fn json_text_reads_from_a_tree_too() {
    let tree = serde_json::json!({ "a": [1, null] });
    assert_eq!(serde_json::from_value::<JsonText>(tree.clone()).unwrap().get(), r#"{"a":[1,null]}"#);
    assert_eq!(JsonText::from(tree).get(), r#"{"a":[1,null]}"#);
}

proptest! {
    #[test]
    fn a_cut_is_the_longest_beginning_that_fits(text in any::<String>(), max in 0_usize..40) {
        let cut = cut_utf16(&text, max);
        prop_assert!(text.starts_with(cut));
        prop_assert!(cut.encode_utf16().count() <= max);
        if let Some(next) = text[cut.len()..].chars().next() {
            prop_assert!(utf16_len(cut) + next.len_utf16() > max, "one more would have fitted");
        }
    }

    #[test]
    fn the_length_is_that_of_utf16(text in any::<String>()) {
        prop_assert_eq!(utf16_len(&text), text.encode_utf16().count());
    }

    #[test]
    fn any_text_is_json_or_an_error(text in any::<String>()) {
        match JsonText::parse(text.clone()) {
            Ok(json) => prop_assert_eq!(json.get(), text.trim_matches([' ', '\n', '\r', '\t'])),
            Err(error) => prop_assert!(error.to_string().starts_with("not valid JSON: ")),
        }
    }
}
