//! The two JSON readers behind one seam.
//!
//! `serde_json` defines what is JSON; `sonic-rs` reads the hot path. A test holds that both give the same transcript.

use serde::de::DeserializeSeed;
#[cfg(test)]
use serde_json::value::RawValue;
use sonic_rs::LazyValue;

use super::record::{Record, RecordSeed};
use crate::import::json::reason;

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
