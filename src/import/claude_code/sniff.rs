//! Telling a Claude Code session by its first bytes. Its first line is often bookkeeping, so that several are looked at.

use crate::import::object::Rest;
use crate::import::{Confidence, lines};
use crate::transcript::json::read::Reader;

/// Lines looked at.
const LINES: usize = 20;

/// Types of records that have a session id but need no place in the tree.
const TYPES: &[&str] = &[
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "custom-title",
    "mode",
    "attachment",
    "progress",
    "system",
];

/// Sure of a session id beside a parent or a type of this format; a title or a snapshot alone is a maybe.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    let mut best = Confidence::No;
    for line in lines::split(head).iter().filter(|line| !line.text.trim().is_empty()).take(LINES) {
        let text = line.text.trim();
        let found = match Rest::line(text, &mut Reader::default()) {
            Ok(mut rest) => {
                let kind: Box<str> = rest.scalar("type").good().unwrap_or_default();
                match &*kind {
                    _ if rest.has("sessionId") && (rest.has("parentUuid") || TYPES.contains(&&*kind)) => {
                        Confidence::Sure
                    }
                    "summary" if rest.has("leafUuid") => Confidence::Maybe,
                    "file-history-snapshot" if rest.has("snapshot") => Confidence::Maybe,
                    _ => Confidence::No,
                }
            }
            // The head may end inside a line.
            Err(_) if !line.terminated && text.contains("\"parentUuid\":") && text.contains("\"sessionId\":") => {
                Confidence::Sure
            }
            Err(_) => Confidence::No,
        };
        best = best.max(found);
        if best == Confidence::Sure {
            break;
        }
    }
    best
}
