//! What a handler ends with when it fails: [`McpToolError`], and [`Cancelled`], the error that ends a call as
//! cancelled. Handlers make them, mostly through `?`; the client turns them into the text that the assistant reads
//! (R-CLI-5).

use std::any::type_name;
use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// The boxed error that any error, and any text, turns into.
type AnyError = Box<dyn Error + Send + Sync>;

/// Waiting has ended because the call was cancelled: the job was paused or cancelled, the AI app gave up, the host
/// unloads, or the client was disposed.
///
/// `?` on it in a handler ends the call as cancelled. So does any error that names it as its
/// [`source`](Error::source), at any depth, or that stands in its place (thiserror's `transparent`).
///
/// ```
/// use xivmcp_client::{Cancelled, McpToolError};
///
/// fn wait() -> Result<(), Cancelled> {
///     Err(Cancelled::new())
/// }
///
/// fn handler() -> Result<u32, McpToolError> {
///     wait()?;
///     Ok(1)
/// }
///
/// assert!(handler().unwrap_err().is_cancelled());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The call was cancelled.")
    }
}

impl Error for Cancelled {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&Reason)
    }
}

/// The source of every [`Cancelled`]. An error that stands in its place passes on its source and not itself, and is
/// known by that.
#[derive(Debug, thiserror::Error)]
#[error("its job was paused or cancelled, the AI app gave up, or XIV MCP or the plugin is unloading")]
struct Reason;

impl Cancelled {
    /// The error.
    ///
    /// ```
    /// assert_eq!(xivmcp_client::Cancelled::new().to_string(), "The call was cancelled.");
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

/// Why a tool's call failed, in words for the assistant that made the call, so say what it can do about it.
///
/// It is made by `?` from anything that is an error or a text, and therefore implements no `Error` itself. The
/// message is (R-CLI-5)
///
/// - of a text (`&str`, `String`, `Cow<str>`): the text;
/// - of an error: `TypeName: text`, with the last part of the type's path and without its generic arguments;
/// - of a boxed error (`Box<dyn Error + Send + Sync>`, also anyhow's and eyre's), whose type cannot be told: its text;
/// - of [`Cancelled`], or of an error that has it among its sources: a fixed short text, and the call counts as
///   cancelled.
///
/// ```
/// use xivmcp_client::McpToolError;
///
/// fn parse(text: &str) -> Result<u32, McpToolError> {
///     if text.is_empty() {
///         return Err("'minutes' is empty: give a number.".into());
///     }
///     Ok(text.parse::<u32>()?)
/// }
///
/// assert_eq!(parse("").unwrap_err().message(), "'minutes' is empty: give a number.");
/// assert_eq!(parse("x").unwrap_err().message(), "ParseIntError: invalid digit found in string");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct McpToolError {
    message: String,
    cancelled: bool,
}

impl McpToolError {
    /// An error with this text. The same as `text.into()`.
    ///
    /// ```
    /// use xivmcp_client::McpToolError;
    ///
    /// let error = McpToolError::new("The bags are full: sell something first.");
    /// assert_eq!(error.message(), "The bags are full: sell something first.");
    /// assert!(!error.is_cancelled());
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cancelled: false }
    }

    /// What the assistant reads.
    ///
    /// ```
    /// assert_eq!(xivmcp_client::McpToolError::from("The bags are full.").message(), "The bags are full.");
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the call ended because it was cancelled.
    ///
    /// ```
    /// use xivmcp_client::{Cancelled, McpToolError};
    ///
    /// assert!(McpToolError::from(Cancelled::new()).is_cancelled());
    /// ```
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled
    }
}

impl fmt::Display for McpToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for McpToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `unwrap` in a test shows this: the text is what counts.
        write!(f, "McpToolError({:?})", self.message)
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for McpToolError {
    fn from(error: E) -> Self {
        Self::from_boxed(&error.into(), told_name(type_name::<E>(), is_text::<E>()))
    }
}

impl McpToolError {
    fn from_boxed(error: &AnyError, name: Option<&str>) -> Self {
        let mut next: Option<&(dyn Error + 'static)> = Some(&**error);
        while let Some(cause) = next {
            if cause.is::<Cancelled>() || cause.is::<Reason>() {
                return Self { message: Cancelled.to_string(), cancelled: true };
            }
            next = cause.source();
        }
        match name {
            Some(name) => Self::new(format!("{name}: {error}")),
            None => Self::new(error.to_string()),
        }
    }
}

/// Whether `E` is a text. By name, because a borrowed text has no `TypeId`.
fn is_text<E>() -> bool {
    [type_name::<&str>(), type_name::<String>(), type_name::<Cow<'_, str>>()].contains(&type_name::<E>())
}

/// The name to show for an error of this type; nothing for a text or where the type cannot be told.
fn told_name(full: &'static str, is_text: bool) -> Option<&'static str> {
    if is_text {
        return None;
    }
    let mut full = full;
    loop {
        full = full.trim_start_matches('&');
        if full.starts_with("dyn ") || ["anyhow::Error", "eyre::Report"].contains(&full) {
            return None;
        }
        // A pointer to an error is that error.
        let Some(inner) = ["alloc::boxed::Box<", "alloc::sync::Arc<"].iter().find_map(|p| full.strip_prefix(p)) else {
            return Some(last_part(full));
        };
        full = inner.strip_suffix('>').unwrap_or(inner);
    }
}

/// `Error` of `crate::<impl crate::A<b::C>>::f::Error<d::E>`.
fn last_part(full: &str) -> &str {
    let bytes = full.as_bytes();
    let mut depth = 0_usize;
    let mut start = 0;
    for (i, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if i == 0 || bytes[i - 1] != b'-' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => start = i + 1,
            _ => {}
        }
    }
    let part = &full[start..];
    part.split('<').next().unwrap_or(part)
}

#[cfg(test)]
#[path = "tool_error_tests.rs"]
mod tests;
