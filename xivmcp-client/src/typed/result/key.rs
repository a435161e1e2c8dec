//! Keys of maps in a result: JSON has only text for them. Numbers and booleans are written as text, as `serde_json` does;
//! anything else is an error. For [`result`](super) alone.

use std::fmt::Display;

use serde::ser::{self, Impossible, Serialize};

use super::{Fault, Writer};

/// The serializer of one key.
pub(crate) struct KeyWriter<'w>(pub(super) &'w mut Writer);

fn no_text<T>(what: &str) -> Result<T, Fault> {
    Err(Fault::new(format!("the key of a map must be a text, and {what} is none")))
}

macro_rules! quoted {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method(self, value: $type) -> Result<(), Fault> {
            self.0.out.push(b'"');
            self.0.json(&value)?;
            self.0.out.push(b'"');
            Ok(())
        }
    )*};
}

macro_rules! finite_quoted {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method(self, value: $type) -> Result<(), Fault> {
            if !value.is_finite() {
                return no_text(&value.to_string());
            }
            self.0.out.push(b'"');
            self.0.json(&value)?;
            self.0.out.push(b'"');
            Ok(())
        }
    )*};
}

impl ser::Serializer for KeyWriter<'_> {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Impossible<(), Fault>;
    type SerializeTuple = Impossible<(), Fault>;
    type SerializeTupleStruct = Impossible<(), Fault>;
    type SerializeTupleVariant = Impossible<(), Fault>;
    type SerializeMap = Impossible<(), Fault>;
    type SerializeStruct = Impossible<(), Fault>;
    type SerializeStructVariant = Impossible<(), Fault>;

    quoted! {
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
    }

    finite_quoted! {
        serialize_f32: f32,
        serialize_f64: f64,
    }

    fn serialize_char(self, value: char) -> Result<(), Fault> {
        self.0.json(&value)
    }

    fn serialize_str(self, value: &str) -> Result<(), Fault> {
        self.0.json(value)
    }

    fn serialize_bytes(self, _value: &[u8]) -> Result<(), Fault> {
        no_text("an array of bytes")
    }

    fn serialize_none(self) -> Result<(), Fault> {
        no_text("`None`")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Fault> {
        no_text("`()`")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), Fault> {
        no_text(&format!("`{name}`"))
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<(), Fault> {
        self.0.json(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
        _value: &T,
    ) -> Result<(), Fault> {
        no_text(&format!("`{name}::{variant}(…)`"))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self::SerializeSeq, Fault> {
        no_text("a list")
    }

    fn serialize_tuple(self, _len: usize) -> Result<Self::SerializeTuple, Fault> {
        no_text("a tuple")
    }

    fn serialize_tuple_struct(self, name: &'static str, _len: usize) -> Result<Self::SerializeTupleStruct, Fault> {
        no_text(&format!("`{name}(…)`"))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant, Fault> {
        no_text(&format!("`{name}::{variant}(…)`"))
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Self::SerializeMap, Fault> {
        no_text("a map")
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Self::SerializeStruct, Fault> {
        no_text(&format!("`{name} {{ … }}`"))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant, Fault> {
        no_text(&format!("`{name}::{variant} {{ … }}`"))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Fault> {
        ser::Serializer::collect_str(self.0, value)
    }
}
