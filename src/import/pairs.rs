//! Calls and results that do not pair up in a recording. A provider refuses a request in which a result does not follow its
//! call, or a call is left without one; agents mend that before they send, so that it is no fault of the file's form.

use std::collections::{HashMap, HashSet};

use super::{Finding, FindingKind};
use crate::transcript::{Block, Compaction, Entry, EntryIdx, EntryKind, Message, Transcript};

/// Every result without its call, and every call without its result before the next message, on any branch; after a
/// compaction, results that were kept without their call. In the order of the file.
///
/// `places` are those of [`super::Imported`], and `findings` what else was wrong with the file.
pub fn pairs(transcript: &Transcript, places: &[(usize, usize)], findings: &[Finding]) -> Vec<Finding> {
    let mut check =
        Check { transcript, faults: Vec::new(), reported: HashSet::new(), tip: None, before: Before::default() };
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
        check.advance(at);
        if is_last {
            check.end(at);
        }
    }
    let faulty: HashSet<usize> = findings.iter().map(|finding| finding.line).collect();
    let finding = |(at, kind, message): (usize, FindingKind, String)| {
        let (line, column) = places.get(at).copied().map_or_else(
            // A record begins its line, unless something was wrong with that.
            || {
                let line = transcript.entries[at].line;
                (line, (!faulty.contains(&line)).then_some(1))
            },
            |(line, column)| (line, Some(column)),
        );
        Finding { line, last_line: line, offset: None, column, kind, message }
    };
    let mut found: Vec<Finding> = check.faults.into_iter().map(finding).collect();
    found.sort_by_key(|finding| (finding.line, finding.column));
    found
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

/// What stands before an entry: the last message that is no result, and how often its calls were made and answered since.
#[derive(Default)]
struct Before<'t> {
    message: Option<(usize, &'t Message)>,
    made: HashMap<&'t str, usize>,
    answered: HashMap<&'t str, usize>,
}

impl<'t> Before<'t> {
    /// Takes an entry; whether it is a message that is no result, before which nothing counts.
    fn take(&mut self, at: usize, kind: &'t EntryKind) -> bool {
        match kind {
            EntryKind::Message(Message::ToolResult(result)) => {
                *self.answered.entry(&result.call_id).or_default() += 1;
                false
            }
            // A failed reply is not sent, but its calls may have run.
            EntryKind::Message(message) if is_sent(message) || calls(message).next().is_some() => {
                self.message = Some((at, message));
                calls(message).for_each(|id| *self.made.entry(id).or_default() += 1);
                true
            }
            _ => false,
        }
    }
}

struct Check<'t> {
    transcript: &'t Transcript,
    faults: Vec<(usize, FindingKind, String)>,
    /// Calls that were reported: entry and number of the call.
    reported: HashSet<(usize, usize)>,
    /// The entry after which `before` is what stands before.
    tip: Option<EntryIdx>,
    before: Before<'t>,
}

impl<'t> Check<'t> {
    /// What stands before the child of an entry: looked for backwards only where a branch begins.
    fn before(&mut self, at: Option<EntryIdx>) -> &Before<'t> {
        if self.tip != at {
            self.before = self.looked_for(at);
            self.tip = at;
        }
        &self.before
    }

    fn looked_for(&self, at: Option<EntryIdx>) -> Before<'t> {
        let mut before = Before::default();
        let (mut next, mut steps) = (at, 0);
        while let Some(idx) = next.filter(|_| steps <= self.transcript.entries.len()) {
            let Entry { kind, parent, .. } = self.transcript.entry(idx);
            if before.take(idx.0, kind) {
                break;
            }
            (next, steps) = (*parent, steps + 1);
        }
        before
    }

    /// Takes an entry that follows the one before it.
    fn advance(&mut self, at: usize) {
        let Entry { kind, parent, .. } = &self.transcript.entries[at];
        if *parent != self.tip {
            return;
        }
        let mut own = Before::default();
        if own.take(at, kind) {
            self.before = own;
        } else {
            self.before.take(at, kind);
        }
        self.tip = Some(EntryIdx(at));
    }

    /// A result: the message before it must be its call's, and no other result may have answered it.
    fn result(&mut self, at: usize, id: &str) {
        let before = self.before(self.transcript.entries[at].parent);
        let [made, answers] = [&before.made, &before.answered].map(|calls| calls.get(id).copied().unwrap_or_default());
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
        let before = self.before(from);
        let Some((reply, message)) = before.message.filter(|(_, message)| is_sent(message)) else { return };
        let mut answered = before.answered.clone();
        for (number, id) in calls(message).enumerate() {
            if let Some(left) = answered.get_mut(id).filter(|left| **left > 0) {
                *left -= 1;
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

#[cfg(test)]
mod tests {
    use super::{FindingKind, pairs};
    use crate::import::pi;

    #[test]
    fn branches_that_are_written_in_turn_are_judged_apart() {
        let call = |id: &str| format!(r#"{{"type":"toolCall","id":"{id}","name":"read","arguments":{{}}}}"#);
        let reply = format!(
            r#"{{"role":"assistant","content":[{},{}],"api":"a","provider":"p","model":"m","stopReason":"toolUse"}}"#,
            call("a"),
            call("b")
        );
        let result =
            |id: &str| format!(r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"read","content":"x"}}"#);
        let [a, b] = ["a", "b"].map(result);
        // Both branches answer both calls; the second answers one of them again, and a third leaves one open.
        let messages = [(0, &reply), (1, &a), (1, &a), (2, &b), (3, &b), (5, &a), (1, &b)];
        let lines = messages.iter().zip(1..).map(|((parent, message), id)| {
            let parent = if *parent == 0 { "null".to_owned() } else { format!("\"{parent}\"") };
            format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{message}}}"#)
        });
        let header = r#"{"type":"session","version":3,"id":"s","cwd":"/"}"#.to_owned();
        let file = std::iter::once(header).chain(lines).collect::<Vec<_>>().join("\n");
        let read = pi::read(file.as_bytes()).unwrap();
        let found = pairs(&read.transcript, &read.places, &read.findings);
        let found: Vec<_> = found.iter().map(|one| (one.line, one.kind)).collect();
        assert_eq!(found, [(2, FindingKind::UnansweredCall), (7, FindingKind::OrphanResult)]);
    }
}
