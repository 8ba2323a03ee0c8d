//! Telling a Pi session by its first bytes.

use super::record::{Kind, Record};
use crate::import::slot::Slot;
use crate::import::{Confidence, lines};
use crate::transcript::json::read::Reader;

/// Lines looked at. Real files have the header on the first one.
const LINES: usize = 20;

/// Sure of a header with a working folder or a version; without one, records that carry a message with one of Pi's
/// roles are a maybe.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    let mut best = Confidence::No;
    for line in lines::split(head).iter().filter(|line| !line.text.trim().is_empty()).take(LINES) {
        let text = line.text.trim();
        match Record::read(text, &mut Reader::default()) {
            Ok(record) => match record.kind {
                Slot::Good(Kind::Session) if record.rest.has("cwd") || record.rest.has("version") => {
                    return Confidence::Sure;
                }
                Slot::Good(Kind::Message) if record.message.is_some() => best = Confidence::Maybe,
                _ => {}
            },
            // The head may end inside the first line.
            Err(_) if !line.terminated && text.starts_with("{\"type\":\"session\",") => return Confidence::Sure,
            Err(_)
                if !line.terminated && text.starts_with("{\"type\":\"message\",") && text.contains("\"message\":{") =>
            {
                best = best.max(Confidence::Maybe);
            }
            Err(_) => {}
        }
    }
    best
}
