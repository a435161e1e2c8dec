//! How Dalamud makes one gate type into another. For the bus alone.
//!
//! Unequal types go through JSON there, so the rules are those of its JSON library: whole numbers fit any number type
//! that can hold them, a fraction never becomes a whole number, text is read as a number or a truth value and back,
//! and a truth value is no number.

use xivmcp_client::ipc::{IpcType, IpcValue};

/// `value` as `wanted`, or nothing if it cannot be converted (R-IPC-3).
pub(super) fn convert(value: &IpcValue, wanted: IpcType) -> Option<IpcValue> {
    if value.ipc_type() == wanted {
        return Some(value.clone());
    }
    if wanted == IpcType::Unit {
        return Some(IpcValue::Unit);
    }
    match value {
        IpcValue::Bool(truth) => (wanted == IpcType::Text).then(|| truth.to_string().into()),
        IpcValue::Text(text) => from_text(text, wanted),
        IpcValue::F32(number) => from_float(f64::from(*number), &float_text(f64::from(*number)), wanted),
        IpcValue::F64(number) => from_float(*number, &float_text(*number), wanted),
        other => from_integer(integer(other)?, wanted),
    }
}

/// The value of any of the integer types; an `i128` holds them all.
fn integer(value: &IpcValue) -> Option<i128> {
    Some(match value {
        IpcValue::I8(number) => (*number).into(),
        IpcValue::U8(number) => (*number).into(),
        IpcValue::I16(number) => (*number).into(),
        IpcValue::U16(number) => (*number).into(),
        IpcValue::I32(number) => (*number).into(),
        IpcValue::U32(number) => (*number).into(),
        IpcValue::I64(number) => (*number).into(),
        IpcValue::U64(number) => (*number).into(),
        _ => return None,
    })
}

// The casts round, as C#'s do.
fn from_integer(number: i128, wanted: IpcType) -> Option<IpcValue> {
    Some(match wanted {
        IpcType::I8 => IpcValue::I8(number.try_into().ok()?),
        IpcType::U8 => IpcValue::U8(number.try_into().ok()?),
        IpcType::I16 => IpcValue::I16(number.try_into().ok()?),
        IpcType::U16 => IpcValue::U16(number.try_into().ok()?),
        IpcType::I32 => IpcValue::I32(number.try_into().ok()?),
        IpcType::U32 => IpcValue::U32(number.try_into().ok()?),
        IpcType::I64 => IpcValue::I64(number.try_into().ok()?),
        IpcType::U64 => IpcValue::U64(number.try_into().ok()?),
        IpcType::F32 => IpcValue::F32(number as f32),
        IpcType::F64 => IpcValue::F64(number as f64),
        IpcType::Text => number.to_string().into(),
        _ => return None,
    })
}

fn from_float(number: f64, text: &str, wanted: IpcType) -> Option<IpcValue> {
    match wanted {
        IpcType::F32 => Some(IpcValue::F32(number as f32)),
        IpcType::F64 => Some(IpcValue::F64(number)),
        IpcType::Text => Some(text.into()),
        _ => None,
    }
}

fn float_text(number: f64) -> String {
    if number.fract() == 0.0 && number.is_finite() { format!("{number:.1}") } else { number.to_string() }
}

fn from_text(text: &str, wanted: IpcType) -> Option<IpcValue> {
    let text = text.trim();
    match wanted {
        IpcType::Bool if text.eq_ignore_ascii_case("true") => Some(IpcValue::Bool(true)),
        IpcType::Bool if text.eq_ignore_ascii_case("false") => Some(IpcValue::Bool(false)),
        IpcType::Bool => None,
        IpcType::F32 => text.parse().ok().map(IpcValue::F32),
        IpcType::F64 => text.parse().ok().map(IpcValue::F64),
        _ => from_integer(text.parse().ok()?, wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-IPC-3
    #[test]
    fn numbers_convert_if_they_fit_and_nothing_is_lost_in_silence() {
        let cases: [(IpcValue, IpcType, Option<IpcValue>); 16] = [
            (5i32.into(), IpcType::U8, Some(5u8.into())),
            (300i32.into(), IpcType::U8, None),
            ((-1i32).into(), IpcType::U64, None),
            (u64::MAX.into(), IpcType::I64, None),
            (5u8.into(), IpcType::F64, Some(5.0f64.into())),
            (5.0f64.into(), IpcType::I32, None),
            (1.5f32.into(), IpcType::F64, Some(1.5f64.into())),
            (5i64.into(), IpcType::Text, Some("5".into())),
            (2.0f64.into(), IpcType::Text, Some("2.0".into())),
            ("7".into(), IpcType::I32, Some(7i32.into())),
            ("seven".into(), IpcType::I32, None),
            ("True".into(), IpcType::Bool, Some(true.into())),
            (true.into(), IpcType::I32, None),
            (1i32.into(), IpcType::Bool, None),
            (true.into(), IpcType::Text, Some("true".into())),
            (IpcValue::Unit, IpcType::I32, None),
        ];
        for (given, wanted, expected) in cases {
            assert_eq!(convert(&given, wanted), expected, "{given:?} as {wanted}");
        }
    }

    #[test]
    fn a_caller_that_wants_nothing_back_gets_nothing() {
        assert_eq!(convert(&"ignored".into(), IpcType::Unit), Some(IpcValue::Unit));
    }
}
