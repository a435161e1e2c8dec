//! JSON that is only passed on: arguments, results and schemas, which neither side may reshape.
//!
//! For every payload field that belongs to someone else. Reading such a field into a tree and writing it again would
//! change numbers (`1.50`, `1e400`), the order of keys, and keys that stand twice; the text keeps all of it.

use std::{borrow::Cow, fmt, hash, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// One JSON value as text, byte for byte as it came (but for white space around it).
///
/// It is known to be JSON by its grammar, and nothing more: it may hold numbers that no Rust type holds, keys that stand
/// twice, half of a surrogate pair as an escape, and any depth. [`read`](Self::read) tells when a type cannot take it.
/// Equality is that of the text: `1.0` and `1` differ.
///
/// Inside `#[serde(flatten)]`, `untagged` and internally tagged types serde buffers what it reads, and this type then
/// fails to deserialize: keep it out of those.
///
/// ```
/// use xivmcp_protocol::JsonText;
///
/// let schema = JsonText::parse(r#" {"b":1.50,"a":1e400} "#)?;
/// assert_eq!(schema.get(), r#"{"b":1.50,"a":1e400}"#);
/// assert_eq!(serde_json::to_string(&schema).unwrap(), schema.get());
/// # Ok::<(), xivmcp_protocol::JsonTextError>(())
/// ```
#[derive(Clone)]
pub struct JsonText(Box<RawValue>);

/// The text is not one JSON value. Shows what stands where.
///
/// ```
/// use xivmcp_protocol::JsonText;
///
/// let error = JsonText::parse("{\"a\": }").unwrap_err();
/// assert_eq!(error.to_string(), "not valid JSON: expected value at line 1 column 7");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not valid JSON: {fault}")]
pub struct JsonTextError {
    fault: String,
    line: usize,
    column: usize,
}

impl From<serde_json::Error> for JsonTextError {
    fn from(error: serde_json::Error) -> Self {
        Self { fault: error.to_string(), line: error.line(), column: error.column() }
    }
}

impl JsonTextError {
    /// The line of the fault, counted from 1; 0 if no text was read (a value that could not be written).
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::JsonText::parse("[\n,]").unwrap_err().line(), 2);
    /// ```
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column of the fault, counted from 1 in bytes.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::JsonText::parse("[\n,]").unwrap_err().column(), 1);
    /// ```
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }
}

/// What sort of value a [`JsonText`] is, told by its first character.
///
/// ```
/// use xivmcp_protocol::{JsonKind, JsonText};
///
/// assert_eq!(JsonText::parse("-1")?.kind(), JsonKind::Number);
/// assert_eq!(JsonKind::Object.to_string(), "an object");
/// # Ok::<(), xivmcp_protocol::JsonTextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "JSON has these six sorts of values and will not get a seventh")]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// Any number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl fmt::Display for JsonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

impl JsonText {
    /// Takes one JSON value; white space around it goes, all else stays. Any depth is fine.
    ///
    /// # Errors
    /// The text is empty, no JSON, or more than one value.
    ///
    /// ```
    /// use xivmcp_protocol::JsonText;
    ///
    /// assert_eq!(JsonText::parse("  [1, 2]\n")?.get(), "[1, 2]");
    /// assert!(JsonText::parse("[1] [2]").is_err());
    /// assert!(JsonText::parse("").is_err());
    /// # Ok::<(), xivmcp_protocol::JsonTextError>(())
    /// ```
    pub fn parse(text: impl Into<String>) -> Result<Self, JsonTextError> {
        RawValue::from_string(text.into()).map(Self).map_err(JsonTextError::from)
    }

    /// The compact JSON of a value.
    ///
    /// This is `serde_json`'s own writing: a float that is no number becomes `null` without a word.
    ///
    /// # Errors
    /// JSON cannot say the value (a map whose keys are no texts), or its `Serialize` fails.
    ///
    /// ```
    /// use xivmcp_protocol::JsonText;
    ///
    /// assert_eq!(JsonText::from_serialize(&("gil", 3_200))?.get(), r#"["gil",3200]"#);
    /// # Ok::<(), xivmcp_protocol::JsonTextError>(())
    /// ```
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonTextError> {
        serde_json::value::to_raw_value(value).map(Self).map_err(JsonTextError::from)
    }

    /// The value `null`.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::JsonText::null().get(), "null");
    /// ```
    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// A text of this crate that is JSON by the look of it; `null` stands in for a slip.
    pub(crate) fn known(json: &'static str) -> Self {
        Self::parse(json).unwrap_or_else(|_| Self::null())
    }

    /// The text.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::JsonText::null().get(), "null");
    /// ```
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The text, without a copy.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::JsonText::null().into_string(), "null");
    /// ```
    #[must_use]
    pub fn into_string(self) -> String {
        String::from(Box::<str>::from(self.0))
    }

    /// Reads the text into a type. Borrowing types work.
    ///
    /// # Errors
    /// The value does not fit the type, or is nested deeper than `serde_json` reads (128 levels).
    ///
    /// ```
    /// use xivmcp_protocol::JsonText;
    ///
    /// let price = JsonText::parse(r#"["gil", 3200]"#).unwrap();
    /// assert_eq!(price.read::<(&str, u32)>()?, ("gil", 3_200));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// What sort of value it is. Costs nothing: the grammar was checked when the text came in.
    ///
    /// ```
    /// use xivmcp_protocol::{JsonKind, JsonText};
    ///
    /// assert_eq!(JsonText::null().kind(), JsonKind::Null);
    /// ```
    #[must_use]
    pub fn kind(&self) -> JsonKind {
        match self.get().as_bytes().first() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::String,
            Some(b't' | b'f') => JsonKind::Bool,
            Some(b'n') => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JsonText").field(&self.get()).finish()
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.get())
    }
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for JsonText {}

impl hash::Hash for JsonText {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.get().hash(state);
    }
}

impl FromStr for JsonText {
    type Err = JsonTextError;

    fn from_str(text: &str) -> Result<Self, JsonTextError> {
        Self::parse(text)
    }
}

impl From<Box<RawValue>> for JsonText {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

/// The tree's compact text.
impl From<&serde_json::Value> for JsonText {
    fn from(value: &serde_json::Value) -> Self {
        // A tree always writes; `null` stands in for the failure that cannot be.
        Self::from_serialize(value).unwrap_or_else(|_| Self::null())
    }
}

impl From<serde_json::Value> for JsonText {
    fn from(value: serde_json::Value) -> Self {
        Self::from(&value)
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for JsonText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnyJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({})
    }
}
