//! Arrays, maps and structs of a result. For [`result`](super) alone.

use std::borrow::Cow;
use std::ops::Range;

use serde::ser::{self, Serialize, Serializer as _};

use super::key::KeyWriter;
use super::names::{self, Written};
use super::{Fault, Writer};

/// An array that is being written.
pub(crate) struct Array<'w> {
    pub(super) writer: &'w mut Writer,
    pub(super) next: usize,
    /// Set if the array is the value of an enum's variant: `{"Variant":[…]}`.
    pub(super) variant: Option<&'static str>,
}

impl Array<'_> {
    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        if self.next > 0 {
            self.writer.out.push(b',');
        }
        let index = self.next;
        self.next += 1;
        value.serialize(&mut *self.writer).map_err(|fault| {
            let fault = fault.at_index(index);
            match self.variant {
                Some(variant) => fault.within(variant),
                None => fault,
            }
        })
    }

    #[inline]
    fn close(self) {
        self.writer.out.push(b']');
        if self.variant.is_some() {
            self.writer.out.push(b'}');
        }
    }
}

macro_rules! array {
    ($($trait:ident :: $method:ident,)*) => {$(
        impl ser::$trait for Array<'_> {
            type Ok = ();
            type Error = Fault;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> Result<(), Fault> {
                self.close();
                Ok(())
            }
        }
    )*};
}

array! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

/// A map that is being written.
pub(crate) struct Map<'w> {
    pub(super) writer: &'w mut Writer,
    pub(super) first: bool,
    /// Where the last key stands in the output, for the path of a fault in its value.
    pub(super) key: Range<usize>,
}

impl ser::SerializeMap for Map<'_> {
    type Ok = ();
    type Error = Fault;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Fault> {
        if !std::mem::take(&mut self.first) {
            self.writer.out.push(b',');
        }
        let start = self.writer.out.len();
        key.serialize(KeyWriter(self.writer))?;
        self.key = start..self.writer.out.len();
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer).map_err(|fault| {
            let key: Option<Cow<'_, str>> =
                self.writer.out.get(self.key.clone()).and_then(|key| serde_json::from_slice(key).ok());
            fault.within(key.unwrap_or_default())
        })
    }

    #[inline]
    fn end(self) -> Result<(), Fault> {
        self.writer.out.push(b'}');
        Ok(())
    }
}

/// A struct that is being written, or the fields of an enum's variant.
pub(crate) struct Struct<'w> {
    writer: &'w mut Writer,
    first: bool,
    /// Set if it is the value of an enum's variant: `{"Variant":{…}}`.
    variant: Option<&'static str>,
    /// Set if it is one of `serde_json`'s own, which `serde_json` writes.
    foreign: Option<&'static str>,
    /// Where this struct's names start in the writer's list.
    names: usize,
    /// A name was changed.
    changed: bool,
    /// A name was there whose like could come out of another one.
    odd: bool,
}

impl<'w> Struct<'w> {
    #[inline]
    pub(super) fn new(writer: &'w mut Writer, variant: Option<&'static str>, foreign: Option<&'static str>) -> Self {
        let names = writer.names.len();
        Self { writer, first: true, variant, foreign, names, changed: false, odd: false }
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Fault> {
        if let Some(foreign) = self.foreign {
            let mut json = serde_json::Serializer::new(&mut self.writer.out);
            let mut part = json.serialize_struct(foreign, 1)?;
            ser::SerializeStruct::serialize_field(&mut part, name, value)?;
            return Ok(ser::SerializeStruct::end(part)?);
        }
        if !std::mem::take(&mut self.first) {
            self.writer.out.push(b',');
        }
        if self.writer.as_is {
            self.writer.json(name)?;
        } else {
            self.name(name)?;
        }
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer).map_err(|fault| {
            let arrives = if self.writer.as_is { Cow::Borrowed(name) } else { names::camel_case(name) };
            let fault = fault.within(arrives);
            match self.variant {
                Some(variant) => fault.within(variant),
                None => fault,
            }
        })
    }

    #[inline]
    fn name(&mut self, name: &'static str) -> Result<(), Fault> {
        self.writer.names.push(name);
        match names::write_usual(name, &mut self.writer.out) {
            Written::AsItIs => {}
            Written::FromSnakeCase => self.changed = true,
            Written::NotYet => {
                let arrives = names::camel_case(name);
                self.odd = true;
                self.changed |= arrives != name;
                self.writer.json(&*arrives)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn close(self) -> Result<(), Fault> {
        if self.foreign.is_some() {
            return Ok(());
        }
        if self.changed && self.odd {
            no_two_alike(&self.writer.names[self.names..])?;
        }
        self.writer.names.truncate(self.names);
        self.writer.out.push(b'}');
        if self.variant.is_some() {
            self.writer.out.push(b'}');
        }
        Ok(())
    }
}

fn no_two_alike(fields: &[&'static str]) -> Result<(), Fault> {
    let mut arrive: Vec<_> = fields.iter().map(|name| (names::camel_case(name), *name)).collect();
    arrive.sort_unstable();
    let twins = arrive.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
    let Some([(arrives, one), (_, other)]) = twins else {
        return Ok(());
    };
    Err(Fault::new(format!(
        "the fields `{one}` and `{other}` would both arrive as `{arrives}`: rename one, or wrap the value in `AsIs`"
    )))
}

macro_rules! structs {
    ($($trait:ident,)*) => {$(
        impl ser::$trait for Struct<'_> {
            type Ok = ();
            type Error = Fault;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Fault> {
                self.field(name, value)
            }

            #[inline]
            fn end(self) -> Result<(), Fault> {
                self.close()
            }
        }
    )*};
}

structs! {
    SerializeStruct,
    SerializeStructVariant,
}
