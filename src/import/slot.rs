//! Fields that may be missing, null or of the wrong type, read in one pass without failing the record.

use std::borrow::Cow;
use std::sync::Arc;

use super::extra::Extras;
use super::place::{Fault, Spot};
use crate::import::FindingKind;
use crate::transcript::Text;
use crate::transcript::json::read::{Read, Reader, is_plain};

/// What a record's readers found besides its content.
#[derive(Default)]
pub(super) struct Sink {
    /// Faults, with what was done about them.
    pub(super) faults: Vec<Fault>,
    /// Fields without a place in the model.
    pub(super) extra: Extras,
    /// Where the object begins whose fields are read: that is where a missing one is missing.
    pub(super) around: Spot,
}

impl Sink {
    /// Notes a field that is missing or has the wrong type, in the object that is read.
    pub(super) fn bad(&mut self, message: impl Into<String>) {
        self.bad_at(self.around, message);
    }

    /// The same, at `spot`.
    pub(super) fn bad_at(&mut self, spot: Spot, message: impl Into<String>) {
        self.fault(spot, FindingKind::BadField, message);
    }

    /// Notes a fault at `spot`.
    pub(super) fn fault(&mut self, spot: Spot, kind: FindingKind, message: impl Into<String>) {
        self.faults.push(Fault { kind, message: message.into(), spot });
    }

    /// Takes over what `other` holds.
    pub(super) fn append(&mut self, mut other: Self) {
        self.faults.append(&mut other.faults);
        self.extra.append(other.extra);
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
    /// Of another type; where it stands.
    Wrong(Spot),
    /// As it should be.
    Good(T),
}

impl<T: Scalar> Slot<T> {
    /// Reads the value that is next.
    #[inline]
    pub(super) fn read(reader: &mut Reader<'_>) -> Read<Self> {
        let from = reader.mark();
        let value = match reader.peek() {
            b'"' => T::text(reader.string()?),
            b'n' => return reader.word("null").map(|()| Self::Null),
            b't' => reader.word("true").map(|()| T::truth(true))?,
            b'f' => reader.word("false").map(|()| T::truth(false))?,
            b'{' | b'[' => reader.raw().map(|_| None)?,
            _ => T::number(reader.number()?),
        };
        Ok(value.map_or_else(|| Self::Wrong(Spot::of(reader.since(from).text())), Self::Good))
    }

    /// Reads the value `raw`, which is known to be JSON.
    pub(super) fn of(raw: &str) -> Self {
        // What most fields hold, for which no reader is needed.
        let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        if let Some(inner) = inner.filter(|inner| is_plain(inner)) {
            return T::text(inner).map_or_else(|| Self::Wrong(Spot::of(raw)), Self::Good);
        }
        Self::read(&mut Reader::new(raw)).unwrap_or(Self::Wrong(Spot::of(raw)))
    }
}

impl<'a> Slot<Cow<'a, str>> {
    /// Reads the string that is next, without a copy where it has no escape.
    #[inline]
    pub(super) fn borrowed(reader: &mut Reader<'a>) -> Read<Self> {
        match reader.peek() {
            b'"' => reader.text().map(Self::Good),
            b'n' => reader.word("null").map(|()| Self::Null),
            _ => reader.raw().map(|raw| Self::Wrong(Spot::of(raw.text()))),
        }
    }
}

impl<T> Slot<T> {
    /// The value of a field that may be left out; `name` is for the finding.
    #[inline]
    pub(super) fn optional(self, sink: &mut Sink, name: &str) -> Option<T> {
        match self {
            Self::Good(value) => Some(value),
            Self::Missing | Self::Null => None,
            Self::Wrong(spot) => {
                sink.bad_at(spot, format!("`{name}` has the wrong type and was left out"));
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
            Self::Wrong(spot) => {
                sink.bad_at(spot, format!("`{name}` has the wrong type; read as empty"));
                T::default()
            }
        }
    }

    /// The same with another value.
    pub(super) fn map<U>(self, with: impl FnOnce(T) -> U) -> Slot<U> {
        match self {
            Self::Good(value) => Slot::Good(with(value)),
            Self::Missing => Slot::Missing,
            Self::Null => Slot::Null,
            Self::Wrong(spot) => Slot::Wrong(spot),
        }
    }

    /// Whether the field was there at all.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// The value, if it is as it should be.
    pub(super) fn good(self) -> Option<T> {
        if let Self::Good(value) = self { Some(value) } else { None }
    }
}

/// A type that one JSON scalar stands for.
pub(super) trait Scalar: Sized {
    /// From a string.
    fn text(_: &str) -> Option<Self> {
        None
    }
    /// From the spelling of a number.
    fn number(_: &str) -> Option<Self> {
        None
    }
    /// From a truth value.
    fn truth(_: bool) -> Option<Self> {
        None
    }
}

/// Largest count that JavaScript, which writes these files, holds exactly. A larger one is no count.
pub(super) const MOST: u64 = 9_007_199_254_740_991;

impl Scalar for Box<str> {
    fn text(text: &str) -> Option<Self> {
        Some(text.into())
    }
}

impl Scalar for Arc<str> {
    fn text(text: &str) -> Option<Self> {
        Some(text.into())
    }
}

impl Scalar for Text {
    fn text(text: &str) -> Option<Self> {
        Some(Self::from(text))
    }
}

impl Scalar for u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and in range")]
    fn number(spelling: &str) -> Option<Self> {
        if let Ok(value) = spelling.parse() {
            return Some(value).filter(|value| *value <= MOST);
        }
        let value: f64 = spelling.parse().ok()?;
        (value.fract() == 0.0 && value >= 0.0).then_some(value as Self).filter(|value| *value <= MOST)
    }
}

impl Scalar for i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a fraction of a millisecond says nothing")]
    fn number(spelling: &str) -> Option<Self> {
        if let Ok(value) = spelling.parse() {
            return Some(value);
        }
        let value: f64 = spelling.parse().ok()?;
        Some(value as Self).filter(|value| value.unsigned_abs() <= MOST)
    }
}

impl Scalar for f64 {
    fn number(spelling: &str) -> Option<Self> {
        spelling.parse().ok().filter(|value: &Self| value.is_finite())
    }
}

impl Scalar for bool {
    fn truth(value: bool) -> Option<Self> {
        Some(value)
    }
}
