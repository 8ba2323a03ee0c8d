//! Fields that may be missing, null or of the wrong type, read in one pass without failing the record.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::extra::Extras;
use crate::import::FindingKind;

/// What a record's readers found besides its content.
#[derive(Default)]
pub(super) struct Sink {
    /// Faults, with what was done about them.
    pub(super) faults: Vec<(FindingKind, String)>,
    /// Fields without a place in the model.
    pub(super) extra: Extras,
}

impl Sink {
    /// Notes a field that is missing or has the wrong type.
    pub(super) fn bad(&mut self, message: impl Into<String>) {
        self.faults.push((FindingKind::BadField, message.into()));
    }
}

/// A field.
#[derive(Default)]
pub(super) enum Slot<T> {
    /// Not there.
    #[default]
    Missing,
    /// `null`.
    Null,
    /// Of another type.
    Wrong,
    /// As it should be.
    Good(T),
}

impl<T> Slot<T> {
    /// The value of a field that may be left out; `name` is for the finding.
    pub(super) fn optional(self, sink: &mut Sink, name: &str) -> Option<T> {
        match self {
            Self::Good(value) => Some(value),
            Self::Missing | Self::Null => None,
            Self::Wrong => {
                sink.bad(format!("`{name}` has the wrong type and was left out"));
                None
            }
        }
    }

    /// The value of a field that must be there, or the empty value of its type.
    pub(super) fn required(self, sink: &mut Sink, name: &str) -> T
    where
        T: Default,
    {
        match self {
            Self::Good(value) => value,
            Self::Missing | Self::Null => {
                sink.bad(format!("`{name}` is missing; read as empty"));
                T::default()
            }
            Self::Wrong => {
                sink.bad(format!("`{name}` has the wrong type; read as empty"));
                T::default()
            }
        }
    }

    /// Whether the field was there at all.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

/// A type that one JSON scalar stands for.
pub(super) trait Scalar: Sized {
    /// From a string.
    fn text(_: &str) -> Option<Self> {
        None
    }
    /// From an integer.
    fn integer(_: i128) -> Option<Self> {
        None
    }
    /// From a number with a fraction or an exponent.
    fn float(_: f64) -> Option<Self> {
        None
    }
    /// From a truth value.
    fn truth(_: bool) -> Option<Self> {
        None
    }
}

/// Largest count that JavaScript, which writes these files, holds exactly.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

impl Scalar for Box<str> {
    fn text(text: &str) -> Option<Self> {
        Some(text.into())
    }
}

impl Scalar for u64 {
    fn integer(value: i128) -> Option<Self> {
        Self::try_from(value).ok()
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and in range")]
    fn float(value: f64) -> Option<Self> {
        (value.fract() == 0.0 && (0.0..=MAX_SAFE).contains(&value)).then_some(value as Self)
    }
}

impl Scalar for i64 {
    fn integer(value: i128) -> Option<Self> {
        Self::try_from(value).ok()
    }
    #[expect(clippy::cast_possible_truncation, reason = "a fraction of a millisecond says nothing")]
    fn float(value: f64) -> Option<Self> {
        (-MAX_SAFE..=MAX_SAFE).contains(&value).then_some(value as Self)
    }
}

impl Scalar for f64 {
    #[expect(clippy::cast_precision_loss, reason = "JavaScript has no other numbers")]
    fn integer(value: i128) -> Option<Self> {
        Some(value as Self)
    }
    fn float(value: f64) -> Option<Self> {
        value.is_finite().then_some(value)
    }
}

impl Scalar for bool {
    fn truth(value: bool) -> Option<Self> {
        Some(value)
    }
}

struct SlotVisitor<T>(PhantomData<T>);

impl<'de, T: Scalar> Deserialize<'de> for Slot<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SlotVisitor(PhantomData))
    }
}

impl<T> SlotVisitor<T> {
    fn wrap(value: Option<T>) -> Slot<T> {
        value.map_or(Slot::Wrong, Slot::Good)
    }
}

impl<'de, T: Scalar> Visitor<'de> for SlotVisitor<T> {
    type Value = Slot<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_str<E>(self, text: &str) -> Result<Slot<T>, E> {
        Ok(Self::wrap(T::text(text)))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Slot<T>, E> {
        Ok(Self::wrap(T::integer(value.into())))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Slot<T>, E> {
        Ok(Self::wrap(T::integer(value.into())))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Slot<T>, E> {
        Ok(Self::wrap(T::float(value)))
    }
    fn visit_bool<E>(self, value: bool) -> Result<Slot<T>, E> {
        Ok(Self::wrap(T::truth(value)))
    }
    fn visit_unit<E>(self) -> Result<Slot<T>, E> {
        Ok(Slot::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Slot<T>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Slot::Wrong)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slot<T>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Slot::Wrong)
    }
}

/// A key, borrowed from the line unless it is spelled with escapes.
pub(super) struct Key<'de>(pub(super) Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(key)))
    }
    fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(key.to_owned())))
    }
}
