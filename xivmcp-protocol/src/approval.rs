//! Approvals during a call (SPEC §7): what a handler asks, and what the host answers.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::value::RawValue;

use crate::{
    capability::Capability,
    json_text::JsonTextError,
    object::{Fields, NoObject, shown, text_of},
    text::cut_utf16,
};

/// Longest summary, in UTF-16 units (R-APP-1).
const SUMMARY_UNITS: usize = 200;

open_enum! {
    /// Where a question to the player stands.
    ///
    /// ```
    /// use xivmcp_protocol::ApprovalState;
    ///
    /// assert_eq!(ApprovalState::from("denied"), ApprovalState::Denied);
    /// assert_eq!(ApprovalState::Pending.as_str(), "pending");
    /// ```
    pub enum ApprovalState {
        /// The player has not answered yet.
        Pending = "pending",
        /// The player, or a setting, said yes.
        Approved = "approved",
        /// The player, a setting, or two minutes without an answer said no.
        Denied = "denied",
    }
}

/// What a handler sends to `RequestApproval`, beside the call's id.
///
/// Made by [`new`](Self::new) or [`parse`](Self::parse), which both keep R-APP-1, so the summary is never blank and never
/// longer than 200 UTF-16 units.
///
/// ```
/// use xivmcp_protocol::{ApprovalRequest, Capability};
///
/// let request = ApprovalRequest::new(Capability::SpendGil, "Repair for 3,200 gil")?;
/// assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"capability":"spend_gil","summary":"Repair for 3,200 gil"}"#);
/// # Ok::<(), xivmcp_protocol::ApprovalRequestError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ApprovalRequest {
    /// What the handler wants to do. One that the tool did not declare is denied at once (R-APP-2).
    capability: Capability,
    /// What the player reads. Cut at 200 UTF-16 units; not blank.
    summary: String,
}

/// Why a request for approval is refused (R-APP-1).
///
/// ```
/// use xivmcp_protocol::{ApprovalRequest, ApprovalRequestError};
///
/// let error = ApprovalRequest::parse(r#"{"capability":"spend_gil","summary":" "}"#).unwrap_err();
/// assert_eq!(error, ApprovalRequestError::Blank { field: "summary", value: " ".to_owned() });
/// assert_eq!(error.to_string(), "`summary` is blank (\" \")");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalRequestError {
    /// The text is no JSON.
    #[error("the approval request is {0}")]
    NotJson(JsonTextError),
    /// The text is JSON, but no object.
    #[error("the approval request must be a JSON object, not {}", shown(.value))]
    NotAnObject {
        /// The JSON that came.
        value: String,
    },
    /// A field that is needed is not there.
    #[error("`{field}` is missing")]
    Missing {
        /// The field's JSON name.
        field: &'static str,
    },
    /// A field is no text.
    #[error("`{field}` must be a string, not {}", shown(.value))]
    NotText {
        /// The field's JSON name.
        field: &'static str,
        /// The JSON that came.
        value: String,
    },
    /// A field has no visible character.
    #[error("`{field}` is blank (\"{}\")", shown(.value))]
    Blank {
        /// The field's JSON name.
        field: &'static str,
        /// The text that came.
        value: String,
    },
}

impl ApprovalRequest {
    /// A request, its summary cut where it is too long.
    ///
    /// # Errors
    /// The summary or the capability is blank.
    ///
    /// ```
    /// use xivmcp_protocol::{ApprovalRequest, Capability};
    ///
    /// assert!(ApprovalRequest::new(Capability::SpendGil, "\t").is_err());
    /// assert_eq!(ApprovalRequest::new(Capability::SpendGil, "x".repeat(300)).unwrap().summary().len(), 200);
    /// ```
    pub fn new(capability: Capability, summary: impl AsRef<str>) -> Result<Self, ApprovalRequestError> {
        let summary = summary.as_ref();
        for (field, value) in [("capability", capability.as_str()), ("summary", summary)] {
            if value.trim().is_empty() {
                return Err(ApprovalRequestError::Blank { field, value: value.to_owned() });
            }
        }
        Ok(Self { summary: cut_utf16(summary, SUMMARY_UNITS).to_owned(), capability })
    }

