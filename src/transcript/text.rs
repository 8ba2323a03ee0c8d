//! Text that knows its own lengths.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

/// A text with its length in UTF-16 code units and in code points, both measured once.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Text {
    content: Box<str>,
    utf16: Length,
    chars: Length,
}

/// A length that takes half a word: sessions have many texts. One of 4 GiB or more is not kept but measured again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Length(u32);

impl Length {
    const TOO_LONG: Self = Self(u32::MAX);

    fn of(length: usize) -> Self {
        u32::try_from(length).map_or(Self::TOO_LONG, Self)
    }

    fn or_measured(self, measure: impl FnOnce() -> usize) -> usize {
        if self == Self::TOO_LONG { measure() } else { self.0 as usize }
    }
}

fn chars_of(text: &str) -> usize {
    bytecount::num_chars(text.as_bytes())
}

impl Text {
    /// Measures `text` and keeps it.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        let content = text.into();
        if content.is_ascii() {
            let length = Length::of(content.len());
            return Self { utf16: length, chars: length, content };
        }
        let chars = chars_of(&content);
        Self { utf16: Length::of(chars + super::json::astral(&content)), chars: Length::of(chars), content }
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.content
    }

    /// Length in UTF-16 code units: JavaScript's `length`.
    pub fn utf16_len(&self) -> usize {
        self.utf16.or_measured(|| chars_of(&self.content) + super::json::astral(&self.content))
    }

    /// Length in Unicode code points: Python's `len`.
    pub fn char_len(&self) -> usize {
        self.chars.or_measured(|| chars_of(&self.content))
    }

    /// Length in UTF-8 bytes.
    pub fn byte_len(&self) -> usize {
        self.content.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.content, f)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// A JSON value as it was spelled in the file.
///
/// The spelling is kept because a lone surrogate or the order of keys, which decide lengths, would not survive a
/// round trip through a Rust string or a sorted map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText {
    raw: Box<str>,
    js_utf16: Length,
    python_chars: OnDemand,
}

/// A length that is measured when it is first asked for, and is no part of a value: 0 is not measured yet.
#[derive(Debug, Default)]
struct OnDemand(AtomicU32);

impl OnDemand {
    fn or_measured(&self, measure: impl FnOnce() -> usize) -> usize {
        // Threads that ask at once measure the same: the order does not matter.
        match self.0.load(Ordering::Relaxed) {
            0 => {
                let length = measure();
                self.0.store(u32::try_from(length).unwrap_or_default(), Ordering::Relaxed);
                length
            }
            known => known as usize,
        }
    }
}

impl Clone for OnDemand {
    fn clone(&self) -> Self {
        Self(AtomicU32::new(self.0.load(Ordering::Relaxed)))
    }
}

impl PartialEq for OnDemand {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for OnDemand {}

impl JsonText {
    /// Keeps `raw` and measures what JavaScript's `JSON.stringify` makes of it. `None` when it is not JSON.
    pub fn new(raw: impl Into<Box<str>>) -> Option<Self> {
        let raw = raw.into();
        let js_utf16 = super::json::js::stringified_utf16_len(&raw)?;
        Some(Self::measured(raw, js_utf16))
    }

    /// JSON text whose length was measured by whoever read it.
    pub(crate) fn measured(raw: Box<str>, js_utf16: usize) -> Self {
        Self { raw, js_utf16: Length::of(js_utf16), python_chars: OnDemand::default() }
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        &self.raw
    }

    /// Length in UTF-16 units of `JSON.stringify(value)`.
    pub fn js_utf16_len(&self) -> usize {
        self.js_utf16.or_measured(|| super::json::js::stringified_utf16_len(&self.raw).unwrap_or(self.raw.len()))
    }

    /// Length in code points of Python's `repr(json.loads(text))`; measured once, when it is first asked for.
    pub fn python_char_len(&self) -> usize {
        // What was kept is JSON and not too deep: there is a length.
        let measure = || super::json::python::repr_char_len(&self.raw).unwrap_or_else(|| chars_of(&self.raw));
        self.python_chars.or_measured(measure)
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonText, Length, Text};

    #[test]
    fn the_length_in_python_is_measured_once_and_is_no_part_of_the_value() {
        let (asked, other) = (JsonText::new("[1,null]").unwrap(), JsonText::new("[1,null]").unwrap());
        // [1, None]
        assert_eq!((asked.python_char_len(), asked.python_char_len(), asked.js_utf16_len()), (9, 9, 8));
        assert_eq!((&asked, asked.clone().python_char_len()), (&other, 9));
        assert_eq!(size_of::<JsonText>(), 24);
    }

    #[test]
    fn lengths_are_those_of_each_unit() {
        // "a" 1 byte, "é" 2, "界" 3, "😀" 4 bytes and two UTF-16 units.
        let text = Text::from("aé界😀");
        assert_eq!((text.byte_len(), text.char_len(), text.utf16_len()), (10, 4, 5));
        // One that is too long for its lengths to be kept.
        let long = Text { utf16: Length::of(1 << 32), chars: Length::of(usize::MAX), ..text.clone() };
        assert_eq!((long.char_len(), long.utf16_len()), (4, 5));
        assert_eq!(Length::of(5).or_measured(|| 7), 5);
    }
}
