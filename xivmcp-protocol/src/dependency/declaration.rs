//! The tools that a plugin's jobs use, as the plugin declares them, and what is checked of it (R-DEP-1, R-DEP-2).

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{DeclarationError, RepoUrl};
use crate::object::{Fields, NoObject, shown, text_of};
use crate::{PluginVersion, ToolName, cut_utf16};

/// Most tools of one declaration (R-DEP-1).
pub(super) const MAX_TOOLS: usize = 64;
/// Most UTF-16 units of a plugin's declared `name`; the rest is cut off (R-DEP-2).
const MAX_NAME_UNITS: usize = 64;
/// Most characters of a plugin's internal name (R-DEP-2).
const MAX_PLUGIN_CHARS: usize = 64;

/// What a plugin sends to `DeclareDependencies`. It replaces what was declared before; an empty one clears it.
///
/// ```
/// use xivmcp_protocol::{DependencyDeclaration, ToolDependency};
///
/// let declaration = DependencyDeclaration::new([ToolDependency::built_in("navigate_to")]);
/// assert_eq!(serde_json::to_string(&declaration).unwrap(), r#"{"tools":[{"tool":"navigate_to"}]}"#);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DependencyDeclaration {
    /// The tools, at most 64.
    pub tools: Vec<ToolDependency>,
}

/// One tool of a declaration: one of the host's, alone, or another plugin's, with all that is needed to install that.
///
/// ```
/// use xivmcp_protocol::ToolDependency;
///
/// let announce = ToolDependency::from_plugin(
///     "otherplugin_announce", "OtherPlugin", "Other Plugin", "https://example.com/repo.json", "1.2.0",
/// );
/// assert_eq!(announce.min_version.as_deref(), Some("1.2.0"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolDependency {
    /// The tool's name.
    pub tool: String,
    /// The internal name of the plugin that has it: 1 to 64 of `A-Z a-z 0-9 . _ -`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// What the plugin is called in the installer; the host cuts it at 64 UTF-16 units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is installed from; see [`RepoUrl`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The oldest version that has the tool; see [`PluginVersion`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_version: Option<String>,
}

impl ToolDependency {
    /// One of the host's own tools. The host knows which plugins that needs or can use.
    ///
    /// ```
    /// # use xivmcp_protocol::ToolDependency;
    /// assert_eq!(ToolDependency::built_in("navigate_to").plugin, None);
    /// ```
    pub fn built_in(tool: impl Into<String>) -> Self {
        Self { tool: tool.into(), plugin: None, name: None, repo: None, min_version: None }
    }

    /// Another plugin's tool: the plugin's internal name, its name in the installer, where it is installed from (`official` or an
    /// https URL), and the oldest version that has the tool. Nothing is checked yet.
    ///
    /// ```
    /// # use xivmcp_protocol::ToolDependency;
    /// let tool = ToolDependency::from_plugin("other_tool", "Other", "Other", "official", "1.0");
    /// assert_eq!(tool.repo.as_deref(), Some("official"));
    /// ```
    pub fn from_plugin(
        tool: impl Into<String>,
        plugin: impl Into<String>,
        name: impl Into<String>,
        repo: impl Into<String>,
        min_version: impl Into<String>,
    ) -> Self {
        Self {
            tool: tool.into(),
            plugin: Some(plugin.into()),
            name: Some(name.into()),
            repo: Some(repo.into()),
            min_version: Some(min_version.into()),
        }
    }

    /// The four keys that only another plugin's tool has, with what was given, trimmed.
    fn plugin_keys(&self) -> [(&'static str, Option<&str>); 4] {
        [("plugin", &self.plugin), ("name", &self.name), ("repo", &self.repo), ("minVersion", &self.min_version)]
            .map(|(key, value)| (key, value.as_deref().map(str::trim)))
    }
}

impl DependencyDeclaration {
    /// A declaration of these tools. Nothing is checked yet.
    ///
    /// ```
    /// # use xivmcp_protocol::DependencyDeclaration;
    /// assert_eq!(serde_json::to_string(&DependencyDeclaration::new([])).unwrap(), r#"{"tools":[]}"#);
    /// ```
    pub fn new(tools: impl IntoIterator<Item = ToolDependency>) -> Self {
        Self { tools: tools.into_iter().collect() }
    }

    /// Reads a declaration as the host does: unknown fields are ignored, null is absent, and an error names the field.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, a field has the wrong type, or `tools` or a `tool` is missing.
    ///
    /// ```
    /// use xivmcp_protocol::DependencyDeclaration;
    ///
    /// let error = DependencyDeclaration::parse(r#"{"tools": [{"tool": 7}]}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "`tools[0].tool` must be text, not 7");
    /// ```
    pub fn parse(json: &str) -> Result<Self, DeclarationError> {
        let fields = read_fields(json, "the declaration")?;
        let tools = fields.get("tools").filter(|value| value.get() != "null").ok_or_else(|| missing("tools"))?;
        if !tools.get().starts_with('[') {
            return Err(wrong_type("tools", "an array", tools.get()));
        }
        let tools: Vec<&RawValue> = serde_json::from_str(tools.get()).map_err(|error| not_json(&error))?;
        let tools = tools.into_iter().enumerate().map(|(index, tool)| read_tool(index, tool.get()));
        Ok(Self { tools: tools.collect::<Result<_, _>>()? })
    }

