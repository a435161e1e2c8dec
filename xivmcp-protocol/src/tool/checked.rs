//! A definition that keeps the rules (R-DEF-1 to R-DEF-4), and the way there, for both sides.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::{DefinitionError, ToolDefinition, ToolName};
use crate::{
    capability::Capability,
    json_text::{JsonKind, JsonText},
    object::{Fields, NoObject, text_of},
};

/// The schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;

/// A tool's definition that keeps R-DEF-1 to R-DEF-4. There is no other way to one than through the checks.
///
/// ```
/// use xivmcp_protocol::{Capability, CheckedDefinition};
///
/// let tool = CheckedDefinition::parse(
///     r#"{"name":"myplugin_farm","description":" Farms. ","capabilities":["combat","read_game","combat"]}"#,
/// )?;
/// assert_eq!(tool.name().as_str(), "myplugin_farm");
/// assert_eq!(tool.description(), "Farms.");
/// assert_eq!(tool.input_schema().get(), r#"{"type":"object","properties":{}}"#);
/// assert_eq!(tool.capabilities(), [Capability::ReadGame, Capability::Combat]);
/// # Ok::<(), xivmcp_protocol::DefinitionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedDefinition {
    name: ToolName,
    description: String,
    input_schema: JsonText,
    read_only: bool,
    destructive: bool,
    capabilities: Vec<Capability>,
}

impl CheckedDefinition {
    /// Reads and checks a definition as the host does. Unknown fields are ignored (R-ENV-3), and any text gives an answer.
    ///
    /// # Errors
    /// The first rule that is broken, in the order of the fields in SPEC §4.
    ///
    /// ```
    /// use xivmcp_protocol::{CheckedDefinition, DefinitionError};
    ///
    /// assert_eq!(CheckedDefinition::parse("{}"), Err(DefinitionError::Missing { field: "name" }));
    /// assert!(matches!(CheckedDefinition::parse(""), Err(DefinitionError::NotJson(_))));
    /// ```
    pub fn parse(json: &str) -> Result<Self, DefinitionError> {
        let fields = Fields::read(json).map_err(|error| match error {
            NoObject::NotJson(error) => DefinitionError::NotJson(error.into()),
            NoObject::OtherValue => DefinitionError::NotAnObject { value: json.trim().to_owned() },
        })?;
        let name = check_name(&text_field(&fields, "name")?)?;
        let description = check_description(&text_field(&fields, "description")?)?;
        let input_schema = check_schema(fields.get("inputSchema").map(|raw| JsonText::from(raw.to_owned())))?;
        let (read_only, destructive) = check_flags(fields.is_true("readOnly"), fields.is_true("destructive"))?;
        let declared = fields.get("capabilities").map_or(Ok(Vec::new()), read_capabilities)?;
        let capabilities = check_capabilities(&declared, read_only)?;
        Ok(Self { name, description, input_schema, read_only, destructive, capabilities })
    }

    /// The tool's name.
    ///
    /// ```
    /// # let tool = xivmcp_protocol::ToolDefinition::new("myplugin_count", "Counts.").read_only(true).check()?;
    /// assert_eq!(tool.name().as_str(), "myplugin_count");
    /// # Ok::<(), xivmcp_protocol::DefinitionError>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// The description, trimmed and not blank.
    ///
    /// ```
    /// # let tool = xivmcp_protocol::ToolDefinition::new("myplugin_count", " Counts. ").read_only(true).check()?;
    /// assert_eq!(tool.description(), "Counts.");
    /// # Ok::<(), xivmcp_protocol::DefinitionError>(())
    /// ```
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The schema of the arguments, as sent, or that of no arguments.
    ///
    /// ```
    /// # let tool = xivmcp_protocol::ToolDefinition::new("myplugin_count", "Counts.").read_only(true).check()?;
    /// assert_eq!(tool.input_schema().get(), r#"{"type":"object","properties":{}}"#);
    /// # Ok::<(), xivmcp_protocol::DefinitionError>(())
    /// ```
    #[must_use]
    pub fn input_schema(&self) -> &JsonText {
        &self.input_schema
    }

    /// Whether the tool changes nothing.
    ///
    /// ```
    /// # let tool = xivmcp_protocol::ToolDefinition::new("myplugin_count", "Counts.").read_only(true).check()?;
    /// assert!(tool.is_read_only());
    /// # Ok::<(), xivmcp_protocol::DefinitionError>(())
    /// ```
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Whether the tool's changes are hard to undo.
    ///
    /// ```
    /// # let tool = xivmcp_protocol::ToolDefinition::new("myplugin_count", "Counts.").read_only(true).check()?;
    /// assert!(!tool.is_destructive());
    /// # Ok::<(), xivmcp_protocol::DefinitionError>(())
    /// ```
    #[must_use]
    pub fn is_destructive(&self) -> bool {
        self.destructive
    }

