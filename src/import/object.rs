//! Objects whose fields are read as they come, and the fields that are kept raw.

use std::borrow::Cow;
use std::collections::HashMap;

use super::place::Spot;
use super::slot::{Scalar, Sink, Slot};
use crate::transcript::JsonText;
use crate::transcript::json::read::{Raw, Read, Reader};

/// Something filled from the fields of an object.
pub(super) trait Fields<'a> {
    /// Takes the value of `key` from `reader`: exactly one value must be taken.
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()>;
}

/// Reads an object into `fields`. Another value is read over; the result says so.
pub(super) fn fill<'a>(reader: &mut Reader<'a>, fields: &mut impl Fields<'a>) -> Read<Slot<()>> {
    match reader.peek() {
        b'{' => {
            reader.object(|reader, key| fields.field(key, reader))?;
            Ok(Slot::Good(()))
        }
        b'n' => reader.word("null").map(|()| Slot::Null),
        _ => reader.raw().map(|raw| Slot::Wrong(Spot::of(raw.text()))),
    }
}

/// `slot`, or the field of that name that came before what tells its type.
pub(super) fn either<T: Scalar>(slot: Slot<T>, rest: &mut Rest<'_>, name: &str) -> Slot<T> {
    if slot.is_missing() { rest.scalar(name) } else { slot }
}

/// Up to this many keys are compared one by one; more are hashed, so that a hostile file cannot make it quadratic.
const FEW: usize = 32;

/// Room for fields that is made with the first one.
const USUAL: usize = 8;

/// One bit of 64, by the length and the ends of `name`.
#[inline]
fn mark(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let (first, last) = (bytes.first().copied().unwrap_or_default(), bytes.last().copied().unwrap_or_default());
    1 << ((bytes.len() + usize::from(first) + usize::from(last) * 5) % 64)
}

/// Fields kept raw, in the order of the file.
#[derive(Default)]
pub(super) struct Rest<'a> {
    fields: Vec<(Cow<'a, str>, Raw<'a>)>,
    /// The [`mark`]s of all names that were ever among them: most names that are looked for are not.
    marks: u64,
    /// Places in `fields`, once there are many.
    #[expect(clippy::box_collection, reason = "hardly any has many, and the others stay small")]
    places: Option<Box<HashMap<Cow<'a, str>, usize>>>,
}

impl<'a> Fields<'a> for Rest<'a> {
    /// Keeps the value of `key` as it is spelled. As in JavaScript, a repeated key keeps its last value.
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        let value = reader.raw()?;
        match self.place(&key) {
            Some(at) => self.fields[at].1 = value,
            None => {
                if self.fields.len() >= FEW {
                    self.places.get_or_insert_default().insert(key.clone(), self.fields.len());
                }
                if self.fields.capacity() == 0 {
                    self.fields.reserve(USUAL);
                }
                self.marks |= mark(&key);
                self.fields.push((key, value));
            }
        }
        Ok(())
    }
}

impl<'a> Rest<'a> {
    #[inline]
    fn place(&self, name: &str) -> Option<usize> {
        if self.marks & mark(name) == 0 { None } else { self.search(name) }
    }

    fn search(&self, name: &str) -> Option<usize> {
        let few = &self.fields[..self.fields.len().min(FEW)];
        few.iter().position(|(key, _)| key == name).or_else(|| self.places.as_ref()?.get(name).copied())
    }

    /// The fields.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Raw<'a>)> {
        self.fields.iter().map(|(key, raw)| (&**key, *raw))
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether the field is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// The field's JSON text.
    pub(super) fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.place(name).map(|at| self.fields[at].1)
    }

    /// Removes a field and gives its JSON text.
    pub(super) fn take(&mut self, name: &str) -> Option<Raw<'a>> {
        let at = self.place(name)?;
        let (_, raw) = self.fields.remove(at);
        if self.places.is_some() {
            self.find_places();
        }
        Some(raw)
    }

    /// Finds the fields behind the first few again, after some were removed.
    fn find_places(&mut self) {
        let places = self.fields.iter().enumerate().skip(FEW).map(|(at, (key, _))| (key.clone(), at));
        self.places = Some(Box::new(places.collect()));
    }

    /// Removes a field and reads it as a scalar.
    pub(super) fn scalar<T: Scalar>(&mut self, name: &str) -> Slot<T> {
        self.take(name).map_or(Slot::Missing, |raw| Slot::of(raw.text()))
    }

    /// Removes a field and reads it as a string, without a copy where it has no escape.
    pub(super) fn word(&mut self, name: &str) -> Slot<Cow<'a, str>> {
        let Some(raw) = self.take(name) else { return Slot::Missing };
        Slot::borrowed(&mut Reader::new(raw.text())).unwrap_or(Slot::Wrong(Spot::of(raw.text())))
    }

    /// Removes a field and keeps it as JSON; `null` counts as missing.
    pub(super) fn json(&mut self, name: &str, sink: &mut Sink) -> Option<JsonText> {
        json_text(self.take(name)?, sink, name)
    }

    /// Hands what is left to the extras of the object at `place`.
    pub(super) fn flush(self, sink: &mut Sink, place: &str) {
        for (key, raw) in self.fields {
            sink.extra.add(place, &key, raw);
        }
    }

    /// The object that is all of `line`, or why there is none.
    pub(super) fn line(line: &'a str, reader: &mut Reader<'a>) -> Result<Self, String> {
        reader.start(line);
        let mut rest = Self::default();
        let slot = fill(reader, &mut rest).and_then(|slot| reader.end().map(|()| slot));
        match slot {
            Ok(Slot::Good(())) => Ok(rest),
            Ok(_) => Err("not a JSON object".to_owned()),
            Err(_) => Err(reader.fault()),
        }
    }

    /// The object `raw`, all of whose fields are kept raw. `None` when it is no object.
    pub(super) fn of(raw: &'a str) -> Option<Self> {
        let mut rest = Self::default();
        matches!(fill(&mut Reader::new(raw), &mut rest), Ok(Slot::Good(()))).then_some(rest)
    }
}

/// A value kept as JSON; `null` counts as missing.
pub(super) fn json_text(raw: Raw<'_>, sink: &mut Sink, name: &str) -> Option<JsonText> {
    if raw.text() == "null" {
        return None;
    }
    let json = raw.json();
    if json.is_none() {
        let fault = format!("`{name}` could not be measured as JSON and was left out");
        sink.bad_at(Spot::of(raw.text()), fault);
    }
    json
}