    /// Checks all of it. `is_host_tool` tells whether a name is one of the host's own tools.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong; see [`DeclarationError`].
    ///
    /// ```
    /// use xivmcp_protocol::{DependencyDeclaration, ToolDependency};
    ///
    /// let declaration = DependencyDeclaration::new([ToolDependency::built_in("navigat_to")]);
    /// let error = declaration.check(|tool| tool == "navigate_to").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`tools[0]`: navigat_to is no tool of XIV MCP, and for a tool of another plugin `plugin`, `name`, `repo`, `minVersion` \
    ///      are missing"
    /// );
    /// ```
    pub fn check(&self, is_host_tool: impl Fn(&str) -> bool) -> Result<CheckedDeclaration, DeclarationError> {
        let is_host_tool = |tool: &str| if is_host_tool(tool) { Kind::Host } else { Kind::Plugin };
        Ok(CheckedDeclaration { tools: self.check_all(is_host_tool)? })
    }

    /// Checks what can be known without the host's list of tools.
    ///
    /// A tool that stands alone may be one of the host's, or a misspelt one; that only the host can tell. With any of the
    /// other keys it must be another plugin's and needs all of them, since a tool of the host would be refused with them.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong; see [`DeclarationError`].
    ///
    /// ```
    /// use xivmcp_protocol::{DependencyDeclaration, ToolDependency};
    ///
    /// assert!(DependencyDeclaration::new([ToolDependency::built_in("navigat_to")]).check_known().is_ok());
    /// assert!(DependencyDeclaration::new([ToolDependency::built_in("Navigate to")]).check_known().is_err());
    /// ```
    pub fn check_known(&self) -> Result<(), DeclarationError> {
        self.check_all(|_| Kind::Unknown).map(drop)
    }

    fn check_all(&self, kind: impl Fn(&str) -> Kind) -> Result<Vec<CheckedDependency>, DeclarationError> {
        if self.tools.len() > MAX_TOOLS {
            return Err(DeclarationError::TooMany { count: self.tools.len() });
        }
        let mut seen = HashMap::new();
        let mut checked = Vec::with_capacity(self.tools.len());
        for (index, declared) in self.tools.iter().enumerate() {
            let tool = ToolName::parse(declared.tool.trim())
                .map_err(|source| DeclarationError::Tool { field: format!("tools[{index}].tool"), source })?;
            if let Some(first) = seen.insert(tool.clone(), index) {
                return Err(DeclarationError::Twice { tool, first, second: index });
            }
            let plugin = check_source(index, &tool, declared, kind(tool.as_str()))?;
            checked.push(CheckedDependency { tool, plugin });
        }
        Ok(checked)
    }
}

/// What is known about a tool's owner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Host,
    Plugin,
    Unknown,
}

/// The plugin that a tool is declared to be from; none for a tool of the host.
fn check_source(
    index: usize,
    tool: &ToolName,
    declared: &ToolDependency,
    kind: Kind,
) -> Result<Option<PluginSource>, DeclarationError> {
    let keys = declared.plugin_keys();
    let listed = |wanted: fn(Option<&str>) -> bool| {
        let keys = keys.iter().filter(|(_, value)| wanted(*value)).map(|(key, _)| format!("`{key}`"));
        keys.collect::<Vec<_>>().join(", ")
    };
    let given = listed(|value| value.is_some());
    match kind {
        Kind::Host if given.is_empty() => return Ok(None),
        Kind::Host => return Err(DeclarationError::HostToolNotAlone { index, tool: tool.clone(), given }),
        Kind::Unknown if given.is_empty() => return Ok(None),
        Kind::Unknown | Kind::Plugin => {}
    }
    let [Some(plugin), Some(name), Some(repo), Some(min_version)] =
        keys.map(|(_, value)| value.filter(|value| !value.is_empty()))
    else {
        let missing = listed(|value| value.is_none_or(str::is_empty));
        return Err(match kind {
            Kind::Plugin => DeclarationError::NoHostTool { index, tool: tool.clone(), missing },
            Kind::Host | Kind::Unknown => DeclarationError::KeysMissing { index, tool: tool.clone(), missing },
        });
    };
    let is_plugin_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if plugin.len() > MAX_PLUGIN_CHARS || !plugin.bytes().all(is_plugin_byte) {
        return Err(DeclarationError::Plugin { field: format!("tools[{index}].plugin"), value: plugin.to_owned() });
    }
    Ok(Some(PluginSource {
        plugin: plugin.to_owned(),
        name: cut_utf16(name, MAX_NAME_UNITS).to_owned(),
        repo: repo
            .parse()
            .map_err(|source| DeclarationError::Repo { field: format!("tools[{index}].repo"), source })?,
        min_version: min_version
            .parse()
            .map_err(|source| DeclarationError::MinVersion { field: format!("tools[{index}].minVersion"), source })?,
    }))
}

