//! Values of gates: [`IpcValue`]s here, [`Value`]s across.

use xivmcp_client::ipc::{IpcSignature, IpcType, IpcValue};

use super::buffers::{BadText, lend, text};
use crate::abi::{MAX_ARGUMENTS, Slice, Value, ValueType};

const NO_TEXT: Slice = Slice { ptr: std::ptr::null(), len: 0 };
const _: () = assert!(MAX_ARGUMENTS == IpcSignature::MAX_PARAMETERS);

/// Why arguments cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadValue {
    /// A text is none.
    Text,
    /// The caller broke the contract.
    Invalid(&'static str),
}

impl From<BadText> for BadValue {
    fn from(BadText: BadText) -> Self {
        Self::Text
    }
}

/// The code of a type; nothing for a type that this version of the ABI has no code for.
pub(crate) fn type_code(ipc_type: IpcType) -> Option<u32> {
    Some(match ipc_type {
        IpcType::Unit => ValueType::Unit,
        IpcType::Bool => ValueType::Bool,
        IpcType::I8 => ValueType::I8,
        IpcType::U8 => ValueType::U8,
        IpcType::I16 => ValueType::I16,
        IpcType::U16 => ValueType::U16,
        IpcType::I32 => ValueType::I32,
        IpcType::U32 => ValueType::U32,
        IpcType::I64 => ValueType::I64,
        IpcType::U64 => ValueType::U64,
        IpcType::F32 => ValueType::F32,
        IpcType::F64 => ValueType::F64,
        IpcType::Text => ValueType::Text,
        _ => return None,
    } as u32)
}

/// The type of a code; nothing for a code that this version does not know.
pub(crate) fn type_of_code(code: u32) -> Option<IpcType> {
    const TYPES: [IpcType; 13] = [
        IpcType::Unit,
        IpcType::Bool,
        IpcType::I8,
        IpcType::U8,
        IpcType::I16,
        IpcType::U16,
        IpcType::I32,
        IpcType::U32,
        IpcType::I64,
        IpcType::U64,
        IpcType::F32,
        IpcType::F64,
        IpcType::Text,
    ];
    TYPES.get(usize::try_from(code).ok()?).copied()
}

/// A value as bits; text has none. A negative number is sign-extended.
#[expect(clippy::cast_sign_loss, reason = "two's complement is what the ABI says")]
pub(crate) fn bits(value: &IpcValue) -> u64 {
    match *value {
        IpcValue::Bool(value) => u64::from(value),
        IpcValue::I8(value) => i64::from(value) as u64,
        IpcValue::U8(value) => u64::from(value),
        IpcValue::I16(value) => i64::from(value) as u64,
        IpcValue::U16(value) => u64::from(value),
        IpcValue::I32(value) => i64::from(value) as u64,
        IpcValue::U32(value) => u64::from(value),
        IpcValue::I64(value) => value as u64,
        IpcValue::U64(value) => value,
        IpcValue::F32(value) => u64::from(value.to_bits()),
        IpcValue::F64(value) => value.to_bits(),
        _ => 0,
    }
}

/// The value of `ipc_type` in `bits`; of the high bits that a narrow type does not have, none counts. Text has no
/// bits: `text` is called for it.
#[expect(clippy::cast_possible_truncation, reason = "the ABI widens on one side and narrows on the other")]
#[expect(clippy::cast_possible_wrap, reason = "two's complement is what the ABI says")]
pub(crate) fn value_of<E>(
    ipc_type: IpcType,
    bits: u64,
    text: impl FnOnce() -> Result<String, E>,
) -> Result<IpcValue, E> {
    Ok(match ipc_type {
        IpcType::Bool => IpcValue::Bool(bits != 0),
        IpcType::I8 => IpcValue::I8(bits as i8),
        IpcType::U8 => IpcValue::U8(bits as u8),
        IpcType::I16 => IpcValue::I16(bits as i16),
        IpcType::U16 => IpcValue::U16(bits as u16),
        IpcType::I32 => IpcValue::I32(bits as i32),
        IpcType::U32 => IpcValue::U32(bits as u32),
        IpcType::I64 => IpcValue::I64(bits as i64),
        IpcType::U64 => IpcValue::U64(bits),
        IpcType::F32 => IpcValue::F32(f32::from_bits(bits as u32)),
        IpcType::F64 => IpcValue::F64(f64::from_bits(bits)),
        IpcType::Text => IpcValue::Text(text()?),
        _ => IpcValue::Unit,
    })
}

