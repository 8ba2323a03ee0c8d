//! Telling an ATIF file by its first bytes.

use crate::import::Confidence;
use crate::import::document::beginning;
use crate::import::value::Value;

/// Sure of the version that every header has; without one in sight, numbered steps are a maybe.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    let text = beginning(head);
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
    Value::unchecked(&beginning(line), 0).object().has("__header__")
}
