//! JSON as other languages print it.

/// JavaScript's printing.
pub mod js {
    /// UTF-16 length of `JSON.stringify(JSON.parse(raw))`; `None` when `raw` is not JSON.
    pub fn stringified_utf16_len(raw: &str) -> Option<usize> {
        let value: serde_json::Value = serde_json::from_str(raw).ok()?;
        Some(value.to_string().encode_utf16().count())
    }
}
