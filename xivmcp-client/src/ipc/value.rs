//! The values that cross a gate, and the types that a gate is declared with.

use std::fmt;

/// A value that crosses a gate. XIV MCP's own gates use text, one integer and one bool; other plugins' gates use all
/// of them.
///
/// ```
/// use xivmcp_client::ipc::IpcValue;
///
/// assert_eq!(IpcValue::from(2), IpcValue::I32(2));
/// assert_eq!(IpcValue::from("Limsa"), IpcValue::Text("Limsa".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum IpcValue {
    /// Nothing: what an action returns.
    Unit,
    /// C#'s `bool`.
    Bool(bool),
    /// C#'s `sbyte`.
    I8(i8),
    /// C#'s `byte`.
    U8(u8),
    /// C#'s `short`.
    I16(i16),
    /// C#'s `ushort`.
    U16(u16),
    /// C#'s `int`.
    I32(i32),
    /// C#'s `uint`.
    U32(u32),
    /// C#'s `long`.
    I64(i64),
    /// C#'s `ulong`.
    U64(u64),
    /// C#'s `float`.
    F32(f32),
    /// C#'s `double`.
    F64(f64),
    /// C#'s `string`.
    Text(String),
}

/// The type of an [`IpcValue`].
///
/// ```
/// use xivmcp_client::ipc::IpcType;
///
/// assert_eq!(IpcType::U64.to_string(), "ulong");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IpcType {
    /// Nothing: what an action returns. Dalamud writes `object` there.
    Unit,
    /// C#'s `bool`.
    Bool,
    /// C#'s `sbyte`.
    I8,
    /// C#'s `byte`.
    U8,
    /// C#'s `short`.
    I16,
    /// C#'s `ushort`.
    U16,
    /// C#'s `int`.
    I32,
    /// C#'s `uint`.
    U32,
    /// C#'s `long`.
    I64,
    /// C#'s `ulong`.
    U64,
    /// C#'s `float`.
    F32,
    /// C#'s `double`.
    F64,
    /// C#'s `string`.
    Text,
}

/// What a function at a gate takes and gives.
///
/// ```
/// use xivmcp_client::ipc::{IpcSignature, IpcType};
///
/// // C#'s `Func<string, int, bool>`.
/// let signature = IpcSignature::new([IpcType::Text, IpcType::I32], IpcType::Bool);
/// assert_eq!(signature.parameters.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct IpcSignature {
    /// The parameters, in order. None of them is [`IpcType::Unit`].
    pub parameters: Vec<IpcType>,
    /// What the function returns.
    pub returns: IpcType,
}

impl IpcSignature {
    /// Dalamud's gates take up to 8 arguments.
    ///
    /// ```
    /// assert_eq!(xivmcp_client::ipc::IpcSignature::MAX_PARAMETERS, 8);
    /// ```
    pub const MAX_PARAMETERS: usize = 8;

    /// A function from `parameters` to `returns`.
    ///
    /// ```
    /// use xivmcp_client::ipc::{IpcSignature, IpcType};
    ///
    /// assert_eq!(IpcSignature::new([], IpcType::Bool).returns, IpcType::Bool);
    /// ```
    pub fn new(parameters: impl Into<Vec<IpcType>>, returns: IpcType) -> Self {
        Self { parameters: parameters.into(), returns }
    }
}

impl IpcType {
    /// How C# spells the type.
    ///
    /// ```
    /// assert_eq!(xivmcp_client::ipc::IpcType::F32.csharp_name(), "float");
    /// ```
    #[must_use]
    pub fn csharp_name(self) -> &'static str {
        match self {
            Self::Unit => "object",
            Self::Bool => "bool",
            Self::I8 => "sbyte",
            Self::U8 => "byte",
            Self::I16 => "short",
            Self::U16 => "ushort",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::I64 => "long",
            Self::U64 => "ulong",
            Self::F32 => "float",
            Self::F64 => "double",
            Self::Text => "string",
        }
    }
}

impl fmt::Display for IpcType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.csharp_name())
    }
}

impl IpcValue {
    /// The value's type.
    ///
    /// ```
    /// use xivmcp_client::ipc::{IpcType, IpcValue};
    ///
    /// assert_eq!(IpcValue::from(true).ipc_type(), IpcType::Bool);
    /// ```
    #[must_use]
    pub fn ipc_type(&self) -> IpcType {
        match self {
            Self::Unit => IpcType::Unit,
            Self::Bool(_) => IpcType::Bool,
            Self::I8(_) => IpcType::I8,
            Self::U8(_) => IpcType::U8,
            Self::I16(_) => IpcType::I16,
            Self::U16(_) => IpcType::U16,
            Self::I32(_) => IpcType::I32,
            Self::U32(_) => IpcType::U32,
            Self::I64(_) => IpcType::I64,
            Self::U64(_) => IpcType::U64,
            Self::F32(_) => IpcType::F32,
            Self::F64(_) => IpcType::F64,
            Self::Text(_) => IpcType::Text,
        }
    }

    /// The text, if the value is one.
    ///
    /// ```
    /// use xivmcp_client::ipc::IpcValue;
    ///
    /// assert_eq!(IpcValue::from("Limsa").as_text(), Some("Limsa"));
    /// assert_eq!(IpcValue::from(7).as_text(), None);
    /// ```
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// `IpcValue` from the Rust type of the same meaning.
macro_rules! from_rust {
    ($($rust:ty => $variant:ident),* $(,)?) => {$(
        impl From<$rust> for IpcValue {
            fn from(value: $rust) -> Self {
                Self::$variant(value)
            }
        }
    )*};
}

from_rust! {
    bool => Bool, i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    f32 => F32, f64 => F64, String => Text,
}

impl From<&str> for IpcValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<()> for IpcValue {
    fn from((): ()) -> Self {
        Self::Unit
    }
}
