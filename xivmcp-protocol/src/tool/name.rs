//! The name of a tool, checked (R-DEF-1).

use std::{
    borrow::{Borrow, Cow},
    fmt,
    str::FromStr,
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::object::shown;

/// Shortest and longest name, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 3..=64;

/// A tool's name: 3 to 64 of the characters `a-z`, `0-9` and `_`, the first one a letter (R-DEF-1).
///
/// Whether the name is still free, only the host knows (R-DEF-5).
///
/// ```
/// use xivmcp_protocol::ToolName;
///
/// assert_eq!(ToolName::parse("myplugin_farm")?.as_str(), "myplugin_farm");
/// assert!(ToolName::parse("MyPlugin.Farm").is_err());
/// # Ok::<(), xivmcp_protocol::ToolNameError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName(Box<str>);

/// A text that is no tool name. The message shows the text and the allowed form.
///
/// ```
/// use xivmcp_protocol::ToolName;
///
/// assert_eq!(
///     ToolName::parse("Farm").unwrap_err().to_string(),
///     "`Farm` is no tool name: 3 to 64 characters a-z, 0-9 and _, beginning with a letter",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no tool name: 3 to 64 characters a-z, 0-9 and _, beginning with a letter", shown(.text))]
pub struct ToolNameError {
    text: String,
}

impl ToolNameError {
    /// The refused text, whole.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::ToolName::parse("no").unwrap_err().text(), "no");
    /// ```
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl ToolName {
    /// Checks a name. Nothing is trimmed.
    ///
    /// # Errors
    /// The text has another form.
    ///
    /// ```
    /// use xivmcp_protocol::ToolName;
    ///
    /// assert!(ToolName::parse("a_1").is_ok());
    /// assert!(ToolName::parse(" a_1").is_err());
    /// ```
    pub fn parse(text: impl AsRef<str>) -> Result<Self, ToolNameError> {
        let text = text.as_ref();
        let bytes = text.as_bytes();
        let fits = LENGTH.contains(&bytes.len())
            && bytes[0].is_ascii_lowercase()
            && bytes.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_');
        if fits { Ok(Self(text.into())) } else { Err(ToolNameError { text: text.to_owned() }) }
    }

    /// The name as text.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::ToolName::parse("wait").unwrap().as_str(), "wait");
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for ToolName {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for ToolName {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl FromStr for ToolName {
    type Err = ToolNameError;

    fn from_str(text: &str) -> Result<Self, ToolNameError> {
        Self::parse(text)
    }
}

impl TryFrom<&str> for ToolName {
    type Error = ToolNameError;

    fn try_from(text: &str) -> Result<Self, ToolNameError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for ToolName {
    type Error = ToolNameError;

    fn try_from(text: String) -> Result<Self, ToolNameError> {
        Self::parse(text)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0.into()
    }
}

impl Serialize for ToolName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ToolName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(Cow::<'de, str>::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl JsonSchema for ToolName {
    fn schema_name() -> Cow<'static, str> {
        "ToolName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[a-z][a-z0-9_]{2,63}$" })
    }
}
