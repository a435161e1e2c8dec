//! The definition of a tool as it crosses the gate, not yet checked.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{CheckedDefinition, DefinitionError};
use crate::{
    capability::Capability,
    json_text::{JsonText, JsonTextError},
};

/// What a plugin sends to `RegisterTool`.
///
/// Nothing is checked here; [`check`](Self::check) does that. Reading is as liberal as the host (R-DEF-3): the two flags
/// are true only where the JSON value is `true`, whatever else came. What was absent is written as absent again.
///
/// ```
/// use xivmcp_protocol::{Capability, ToolDefinition};
///
/// let farm = ToolDefinition::new("myplugin_farm", "Farms the zone.").capabilities([Capability::Combat]);
/// assert_eq!(
///     serde_json::to_string(&farm)?,
///     r#"{"name":"myplugin_farm","description":"Farms the zone.","capabilities":["combat"]}"#,
/// );
/// assert!(farm.check().is_ok());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The tool's name: 3 to 64 of a-z, 0-9 and _, beginning with a letter.
    #[schemars(pattern("^[a-z][a-z0-9_]{2,63}$"))]
    pub name: String,
    /// What the assistant reads to decide when to call it. Not blank; it is trimmed.
    pub description: String,
    /// JSON schema of the arguments, whose `type` is "object". Absent or null: no arguments.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<JsonText>,
    /// True if the tool changes nothing. Not together with `destructive`.
    #[serde(default, deserialize_with = "true_or_not", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub read_only: Option<bool>,
    /// True if its changes are hard to undo.
    #[serde(default, deserialize_with = "true_or_not", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub destructive: Option<bool>,
    /// What the tool may do. Needed unless it is read-only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Capability>")]
    pub capabilities: Option<Vec<Capability>>,
    /// Why the text of the schema is none; counts while there is no other schema.
    #[serde(skip)]
    schema_fault: Option<JsonTextError>,
}

impl ToolDefinition {
    /// A definition with a name and a description, and nothing else.
    ///
    /// ```
    /// let tool = xivmcp_protocol::ToolDefinition::new("myplugin_count", "Counts.");
    /// assert_eq!(tool.name, "myplugin_count");
    /// ```
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            input_schema: None,
            read_only: None,
            destructive: None,
            capabilities: None,
            schema_fault: None,
        }
    }

    /// With a schema of the arguments, sent as it is.
    ///
    /// ```
    /// use xivmcp_protocol::{JsonText, ToolDefinition};
    ///
    /// let schema = JsonText::parse(r#"{"type":"object"}"#).unwrap();
    /// let tool = ToolDefinition::new("myplugin_count", "Counts.").input_schema(schema.clone());
    /// assert_eq!(tool.input_schema, Some(schema));
    /// ```
    #[must_use]
    pub fn input_schema(mut self, schema: JsonText) -> Self {
        self.input_schema = Some(schema);
        self
    }

    /// With a schema of the arguments that is written as text, sent byte for byte. A text that is no JSON is what
    /// [`check`](Self::check) complains about first, with the place: so it is when the tool is added.
    ///
    /// ```
    /// use xivmcp_protocol::{DefinitionError, ToolDefinition};
    ///
    /// let count = ToolDefinition::new("myplugin_count", "Counts.").read_only(true);
    /// let right = count.clone().input_schema_text(r#"{"type": "object"}"#);
    /// assert_eq!(right.check().unwrap().input_schema().get(), r#"{"type": "object"}"#);
    ///
    /// let error = count.input_schema_text(r#"{"type": object}"#).check().unwrap_err();
    /// assert!(matches!(error, DefinitionError::SchemaNotJson(_)));
    /// assert!(error.to_string().ends_with("at line 1 column 10"));
    /// ```
    #[must_use]
    pub fn input_schema_text(mut self, schema: impl Into<String>) -> Self {
        match JsonText::parse(schema) {
            Ok(schema) => self.input_schema = Some(schema),
            Err(fault) => (self.input_schema, self.schema_fault) = (None, Some(fault)),
        }
        self
    }

    /// What is wrong with the text of the schema, if that is no JSON and there is no other schema.
    ///
    /// ```
    /// let tool = xivmcp_protocol::ToolDefinition::new("myplugin_count", "Counts.").input_schema_text("[");
    /// assert_eq!(tool.schema_fault().map(|fault| fault.column()), Some(1));
    /// ```
    #[must_use]
    pub fn schema_fault(&self) -> Option<&JsonTextError> {
        self.schema_fault.as_ref().filter(|_| self.input_schema.is_none())
    }

    /// Marked as one that changes nothing, or not.
    ///
    /// ```
    /// use xivmcp_protocol::ToolDefinition;
    ///
    /// assert!(ToolDefinition::new("myplugin_count", "Counts.").read_only(true).check().is_ok());
    /// ```
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = Some(read_only);
        self
    }

    /// Marked as one whose changes are hard to undo, or not.
    ///
    /// ```
    /// let tool = xivmcp_protocol::ToolDefinition::new("myplugin_clean", "Cleans up.").destructive(true);
    /// assert_eq!(tool.destructive, Some(true));
    /// ```
    #[must_use]
    pub fn destructive(mut self, destructive: bool) -> Self {
        self.destructive = Some(destructive);
        self
    }

    /// With these capabilities instead of those before.
    ///
    /// ```
    /// use xivmcp_protocol::{Capability, ToolDefinition};
    ///
    /// let tool = ToolDefinition::new("myplugin_buy", "Buys.").capabilities([Capability::SpendGil]);
    /// assert_eq!(tool.capabilities, Some(vec![Capability::SpendGil]));
    /// ```
    #[must_use]
    pub fn capabilities<C: Into<Capability>>(mut self, capabilities: impl IntoIterator<Item = C>) -> Self {
        self.capabilities = Some(capabilities.into_iter().map(Into::into).collect());
        self
    }

    /// Checks all that can be known without the host (R-DEF-1 to R-DEF-4).
    ///
    /// # Errors
    /// The first rule that is broken; it names the field and the value.
    ///
    /// ```
    /// use xivmcp_protocol::{DefinitionError, ToolDefinition};
    ///
    /// let error = ToolDefinition::new("myplugin_buy", "Buys.").check().unwrap_err();
    /// assert!(matches!(error, DefinitionError::NoActingCapability { .. }));
    /// ```
    pub fn check(&self) -> Result<CheckedDefinition, DefinitionError> {
        CheckedDefinition::try_from(self)
    }
}

/// Keeps a `null` that was sent apart from nothing at all.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonText>, D::Error> {
    JsonText::deserialize(deserializer).map(Some)
}

fn true_or_not<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    JsonText::deserialize(deserializer).map(|value| Some(value.get() == "true"))
}
