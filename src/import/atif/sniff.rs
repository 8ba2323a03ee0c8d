//! Telling an ATIF file by its first bytes.

use std::borrow::Cow;

use crate::import::Confidence;
use crate::import::value::Value;

/// Sure of the version that every header has; without one in sight, numbered steps are a maybe.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    let text = text(head);
    let fields = Value::unchecked(&text, 0).object();
    let agent = fields.has("agent") || fields.has("steps") || fields.has("session_id");
    match fields.text("schema_version").as_deref() {
        Some(version) if version.starts_with("ATIF-") => Confidence::Sure,
        Some(version) if version.starts_with("1.") && agent => Confidence::Sure,
        _ => {
            let first = fields.items("steps").first().map(|step| step.object()).unwrap_or_default();
            let numbered = first.has("step_id") && first.has("source");
            if numbered { Confidence::Maybe } else { Confidence::No }
        }
    }
}

/// Whether the file is JSON Lines: a header on its first line.
pub(super) fn is_stream(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    Value::unchecked(&text(line), 0).object().has("__header__")
}

/// The text of the first bytes, without what may stand before a document.
fn text(head: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head));
    let start = text.len() - text.trim_start_matches(|c: char| c == '\0' || c.is_whitespace()).len();
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..]),
        Cow::Owned(mut text) => Cow::Owned(text.split_off(start)),
    }
}
