//! Several JSON values in one text.

use serde_json::value::RawValue;

use super::document::beginning;

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

/// The beginning of a file of records in a form that no agent writes, a record a line: objects that are spread over lines, as
/// tools print them to be read, or the elements of a list. The last one may be cut off. `None` when it is neither.
pub(super) fn a_line_each(head: &[u8]) -> Option<String> {
    let text = beginning(head);
    if text.starts_with('[') {
        let elements = text.lines().map(|line| line.trim().trim_start_matches(['[', ',']).trim_end_matches([']', ',']));
        return Some(elements.collect::<Vec<_>>().join("\n"));
    }
    if !text.starts_with('{') {
        return None;
    }
    let (values, end) = leading_values(&text);
    let one_line = |text: &str| text.replace(['\r', '\n'], " ");
    let lines: Vec<String> = values.into_iter().chain([&text[end..]]).map(one_line).collect();
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::a_line_each;

    #[test]
    fn objects_over_several_lines_take_one_each() {
        let head = b"{\n \"a\": 1\n}\n{\n \"b\": [\n2,";
        assert_eq!(a_line_each(head).as_deref(), Some("{  \"a\": 1 }\n {  \"b\": [ 2,"));
        assert_eq!(a_line_each(b"[{},\n {}]").as_deref(), Some("{}\n{}"));
        assert_eq!(a_line_each(b"no"), None);
    }
}
