//! Why a definition is refused, in words for the plugin's developer (R-ENV-4).

use super::ToolNameError;
use crate::{capability::Capability, json_text::JsonTextError, object::shown};

/// Why a tool's definition is refused before anyone looks at who sends it (R-DEF-1 to R-DEF-4).
///
/// Each message names the field by its JSON name, shows the value that came, and says what would be right.
///
/// ```
/// use xivmcp_protocol::{CheckedDefinition, DefinitionError};
///
/// let error = CheckedDefinition::parse(r#"{"name":7,"description":"Counts."}"#).unwrap_err();
/// assert_eq!(error, DefinitionError::WrongType { field: "name", expected: "a string", value: "7".to_owned() });
/// assert_eq!(error.to_string(), "`name` must be a string, not 7");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The text is no JSON.
    #[error("the tool definition is {0}")]
    NotJson(JsonTextError),
    /// The text is JSON, but no object.
    #[error("the tool definition must be a JSON object, not {}", shown(.value))]
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
    /// A field has a value of another type.
    #[error("`{field}` must be {expected}, not {}", shown(.value))]
    WrongType {
        /// The field's JSON name.
        field: &'static str,
        /// What it must be.
        expected: &'static str,
        /// The JSON that came.
        value: String,
    },
    /// The name has another form (R-DEF-1).
    #[error("`name`: {0}")]
    Name(ToolNameError),
    /// The description has no visible character (R-DEF-1).
    #[error("`description` is blank (\"{}\"): say what the tool does, and when to call it", shown(.value))]
    BlankDescription {
        /// The description that came.
        value: String,
    },
    /// The schema is an object, but its `type` is not "object" (R-DEF-2).
    #[error("`inputSchema` must have the `type` \"object\", {}", match .found { Some(found) => format!("not {}", shown(found)), None => "but has no `type`".to_owned() })]
    SchemaType {
        /// The JSON of the `type` that came, if one came.
        found: Option<String>,
    },
    /// The text of the schema is no JSON (only where it was given as text, see
    /// [`ToolDefinition::input_schema_text`](super::ToolDefinition::input_schema_text)).
    #[error("`inputSchema` is {0}")]
    SchemaNotJson(JsonTextError),
    /// The schema is an object that cannot be read, as when a key holds half of a surrogate pair (R-DEF-2).
    #[error("`inputSchema` cannot be read: {0}")]
    SchemaUnreadable(JsonTextError),
    /// Both flags at once (R-DEF-3).
    #[error("`readOnly` and `destructive` are both true: a tool that changes nothing destroys nothing")]
    ReadOnlyAndDestructive,
    /// An entry of `capabilities` is no id that this version knows (R-DEF-4).
    #[error("`capabilities` holds {}, which is no capability; valid ones: {}", shown(.value), Capability::valid_ids())]
    UnknownCapability {
        /// The entry: a text in double quotes, anything else as JSON.
        value: String,
    },
    /// A read-only tool declares what changes something (R-DEF-4).
    #[error("`capabilities` of a tool that is `readOnly` may list only `read_game`, not `{capability}`")]
    ReadOnlyWithActing {
        /// The first acting one.
        capability: Capability,
    },
    /// A tool that is not read-only declares nothing that changes something (R-DEF-4).
    #[error("`capabilities` ({}) needs at least one that acts, because `readOnly` is not true; acting ones: {}", said(.declared), acting())]
    NoActingCapability {
        /// What was declared: nothing, or `read_game`.
        declared: Vec<Capability>,
    },
}

fn said(capabilities: &[Capability]) -> String {
    if capabilities.is_empty() { "none" } else { "only `read_game`" }.to_owned()
}

fn acting() -> String {
    Capability::ALL.iter().filter(|id| id.is_acting()).map(Capability::as_str).collect::<Vec<_>>().join(", ")
}
