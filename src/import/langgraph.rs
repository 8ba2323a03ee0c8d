//! States of `LangGraph` threads, and LangChain messages.
//!
//! Forms: a thread state (`{values: {messages}, checkpoint, …}`), a list of them (several threads, or the history of
//! one), a bare list of messages, plain or in LangChain's constructor form (`{lc, type: "constructor", id, kwargs}`) or
//! wrapped (`{type, data}`), and the messages of deer-flow 1 (`{id, agent, role, content}`), joined or as its event stream. A file is one document;
//! the line of an entry, and of a finding about it, is the ordinal of its message, from 1.
//!
//! A later state of a thread that lacks the end of the one before is a fork: what was left is a branch.
//!
//! Counting: `usage_metadata.input_tokens` includes cache reads and writes and is converted; an Anthropic
//! `response_metadata.usage` excludes them. A call that stands both among the parts of a reply and in `tool_calls` is
//! read once. A call without a name, which the joining of streamed chunks leaves behind, says nothing and is left out.
//! System prompt and tools are not part of a state.
//!
//! Compactions: the state of Deep Agents keeps all messages and says where its summary cuts
//! (`_summarization_event`); the entry stands at the end, because the state does not say when it happened. Where a
//! thread's history shows that messages gave way to a summary, the compaction stands where it happened.

mod message;
mod reply;
mod sniff;
mod state;
mod stream;

pub(super) use self::sniff::sniff;
use self::state::{Step, Thread};
use super::chain::{Chain, Stamp};
use super::document::{Document, beginning};
use super::value::Value;
use super::{FindingKind, ImportError, Imported};
use crate::transcript::{Compaction, EntryKind};

const EXPECTED: &str = "a LangGraph state or a list of LangChain messages";

/// Reads one transcript per thread.
///
/// # Errors
/// When the file is empty, is not text, or holds no message.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    if stream::is(&beginning(&bytes[..bytes.len().min(super::HEAD)])) {
        return events(bytes);
    }
    let document = Document::read(bytes, EXPECTED)?;
    let threads = state::threads(document.value());
    if threads.iter().all(|thread| thread.steps.is_empty()) {
        let found = "no list of messages".to_owned();
        return Err(ImportError::NoRecord { line: 1, expected: EXPECTED, found });
    }
    let several = threads.len() > 1;
    let mut read: Vec<Imported> = threads.into_iter().map(|thread| session(thread, several)).collect();
    document.close(&mut read);
    Ok(read)
}

/// The session whose event stream the file is.
fn events(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let (messages, findings, lines) = stream::join(bytes)?;
    let values: Vec<Value<'_>> = messages.iter().map(|(message, _)| Value::unchecked(message, 0)).collect();
    let mut read = session(state::of_messages(&values), false);
    // The messages were put together: each stands where its first chunk does. Until here a line is the ordinal of a message.
    let place = |ordinal: usize| ordinal.checked_sub(1).and_then(|at| messages.get(at)).map(|(_, place)| *place);
    for finding in &mut read.findings {
        finding.offset = None;
        let Some((line, column)) = place(finding.line) else { continue };
        (finding.line, finding.last_line, finding.column) = (line, line, Some(column));
    }
    read.places = read.transcript.entries.iter().filter_map(|entry| place(entry.line)).collect();
    read.findings.splice(0..0, findings);
    read.lines.total = lines;
    Ok(vec![read])
}

/// The session of one thread.
fn session(thread: Thread<'_>, several: bool) -> Imported {
    let mut chain = Chain::default();
    let part = several.then(|| thread.meta.id.clone());
    chain.transcript.meta = thread.meta;
    for (step, ordinal) in thread.steps.into_iter().zip(1..) {
        match step {
            Step::Message(value) => message::push(&mut chain, ordinal, value, thread.model.as_deref()),
            Step::Back { shared, first } => {
                let entries = &chain.transcript.entries;
                let place = |id: Option<Box<str>>| id.and_then(|id| entries.iter().position(|entry| entry.id == id));
                let is_compaction = |at: &usize| matches!(entries[*at].kind, EntryKind::Compaction(_));
                // What a compaction kept stands before it: a state that begins with a summary goes on behind it.
                chain.tip = place(shared).max(place(first).filter(is_compaction));
            }
            Step::Repeated(value, id) => {
                let message =
                    format!("id `{id}` occurs twice in a state; the later message takes the place of the first");
                chain.fault_of(value, ordinal, FindingKind::DuplicateId, message);
            }
            Step::Compaction { id, summary, first_kept } => {
                let compaction = Compaction { summary, first_kept, ..Compaction::default() };
                chain.push(ordinal, Stamp { id, ..Stamp::default() }, EntryKind::Compaction(Box::new(compaction)));
            }
        }
    }
    chain.finish(part)
}
