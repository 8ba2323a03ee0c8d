//! Requests of a log that repeat the conversation so far.
//!
//! A gateway logs every request of a session with all messages before it. A record that begins with all messages of an
//! earlier one, under the same system prompt and tools, and has more, is the same session some steps later.

use super::carrier::Session;
use crate::transcript::{Block, Entry, EntryKind, JsonText, Message};

/// Folds every record into the session that it goes on with. The order is that of the first records.
pub(super) fn fold(records: Vec<Session>) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for record in records {
        match sessions.iter_mut().rev().find(|session| goes_on(session, &record)) {
            Some(session) => append(session, record),
            None => sessions.push(record),
        }
    }
    sessions
}

fn goes_on(session: &Session, record: &Session) -> bool {
    let (old, new) = (&session.imported.transcript, &record.imported.transcript);
    let longer = !old.entries.is_empty() && old.entries.len() < new.entries.len();
    longer && old.head == new.head && old.entries.iter().zip(&new.entries).all(|(old, new)| same(old, new))
}

fn said(message: &Message) -> impl Iterator<Item = &Block> {
    message.blocks().iter().filter(|block| !matches!(block, Block::Thinking { .. }))
}

/// Whether two entries say the same. Reasoning is often left out when a reply is sent back.
fn same(old: &Entry, new: &Entry) -> bool {
    let (EntryKind::Message(old), EntryKind::Message(new)) = (&old.kind, &new.kind) else {
        return old.kind == new.kind;
    };
    let answers = |message: &Message| match message {
        Message::ToolResult(result) => Some(result.call_id.clone()),
        _ => None,
    };
    old.role() == new.role() && answers(old) == answers(new) && said(old).eq(said(new))
}

/// Takes over what is new in `record`. The facts of its header stay with its last entry.
fn append(session: &mut Session, record: Session) {
    let known = session.imported.transcript.entries.len();
    let mut new = record.imported.transcript;
    let header = new.meta.extra.take().and_then(|extra| JsonText::new(format!("{{\"\":{}}}", extra.as_str())));
    if let Some(last) = new.entries.last_mut().filter(|last| last.extra.is_none()) {
        last.extra = header;
    }
    session.imported.transcript.entries.extend(new.entries.drain(known..));
    session.imported.places.extend(record.imported.places.into_iter().skip(known));
    session.imported.findings.extend(record.imported.findings);
}
