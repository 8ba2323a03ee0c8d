//! The two JSON readers behind one seam.
//!
//! `serde_json` defines what is JSON; `sonic-rs` reads the hot path. A test holds that both give the same transcript.

use std::borrow::Cow;

use serde::de::{Deserialize, DeserializeSeed};
use serde_json::value::RawValue;
use sonic_rs::LazyValue;

use super::record::{Record, RecordSeed};

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

/// A JSON reader for whole lines.
pub(super) trait Reader {
    /// The record in `line`, or why there is none. Anything after the record is an error.
    fn record(line: &str) -> Result<Record<'_>, String>;
}

/// `sonic-rs`. Lone surrogates in texts become U+FFFD; in values kept raw they stay as spelled.
pub(super) struct Sonic;

/// `serde_json`. A lone surrogate in a text is an error.
#[cfg(test)]
pub(super) struct SerdeJson;

impl Reader for Sonic {
    fn record(line: &str) -> Result<Record<'_>, String> {
        let mut de = sonic_rs::Deserializer::from_str(line).utf8_lossy();
        let record = RecordSeed::<LazyValue<'_>>::default().deserialize(&mut de).map_err(|e| reason(&e.to_string()))?;
        de.end().map_err(|e| reason(&e.to_string()))?;
        Ok(record)
    }
}

#[cfg(test)]
impl Reader for SerdeJson {
    fn record(line: &str) -> Result<Record<'_>, String> {
        let mut de = serde_json::Deserializer::from_str(line);
        let record = RecordSeed::<&RawValue>::default().deserialize(&mut de).map_err(|e| e.to_string())?;
        de.end().map_err(|e| e.to_string())?;
        Ok(record)
    }
}

/// The first line of an error: `sonic-rs` quotes the neighbourhood below it, which may be a user's text.
fn reason(error: &str) -> String {
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
