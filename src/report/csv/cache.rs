//! CSV of a cache simulation: a row per record, the fields of the record as columns.

use std::io::{self, Write};

use ::csv::WriterBuilder;
use serde::Serialize;
use serde_json::Value;

use super::{maybe, word};
use crate::report::ReportError;
use crate::results::{CompactionCache, RequestCache};

/// Writes records with a header; what is not known is an empty field, and text is guarded as in the other files.
///
/// # Errors
/// When `out` cannot be written.
pub fn cache_csv<T: Serialize>(records: &[T], out: impl Write) -> Result<(), ReportError> {
    let mut csv = WriterBuilder::new().from_writer(out);
    for (index, record) in records.iter().enumerate() {
        let Value::Object(fields) = serde_json::to_value(record).map_err(io::Error::from)? else { continue };
        if index == 0 {
            csv.write_record(fields.keys())?;
        }
        csv.write_record(fields.values().map(field))?;
    }
    csv.flush()?;
    Ok(())
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => word(text),
        other => other.to_string(),
    }
}

/// The columns of a request of a replay that are about its cache; empty where nothing was simulated.
pub(super) fn request_fields(cache: Option<&RequestCache>) -> [String; 6] {
    [
        maybe(cache.map(|cache| cache.read_tokens)),
        maybe(cache.map(|cache| cache.write_tokens)),
        maybe(cache.map(|cache| cache.plain_tokens)),
        word(cache.and_then(|cache| cache.break_reason.as_deref()).unwrap_or_default()),
        maybe(cache.and_then(|cache| cache.cost_usd)),
        maybe(cache.and_then(|cache| cache.model_first_token_ms)),
    ]
}

/// The columns of a compaction that are about its cache.
pub(super) fn compaction_fields(cache: Option<&CompactionCache>) -> [String; 19] {
    let tokens = |part: fn(&CompactionCache) -> u64| maybe(cache.map(part));
    [
        tokens(|cache| cache.cached_before_tokens),
        tokens(|cache| cache.reusable_tokens),
        tokens(|cache| cache.invalidated_tokens),
        tokens(|cache| cache.rewritten_tokens),
        tokens(|cache| cache.lost_content_tokens),
        tokens(|cache| cache.lost_lifetime_tokens),
        tokens(|cache| cache.lost_granularity_tokens),
        tokens(|cache| cache.lost_placement_tokens),
        maybe(cache.map(|cache| cache.idle_ms)),
        maybe(cache.and_then(|cache| cache.one_time_tokens)),
        maybe(cache.and_then(|cache| cache.one_time_riding_tokens)),
        maybe(cache.and_then(|cache| cache.one_time_usd)),
        maybe(cache.and_then(|cache| cache.saving_tokens)),
        maybe(cache.and_then(|cache| cache.break_even_requests)),
        maybe(cache.and_then(|cache| cache.break_even_riding_requests)),
        maybe(cache.and_then(|cache| cache.warmup_requests)),
        maybe(cache.and_then(|cache| cache.regrowth_requests)),
        maybe(cache.and_then(|cache| cache.summary_usd)),
        maybe(cache.and_then(|cache| cache.summary_riding_usd)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::CacheRequestRecord;

    #[test]
    fn a_void_is_empty_and_text_is_no_formula() {
        let record =
            CacheRequestRecord { session: "=1+1".to_owned(), recorded_read_tokens: Some(7), ..Default::default() };
        let mut bytes = Vec::new();
        cache_csv(&[record], &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut lines = text.lines();
        let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
        let fields: Vec<&str> = lines.next().unwrap().split(',').collect();
        let at = |name: &str| fields[columns.iter().position(|column| *column == name).unwrap()];
        assert_eq!((at("session"), at("recorded_read_tokens"), at("recorded_usd")), ("'=1+1", "7", ""));
    }
}
