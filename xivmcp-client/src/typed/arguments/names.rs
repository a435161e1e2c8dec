//! Looks at the names of the arguments while serde reads them. For [`arguments`](super) alone.
//!
//! [`Watch::parse`] puts itself between `serde_json` and the argument type, one layer deep: it learns from the type which
//! names there are (`deserialize_struct` brings them, aliases too), and sees each key on its way. Values pass untouched.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

/// A list of names.
pub(super) trait Allowed {
    fn has(&self, name: &str) -> bool;
}

impl Allowed for [&'static str] {
    fn has(&self, name: &str) -> bool {
        self.contains(&name)
    }
}

type ClosedNames<'a> = dyn Fn() -> Option<&'a Map<String, Value>> + 'a;

/// What was seen during one parse.
pub(super) struct Watch<'a> {
    /// Gives the names for a type that does not name its fields; nothing if any name will do.
    closed_names: &'a ClosedNames<'a>,
    fields: Cell<Option<&'static [&'static str]>>,
    others: RefCell<Vec<String>>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(closed_names: &'a ClosedNames<'a>) -> Self {
        Self { closed_names, fields: Cell::new(None), others: RefCell::default() }
    }

    pub(super) fn parse<T: DeserializeOwned>(&self, json: &str) -> Result<T, serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(json);
        let value = T::deserialize(Top { json: &mut json, watch: self })?;
        json.end()?;
        Ok(value)
    }

    /// The names that the type gave, with aliases; nothing if it is read as a map.
    pub(super) fn fields(&self) -> Option<&'static [&'static str]> {
        self.fields.get()
    }

    pub(super) fn saw_no_other(&self) -> bool {
        self.others.borrow().is_empty()
    }

    pub(super) fn take_others(&self) -> Vec<String> {
        self.others.take()
    }

    #[cold]
    fn note(&self, name: &str) {
        self.others.borrow_mut().push(name.to_owned());
    }
}

macro_rules! pass_on {
    ($($method:ident($($arg:ident: $type:ty),*),)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($arg: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.json.$method($($arg,)* visitor)
        }
    )*};
}

/// The object that holds the arguments.
struct Top<'w, 'a, D> {
    json: D,
    watch: &'w Watch<'a>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Top<'_, '_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.watch.fields.set(Some(fields));
        self.json.deserialize_struct(name, fields, Object { visitor, allowed: fields, watch: self.watch })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        match (self.watch.closed_names)() {
            Some(allowed) => self.json.deserialize_map(Object { visitor, allowed, watch: self.watch }),
            None => self.json.deserialize_map(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.json.deserialize_newtype_struct(name, Newtype { visitor, watch: self.watch })
    }

    pass_on! {
        deserialize_any(), deserialize_bool(), deserialize_i8(), deserialize_i16(), deserialize_i32(),
        deserialize_i64(), deserialize_i128(), deserialize_u8(), deserialize_u16(), deserialize_u32(),
        deserialize_u64(), deserialize_u128(), deserialize_f32(), deserialize_f64(), deserialize_char(),
        deserialize_str(), deserialize_string(), deserialize_bytes(), deserialize_byte_buf(), deserialize_option(),
        deserialize_unit(), deserialize_unit_struct(name: &'static str), deserialize_seq(),
        deserialize_tuple(len: usize), deserialize_tuple_struct(name: &'static str, len: usize),
        deserialize_enum(name: &'static str, variants: &'static [&'static str]), deserialize_identifier(),
        deserialize_ignored_any(),
    }

    fn is_human_readable(&self) -> bool {
        self.json.is_human_readable()
    }
}

/// `struct Args(Inner)`: the object is one step further.
struct Newtype<'w, 'a, V> {
    visitor: V,
    watch: &'w Watch<'a>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Newtype<'_, '_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, json: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_newtype_struct(Top { json, watch: self.watch })
    }

    // serde_json shows its own raw values as a map.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(map)
    }
}

/// Reads the object as the type does, and nothing but an object: `serde_json` would also take an array for a struct.
struct Object<'w, 'a, V, N: ?Sized> {
    visitor: V,
    allowed: &'w N,
    watch: &'w Watch<'a>,
}

impl<'de, V: Visitor<'de>, N: Allowed + ?Sized> Visitor<'de> for Object<'_, '_, V, N> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(Entries { map, allowed: self.allowed, watch: self.watch })
    }
}

struct Entries<'w, 'a, A, N: ?Sized> {
    map: A,
    allowed: &'w N,
    watch: &'w Watch<'a>,
}

impl<'de, A: MapAccess<'de>, N: Allowed + ?Sized> MapAccess<'de> for Entries<'_, '_, A, N> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.map.next_key_seed(Key { inner: seed, allowed: self.allowed, watch: self.watch })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.map.size_hint()
    }
}

/// One key: its seed, then its visitor.
struct Key<'w, 'a, I, N: ?Sized> {
    inner: I,
    allowed: &'w N,
    watch: &'w Watch<'a>,
}

impl<I, N: Allowed + ?Sized> Key<'_, '_, I, N> {
    fn look(&self, name: &str) {
        if !self.allowed.has(name) {
            self.watch.note(name);
        }
    }
}

impl<'de, K: DeserializeSeed<'de>, N: Allowed + ?Sized> DeserializeSeed<'de> for Key<'_, '_, K, N> {
    type Value = K::Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<K::Value, D::Error> {
        self.inner.deserialize(KeyText { json, allowed: self.allowed, watch: self.watch })
    }
}

struct KeyText<'w, 'a, D, N: ?Sized> {
    json: D,
    allowed: &'w N,
    watch: &'w Watch<'a>,
}

macro_rules! look_at {
    ($($method:ident,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.json.$method(Key { inner: visitor, allowed: self.allowed, watch: self.watch })
        }
    )*};
}

impl<'de, D: Deserializer<'de>, N: Allowed + ?Sized> Deserializer<'de> for KeyText<'_, '_, D, N> {
    type Error = D::Error;

    // Field names are read as identifiers, flattened ones too.
    look_at! { deserialize_any, deserialize_str, deserialize_string, deserialize_identifier, }

    pass_on! {
        deserialize_bool(), deserialize_i8(), deserialize_i16(), deserialize_i32(), deserialize_i64(),
        deserialize_i128(), deserialize_u8(), deserialize_u16(), deserialize_u32(), deserialize_u64(),
        deserialize_u128(), deserialize_f32(), deserialize_f64(), deserialize_char(), deserialize_bytes(),
        deserialize_byte_buf(), deserialize_option(), deserialize_unit(),
        deserialize_unit_struct(name: &'static str), deserialize_newtype_struct(name: &'static str),
        deserialize_seq(), deserialize_tuple(len: usize), deserialize_tuple_struct(name: &'static str, len: usize),
        deserialize_map(), deserialize_struct(name: &'static str, fields: &'static [&'static str]),
        deserialize_enum(name: &'static str, variants: &'static [&'static str]), deserialize_ignored_any(),
    }

    fn is_human_readable(&self) -> bool {
        self.json.is_human_readable()
    }
}

impl<'de, V: Visitor<'de>, N: Allowed + ?Sized> Visitor<'de> for Key<'_, '_, V, N> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<V::Value, E> {
        self.look(name);
        self.inner.visit_str(name)
    }

    fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<V::Value, E> {
        self.look(name);
        self.inner.visit_borrowed_str(name)
    }

    fn visit_string<E: de::Error>(self, name: String) -> Result<V::Value, E> {
        self.look(&name);
        self.inner.visit_string(name)
    }
}
