//! Several JSON values in one text.

use serde_json::value::RawValue;

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
