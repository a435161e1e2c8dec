//! A call of a tool: its id, what `Invoke` replies, and how a call that was left pending ends (SPEC §6).
//!
//! The client writes an [`InvokeReply`]; whoever plays the host reads it with [`InvokeReply::read`].

use std::{
    borrow::{Borrow, Cow},
    fmt,
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};

use crate::{
    json_text::{JsonText, JsonTextError},
    object::{Fields, shown, text_of},
};

/// What stands in for an error without a text.
const NO_REASON: &str = "the tool failed and gave no reason";

/// The id of a call: 32 hex digits from a host of this API version (R-CALL-4).
///
/// For a plugin it is only a text to hand back, so any text is taken; [`is_regular`](Self::is_regular) tells whether it
/// has the host's form. Compared exactly.
///
/// ```
/// use xivmcp_protocol::CallId;
///
/// let id = CallId::from(255_u128);
/// assert_eq!(id.as_str(), "000000000000000000000000000000ff");
/// assert!(id.is_regular());
/// assert!(!CallId::new("call 1").is_regular());
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(Box<str>);

impl CallId {
    /// An id as it came.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::CallId::new("ab").as_str(), "ab");
    /// ```
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The id as text.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::CallId::new("ab").as_str(), "ab");
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is 32 hex digits.
    ///
    /// ```
    /// use xivmcp_protocol::CallId;
    ///
    /// assert!(CallId::new("0123456789abcdef0123456789ABCDEF").is_regular());
    /// assert!(!CallId::new("0123").is_regular());
    /// ```
    #[must_use]
    pub fn is_regular(&self) -> bool {
        self.0.len() == 32 && self.0.bytes().all(|byte| byte.is_ascii_hexdigit())
    }
}

/// The number as 32 lower-case hex digits.
impl From<u128> for CallId {
    fn from(number: u128) -> Self {
        Self(format!("{number:032x}").into())
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for CallId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for CallId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl JsonSchema for CallId {
    fn schema_name() -> Cow<'static, str> {
        "CallId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-fA-F]{32}$" })
    }
}

/// What a plugin's `Invoke` replies.
///
/// ```
/// use xivmcp_protocol::{InvokeReply, JsonText};
///
/// let done = InvokeReply::Result(JsonText::parse(r#"{"kills":31}"#)?);
/// assert_eq!(done.to_json(), r#"{"result":{"kills":31}}"#);
/// assert_eq!(InvokeReply::Error("the bags are full".to_owned()).to_json(), r#"{"error":"the bags are full"}"#);
/// assert_eq!(InvokeReply::Pending.to_json(), r#"{"pending":true}"#);
/// # Ok::<(), xivmcp_protocol::JsonTextError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "whoever reads a reply must decide on all of them; another one is an API break"
)]
pub enum InvokeReply {
    /// The tool is done.
    Result(JsonText),
    /// The tool failed, with a text for the assistant.
    Error(String),
    /// The tool goes on; `CompleteCall` or `FailCall` will end the call.
    Pending,
}

/// A reply of `Invoke` that says nothing. The host fails the call, naming the plugin (R-CALL-6).
///
/// ```
/// use xivmcp_protocol::{InvokeReply, InvokeReplyError};
///
/// assert!(matches!(InvokeReply::read("[1]"), Err(InvokeReplyError::NotAnObject { .. })));
/// assert!(matches!(InvokeReply::read(r#"{"pending":false}"#), Err(InvokeReplyError::NoOutcome { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvokeReplyError {
    /// The reply is no JSON object.
    #[error("replied with no JSON object: {}", shown(.reply))]
    NotAnObject {
        /// The reply, whole.
        reply: String,
    },
    /// The object has neither `result`, nor `error`, nor `pending: true`.
    #[error("replied with neither `result`, `error` nor `pending: true`: {}", shown(.reply))]
    NoOutcome {
        /// The reply, whole.
        reply: String,
    },
}

