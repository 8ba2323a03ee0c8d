//! Summaries of branches that are left (`/tree`).

use super::{FileOps, Rules, message_tokens};
use crate::transcript::{BranchSummary, EntryIdx, EntryKind, Message, Tokens, Transcript};

/// What a branch summary would be made from.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchPreparation {
    /// Messages, oldest first.
    pub messages: Vec<Message>,
    /// Their estimate.
    pub tokens: Tokens,
    /// Files of the visited messages and of the branch summaries among the entries.
    pub files: FileOps,
}

/// The entries that a move from `leaf` to `target` leaves, oldest first, and the deepest common ancestor.
pub fn left_entries(transcript: &Transcript, leaf: EntryIdx, target: EntryIdx) -> (Vec<EntryIdx>, Option<EntryIdx>) {
    let (from, to) = (transcript.path_to(leaf), transcript.path_to(target));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    (from[shared..].to_vec(), shared.checked_sub(1).map(|last| from[last]))
}

/// Takes messages from the newest on until `budget` is spent; no budget takes all.
///
/// A compaction or branch summary that would exceed the budget is still taken below nine tenths of it.
pub fn prepare_branch(
    transcript: &Transcript,
    entries: &[EntryIdx],
    budget: Option<Tokens>,
    rules: &Rules,
) -> BranchPreparation {
    let mut files = FileOps::default();
    for &idx in entries {
        let EntryKind::BranchSummary(branch) = &transcript.entry(idx).kind else { continue };
        if let BranchSummary { details: Some(details), from_hook: false, .. } = &**branch {
            files.add_details(details);
        }
    }
    let mut taken = Vec::new();
    let mut tokens = Tokens(0);
    for &idx in entries.iter().rev() {
        let kind = &transcript.entry(idx).kind;
        let Some(message) = told(kind) else { continue };
        files.add(&message, rules);
        let more = message_tokens(&message, rules);
        if let Some(budget) = budget.filter(|budget| tokens + more > *budget) {
            let is_summary = matches!(kind, EntryKind::Compaction(_) | EntryKind::BranchSummary(_));
            if is_summary && tokens.0 * 10 < budget.0 * 9 {
                taken.push(message);
                tokens = tokens + more;
            }
            break;
        }
        taken.push(message);
        tokens = tokens + more;
    }
    taken.reverse();
    BranchPreparation { messages: taken, tokens, files }
}

/// What an entry tells a branch summary. Tool results tell nothing: their calls do.
fn told(kind: &EntryKind) -> Option<Message> {
    match kind {
        EntryKind::Message(Message::ToolResult(_) | Message::System(_)) => None,
        EntryKind::Message(message) => Some(message.clone()),
        EntryKind::Compaction(compaction) => Some(Message::CompactionSummary(compaction.summary.clone())),
        EntryKind::BranchSummary(branch) if !branch.summary.is_empty() => {
            Some(Message::BranchSummary(branch.summary.clone()))
        }
        _ => None,
    }
}