/// A declaration that the host accepts.
///
/// ```
/// use xivmcp_protocol::CheckedDeclaration;
///
/// let declaration = CheckedDeclaration::parse(r#"{"tools": [{"tool": " navigate_to "}]}"#, |tool| tool == "navigate_to")?;
/// assert_eq!(declaration.tools[0].tool.as_str(), "navigate_to");
/// # Ok::<(), xivmcp_protocol::DeclarationError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedDeclaration {
    /// The tools, in the order in which they were declared.
    pub tools: Vec<CheckedDependency>,
}

impl CheckedDeclaration {
    /// [`DependencyDeclaration::parse`] and [`DependencyDeclaration::check`] in one.
    ///
    /// # Errors
    ///
    /// As those two have them.
    ///
    /// ```
    /// # use xivmcp_protocol::CheckedDeclaration;
    /// assert!(CheckedDeclaration::parse(r#"{"tools": []}"#, |_| false)?.tools.is_empty());
    /// # Ok::<(), xivmcp_protocol::DeclarationError>(())
    /// ```
    pub fn parse(json: &str, is_host_tool: impl Fn(&str) -> bool) -> Result<Self, DeclarationError> {
        DependencyDeclaration::parse(json)?.check(is_host_tool)
    }
}

/// One declared tool, checked.
///
/// ```
/// use xivmcp_protocol::{DependencyDeclaration, ToolDependency};
///
/// let checked = DependencyDeclaration::new([ToolDependency::built_in("navigate_to")]).check(|_| true)?;
/// assert_eq!(checked.tools[0].tool.as_str(), "navigate_to");
/// assert_eq!(checked.tools[0].plugin, None);
/// # Ok::<(), xivmcp_protocol::DeclarationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedDependency {
    /// The tool.
    pub tool: ToolName,
    /// The plugin that it is from; none for a tool of the host.
    pub plugin: Option<PluginSource>,
}

/// Another plugin, and how it is installed.
///
/// ```
/// use xivmcp_protocol::{DependencyDeclaration, ToolDependency};
///
/// let sell = ToolDependency::from_plugin("other_sell", "Other", "Other Plugin", "official", "1.2");
/// let checked = DependencyDeclaration::new([sell]).check(|_| false)?;
/// let source = checked.tools[0].plugin.as_ref().unwrap();
/// assert!(source.repo.is_official());
/// assert_eq!(source.min_version.parts(), [1, 2, 0, 0]);
/// # Ok::<(), xivmcp_protocol::DeclarationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginSource {
    /// Its internal name.
    pub plugin: String,
    /// Its name in the installer, at most 64 UTF-16 units.
    pub name: String,
    /// Where it is installed from.
    pub repo: RepoUrl,
    /// The oldest version that has the tool.
    pub min_version: PluginVersion,
}

fn missing(field: impl Into<String>) -> DeclarationError {
    DeclarationError::Missing { field: field.into() }
}

fn not_json(error: &serde_json::Error) -> DeclarationError {
    DeclarationError::NotJson { reason: error.to_string() }
}

fn wrong_type(field: impl Into<String>, expected: &'static str, value: &str) -> DeclarationError {
    DeclarationError::WrongType { field: field.into(), expected, value: shown(value) }
}

fn read_fields<'a>(json: &'a str, field: &str) -> Result<Fields<'a>, DeclarationError> {
    Fields::read(json).map_err(|error| match error {
        NoObject::NotJson(error) => not_json(&error),
        NoObject::OtherValue => wrong_type(field, "an object", json.trim()),
    })
}

fn read_tool(index: usize, json: &str) -> Result<ToolDependency, DeclarationError> {
    let fields = read_fields(json, &format!("tools[{index}]"))?;
    let text = |name: &str| match fields.get(name) {
        Some(value) if value.get() != "null" => {
            text_of(value).map(Some).ok_or_else(|| wrong_type(format!("tools[{index}].{name}"), "text", value.get()))
        }
        _ => Ok(None),
    };
    Ok(ToolDependency {
        tool: text("tool")?.ok_or_else(|| missing(format!("tools[{index}].tool")))?,
        plugin: text("plugin")?,
        name: text("name")?,
        repo: text("repo")?,
        min_version: text("minVersion")?,
    })
}

#[cfg(test)]
#[path = "declaration_tests.rs"]
mod tests;