impl InvokeReply {
    /// Reads a reply as the host does (R-CALL-6), in this order: blank is the result `null`; an `error`, even `null`,
    /// fails the call with its text, with its JSON if it is no text, or with a general text if it is `null`;
    /// `pending: true`; `result`, even `null`.
    ///
    /// # Errors
    /// Anything else.
    ///
    /// ```
    /// use xivmcp_protocol::{InvokeReply, JsonText};
    ///
    /// assert_eq!(InvokeReply::read(" ")?, InvokeReply::Result(JsonText::null()));
    /// assert_eq!(InvokeReply::read(r#"{"result":1,"error":{"code":5}}"#)?, InvokeReply::Error(r#"{"code":5}"#.to_owned()));
    /// assert_eq!(InvokeReply::read(r#"{"result":1,"pending":true}"#)?, InvokeReply::Pending);
    /// # Ok::<(), xivmcp_protocol::InvokeReplyError>(())
    /// ```
    pub fn read(reply: &str) -> Result<Self, InvokeReplyError> {
        if reply.trim().is_empty() {
            return Ok(Self::Result(JsonText::null()));
        }
        let fields = Fields::read(reply).map_err(|_| InvokeReplyError::NotAnObject { reply: reply.to_owned() })?;
        if let Some(error) = fields.get("error") {
            return Ok(Self::Error(match error.get() {
                "null" => NO_REASON.to_owned(),
                json => text_of(error).unwrap_or_else(|| json.to_owned()),
            }));
        }
        if fields.is_true("pending") {
            return Ok(Self::Pending);
        }
        match fields.get("result") {
            Some(result) => Ok(Self::Result(result.to_owned().into())),
            None => Err(InvokeReplyError::NoOutcome { reply: reply.to_owned() }),
        }
    }

    /// The reply as it crosses the gate. See the type.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::InvokeReply::Pending.to_json(), r#"{"pending":true}"#);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Result(json) => format!("{{\"result\":{json}}}"),
            Self::Error(text) => format!("{{\"error\":{}}}", serde_json::Value::from(text.as_str())),
            Self::Pending => r#"{"pending":true}"#.to_owned(),
        }
    }
}

impl Serialize for InvokeReply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self {
            Self::Result(json) => map.serialize_entry("result", json)?,
            Self::Error(text) => map.serialize_entry("error", text)?,
            Self::Pending => map.serialize_entry("pending", &true)?,
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for InvokeReply {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(JsonText::deserialize(deserializer)?.get()).map_err(de::Error::custom)
    }
}

impl JsonSchema for InvokeReply {
    fn schema_name() -> Cow<'static, str> {
        "InvokeReply".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "What a plugin's Invoke replies: the result, an error for the assistant, or that the call goes on.",
            "oneOf": [
                { "type": "object", "required": ["result"], "properties": { "result": {} } },
                { "type": "object", "required": ["error"], "properties": { "error": { "type": "string" } } },
                { "type": "object", "required": ["pending"], "properties": { "pending": { "const": true } } },
            ],
        })
    }
}

/// The result in `CompleteCall`: the bare JSON, blank meaning `null` (R-CALL-8).
///
/// # Errors
/// The text is no JSON; the host refuses it, and the call stays pending.
///
/// ```
/// use xivmcp_protocol::{JsonText, call::completed_result};
///
/// assert_eq!(completed_result("  ")?, JsonText::null());
/// assert_eq!(completed_result(r#"{"kills":31}"#)?.get(), r#"{"kills":31}"#);
/// assert!(completed_result("31 kills").is_err());
/// # Ok::<(), xivmcp_protocol::JsonTextError>(())
/// ```
pub fn completed_result(result_json: &str) -> Result<JsonText, JsonTextError> {
    if result_json.trim().is_empty() { Ok(JsonText::null()) } else { JsonText::parse(result_json) }
}

/// The message in `FailCall`: as it is, or a general one if it is blank (R-CALL-8).
///
/// ```
/// use xivmcp_protocol::call::failure_message;
///
/// assert_eq!(failure_message("the bags are full"), "the bags are full");
/// assert_eq!(failure_message(" "), "the tool failed and gave no reason");
/// ```
#[must_use]
pub fn failure_message(message: &str) -> &str {
    if message.trim().is_empty() { NO_REASON } else { message }
}

/// What `CompleteCall` and `FailCall` reply.
///
/// ```
/// use xivmcp_protocol::{CompletionReply, Reply};
///
/// let reply = Reply::<CompletionReply>::parse(r#"{"ok":true,"accepted":true}"#)?;
/// assert_eq!(reply, CompletionReply::new(true));
/// # Ok::<(), xivmcp_protocol::EnvelopeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CompletionReply {
    /// Whether this was the first end that the call got.
    pub accepted: bool,
}

impl CompletionReply {
    /// The reply. See the type for an example.
    ///
    /// ```
    /// assert!(xivmcp_protocol::CompletionReply::new(true).accepted);
    /// ```
    #[must_use]
    pub fn new(accepted: bool) -> Self {
        Self { accepted }
    }
}
