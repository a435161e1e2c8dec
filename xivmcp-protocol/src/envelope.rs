//! The object that every text gate of the host replies with (R-ENV-1): `ok` and either the fields or an `error`.
//!
//! The client reads with [`Reply::parse`]; whoever plays the host writes with [`ok`] and [`error`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    object::{Fields, NoObject, text_of},
    text::cut_utf16,
};

/// Longest part of a reply that an error shows, in UTF-16 units.
const SHOWN_UNITS: usize = 300;

/// A sentence with which the host refused, meant for the plugin's developer (R-ENV-1).
///
/// ```
/// use xivmcp_protocol::HostError;
///
/// assert_eq!(HostError::new("`name` is missing").to_string(), "`name` is missing");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    message: String,
}

impl HostError {
    /// An error with that message, as it is.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::HostError::new("no such job").message(), "no such job");
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The sentence, as the host sent it.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::HostError::new("no such job").message(), "no such job");
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The sentence, without a copy.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::HostError::new("no such job").into_message(), "no such job");
    /// ```
    #[must_use]
    pub fn into_message(self) -> String {
        self.message
    }
}

/// Why a reply gave no payload.
///
/// ```
/// use xivmcp_protocol::{EnvelopeError, NoFields, Reply};
///
/// let reply = Reply::<NoFields>::parse(r#"{"ok":false,"error":"no such job"}"#);
/// assert!(matches!(reply, Err(EnvelopeError::Refused(refused)) if refused.message() == "no such job"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// The host understood and refused.
    #[error(transparent)]
    Refused(HostError),
    /// What came is no envelope, or its fields do not fit what was asked for. A host of this API version never sends that.
    #[error("XIV MCP's reply cannot be read: {reason}. It was: {reply}")]
    Malformed {
        /// What is wrong with it, and where.
        reason: String,
        /// The reply, cut at 300 UTF-16 units.
        reply: String,
    },
}

/// The payload of a gate that answers with nothing but `ok` (`ReportProgress`, and the three that control a job).
///
/// ```
/// use xivmcp_protocol::{NoFields, Reply};
///
/// assert_eq!(Reply::<NoFields>::parse(r#"{"ok":true}"#), Ok(NoFields::default()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct NoFields {}

/// One reply of the host: the payload, or the sentence with which it refused.
///
/// ```
/// use xivmcp_protocol::{HostError, NoFields, Reply};
///
/// assert_eq!(Reply::Ok(NoFields::default()).to_json(), r#"{"ok":true}"#);
/// let refused = Reply::<NoFields>::Refused(HostError::new("no such job"));
/// assert_eq!(refused.to_json(), r#"{"ok":false,"error":"no such job"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "`ok` is true or false")]
pub enum Reply<T> {
    /// `ok` is true.
    Ok(T),
    /// `ok` is false.
    Refused(HostError),
}

impl<T: DeserializeOwned> Reply<T> {
    /// Reads an envelope. Fields that `T` does not have are ignored (R-ENV-3); where there are none, `T` is [`NoFields`].
    ///
    /// A refusal without an `error` text is still a refusal: whatever stands in `error` is shown as JSON, or a general
    /// sentence if nothing does.
    ///
    /// # Errors
    /// [`EnvelopeError::Refused`] when `ok` is false; [`EnvelopeError::Malformed`] when the text is no JSON object, `ok`
    /// is no boolean, or the fields do not fit `T`.
    ///
    /// ```
    /// use serde::Deserialize;
    /// use xivmcp_protocol::{EnvelopeError, Reply};
    ///
    /// #[derive(Deserialize)]
    /// struct Removed { removed: bool }
    ///
    /// assert!(Reply::<Removed>::parse(r#"{"ok":true,"removed":true,"new":1}"#)?.removed);
    /// assert!(matches!(Reply::<Removed>::parse("sorry"), Err(EnvelopeError::Malformed { .. })));
    /// # Ok::<(), EnvelopeError>(())
    /// ```
    pub fn parse(text: &str) -> Result<T, EnvelopeError> {
        let malformed =
            |reason: String| EnvelopeError::Malformed { reason, reply: cut_utf16(text, SHOWN_UNITS).to_owned() };

        let fields = Fields::read(text).map_err(|error| match error {
            NoObject::NotJson(error) => malformed(format!("not valid JSON: {error}")),
            NoObject::OtherValue => malformed("it is no JSON object".to_owned()),
        })?;
        match fields.get("ok").map(RawValue::get) {
            Some("true") => {}
            Some("false") => return Err(EnvelopeError::Refused(refusal(fields.get("error")))),
            Some(_) => return Err(malformed("`ok` is neither true nor false".to_owned())),
            None => return Err(malformed("`ok` is missing".to_owned())),
        }
        serde_json::from_str(text).map_err(|error| malformed(error.to_string()))
    }
}

fn refusal(error: Option<&RawValue>) -> HostError {
    let Some(raw) = error else { return HostError::new("XIV MCP refused and gave no reason") };
    HostError::new(text_of(raw).unwrap_or_else(|| raw.get().to_owned()))
}

impl<T: Serialize> Reply<T> {
    /// The envelope as it crosses the gate. See [`ok`] and [`error`].
    ///
    /// ```
    /// use xivmcp_protocol::{NoFields, Reply};
    ///
    /// assert_eq!(Reply::Ok(NoFields::default()).to_json(), r#"{"ok":true}"#);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Ok(payload) => ok(payload),
            Self::Refused(refused) => error(refused.message()),
        }
    }
}

impl<T> From<Result<T, HostError>> for Reply<T> {
    fn from(result: Result<T, HostError>) -> Self {
        match result {
            Ok(payload) => Self::Ok(payload),
            Err(refused) => Self::Refused(refused),
        }
    }
}

/// The envelope of a payload: `ok: true`, then its fields in their order.
///
/// The answer is an envelope whatever comes in (R-ENV-2): a payload that JSON cannot say, or that is no object, gives a
/// refusal that says so.
///
/// ```
/// use xivmcp_protocol::{NoFields, envelope};
///
/// #[derive(serde::Serialize)]
/// struct Removed { removed: bool }
///
/// assert_eq!(envelope::ok(&Removed { removed: true }), r#"{"ok":true,"removed":true}"#);
/// assert_eq!(envelope::ok(&NoFields::default()), r#"{"ok":true}"#);
/// assert_eq!(envelope::ok(&7), r#"{"ok":false,"error":"the reply is no object: 7"}"#);
/// ```
#[must_use]
pub fn ok<T: Serialize + ?Sized>(payload: &T) -> String {
    let json = match serde_json::to_string(payload) {
        Ok(json) => json,
        Err(cause) => return error(&format!("the reply cannot be written as JSON: {cause}")),
    };
    match json.strip_prefix('{') {
        Some("}") => "{\"ok\":true}".to_owned(),
        Some(fields) => format!("{{\"ok\":true,{fields}"),
        None => error(&format!("the reply is no object: {}", cut_utf16(&json, SHOWN_UNITS))),
    }
}

/// The envelope of a refusal.
///
/// ```
/// use xivmcp_protocol::envelope;
///
/// assert_eq!(envelope::error("say \"please\""), r#"{"ok":false,"error":"say \"please\""}"#);
/// ```
#[must_use]
pub fn error(message: &str) -> String {
    #[derive(Serialize)]
    struct Refusal<'a> {
        ok: bool,
        error: &'a str,
    }
    // Text always writes; the fallback keeps this free of panics.
    serde_json::to_string(&Refusal { ok: false, error: message })
        .unwrap_or_else(|_| r#"{"ok":false,"error":"the error cannot be written"}"#.to_owned())
}
