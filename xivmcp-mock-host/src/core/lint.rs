//! What the real host accepts in silence, but an author would want to know.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use xivmcp_protocol::{CheckedDefinition, JsonText, cut_utf16, utf16_len};

use super::Core;
use super::effect::Effect;
use super::marks::DESCRIPTION_UNITS;
use super::registry::Tool;

/// One finding: something that the real host would have accepted in silence. From
/// [`MockHost::lints`](crate::MockHost::lints).
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let raw = host.install("Cat");
/// use serde_json::json;
///
/// let definition = json!({"name": "cat_purr", "description": "Purrs.", "readonly": true, "capabilities": ["game_ui"]});
/// raw.gate("RegisterTool", &["Cat".into(), definition]);
/// let lint = &host.lints()[0];
/// assert_eq!((lint.plugin.as_str(), lint.tool.as_str()), ("Cat", "cat_purr"));
/// assert!(lint.message.contains("`readonly`"));             // it is `readOnly`
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Lint {
    /// Which kind of finding.
    pub kind: LintKind,
    /// The plugin that it is about, as Dalamud spells it.
    pub plugin: String,
    /// The tool that it is about; empty where it is about none.
    pub tool: String,
    /// What was found, and what would be right.
    pub message: String,
}

/// The kinds of findings.
///
/// ```
/// # let host = xivmcp_mock_host::MockHost::simulated();
/// # let cat = host.stand_in("Cat");
/// # let nap = xivmcp_client::McpToolDefinition::new("cat_nap", "Naps.").read_only(true);
/// # let nap = cat.offers(nap);
/// # host.player().enable(&cat);
/// use serde_json::json;
/// use xivmcp_mock_host::LintKind;
///
/// nap.returns(json!({"nap_minutes": 20}));
/// host.assistant().call("cat_nap", json!({"minutes": 20}));
/// let kinds: Vec<LintKind> = host.lints().iter().map(|lint| lint.kind).collect();
/// assert_eq!(kinds, [LintKind::SnakeCaseResult, LintKind::UnknownArgument]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LintKind {
    /// A definition has a field that the host does not know.
    UnknownField,
    /// `readOnly` or `destructive` is no boolean, and counts as false.
    FlagNoBoolean,
    /// A description is longer than what the assistant is shown.
    LongDescription,
    /// A result is longer than what the assistant is shown.
    LongResult,
    /// A tool's name does not start with the plugin's internal name and `_`.
    ToolName,
    /// A job's step uses a tool that the plugin did not declare.
    UndeclaredTool,
    /// A result has names in `snake_case`.
    SnakeCaseResult,
    /// A call went on for two minutes after it was cancelled.
    IgnoredCancel,
    /// An argument that the tool's schema does not have, and that the plugin accepted.
    UnknownArgument,
    /// In a simulation, a thread that is not the simulation's woke something.
    ForeignThread,
    /// In a live host, a plugin held the framework thread over 5 ms; found again when it is twice as long as before. One
    /// that holds it over a second is found while it does: in the game nothing moves then, and here nothing of any plugin
    /// runs on that thread.
    HeldFramework,
    /// A plugin left a gate behind when it was unloaded.
    LeftGate,
}

impl Lint {
    pub(crate) fn new(kind: LintKind, plugin: &str, tool: &str, message: &str) -> Self {
        Self { kind, plugin: plugin.to_owned(), tool: tool.to_owned(), message: message.to_owned() }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plugin)?;
        if !self.tool.is_empty() {
            write!(f, ", {}", self.tool)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl LintKind {
    /// The kinds that XIV MCP's own rules find: all but [`ForeignThread`](Self::ForeignThread),
    /// [`HeldFramework`](Self::HeldFramework) and [`LeftGate`](Self::LeftGate), which are about threads and unloading.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use xivmcp_client::McpToolDefinition;
    /// use xivmcp_mock_host::LintKind;
    ///
    /// host.stand_in("Cat").offers(McpToolDefinition::new("purr", "Purrs.").read_only(true));
    /// let found = host.lints().remove(0).kind;
    /// assert!(LintKind::ALL.contains(&found)); // `for kind in LintKind::ALL { host.deny(*kind) }` would fail this test
    /// ```
    pub const ALL: &'static [Self] = &[
        Self::UnknownField,
        Self::FlagNoBoolean,
        Self::LongDescription,
        Self::LongResult,
        Self::ToolName,
        Self::UndeclaredTool,
        Self::SnakeCaseResult,
        Self::IgnoredCancel,
        Self::UnknownArgument,
    ];
}

/// The fields of a definition that the host knows.
const DEFINITION_FIELDS: [&str; 6] = ["name", "description", "inputSchema", "readOnly", "destructive", "capabilities"];

impl Core {
    pub(super) fn lint(&mut self, kind: LintKind, plugin: &str, tool: &str, message: String) {
        self.push(Effect::Lint(Lint { kind, plugin: plugin.to_owned(), tool: tool.to_owned(), message }));
    }

