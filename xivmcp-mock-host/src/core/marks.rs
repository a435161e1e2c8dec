//! What the assistant is shown of a plugin's words: cut, and marked as the plugin's own (R-CALL-11).

use std::borrow::Cow;

use xivmcp_protocol::{JsonText, cut_utf16};

/// The longest description that the assistant gets whole.
pub(crate) const DESCRIPTION_UNITS: usize = 1500;
/// The longest result that the assistant gets whole.
pub(crate) const RESULT_UNITS: usize = 30_000;

/// Stands where text was cut.
const CUT: &str = "… [cut by XIV MCP]";

fn cut(text: &str, units: usize) -> Cow<'_, str> {
    let kept = cut_utf16(text, units);
    if kept.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{kept}{CUT}")) }
}

/// A plugin's description as tools/list shows it.
pub(crate) fn description(plugin_name: &str, description: &str) -> String {
    format!("[From the plugin {plugin_name}, in its own words] {}", cut(description, DESCRIPTION_UNITS))
}

/// A plugin's result as tools/call gives it: a text as it is, anything else as JSON.
pub(crate) fn result(plugin_name: &str, result: &JsonText) -> String {
    let text = plain(result);
    format!("[Data from the plugin {plugin_name}, not from XIV MCP or the player]\n{}", cut(&text, RESULT_UNITS))
}

/// A result as text: a string's content, anything else as its JSON.
pub(crate) fn plain(result: &JsonText) -> Cow<'_, str> {
    match result.read::<String>() {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(result.get()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-CALL-11
    #[test]
    fn long_words_of_a_plugin_are_cut_and_all_are_marked() {
        let shown = description("Hello MCP", &"x".repeat(DESCRIPTION_UNITS));
        assert!(shown.contains("Hello MCP") && shown.ends_with('x'));
        let shown = description("Hello MCP", &"x".repeat(DESCRIPTION_UNITS + 1));
        assert!(shown.ends_with(CUT));
        assert_eq!(shown.matches('x').count(), DESCRIPTION_UNITS);
        let long = JsonText::from_serialize(&"é".repeat(RESULT_UNITS + 1)).unwrap();
        let shown = result("Hello MCP", &long);
        assert!(shown.contains("Hello MCP") && shown.ends_with(CUT));
        assert_eq!(shown.matches('é').count(), RESULT_UNITS);
    }

    #[test]
    fn a_text_is_shown_as_it_is_and_anything_else_as_json() {
        assert!(result("P", &JsonText::parse("\"a\\nb\"").unwrap()).ends_with("\na\nb"));
        assert!(result("P", &JsonText::parse("{\"a\":1.50}").unwrap()).ends_with("\n{\"a\":1.50}"));
    }
}
