//! Values of gates as they cross the boundary: [`Value`] goes in, [`Reply`] comes out.

use super::{Owned, Slice};

/// The type of a value, as the `uint32_t` beside it.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueType {
    /// Nothing: what an action returns. Never an argument. `bits` is 0.
    Unit = 0,
    /// C#'s `bool`: `bits` is 0 or 1.
    Bool = 1,
    /// C#'s `sbyte`: `bits` is the number, sign-extended to 64 bits.
    I8 = 2,
    /// C#'s `byte`: `bits` is the number.
    U8 = 3,
    /// C#'s `short`: `bits` is the number, sign-extended to 64 bits.
    I16 = 4,
    /// C#'s `ushort`: `bits` is the number.
    U16 = 5,
    /// C#'s `int`: `bits` is the number, sign-extended to 64 bits.
    I32 = 6,
    /// C#'s `uint`: `bits` is the number.
    U32 = 7,
    /// C#'s `long`: `bits` is the number in two's complement.
    I64 = 8,
    /// C#'s `ulong`: `bits` is the number.
    U64 = 9,
    /// C#'s `float`: the low 32 bits of `bits` are its IEEE 754 bits, the others 0.
    F32 = 10,
    /// C#'s `double`: `bits` are its IEEE 754 bits.
    F64 = 11,
    /// C#'s `string`: `text` has it; `bits` is 0. A null string crosses as an empty one. UTF-16 that is none (a lone
    /// surrogate) becomes U+FFFD on the way to UTF-8.
    Text = 12,
}

/// An argument. It borrows its text until the call returns.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "the layout is the contract")]
pub struct Value {
    /// A `ValueType`.
    pub value_type: u32,
    /// 0.
    pub reserved: u32,
    /// The number, as the value type says.
    pub bits: u64,
    /// The text, if it is one; else empty.
    pub text: Slice,
}

/// What a call gives back beside its status. The caller sets every byte to 0 before the call, and frees `text` and
/// `kind` after it (see `Owned`), whatever the status is. Which fields mean something depends on the status.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "the layout is the contract")]
pub struct Reply {
    /// `OK`: the `ValueType` of what is returned.
    pub value_type: u32,
    /// `TYPE_MISMATCH`: 0 for the returned value, n for the n-th argument.
    pub position: u32,
    /// `OK`: the number that is returned, as in `Value`.
    pub bits: u64,
    /// `TYPE_MISMATCH`: the `ValueType` that was given. `LENGTH_MISMATCH`: how many arguments were given.
    pub given: u32,
    /// `TYPE_MISMATCH`: the `ValueType` that is there. `LENGTH_MISMATCH`: how many arguments the gate takes.
    /// `UINT32_MAX` if not known.
    pub expected: u32,
    /// `OK`: the text that is returned. Any other status: a sentence for the developer, where there is one.
    pub text: Owned,
    /// `FAILED`: the failure's type, as its language names it.
    pub kind: Owned,
}

/// Where the character is.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the layout is the contract")]
pub struct SessionState {
    /// The row of the game's `TerritoryType` sheet: the zone.
    pub territory: u32,
    /// The row of the game's `World` sheet: the world that the character is on now; 0 while the game has not told.
    pub world: u32,
}

/// What happened to the player's session, as the `int32_t` of `session_event`.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionChange {
    /// A character is in the game now.
    Login = 1,
    /// The character has left the game.
    Logout = 2,
    /// The character is in another territory now.
    TerritoryChanged = 3,
}

/// How much a line of the log matters, as the `int32_t` of `log`: Dalamud's levels.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogSeverity {
    /// Dalamud's `Verbose`.
    Verbose = 0,
    /// Dalamud's `Debug`.
    Debug = 1,
    /// Dalamud's `Information`.
    Information = 2,
    /// Dalamud's `Warning`.
    Warning = 3,
    /// Dalamud's `Error`.
    Error = 4,
}
