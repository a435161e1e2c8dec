//! A handler's result into JSON text (R-CLI-10), and [`AsIs`]. The erased handlers use it; authors meet [`AsIs`].
//!
//! This is a serializer that writes `serde_json`'s text, with the names of struct fields in camelCase. It stops where
//! JSON has no words: `serde_json` itself writes `null` for NaN. Numbers, texts and `serde_json`'s own raw values are
//! written by `serde_json`.

use std::fmt::{self, Display};

use serde::Deserialize;
use serde::ser::{self, Serialize};

use crate::tool_error::McpToolError;

mod key;
mod names;
mod parts;

use parts::{Array, Map, Struct};

/// The name under which [`AsIs`] tells the writer to leave names alone. Other serializers do not look at it.
const AS_IS: &str = "$xivmcp::AsIs";

/// `serde_json`'s own structs (`RawValue`, and `Number` in some builds) are recognized by their names.
const SERDE_JSON_PRIVATE: &str = "$serde_json::private::";

/// Leaves the field names of a result as they are written in Rust (R-CLI-10), at any depth inside.
///
/// The client writes the fields of structs, and of enum variants with fields, in camelCase. What stays as it is
/// without this wrapper: keys of maps, `serde_json::Value` and other JSON, the names of enum variants. serde shows a
/// struct with a `#[serde(flatten)]` field as a map, so the names of such a struct stay too (those of structs further
/// inside do not): rename them with `#[serde(rename_all = "camelCase")]`.
///
/// ```
/// use serde::Serialize;
/// use serde_json::json;
/// use xivmcp_client::{AsIs, McpToolDefinition, XivMcpClient};
///
/// let host = xivmcp_mock_host::MockHost::simulated();
/// #[derive(Serialize)]
/// struct Report {
///     kill_count: u32,
///     raw: AsIs<Position>,
/// }
///
/// #[derive(Serialize)]
/// struct Position {
///     world_x: f32,
/// }
///
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     let report = McpToolDefinition::new("myplugin_report", "Reports.").read_only(true);
///     client.add_tool(report, || Ok(Report { kill_count: 31, raw: AsIs(Position { world_x: 1.5 }) }))
/// });
/// host.player().enable(&plugin);
/// let came = host.assistant().call("myplugin_report", ()).expect_result();
/// assert_eq!(came, json!({"killCount": 31, "raw": {"world_x": 1.5}}));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper is its one field")]
pub struct AsIs<T>(pub T);

impl<T: Serialize> Serialize for AsIs<T> {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(AS_IS, &self.0)
    }
}

/// Writes a handler's result.
pub(crate) fn to_json<R: Serialize + ?Sized>(result: &R) -> Result<String, McpToolError> {
    write(result, "", "")
}

/// Writes a handler's result as Invoke's reply (R-CALL-6): in one go, for a result may be long.
pub(crate) fn to_reply<R: Serialize + ?Sized>(result: &R) -> Result<String, McpToolError> {
    write(result, "{\"result\":", "}")
}

/// Writes what a plugin sends of its own accord, the arguments of a job's step: no name is changed, and what JSON
/// cannot say is an error as in a result. The error says where and what, for others to say of what.
pub(crate) fn to_exact_json<R: Serialize + ?Sized>(value: &R) -> Result<String, String> {
    let mut writer = Writer { out: Vec::new(), names: Vec::new(), as_is: true };
    value.serialize(&mut writer).map_err(|fault| fault.place_and_what())?;
    String::from_utf8(writer.out).map_err(|error| error.to_string())
}

fn write<R: Serialize + ?Sized>(result: &R, before: &str, after: &str) -> Result<String, McpToolError> {
    let mut writer = Writer { out: Vec::with_capacity(512), names: Vec::with_capacity(16), as_is: false };
    writer.out.extend_from_slice(before.as_bytes());
    result.serialize(&mut writer).map_err(|fault| McpToolError::new(fault.to_string()))?;
    writer.out.extend_from_slice(after.as_bytes());
    // Everything in it was written as text; the check costs next to nothing.
    String::from_utf8(writer.out).map_err(|_| McpToolError::new("The tool's result is no UTF-8 text."))
}

/// What JSON cannot say, and where.
#[derive(Debug)]
pub(crate) struct Fault(Box<Place>);

#[derive(Debug)]
struct Place {
    /// The steps to the value, the last one first: it grows while the error passes up.
    path: Vec<String>,
    what: String,
}

