//! What a call across the boundary came to: [`Status`].

/// What a call came to, as the `int32_t` that nearly every function returns. What else is known stands in the
/// `Reply`. A receiver takes a code that it does not know as `FAILED`.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// It was done. The reply has the value that was asked for, if any.
    Ok = 0,
    /// Nobody provides the gate.
    NotReady = 1,
    /// The other side's code failed: `kind` is the failure's type, as its language names it
    /// (`InvalidOperationException`), and `text` its message.
    Failed = 2,
    /// The plugin's code panicked: `text` has the message, and the place in the source. The plugin still works.
    Panicked = 3,
    /// The gate takes another number of arguments: `expected` is that number, or `UINT32_MAX` if it is not known.
    LengthMismatch = 4,
    /// A value cannot be converted: `position` tells which (0 the returned value, n the n-th argument), `given` and
    /// `expected` are value types, `UINT32_MAX` where not known. `text` says it in words where they are not.
    TypeMismatch = 5,
    /// The plugin was told to stop, or the host is unloading: nothing can be reached any more.
    Closed = 6,
    /// A text that was passed is not UTF-8. Nothing was done.
    BadText = 7,
    /// This side cannot do that at all: `text` says why.
    Unsupported = 8,
    /// The tables' versions or sizes do not fit together: `text` says what to update. Only from the entry.
    Version = 9,
    /// There is no service of that name; or no function, command or handler of that id (any more).
    Unknown = 10,
    /// Refused by the rules of the game's side: a command that is taken or does not start with `/`. `text` says why.
    Refused = 11,
    /// The plugin has not ended: the library must stay loaded. `text` says what still runs. Only from the entry and
    /// `stop`.
    KeepLoaded = 12,
    /// The caller broke the contract: a NULL that must not be one, more than 8 arguments, an unknown value type.
    Invalid = 13,
}

impl Status {
    /// The status of a code that came across; nothing for a code that this version does not know.
    ///
    /// ```
    /// use xivmcp_dalamud::abi::Status;
    /// assert_eq!(Status::from_code(1), Some(Status::NotReady));
    /// assert_eq!(Status::from_code(4711), None);
    /// ```
    #[must_use]
    pub fn from_code(code: i32) -> Option<Self> {
        Some(match code {
            0 => Self::Ok,
            1 => Self::NotReady,
            2 => Self::Failed,
            3 => Self::Panicked,
            4 => Self::LengthMismatch,
            5 => Self::TypeMismatch,
            6 => Self::Closed,
            7 => Self::BadText,
            8 => Self::Unsupported,
            9 => Self::Version,
            10 => Self::Unknown,
            11 => Self::Refused,
            12 => Self::KeepLoaded,
            13 => Self::Invalid,
            _ => return None,
        })
    }

    /// The code that crosses.
    ///
    /// ```
    /// use xivmcp_dalamud::abi::Status;
    /// assert_eq!(Status::NotReady.code(), 1);
    /// assert_eq!(Status::from_code(Status::KeepLoaded.code()), Some(Status::KeepLoaded));
    /// ```
    #[must_use]
    pub fn code(self) -> i32 {
        self as i32
    }
}