    /// What an author would want to know about a definition that was accepted.
    pub(super) fn lint_definition(&mut self, owner: &str, json: &str, definition: &CheckedDefinition) {
        let tool = definition.name().as_str();
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap_or_default();
        for field in fields.keys().filter(|field| !DEFINITION_FIELDS.contains(&field.as_str())) {
            let known = DEFINITION_FIELDS.join(", ");
            self.lint(
                LintKind::UnknownField,
                owner,
                tool,
                format!("the definition has the field `{field}`, which the host ignores; known ones: {known}"),
            );
        }
        for flag in ["readOnly", "destructive"] {
            if let Some(value) = fields.get(flag).map(|value| value.get()).filter(|value| !is_boolean(value)) {
                let value = cut_utf16(value, 100);
                self.lint(
                    LintKind::FlagNoBoolean,
                    owner,
                    tool,
                    format!("`{flag}` is {value}, which counts as false; it must be true or false"),
                );
            }
        }
        let length = utf16_len(definition.description());
        if length > DESCRIPTION_UNITS {
            let message = format!(
                "the description has {length} characters; the assistant is shown the first {DESCRIPTION_UNITS}"
            );
            self.lint(LintKind::LongDescription, owner, tool, message);
        }
        let prefix = tool_prefix(owner);
        if !tool.starts_with(&prefix) {
            self.lint(
                LintKind::ToolName,
                owner,
                tool,
                format!("the name does not start with `{prefix}`; another plugin may take it first"),
            );
        }
    }

    /// Arguments that the schema does not have, in a call that nevertheless gave a result.
    pub(super) fn lint_arguments(&mut self, tool: &Tool, args: &str) {
        let Some(known) = &tool.arguments else { return };
        for name in unknown_arguments(args, known) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let message = format!("the argument `{name}` was dropped in silence; the schema has: {known}");
            self.lint(LintKind::UnknownArgument, &tool.owner, tool.name(), message);
        }
    }
}

/// The names of an object that are not among `known`. Nothing is kept of the others.
fn unknown_arguments(args: &str, known: &BTreeSet<String>) -> Vec<String> {
    struct Names<'a>(&'a BTreeSet<String>);

    impl<'de> Visitor<'de> for Names<'_> {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Vec<String>, A::Error> {
            let mut unknown = Vec::new();
            while let Some(name) = fields.next_key::<Cow<'de, str>>()? {
                fields.next_value::<IgnoredAny>()?;
                if !self.0.contains(name.as_ref()) {
                    unknown.push(name.into_owned());
                }
            }
            Ok(unknown)
        }
    }

    serde_json::Deserializer::from_str(args).deserialize_map(Names(known)).unwrap_or_default()
}

fn is_boolean(json: &str) -> bool {
    matches!(json, "true" | "false")
}

/// What a plugin's tools should begin with: its internal name in lower-case letters and digits, and `_`.
fn tool_prefix(owner: &str) -> String {
    let mut prefix: String =
        owner.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
    prefix.push('_');
    prefix
}

/// The names of a schema's arguments; nothing if the schema lets others pass, or says nothing about them.
pub(super) fn argument_names(schema: &str) -> Option<BTreeSet<String>> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(schema).ok()?;
    let open = ["patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref", "propertyNames"];
    if open.iter().any(|key| fields.contains_key(*key)) {
        return None;
    }
    if fields.get("additionalProperties").is_some_and(|more| more.get() != "false") {
        return None;
    }
    let properties: BTreeMap<String, IgnoredAny> = serde_json::from_str(fields.get("properties")?.get()).ok()?;
    Some(properties.into_keys().collect())
}

