//! Reading the objects that a plugin sends, field by field, so that an error can name the field and the value that came.
//!
//! For the checked forms of this crate. A derived `Deserialize` stops at the first surprise and names neither.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::text::cut_utf16;

/// Longest part of a value that an error shows, in UTF-16 units.
const SHOWN_UNITS: usize = 120;

/// The fields of one JSON object, their values unread. A key that stands twice counts with its last value.
#[derive(Debug)]
pub(crate) struct Fields<'a>(BTreeMap<String, &'a RawValue>);

/// What a text is instead of a JSON object.
#[derive(Debug)]
pub(crate) enum NoObject {
    /// No JSON, or an object with keys that no text holds.
    NotJson(serde_json::Error),
    /// Some other JSON value.
    OtherValue,
}

impl<'a> Fields<'a> {
    pub(crate) fn read(text: &'a str) -> Result<Self, NoObject> {
        let raw: &RawValue = serde_json::from_str(text).map_err(NoObject::NotJson)?;
        if !raw.get().starts_with('{') {
            return Err(NoObject::OtherValue);
        }
        serde_json::from_str(raw.get()).map(Self).map_err(NoObject::NotJson)
    }

    /// The field's value, if the field is there; `null` is a value.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }

    /// True only if the field's value is `true`.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.get() == "true")
    }
}

/// A value as an error shows it: cut, with a mark where something is missing.
pub(crate) fn shown(value: &str) -> String {
    let cut = cut_utf16(value, SHOWN_UNITS);
    if cut.len() == value.len() { value.to_owned() } else { format!("{cut}…") }
}

/// The text of a JSON string; nothing for other values (and for half of a surrogate pair, which no text holds).
pub(crate) fn text_of(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}
