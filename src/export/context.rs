//! The messages of the next request of a session.

use std::borrow::Cow;
use std::collections::HashMap;

use super::report::{Change, Fate, Report};
use crate::transcript::{
    Block, Compaction, Content, Entry, EntryKind, Message, Role, Text, ToolResult, Transcript, is_sent,
};

/// What stands for the missing result of a call, as agents send it to a provider that insists on one.
const NO_RESULT: &str = "No result provided";

/// Which past a context has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Past {
    /// Recorded compactions are in force: what the agent would really send next.
    #[default]
    Recorded,
    /// Every message of the current branch, as if nothing had been compacted.
    Full,
}

/// The messages that the next request of a session holds, calls and results paired as a provider wants them. What is left
/// out or added is counted in `report`.
pub fn context<'t>(transcript: &'t Transcript, past: Past, report: &mut Report) -> Vec<Cow<'t, Message>> {
    let entries: Vec<&Entry> = transcript.path().into_iter().map(|idx| transcript.entry(idx)).collect();
    let compaction = entries.iter().enumerate().rev().find_map(|(at, entry)| match &entry.kind {
        EntryKind::Compaction(compaction) if past == Past::Recorded => Some((at, &**compaction)),
        _ => None,
    });
    let edits = edits(&entries, report);
    let (mut messages, from) = match compaction {
        None => (Vec::new(), 0),
        Some((at, compaction)) => after(&entries, at, compaction, &edits, report),
    };
    messages.extend(entries[from..].iter().filter_map(|entry| yielded(entry, &edits)));
    paired(messages, report)
}

/// The last edit of each message.
type Edits<'t> = HashMap<&'t str, Option<&'t Content>>;

fn edits<'t>(entries: &[&'t Entry], report: &mut Report) -> Edits<'t> {
    let edits = entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::ContextEdit(edit) => Some((&*edit.target, edit.replacement.as_ref())),
        _ => None,
    });
    let edits: Edits<'t> = edits.collect();
    report.add(Fate::Changed, Change::Edits, edits.len());
    edits
}

/// What a compaction at `at` leaves of what came before it, and where the context goes on.
fn after<'t>(
    entries: &[&'t Entry],
    at: usize,
    compaction: &'t Compaction,
    edits: &Edits<'t>,
    report: &mut Report,
) -> (Vec<Cow<'t, Message>>, usize) {
    let mut messages: Vec<Cow<'t, Message>> = compaction.replacement.iter().map(Cow::Borrowed).collect();
    // A summary that cannot be read, because it is encrypted, is no message.
    if !compaction.summary.is_empty() || compaction.replacement.is_empty() {
        messages.push(Cow::Owned(Message::CompactionSummary(compaction.summary.clone())));
    }
    let named = |id: &str| entries[..at].iter().position(|entry| *entry.id == *id);
    let kept = compaction.first_kept.as_deref().and_then(named).unwrap_or(at);
    let before = entries[..at].iter().enumerate().filter_map(|(at, entry)| Some((at, yielded(entry, edits)?)));
    let mut dropped = 0;
    for (at, message) in before {
        // Pi sends stored system messages from before a compaction no more: the compaction brings its own.
        if at >= kept && message.role() != Role::System {
            messages.push(message);
        } else {
            dropped += 1;
        }
    }
    report.add(Fate::Lost, Change::Compacted, dropped);
    (messages, at + 1)
}

/// The message that an entry adds to the context.
fn yielded<'t>(entry: &'t Entry, edits: &Edits<'t>) -> Option<Cow<'t, Message>> {
    let message = match &entry.kind {
        EntryKind::Message(message) => Cow::Borrowed(message),
        EntryKind::BranchSummary(branch) if !branch.summary.is_empty() => {
            Cow::Owned(Message::BranchSummary(branch.summary.clone()))
        }
        _ => return None,
    };
    match edits.get(&*entry.id) {
        None => Some(message),
        Some(None) => None,
        Some(Some(content)) => Some(Cow::Owned(message.with_content((*content).clone()))),
    }
}

/// Leaves out what is not sent and results without their call, and answers calls that nothing answered.
fn paired<'t>(messages: Vec<Cow<'t, Message>>, report: &mut Report) -> Vec<Cow<'t, Message>> {
    let mut sent: Vec<Cow<'t, Message>> = Vec::with_capacity(messages.len());
    let mut open: Vec<Box<str>> = Vec::new();
    for message in messages {
        if !is_sent(&message) {
            let change = if message.reply().is_some() { Change::FailedReplies } else { Change::ExcludedCommands };
            report.add(Fate::Lost, change, 1);
            continue;
        }
        if let Message::ToolResult(result) = &*message {
            match open.iter().position(|id| *id == result.call_id) {
                Some(at) => drop(open.remove(at)),
                None => {
                    report.add(Fate::Lost, Change::OrphanResults, 1);
                    continue;
                }
            }
        } else {
            close(&mut open, &mut sent, report);
            let calls = message.blocks().iter().filter_map(|block| match block {
                Block::ToolCall(call) => Some(call.id.clone()),
                _ => None,
            });
            open.extend(calls);
        }
        sent.push(message);
    }
    close(&mut open, &mut sent, report);
    sent
}

fn close(open: &mut Vec<Box<str>>, sent: &mut Vec<Cow<'_, Message>>, report: &mut Report) {
    report.add(Fate::Added, Change::StandIns, open.len());
    sent.extend(open.drain(..).map(|call_id| {
        let content = Content { blocks: vec![Block::Text(Text::from(NO_RESULT))], plain: false };
        let tool = "".into();
        let result = ToolResult { call_id, tool, content, is_error: true, details: None, nested_calls: None };
        Cow::Owned(Message::ToolResult(Box::new(result)))
    }));
}
