//! Codex CLI rollouts: JSON Lines of `{timestamp, type, payload}`.
//!
//! What went to the model are the `response_item` records. One reply of the model is several of them (reasoning, text,
//! calls) and has no id of its own: the items since the last answer, message or `token_count` are one reply. The
//! `event_msg` records repeat content for the user interface; they and every other record that never reaches the model
//! are notes. Usage comes from `token_count` events, whose prompt figure includes what came from the cache; the same
//! totals are sent twice now and then, and count once.
//!
//! Known dialects: `session_meta` headers with and without base instructions; before them a first line of `id`,
//! `timestamp` and `instructions` and bare items (`{"type":"message",…}`).
//!
//! A `thread_rolled_back` event takes back the last turns: what follows hangs on what stood before them.
//!
//! A compaction writes out the new history. Its summary is mostly encrypted: then it is empty here, and its `details`
//! say `{"encrypted":true}`. Versions that wrote no replacement history kept the user messages in a shortened form that
//! the file does not hold.

mod compacted;
mod item;
mod rollback;
mod session;

use super::source::Source;
use super::{Confidence, ImportError, Imported, lines, rows};

/// Lines looked at to tell the format.
const LINES: usize = 20;

/// Sure of a `session_meta` or a record with a payload of one of Codex's kinds, and of the older bare header.
pub(super) fn sniff(head: &[u8]) -> Confidence {
    let mut best = Confidence::No;
    for line in lines::split(head).iter().filter(|line| !line.text.trim().is_empty()).take(LINES) {
        let record = super::value::Value::unchecked(&line.text, line.offset).object();
        let kind = record.text("type").unwrap_or_default();
        if record.has("payload") && session::KINDS.contains(&&*kind) {
            return Confidence::Sure;
        }
        let bare_header = kind.is_empty() && record.has("id") && record.has("timestamp") && record.has("instructions");
        if bare_header || record.has("record_type") {
            return Confidence::Sure;
        }
        let content = record.items("content");
        let typed = content.first().and_then(|part| part.object().boxed("type"));
        if typed.is_some_and(|kind| matches!(&*kind, "input_text" | "output_text")) && kind == "message" {
            best = Confidence::Maybe;
        }
    }
    best
}

/// Reads a rollout.
///
/// # Errors
/// When the file is empty, is not text, or holds no record of a rollout.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    read_from(&mut Source::bytes(bytes))
}

/// [`read`] of a file that is not in memory.
pub(super) fn read_from(source: &mut Source<'_>) -> Result<Vec<Imported>, ImportError> {
    let mut session = session::Session::default();
    rows::read(source, &mut session)?;
    // Its entries have lines of their own.
    session.finish().map(|one| vec![Imported { places: Vec::new(), ..one }])
}
