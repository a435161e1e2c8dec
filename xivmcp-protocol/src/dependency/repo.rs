//! Where a plugin can be installed from.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use fluent_uri::Iri;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::object::shown;

/// A plugin repository: `official`, or an absolute https URL (R-DEP-2). The text is kept as it was written.
///
/// ```
/// use xivmcp_protocol::RepoUrl;
///
/// let repo: RepoUrl = "https://example.com/repo.json".parse()?;
/// assert!(!repo.is_official());
/// assert!("official".parse::<RepoUrl>()?.is_official());
/// assert!("http://example.com/repo.json".parse::<RepoUrl>().is_err());
/// # Ok::<(), xivmcp_protocol::RepoUrlError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoUrl(Cow<'static, str>);

impl RepoUrl {
    /// Dalamud's own repository, written `official`.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::RepoUrl::OFFICIAL.as_str(), "official");
    /// ```
    pub const OFFICIAL: Self = Self(Cow::Borrowed("official"));

    /// Whether it is Dalamud's own repository.
    ///
    /// ```
    /// assert!(xivmcp_protocol::RepoUrl::OFFICIAL.is_official());
    /// ```
    #[must_use]
    pub fn is_official(&self) -> bool {
        *self == Self::OFFICIAL
    }

    /// The text as it was written.
    ///
    /// ```
    /// # use xivmcp_protocol::RepoUrl;
    /// assert_eq!("https://example.com".parse::<RepoUrl>()?.as_str(), "https://example.com");
    /// # Ok::<(), xivmcp_protocol::RepoUrlError>(())
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that is no repository. The message shows the text and what is allowed.
///
/// ```
/// use xivmcp_protocol::RepoUrl;
///
/// assert_eq!(
///     "example.com".parse::<RepoUrl>().unwrap_err().to_string(),
///     "`example.com` is no repository: it must be `official` or an absolute URL that begins with https://"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no repository: it must be `official` or an absolute URL that begins with https://", shown(.text))]
pub struct RepoUrlError {
    text: String,
}

impl RepoUrlError {
    /// The refused text, whole.
    ///
    /// ```
    /// # use xivmcp_protocol::RepoUrl;
    /// assert_eq!("x".parse::<RepoUrl>().unwrap_err().text(), "x");
    /// ```
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Exact but for the scheme's case: nothing is trimmed. Letters beyond ASCII may stand as they are; spaces may not.
impl FromStr for RepoUrl {
    type Err = RepoUrlError;

    fn from_str(text: &str) -> Result<Self, RepoUrlError> {
        if text == Self::OFFICIAL.as_str() {
            return Ok(Self::OFFICIAL);
        }
        let is_https_url = Iri::parse(text).is_ok_and(|url| {
            url.scheme().as_str().eq_ignore_ascii_case("https")
                && url.authority().is_some_and(|authority| {
                    let port = authority.port().map_or("", |port| port.as_str());
                    !authority.host().is_empty() && (port.is_empty() || port.parse::<u16>().is_ok())
                })
        });
        if is_https_url { Ok(Self(text.to_owned().into())) } else { Err(RepoUrlError { text: text.to_owned() }) }
    }
}

impl fmt::Display for RepoUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for RepoUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RepoUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for RepoUrl {
    fn schema_name() -> Cow<'static, str> {
        "RepoUrl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "`official`, or an absolute https URL",
            "pattern": "^(official|[Hh][Tt][Tt][Pp][Ss]://.+)$",
        })
    }
}

#[cfg(test)]
#[path = "repo_tests.rs"]
mod tests;
