//! String enums that keep a text they do not know, for everything that crosses a gate and may grow.
//!
//! The macro is for this crate's modules only; what others see of it is [`Unknown`], the content of an `Other` variant.

use std::{cmp::Ordering, fmt, hash, marker::PhantomData};

/// A text that `E` has no variant for, kept exactly as it came.
///
/// Made only by reading, so `E::Other` never holds a spelling that `E` knows, and two equal values are always the same
/// variant.
///
/// ```
/// use xivmcp_protocol::ApprovalState;
///
/// let ApprovalState::Other(text) = ApprovalState::from("postponed") else { panic!() };
/// assert_eq!(text.as_str(), "postponed");
/// ```
pub struct Unknown<E> {
    text: Box<str>,
    of: PhantomData<fn() -> E>,
}

impl<E> Unknown<E> {
    /// For the macro alone, which calls it after every known spelling was ruled out.
    pub(crate) fn new(text: Box<str>) -> Self {
        Self { text, of: PhantomData }
    }

    /// The text as it came.
    ///
    /// ```
    /// # use xivmcp_protocol::ApprovalState;
    /// # let ApprovalState::Other(unknown) = ApprovalState::from("later") else { panic!() };
    /// assert_eq!(unknown.as_str(), "later");
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<E> Clone for Unknown<E> {
    fn clone(&self) -> Self {
        Self::new(self.text.clone())
    }
}

impl<E> fmt::Debug for Unknown<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl<E> PartialEq for Unknown<E> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<E> Eq for Unknown<E> {}

impl<E> PartialOrd for Unknown<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Unknown<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl<E> hash::Hash for Unknown<E> {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// Reads a JSON string into an open enum, without a copy where the text is known.
pub(crate) struct TextVisitor<E>(pub(crate) PhantomData<fn() -> E>, pub(crate) &'static str);

impl<E: for<'a> From<&'a str>> serde::de::Visitor<'_> for TextVisitor<E> {
    type Value = E;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }

    fn visit_str<X: serde::de::Error>(self, text: &str) -> Result<E, X> {
        Ok(E::from(text))
    }
}

/// Writes an enum of texts with a further variant `Other` for any text it does not know.
///
/// ```text
/// open_enum! {
///     /// Where a step stands.
///     pub enum StepState {
///         /// Not started yet.
///         Queued = "queued",
///     }
/// }
/// ```
///
/// What comes with it: `ALL` (the known ones, in order), `as_str()`, `is_known()`, `From<&str>`, `From<String>`, `Display`,
/// serde as a JSON string, and a JSON schema (a string, the known ones as examples). Comparing spellings is exact.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident {
            $( $(#[$variant_meta:meta])* $Variant:ident = $text:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        $vis enum $Name {
            $( $(#[$variant_meta])* $Variant, )+
            /// A text that this version does not know. It is written back as it came.
            Other($crate::open_enum::Unknown<$Name>),
        }

        impl $Name {
            /// The known ones, in the order in which they are declared.
            ///
            /// ```
            #[doc = concat!("use xivmcp_protocol::", stringify!($Name), ";")]
            ///
            #[doc = concat!(
                "assert_eq!(", stringify!($Name), "::ALL[0].as_str(), \"",
                $crate::open_enum::first!($($text),+), "\");"
            )]
            #[doc = concat!("assert!(", stringify!($Name), "::ALL.iter().all(", stringify!($Name), "::is_known));")]
            /// ```
            $vis const ALL: &'static [$Name] = &[$($Name::$Variant),+];

            /// The text that stands in JSON; one that this version does not know, as it came.
            ///
            /// ```
            #[doc = concat!("use xivmcp_protocol::", stringify!($Name), ";")]
            ///
            #[doc = concat!(
                "assert_eq!(", stringify!($Name), "::from(\"", $crate::open_enum::first!($($text),+),
                "\").as_str(), \"", $crate::open_enum::first!($($text),+), "\");"
            )]
            #[doc = concat!("assert_eq!(", stringify!($Name), "::from(\"from_later\").as_str(), \"from_later\");")]
            /// ```
            #[must_use]
            $vis fn as_str(&self) -> &str {
                match self {
                    $( Self::$Variant => $text, )+
                    Self::Other(unknown) => unknown.as_str(),
                }
            }

            /// Whether this version knows it, that is, whether it is not `Other`.
            ///
            /// ```
            #[doc = concat!("use xivmcp_protocol::", stringify!($Name), ";")]
            ///
            #[doc = concat!(
                "assert!(", stringify!($Name), "::from(\"", $crate::open_enum::first!($($text),+),
                "\").is_known());"
            )]
            #[doc = concat!("assert!(!", stringify!($Name), "::from(\"from_later\").is_known());")]
            /// ```
            #[must_use]
            $vis fn is_known(&self) -> bool {
                !matches!(self, Self::Other(_))
            }
        }

        impl From<&str> for $Name {
            fn from(text: &str) -> Self {
                match text {
                    $( $text => Self::$Variant, )+
                    other => Self::Other($crate::open_enum::Unknown::new(other.into())),
                }
            }
        }

        impl From<String> for $Name {
            fn from(text: String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::open_enum::TextVisitor(
                    std::marker::PhantomData,
                    concat!("a text like `", $crate::open_enum::first!($($text),+), "`"),
                ))
            }
        }

        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "description": "One of the examples; later versions may add others.",
                    "examples": [$($text),+],
                })
            }
        }
    };
}

/// The first of some literals, which `concat!` cannot pick itself.
macro_rules! first {
    ($first:literal $(, $rest:literal)*) => {
        $first
    };
}
pub(crate) use first;