/// Lends `arguments` to `call`, as a pointer and a count. A sentence, and no call, if they cannot cross.
pub(crate) fn lend_arguments<R>(
    arguments: &[IpcValue],
    call: impl FnOnce(*const Value, u32) -> R,
) -> Result<R, String> {
    let mut values = [Value { value_type: 0, reserved: 0, bits: 0, text: NO_TEXT }; MAX_ARGUMENTS];
    if arguments.len() > MAX_ARGUMENTS {
        return Err(format!("a gate takes at most {MAX_ARGUMENTS} arguments, {} were given", arguments.len()));
    }
    for (position, (argument, value)) in arguments.iter().zip(&mut values).enumerate() {
        let code = match argument {
            IpcValue::Unit => None,
            other => type_code(other.ipc_type()),
        };
        let Some(code) = code else {
            return Err(format!(
                "argument {} is of type {}, which is none that an argument can have",
                position + 1,
                argument.ipc_type()
            ));
        };
        *value = Value {
            value_type: code,
            reserved: 0,
            bits: bits(argument),
            text: argument.as_text().map_or(NO_TEXT, lend),
        };
    }
    let count = u32::try_from(arguments.len()).unwrap_or(u32::MAX);
    Ok(call(values.as_ptr(), count))
}

/// Reads arguments that the other side lends.
///
/// # Safety
///
/// `arguments` and `count` are what the other side passed to the call that is running.
pub(crate) unsafe fn read_arguments(arguments: *const Value, count: u32) -> Result<Vec<IpcValue>, BadValue> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count == 0 {
        return Ok(Vec::new());
    }
    if arguments.is_null() {
        return Err(BadValue::Invalid("the arguments are NULL"));
    }
    if count > MAX_ARGUMENTS {
        return Err(BadValue::Invalid("there are more than 8 arguments"));
    }
    // SAFETY: not NULL, and the contract says that `count` values are there until the call returns.
    let values = unsafe { std::slice::from_raw_parts(arguments, count) };
    values
        .iter()
        .map(|value| {
            let ipc_type = match type_of_code(value.value_type) {
                None => return Err(BadValue::Invalid("an argument has an unknown value type")),
                Some(IpcType::Unit) => return Err(BadValue::Invalid("an argument has the value type UNIT")),
                Some(ipc_type) => ipc_type,
            };
            // SAFETY: the value's text is lent like the value itself.
            value_of(ipc_type, value.bits, || Ok(unsafe { text(value.text) }?.to_owned()))
        })
        .collect()
}

/// Reads the value types of a gate's parameters.
///
/// # Safety
///
/// As for [`read_arguments`].
#[cfg(feature = "loader")]
pub(crate) unsafe fn read_types(codes: *const u32, count: u32) -> Result<Vec<IpcType>, BadValue> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count == 0 {
        return Ok(Vec::new());
    }
    if codes.is_null() {
        return Err(BadValue::Invalid("the parameters are NULL"));
    }
    if count > MAX_ARGUMENTS {
        return Err(BadValue::Invalid("there are more than 8 parameters"));
    }
    // SAFETY: not NULL, and the contract says that `count` codes are there until the call returns.
    let codes = unsafe { std::slice::from_raw_parts(codes, count) };
    codes
        .iter()
        .map(|&code| type_of_code(code).ok_or(BadValue::Invalid("a parameter has an unknown value type")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(values: &[IpcValue]) -> Vec<IpcValue> {
        lend_arguments(values, |pointer, count| {
            // SAFETY: `lend_arguments` lends both for this call.
            unsafe { read_arguments(pointer, count) }
        })
        .expect("they can cross")
        .expect("they can be read")
    }

    #[test]
    fn every_type_crosses_at_its_limits() {
        let rows: [&[IpcValue]; 4] = [
            &[true.into(), false.into(), i8::MIN.into(), u8::MAX.into(), i16::MIN.into(), u16::MAX.into()],
            &[i32::MIN.into(), i32::MAX.into(), u32::MAX.into(), i64::MIN.into(), u64::MAX.into(), (-1_i8).into()],
            &[f32::MIN.into(), f32::INFINITY.into(), (-0.0_f64).into(), f64::MAX.into(), 0.1_f32.into()],
            &["".into(), "日本語 🐤\0!".into(), 7_u8.into(), String::from("x").into()],
        ];
        for row in rows {
            assert_eq!(there_and_back(row), row);
        }
        assert!(matches!(there_and_back(&[f64::NAN.into()])[..], [IpcValue::F64(nan)] if nan.is_nan()));
    }

    #[test]
    fn what_cannot_be_an_argument_is_told_in_a_sentence() {
        let nine = vec![IpcValue::Bool(true); 9];
        let text = lend_arguments(&nine, |_, _| ()).expect_err("nine are too many");
        assert_eq!(text, "a gate takes at most 8 arguments, 9 were given");
        let text = lend_arguments(&[1_i32.into(), IpcValue::Unit], |_, _| ()).expect_err("nothing is no argument");
        assert_eq!(text, "argument 2 is of type object, which is none that an argument can have");
    }

    #[test]
    fn codes_and_types_are_two_sides_of_one_table() {
        for code in 0..13 {
            assert_eq!(type_of_code(code).and_then(type_code), Some(code));
        }
        assert_eq!(type_of_code(13), None);
    }
}
