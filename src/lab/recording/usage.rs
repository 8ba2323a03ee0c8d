//! Recorded usage that cannot be taken at its word.

use std::cmp::Ordering;

use super::{Remark, RemarkKind};
use crate::lab::Verdict;
use crate::lab::usage::fall;
use crate::transcript::{Block, Content, EntryIdx, EntryKind, Message, Tokens, Transcript, Usage};

/// Remarks on the usage along a path.
pub(super) fn remarks(transcript: &Transcript, path: &[EntryIdx]) -> Vec<Remark> {
    // A provider that never bills a write says nothing of what a request leaves behind.
    let writes = path.iter().any(|&idx| usage_of(transcript, idx).is_some_and(|usage| usage.cache_write > 0));
    let mut remarks = Vec::new();
    let mut before: Option<(Usage, &str)> = None;
    let mut latest: Option<Usage> = None;
    for &idx in path {
        let entry = transcript.entry(idx);
        let remark = |kind, text| Remark { line: entry.line, kind, text };
        match &entry.kind {
            EntryKind::Message(Message::Assistant(content, reply)) => {
                let verdict = Verdict::of(reply, latest.as_ref());
                latest = reply.usage;
                let Some(usage) = reply.usage else { continue };
                if let Some(why) = unusable(verdict) {
                    let text = format!("usage of {} tokens is no measure of the context: {why}", usage.context());
                    remarks.push(remark(RemarkKind::UnusableUsage, text));
                    continue;
                }
                if let Some((last, _)) = before.filter(|(_, model)| *model == &*reply.model) {
                    remarks
                        .extend(fell(last, usage, is_empty(content)).map(|text| remark(RemarkKind::UsageFall, text)));
                    let text = if writes { mismatch(last, usage) } else { None };
                    remarks.extend(text.map(|text| remark(RemarkKind::CacheMismatch, text)));
                }
                before = Some((usage, &reply.model));
            }
            EntryKind::Compaction(_) | EntryKind::BranchSummary(_) | EntryKind::ContextEdit(_) => {
                (before, latest) = (None, None);
            }
            _ => {}
        }
    }
    remarks
}

fn is_empty(content: &Content) -> bool {
    content.blocks.iter().all(|block| match block {
        Block::Text(text) | Block::Thinking { text, .. } => text.is_empty(),
        Block::ToolCall(_) | Block::Image(_) | Block::Other(_) => false,
    })
}

fn usage_of(transcript: &Transcript, idx: EntryIdx) -> Option<Usage> {
    match &transcript.entry(idx).kind {
        EntryKind::Message(message) => message.reply()?.usage,
        _ => None,
    }
}

/// Why usage says nothing of the context; `None` where it does, or is not there.
fn unusable(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Failed => Some("the request failed or was stopped"),
        Verdict::Zero => Some("its prompt is zero"),
        Verdict::Synthetic => Some("the agent wrote the reply itself"),
        Verdict::Duplicate => Some("it repeats the usage of the reply before"),
        // The usage of a summary stands with its compaction, not with a reply.
        Verdict::Usable | Verdict::Missing | Verdict::Summary => None,
    }
}

/// The words for a fall of the context.
fn fell(last: Usage, usage: Usage, empty: bool) -> Option<String> {
    let by = fall(&last, &usage);
    if by == Tokens(0) {
        return None;
    }
    let (from, to) = (last.context(), usage.context());
    let reply = if empty { "; the reply is empty" } else { "" };
    Some(format!("usage falls from {from} to {to} tokens, by {by}, and nothing recorded was removed in between{reply}"))
}

/// A request reads what the one before read and wrote. No time is looked at: where less was read, the cache may have expired.
fn mismatch(last: Usage, usage: Usage) -> Option<String> {
    let (left, read) = (Tokens(last.cache_read) + Tokens(last.cache_write), Tokens(usage.cache_read));
    let (by, way, rest) = match read.cmp(&left) {
        Ordering::Equal => return None,
        Ordering::Greater => (read.saturating_sub(left), "more", ""),
        Ordering::Less => (left.saturating_sub(read), "less", "; an expiry in between is not excluded"),
    };
    Some(format!("{read} tokens read from the cache, {by} {way} than the {left} left there{rest}"))
}
