//! Values kept as they are spelled, and read again when their kind is known.

use std::borrow::Cow;

use serde::de::{Deserialize, DeserializeSeed};
use serde_json::value::RawValue;
use sonic_rs::LazyValue;

/// A value that is kept as it is spelled, not parsed.
pub(super) trait Raw<'de>: Deserialize<'de> {
    /// Its JSON text.
    fn into_text(self) -> Cow<'de, str>;
}

impl<'de> Raw<'de> for LazyValue<'de> {
    fn into_text(self) -> Cow<'de, str> {
        self.as_raw_cow()
    }
}

impl<'de> Raw<'de> for &'de RawValue {
    fn into_text(self) -> Cow<'de, str> {
        Cow::Borrowed(self.get())
    }
}

/// The first line of an error: `sonic-rs` quotes the neighbourhood below it, which may be a user's text.
pub(super) fn reason(error: &str) -> String {
    error.lines().next().unwrap_or_default().to_owned()
}

/// Reads a piece that was kept raw. The piece is known to be JSON, so that only its shape can be wrong.
pub(super) fn reread<'de, S: DeserializeSeed<'de>>(raw: &'de str, seed: S) -> Option<S::Value> {
    seed.deserialize(&mut sonic_rs::Deserializer::from_str(raw).utf8_lossy()).ok()
}

/// The complete values at the start of `text`, as slices, and the offset at which they end.
///
/// Lines on which a line break was lost hold several.
pub(super) fn leading_values(text: &str) -> (Vec<&str>, usize) {
    let mut values = Vec::new();
    let mut end = 0;
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    while let Some(Ok(value)) = stream.next() {
        values.push(value.get());
        end = stream.byte_offset();
    }
    (values, end)
}