    /// The effective list: `read_game` first, then the acting ones as declared, each once (R-DEF-4).
    ///
    /// ```
    /// # use xivmcp_protocol::Capability;
    /// # let tool = xivmcp_protocol::ToolDefinition::new("myplugin_buy", "Buys.").capabilities([Capability::SpendGil]).check()?;
    /// assert_eq!(tool.capabilities(), [Capability::ReadGame, Capability::SpendGil]);
    /// # Ok::<(), xivmcp_protocol::DefinitionError>(())
    /// ```
    #[must_use]
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    /// The acting capabilities: the effective list without `read_game`.
    ///
    /// ```
    /// # use xivmcp_protocol::Capability;
    /// # let tool = xivmcp_protocol::ToolDefinition::new("myplugin_buy", "Buys.").capabilities([Capability::SpendGil]).check()?;
    /// assert_eq!(tool.acting_capabilities(), [Capability::SpendGil]);
    /// # Ok::<(), xivmcp_protocol::DefinitionError>(())
    /// ```
    #[must_use]
    pub fn acting_capabilities(&self) -> &[Capability] {
        self.capabilities.get(1..).unwrap_or_default()
    }
}

impl TryFrom<&ToolDefinition> for CheckedDefinition {
    type Error = DefinitionError;

    fn try_from(sent: &ToolDefinition) -> Result<Self, DefinitionError> {
        if let Some(fault) = sent.schema_fault() {
            return Err(DefinitionError::SchemaNotJson(fault.clone()));
        }
        let name = check_name(&sent.name)?;
        let description = check_description(&sent.description)?;
        let input_schema = check_schema(sent.input_schema.clone())?;
        let (read_only, destructive) = check_flags(sent.read_only.unwrap_or(false), sent.destructive.unwrap_or(false))?;
        let declared = sent.capabilities.as_deref().unwrap_or_default();
        if let Some(unknown) = declared.iter().find(|id| !id.is_known()) {
            let value = serde_json::Value::from(unknown.as_str()).to_string();
            return Err(DefinitionError::UnknownCapability { value });
        }
        let capabilities = check_capabilities(declared, read_only)?;
        Ok(Self { name, description, input_schema, read_only, destructive, capabilities })
    }
}

fn text_field(fields: &Fields<'_>, field: &'static str) -> Result<String, DefinitionError> {
    let value = fields.get(field).ok_or(DefinitionError::Missing { field })?;
    text_of(value).ok_or_else(|| wrong_type(field, "a string", value))
}

fn wrong_type(field: &'static str, expected: &'static str, value: &RawValue) -> DefinitionError {
    DefinitionError::WrongType { field, expected, value: value.get().to_owned() }
}

fn check_name(name: &str) -> Result<ToolName, DefinitionError> {
    ToolName::parse(name).map_err(DefinitionError::Name)
}

fn check_description(description: &str) -> Result<String, DefinitionError> {
    match description.trim() {
        "" => Err(DefinitionError::BlankDescription { value: description.to_owned() }),
        trimmed => Ok(trimmed.to_owned()),
    }
}

fn check_schema(schema: Option<JsonText>) -> Result<JsonText, DefinitionError> {
    let schema = match schema {
        Some(schema) if schema.kind() != JsonKind::Null => schema,
        _ => return Ok(JsonText::known(NO_ARGUMENTS)),
    };
    if schema.kind() != JsonKind::Object {
        return Err(DefinitionError::WrongType {
            field: "inputSchema",
            expected: "an object",
            value: schema.into_string(),
        });
    }
    let keys: BTreeMap<String, &RawValue> =
        schema.read().map_err(|error| DefinitionError::SchemaUnreadable(error.into()))?;
    match keys.get("type") {
        Some(kind) if text_of(kind).as_deref() == Some("object") => Ok(schema),
        found => Err(DefinitionError::SchemaType { found: found.map(|raw| raw.get().to_owned()) }),
    }
}

fn check_flags(read_only: bool, destructive: bool) -> Result<(bool, bool), DefinitionError> {
    if read_only && destructive {
        return Err(DefinitionError::ReadOnlyAndDestructive);
    }
    Ok((read_only, destructive))
}

/// The known ids of a JSON array; the first other entry is the error.
fn read_capabilities(raw: &RawValue) -> Result<Vec<Capability>, DefinitionError> {
    let entries: Vec<&RawValue> =
        serde_json::from_str(raw.get()).map_err(|_| wrong_type("capabilities", "an array of capability ids", raw))?;
    entries
        .into_iter()
        .map(|entry| match text_of(entry).map(Capability::from) {
            Some(id) if id.is_known() => Ok(id),
            _ => Err(DefinitionError::UnknownCapability { value: entry.get().to_owned() }),
        })
        .collect()
}

fn check_capabilities(declared: &[Capability], read_only: bool) -> Result<Vec<Capability>, DefinitionError> {
    let mut effective = vec![Capability::ReadGame];
    for capability in declared {
        if !effective.contains(capability) {
            effective.push(capability.clone());
        }
    }
    match effective.get(1) {
        Some(acting) if read_only => Err(DefinitionError::ReadOnlyWithActing { capability: acting.clone() }),
        None if !read_only => Err(DefinitionError::NoActingCapability { declared: declared.to_vec() }),
        _ => Ok(effective),
    }
}
