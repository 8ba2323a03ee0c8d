//! Calls and results that do not pair up in a recording. A provider refuses a request in which a result does not follow its
//! call, or a call is left without one; agents mend that before they send, so that it is no fault of the file's form.

use std::collections::HashSet;

use super::{Finding, FindingKind, Imported};
use crate::transcript::{Block, Compaction, Entry, EntryIdx, EntryKind, Message, Transcript};

/// Every result without its call, and every call without its result before the next message, on any branch; after a
/// compaction, results that were kept without their call. In the order of the file.
pub fn pairs(imported: &Imported) -> Vec<Finding> {
    let transcript = &imported.transcript;
    let mut check = Check { transcript, faults: Vec::new(), reported: HashSet::new() };
    let mut last = vec![true; transcript.entries.len()];
    for parent in transcript.entries.iter().filter_map(|entry| entry.parent) {
        last[parent.0] = false;
    }
    for (at, is_last) in last.into_iter().enumerate() {
        match &transcript.entries[at].kind {
            EntryKind::Message(Message::ToolResult(result)) => check.result(at, &result.call_id),
            EntryKind::Message(message) if is_sent(message) => check.message(at),
            EntryKind::Compaction(compaction) => check.compaction(at, compaction),
            _ => {}
        }
        if is_last {
            check.end(at);
        }
    }
    let mut findings: Vec<Finding> =
        check.faults.into_iter().map(|(at, kind, message)| finding(imported, at, kind, message)).collect();
    findings.sort_by_key(|finding| (finding.line, finding.column));
    findings
}

fn finding(imported: &Imported, at: usize, kind: FindingKind, message: String) -> Finding {
    let (line, column) = imported.places.get(at).copied().map_or_else(
        // A record begins its line, unless something was wrong with that.
        || {
            let line = imported.transcript.entries[at].line;
            (line, imported.findings.iter().all(|finding| finding.line != line).then_some(1))
        },
        |(line, column)| (line, Some(column)),
    );
    Finding { line, last_line: line, offset: None, column, kind, message }
}

/// Whether a message that is no result is sent to the model: one that failed is not.
fn is_sent(message: &Message) -> bool {
    match message {
        Message::Bash(bash) => !bash.excluded,
        message => !message.reply().is_some_and(crate::transcript::Reply::failed),
    }
}

/// The calls of a message.
fn calls(message: &Message) -> impl Iterator<Item = &str> {
    message.blocks().iter().filter_map(|block| match block {
        Block::ToolCall(call) => Some(&*call.id),
        _ => None,
    })
}

/// What stands before an entry: the last message that is no result, and the results between.
struct Before<'t> {
    message: Option<(usize, &'t Message)>,
    answered: Vec<&'t str>,
}

struct Check<'t> {
    transcript: &'t Transcript,
    faults: Vec<(usize, FindingKind, String)>,
    /// Calls that were reported: entry and number of the call.
    reported: HashSet<(usize, usize)>,
}

impl<'t> Check<'t> {
    fn before(&self, at: Option<EntryIdx>) -> Before<'t> {
        let mut before = Before { message: None, answered: Vec::new() };
        let mut next = at;
        let mut steps = 0;
        while let Some(idx) = next.filter(|_| steps <= self.transcript.entries.len()) {
            let Entry { kind, parent, .. } = self.transcript.entry(idx);
            match kind {
                EntryKind::Message(Message::ToolResult(result)) => before.answered.push(&result.call_id),
                // A failed reply is not sent, but its calls may have run.
                EntryKind::Message(message) if is_sent(message) || calls(message).next().is_some() => {
                    before.message = Some((idx.0, message));
                    break;
                }
                _ => {}
            }
            (next, steps) = (*parent, steps + 1);
        }
        before
    }

    /// A result: the message before it must be its call's, and no other result may have answered it.
    fn result(&mut self, at: usize, id: &str) {
        let before = self.before(self.transcript.entries[at].parent);
        let made = before.message.map_or(0, |(_, message)| calls(message).filter(|call| *call == id).count());
        let answers = before.answered.iter().filter(|answered| **answered == id).count();
        if answers < made {
            return;
        }
        let why = if made > 0 { "was answered before" } else { "is not in the message before" };
        let fault = format!("a result of call `{id}`, which {why}: a provider refuses it");
        self.faults.push((at, FindingKind::OrphanResult, fault));
    }

    /// A message that is no result: all calls before it must have been answered.
    fn message(&mut self, at: usize) {
        let Entry { id, parent, .. } = &self.transcript.entries[at];
        self.unanswered(*parent, &format!("before the message `{id}`: a provider refuses it"));
    }

    /// The end of a branch.
    fn end(&mut self, at: usize) {
        self.unanswered(Some(EntryIdx(at)), "before the session ends: a provider refuses to go on from here");
    }

    fn unanswered(&mut self, from: Option<EntryIdx>, until: &str) {
        let Before { message: Some((reply, message)), mut answered } = self.before(from) else { return };
        if !is_sent(message) {
            return;
        }
        for (number, id) in calls(message).enumerate() {
            if let Some(known) = answered.iter().position(|answer| *answer == id) {
                answered.swap_remove(known);
            } else if self.reported.insert((reply, number)) {
                let fault = format!("call `{id}` has no result {until}");
                self.faults.push((reply, FindingKind::UnansweredCall, fault));
            }
        }
    }

    /// What was kept must not begin behind the call of one of its results.
    fn compaction(&mut self, at: usize, compaction: &Compaction) {
        let Some(first) = &compaction.first_kept else { return };
        let path = self.transcript.path_to(EntryIdx(at));
        let Some(from) = path.iter().position(|&idx| self.transcript.entry(idx).id == *first) else { return };
        let mut known = HashSet::new();
        for &idx in &path[from..] {
            let EntryKind::Message(message) = &self.transcript.entry(idx).kind else { continue };
            known.extend(calls(message));
            if let Message::ToolResult(result) = message
                && !known.contains(&*result.call_id)
            {
                let fault =
                    format!("the part that was kept has the result of call `{}` without the call", result.call_id);
                self.faults.push((at, FindingKind::OrphanResult, fault));
            }
        }
    }
}
