//! Objects whose fields are read as they come, and the fields that are kept raw.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use sonic_rs::LazyValue;

use super::json::{Raw, reason, reread};
use super::slot::{Key, Scalar, Sink, Slot};
use crate::transcript::JsonText;

/// Something filled from the fields of an object.
pub(super) trait Fields<'de> {
    /// Takes the value of `key` from `map`: exactly one value must be taken.
    fn field<A: MapAccess<'de>>(&mut self, key: Cow<'de, str>, map: &mut A) -> Result<(), A::Error>;
}

/// Reads an object into a [`Fields`]. Another value is read over; the result says so.
pub(super) struct Fill<T>(pub(super) T);

impl<'de, T: Fields<'de>> DeserializeSeed<'de> for Fill<T> {
    type Value = Slot<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Slot<T>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Fields<'de>> Visitor<'de> for Fill<T> {
    type Value = Slot<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Slot<T>, A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            self.0.field(key, &mut map)?;
        }
        Ok(Slot::Good(self.0))
    }
    fn visit_unit<E>(self) -> Result<Slot<T>, E> {
        Ok(Slot::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Slot<T>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Slot::Wrong)
    }
    fn visit_str<E>(self, _: &str) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Slot<T>, E> {
        Ok(Slot::Wrong)
    }
}

/// Fields kept raw, in the order of the file.
#[derive(Default)]
pub(super) struct Rest<'de>(pub(super) Vec<(Cow<'de, str>, Cow<'de, str>)>);

impl<'de> Rest<'de> {
    /// Keeps the value of `key` as it is spelled. As in JavaScript, a repeated key keeps its last value.
    pub(super) fn keep<R: Raw<'de>, A: MapAccess<'de>>(
        &mut self,
        key: Cow<'de, str>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let value = map.next_value::<R>()?.into_text();
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some(pair) => pair.1 = value,
            None => self.0.push((key, value)),
        }
        Ok(())
    }

    /// Whether the field is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// Removes a field and gives its JSON text.
    pub(super) fn take(&mut self, name: &str) -> Option<Cow<'de, str>> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }

    /// Removes a field and reads it as a scalar.
    pub(super) fn scalar<T: Scalar>(&mut self, name: &str) -> Slot<T> {
        match self.take(name) {
            None => Slot::Missing,
            Some(raw) => reread(&raw, PhantomData::<Slot<T>>).unwrap_or(Slot::Wrong),
        }
    }

    /// Removes a field and keeps it as JSON; `null` counts as missing.
    pub(super) fn json(&mut self, name: &str, sink: &mut Sink) -> Option<JsonText> {
        json_text(self.take(name)?, sink, name)
    }

    /// Hands what is left to the extras of the object at `place`.
    pub(super) fn flush(self, sink: &mut Sink, place: &str) {
        for (key, raw) in self.0 {
            sink.extra.add(place, &key, &raw);
        }
    }

    /// The object that is all of `line`, or why there is none.
    pub(super) fn line(line: &'de str) -> Result<Self, String> {
        let mut de = sonic_rs::Deserializer::from_str(line).utf8_lossy();
        let slot = Fill(AllRaw(Self::default())).deserialize(&mut de).map_err(|error| reason(&error.to_string()))?;
        de.end().map_err(|error| reason(&error.to_string()))?;
        match slot {
            Slot::Good(AllRaw(rest)) => Ok(rest),
            _ => Err("not a JSON object".to_owned()),
        }
    }

    /// The object `raw`, all of whose fields are kept raw. `None` when it is no object.
    pub(super) fn of(raw: &'de str) -> Option<Self> {
        match reread(raw, Fill(AllRaw(Self::default()))) {
            Some(Slot::Good(AllRaw(rest))) => Some(rest),
            _ => None,
        }
    }
}

struct AllRaw<'de>(Rest<'de>);

impl<'de> Fields<'de> for AllRaw<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: Cow<'de, str>, map: &mut A) -> Result<(), A::Error> {
        self.0.keep::<LazyValue<'de>, A>(key, map)
    }
}

/// A value kept as JSON; `null` counts as missing.
pub(super) fn json_text(raw: Cow<'_, str>, sink: &mut Sink, name: &str) -> Option<JsonText> {
    if raw.trim() == "null" {
        return None;
    }
    let json = JsonText::new(raw);
    if json.is_none() {
        sink.bad(format!("`{name}` could not be measured as JSON and was left out"));
    }
    json
}