/// The first name in `snake_case` in a result, at any depth. Read in passing: no tree is built.
pub(super) fn snake_case_name(result: &JsonText) -> Option<String> {
    if !result.get().contains('_') {
        return None; // most results
    }
    result.read::<FirstName>().ok()?.0
}

/// The first name in `snake_case` of a JSON value.
struct FirstName(Option<String>);

impl<'de> Deserialize<'de> for FirstName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Search;

        impl<'de> Visitor<'de> for Search {
            type Value = FirstName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any JSON")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<FirstName, A::Error> {
                let mut found = FirstName(None);
                while let Some(name) = fields.next_key::<Cow<'de, str>>()? {
                    if found.0.is_some() {
                        fields.next_value::<IgnoredAny>()?;
                    } else if is_snake_case(&name) {
                        found = FirstName(Some(name.into_owned()));
                        fields.next_value::<IgnoredAny>()?;
                    } else {
                        found = fields.next_value()?;
                    }
                }
                Ok(found)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<FirstName, A::Error> {
                let mut found = FirstName(None);
                while found.0.is_none() {
                    match items.next_element()? {
                        Some(inside) => found = inside,
                        None => return Ok(found),
                    }
                }
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(found)
            }

            fn visit_bool<E>(self, _: bool) -> Result<FirstName, E> {
                Ok(FirstName(None))
            }

            fn visit_i64<E>(self, _: i64) -> Result<FirstName, E> {
                Ok(FirstName(None))
            }

            fn visit_u64<E>(self, _: u64) -> Result<FirstName, E> {
                Ok(FirstName(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<FirstName, E> {
                Ok(FirstName(None))
            }

            fn visit_str<E>(self, _: &str) -> Result<FirstName, E> {
                Ok(FirstName(None))
            }

            fn visit_unit<E>(self) -> Result<FirstName, E> {
                Ok(FirstName(None))
            }
        }

        deserializer.deserialize_any(Search)
    }
}

fn is_snake_case(name: &str) -> bool {
    let mut parts = name.split('_');
    let lower = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    parts.next().is_some_and(|first| first.starts_with(|letter: char| letter.is_ascii_lowercase()) && lower(first))
        && name.contains('_')
        && parts.all(|part| !part.is_empty() && lower(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_snake_case_are_found_not_texts() {
        let cases = [
            (r#"{"kill_count":1}"#, Some("kill_count")),
            (r#"[{"deep":{"er_2":null}}]"#, Some("er_2")),
            (r#"{"killCount":"in_progress"}"#, None),
            (r#"{"SPEND_GIL":1,"_x":1,"x_":1,"a__b":1}"#, None),
            ("\"a_b\"", None),
            (r#"[[1,-1,1.5,true,null,"a_b"],{"a":[{"b_c":0},{"d_e":0}]},{"x":1}]"#, Some("b_c")),
            (r#"{"a":{"b_c":1},"d":{"e":2},"f_g":3}"#, Some("b_c")),
        ];
        for (result, expected) in cases {
            assert_eq!(snake_case_name(&JsonText::parse(result).unwrap()).as_deref(), expected, "{result}");
        }
    }

    #[test]
    fn argument_names_are_known_only_where_the_schema_is_closed() {
        let names = |schema: &str| argument_names(schema).map(|names| names.into_iter().collect::<Vec<_>>().join(" "));
        assert_eq!(names(r#"{"type":"object","properties":{"b":{},"a":{}}}"#).as_deref(), Some("a b"));
        assert_eq!(names(r#"{"type":"object","properties":{},"additionalProperties":false}"#).as_deref(), Some(""));
        for open in [
            r#"{"type":"object"}"#,
            r#"{"type":"object","properties":{},"additionalProperties":{}}"#,
            r#"{"type":"object","properties":{},"oneOf":[]}"#,
        ] {
            assert_eq!(names(open), None, "{open}");
        }
    }

    #[test]
    fn tools_begin_with_letters_and_digits_of_the_internal_name() {
        assert_eq!(tool_prefix("Hello.MCP-2"), "hellomcp2_");
    }
}