    /// Reads and checks a request as the host does. Unknown fields are ignored; an unknown capability is kept.
    ///
    /// # Errors
    /// What is missing, no text, or blank.
    ///
    /// ```
    /// use xivmcp_protocol::{ApprovalRequest, ApprovalRequestError, Capability};
    ///
    /// let request = ApprovalRequest::parse(r#"{"summary":"Buy 20 potions","capability":"spend_gil","new":1}"#)?;
    /// assert_eq!(request.capability(), &Capability::SpendGil);
    /// assert_eq!(request.summary(), "Buy 20 potions");
    /// # Ok::<(), ApprovalRequestError>(())
    /// ```
    pub fn parse(json: &str) -> Result<Self, ApprovalRequestError> {
        let fields = Fields::read(json).map_err(|error| match error {
            NoObject::NotJson(error) => ApprovalRequestError::NotJson(error.into()),
            NoObject::OtherValue => ApprovalRequestError::NotAnObject { value: json.trim().to_owned() },
        })?;
        let text = |field: &'static str| {
            let value: &RawValue = fields.get(field).ok_or(ApprovalRequestError::Missing { field })?;
            text_of(value).ok_or_else(|| ApprovalRequestError::NotText { field, value: value.get().to_owned() })
        };
        Self::new(Capability::from(text("capability")?), text("summary")?)
    }

    /// What the handler wants to do.
    ///
    /// ```
    /// # use xivmcp_protocol::{ApprovalRequest, Capability};
    /// assert_eq!(ApprovalRequest::new(Capability::Login, "Log out")?.capability(), &Capability::Login);
    /// # Ok::<(), xivmcp_protocol::ApprovalRequestError>(())
    /// ```
    #[must_use]
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// What the player reads.
    ///
    /// ```
    /// # use xivmcp_protocol::{ApprovalRequest, Capability};
    /// assert_eq!(ApprovalRequest::new(Capability::Login, "Log out")?.summary(), "Log out");
    /// # Ok::<(), xivmcp_protocol::ApprovalRequestError>(())
    /// ```
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }
}

impl<'de> Deserialize<'de> for ApprovalRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Sent {
            capability: Capability,
            summary: String,
        }
        let sent = Sent::deserialize(deserializer)?;
        Self::new(sent.capability, sent.summary).map_err(de::Error::custom)
    }
}

/// What `RequestApproval` replies. While `Pending`, ask `GetApproval` with the id.
///
/// ```
/// use xivmcp_protocol::{ApprovalReply, ApprovalState, Reply};
///
/// let reply = ApprovalReply::new("0a1b2c3d4e5f", ApprovalState::Pending);
/// assert_eq!(Reply::Ok(reply).to_json(), r#"{"ok":true,"approvalId":"0a1b2c3d4e5f","state":"pending"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApprovalReply {
    /// 12 hex digits (R-APP-4).
    pub approval_id: String,
    /// Where the question stands.
    pub state: ApprovalState,
}

impl ApprovalReply {
    /// A reply. See the type for an example.
    ///
    /// ```
    /// use xivmcp_protocol::{ApprovalReply, ApprovalState};
    ///
    /// assert_eq!(ApprovalReply::new("0123456789ab", ApprovalState::Pending).approval_id.len(), 12);
    /// ```
    pub fn new(approval_id: impl Into<String>, state: ApprovalState) -> Self {
        Self { approval_id: approval_id.into(), state }
    }
}

/// What `GetApproval` replies.
///
/// The id is optional because plugins may only count on `state`: XIV MCP's own page shows no more.
///
/// ```
/// use xivmcp_protocol::{ApprovalAnswer, ApprovalState, Reply};
///
/// let reply = Reply::<ApprovalAnswer>::parse(r#"{"ok":true,"state":"approved"}"#)?;
/// assert_eq!(reply.state, ApprovalState::Approved);
/// # Ok::<(), xivmcp_protocol::EnvelopeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApprovalAnswer {
    /// The id that was asked about. This version's host writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub approval_id: Option<String>,
    /// Where the question stands.
    pub state: ApprovalState,
}

impl ApprovalAnswer {
    /// A reply as the host writes it.
    ///
    /// ```
    /// use xivmcp_protocol::{ApprovalAnswer, ApprovalState, Reply};
    ///
    /// let reply = ApprovalAnswer::new("0a1b2c3d4e5f", ApprovalState::Denied);
    /// assert_eq!(Reply::Ok(reply).to_json(), r#"{"ok":true,"approvalId":"0a1b2c3d4e5f","state":"denied"}"#);
    /// ```
    pub fn new(approval_id: impl Into<String>, state: ApprovalState) -> Self {
        Self { approval_id: Some(approval_id.into()), state }
    }
}