impl Fault {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self(Box::new(Place { path: Vec::new(), what: what.into() }))
    }

    fn within(mut self, step: impl Into<String>) -> Self {
        self.0.path.push(step.into());
        self
    }

    fn at_index(self, index: usize) -> Self {
        self.within(format!("[{index}]"))
    }

    fn place_and_what(&self) -> String {
        let mut path = String::new();
        for step in self.0.path.iter().rev() {
            if !path.is_empty() && !step.starts_with('[') {
                path.push('.');
            }
            path.push_str(step);
        }
        let what = &self.0.what;
        if path.is_empty() { what.clone() } else { format!("at `{path}`: {what}") }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The tool's result cannot be written as JSON: {}.", self.place_and_what())
    }
}

impl std::error::Error for Fault {}

impl ser::Error for Fault {
    fn custom<T: Display>(what: T) -> Self {
        Self::new(what.to_string())
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// The serializer.
pub(crate) struct Writer {
    pub(super) out: Vec<u8>,
    /// The field names of the structs that are being written, the innermost last.
    names: Vec<&'static str>,
    /// Inside [`AsIs`].
    as_is: bool,
}

impl Writer {
    /// Lets `serde_json` write a number, a text, or one of its own.
    #[inline]
    pub(super) fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        serde_json::to_writer(&mut self.out, value).map_err(Fault::from)
    }

    fn open(&mut self, variant: &'static str, with: u8) -> Result<(), Fault> {
        self.out.push(b'{');
        self.json(variant)?;
        self.out.extend_from_slice(&[b':', with]);
        Ok(())
    }
}

macro_rules! written_by_serde_json {
    ($($method:ident: $type:ty,)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<(), Fault> {
            self.json(&value)
        }
    )*};
}

macro_rules! finite_written_by_serde_json {
    ($($method:ident: $type:ty,)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<(), Fault> {
            if !value.is_finite() {
                return Err(Fault::new(format!("the number is {value}, which JSON does not have")));
            }
            self.json(&value)
        }
    )*};
}

impl<'w> ser::Serializer for &'w mut Writer {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Array<'w>;
    type SerializeTuple = Array<'w>;
    type SerializeTupleStruct = Array<'w>;
    type SerializeTupleVariant = Array<'w>;
    type SerializeMap = Map<'w>;
    type SerializeStruct = Struct<'w>;
    type SerializeStructVariant = Struct<'w>;

    written_by_serde_json! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
    }

    finite_written_by_serde_json! {
        serialize_f32: f32,
        serialize_f64: f64,
    }

    #[inline]
    fn serialize_none(self) -> Result<(), Fault> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Fault> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), Fault> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    #[inline]
    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Fault> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<(), Fault> {
        self.json(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), Fault> {
        if name != AS_IS {
            return value.serialize(self);
        }
        let outside = std::mem::replace(&mut self.as_is, true);
        let written = value.serialize(&mut *self);
        self.as_is = outside;
        written
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        self.out.push(b'{');
        self.json(variant)?;
        self.out.push(b':');
        value.serialize(&mut *self).map_err(|fault| fault.within(variant))?;
        self.out.push(b'}');
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _len: Option<usize>) -> Result<Array<'w>, Fault> {
        self.out.push(b'[');
        Ok(Array { writer: self, next: 0, variant: None })
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Array<'w>, Fault> {
        self.serialize_seq(Some(len))
    }

    #[inline]
    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Array<'w>, Fault> {
        self.serialize_seq(Some(len))
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Array<'w>, Fault> {
        self.open(variant, b'[')?;
        Ok(Array { writer: self, next: 0, variant: Some(variant) })
    }

    #[inline]
    fn serialize_map(self, _len: Option<usize>) -> Result<Map<'w>, Fault> {
        self.out.push(b'{');
        Ok(Map { writer: self, first: true, key: 0..0 })
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Struct<'w>, Fault> {
        let foreign = name.starts_with(SERDE_JSON_PRIVATE).then_some(name);
        if foreign.is_none() {
            self.out.push(b'{');
        }
        Ok(Struct::new(self, None, foreign))
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Struct<'w>, Fault> {
        self.open(variant, b'{')?;
        Ok(Struct::new(self, Some(variant), None))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Fault> {
        ser::Serializer::collect_str(&mut serde_json::Serializer::new(&mut self.out), value).map_err(Fault::from)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
