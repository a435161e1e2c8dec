//! Versions of plugins: two to four numbers with dots, as .NET's `System.Version` has them.
//!
//! A dependency declares the oldest version that will do (R-DEP-2), the host compares it with what is installed (R-DEP-3). Anyone may
//! use the type; it has no inputs but text.
//!
//! Dalamud's versions are not semantic versions: they may have a fourth part, and know no pre-releases. The conversions
//! from and to [`semver::Version`] are therefore fallible.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::object::shown;

/// The largest value of one part: what .NET's `int` holds (R-DEP-2).
const MAX_PART: u32 = i32::MAX as u32;

/// A plugin's version: 2 to 4 numbers with dots, each 0 to 2147483647 (R-DEP-2).
///
/// Comparing, equality and hashing go by value, and missing parts are 0 (R-DEP-3). The text is kept as it was written, so
/// two equal versions may print differently.
///
/// ```
/// use xivmcp_protocol::PluginVersion;
///
/// let declared: PluginVersion = "1.2".parse()?;
/// let installed: PluginVersion = "1.2.0.1".parse()?;
/// assert!(declared < installed);
/// assert_eq!(declared, "1.2.0.0".parse()?);
/// assert_eq!(declared.to_string(), "1.2");
/// # Ok::<(), xivmcp_protocol::VersionError>(())
/// ```
#[derive(Clone)]
pub struct PluginVersion {
    text: String,
    parts: [u32; 4],
}

impl PluginVersion {
    /// The text as it was written.
    ///
    /// ```
    /// # use xivmcp_protocol::PluginVersion;
    /// assert_eq!("01.2".parse::<PluginVersion>()?.as_str(), "01.2");
    /// # Ok::<(), xivmcp_protocol::VersionError>(())
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The four numbers; parts that were not written are 0.
    ///
    /// ```
    /// # use xivmcp_protocol::PluginVersion;
    /// assert_eq!("1.2.3".parse::<PluginVersion>()?.parts(), [1, 2, 3, 0]);
    /// # Ok::<(), xivmcp_protocol::VersionError>(())
    /// ```
    #[must_use]
    pub const fn parts(&self) -> [u32; 4] {
        self.parts
    }
}

/// Why a text, or another kind of version, is no [`PluginVersion`], or the other way round.
///
/// ```
/// use xivmcp_protocol::PluginVersion;
///
/// let error = "1".parse::<PluginVersion>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`1` is no plugin version: it must be 2 to 4 numbers with dots, each 0 to 2147483647, such as 1.2.0"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionError {
    /// The text does not have the allowed form.
    #[error(
        "`{}` is no plugin version: it must be 2 to 4 numbers with dots, each 0 to {MAX_PART}, such as 1.2.0",
        shown(text)
    )]
    Form {
        /// The text.
        text: String,
    },
    /// A semantic version says what a plugin version cannot say.
    #[error(
        "the semantic version {text} is no plugin version: it must be three numbers, each 0 to {MAX_PART}, without a \
         pre-release or build part"
    )]
    FromSemver {
        /// The semantic version.
        text: String,
    },
    /// A plugin version says what a semantic version cannot say.
    #[error("the plugin version {text} is no semantic version: it must be 2 or 3 numbers; its fourth is not 0")]
    ToSemver {
        /// The plugin version.
        text: String,
    },
}

/// Strict: digits and dots only, no spaces and no signs. Leading zeros do not count.
impl FromStr for PluginVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let refuse = || VersionError::Form { text: text.to_owned() };
        let mut parts = [0; 4];
        let mut count = 0;
        for piece in text.split('.') {
            // `parse` alone would let a sign pass.
            let digits = !piece.is_empty() && piece.bytes().all(|byte| byte.is_ascii_digit());
            let number = piece.parse().ok().filter(|number| digits && *number <= MAX_PART);
            *parts.get_mut(count).ok_or_else(refuse)? = number.ok_or_else(refuse)?;
            count += 1;
        }
        if count < 2 { Err(refuse()) } else { Ok(Self { text: text.to_owned(), parts }) }
    }
}

/// Exists if the version has neither a pre-release nor a build part, and no number is above 2147483647.
///
/// ```
/// use xivmcp_protocol::PluginVersion;
///
/// let version = PluginVersion::try_from(semver::Version::new(1, 2, 3))?;
/// assert_eq!(version.as_str(), "1.2.3");
/// assert!(PluginVersion::try_from(semver::Version::parse("1.2.3-beta.1").unwrap()).is_err());
/// # Ok::<(), xivmcp_protocol::VersionError>(())
/// ```
impl TryFrom<&semver::Version> for PluginVersion {
    type Error = VersionError;

    fn try_from(version: &semver::Version) -> Result<Self, VersionError> {
        let refuse = || VersionError::FromSemver { text: version.to_string() };
        if !version.pre.is_empty() || !version.build.is_empty() {
            return Err(refuse());
        }
        version.to_string().parse().map_err(|_| refuse())
    }
}

/// As for a reference.
impl TryFrom<semver::Version> for PluginVersion {
    type Error = VersionError;

    fn try_from(version: semver::Version) -> Result<Self, VersionError> {
        Self::try_from(&version)
    }
}

/// Exists if the fourth part is missing, or 0, which is the same (R-DEP-3): equal versions convert equally.
///
/// ```
/// use xivmcp_protocol::PluginVersion;
///
/// let version: PluginVersion = "1.2".parse()?;
/// assert_eq!(semver::Version::try_from(&version)?, semver::Version::new(1, 2, 0));
/// assert!(semver::Version::try_from("1.2.3.4".parse::<PluginVersion>()?).is_err());
/// # Ok::<(), xivmcp_protocol::VersionError>(())
/// ```
impl TryFrom<&PluginVersion> for semver::Version {
    type Error = VersionError;

    fn try_from(version: &PluginVersion) -> Result<Self, VersionError> {
        match version.parts {
            [major, minor, patch, 0] => Ok(Self::new(major.into(), minor.into(), patch.into())),
            _ => Err(VersionError::ToSemver { text: version.text.clone() }),
        }
    }
}

/// As for a reference.
impl TryFrom<PluginVersion> for semver::Version {
    type Error = VersionError;

    fn try_from(version: PluginVersion) -> Result<Self, VersionError> {
        Self::try_from(&version)
    }
}

impl PartialEq for PluginVersion {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Eq for PluginVersion {}

impl PartialOrd for PluginVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PluginVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts.cmp(&other.parts)
    }
}

impl Hash for PluginVersion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts.hash(state);
    }
}

impl std::fmt::Display for PluginVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.text)
    }
}

impl std::fmt::Debug for PluginVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PluginVersion({})", self.text)
    }
}

impl Serialize for PluginVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for PluginVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for PluginVersion {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PluginVersion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "2 to 4 numbers with dots, each 0 to 2147483647",
            "pattern": r"^[0-9]+(\.[0-9]+){1,3}$",
        })
    }
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
