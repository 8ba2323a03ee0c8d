//! How full the context is at the end, what is in it that no estimator counts, and what compactions changed.

use super::{Remark, RemarkKind};
use crate::engine::pi::{Item, Path, Positions, estimate_projected, message_tokens};
use crate::transcript::{Block, EntryKind, Message, Text, Tokens};

/// The context after the last entry, as Pi 1.6.0 estimates it: the last usable recorded usage, and characters / 4 after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The estimate.
    pub tokens: Tokens,
    /// Line and size of the usage that it rests on; `None`: all is estimated.
    pub anchor: Option<(usize, Tokens)>,
    /// The part that is estimated.
    pub estimated: Tokens,
    /// Messages in the context.
    pub messages: usize,
}

impl Standing {
    pub(super) fn of(path: &Path<'_>, context: &[Item<'_>]) -> Self {
        let estimate = estimate_projected(path, context, path.rules());
        let position = estimate.anchor.and_then(|index| context[index].position);
        Self {
            tokens: estimate.tokens,
            anchor: position.map(|position| (path.entry(position).line, estimate.usage)),
            estimated: estimate.trailing,
            messages: context.len(),
        }
    }
}

/// Signatures of thinking: sent with their message, but in no estimate and in no count, because what a provider bills for
/// them is not public.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opaque {
    /// Blocks with a signature.
    pub blocks: usize,
    /// Their bytes. Signatures are ASCII in every format that is read.
    pub bytes: u64,
}

impl Opaque {
    pub(super) fn of(context: &[Item<'_>]) -> Self {
        let blocks = context.iter().flat_map(|item| item.message.blocks());
        let signatures = blocks.filter_map(|block| match block {
            Block::Thinking { signature: Some(signature), .. } => Some(signature.len() as u64),
            _ => None,
        });
        signatures.fold(Self::default(), |sum, bytes| Self { blocks: sum.blocks + 1, bytes: sum.bytes + bytes })
    }

    /// What they would count as text, at four characters a token.
    pub fn tokens_as_text(self) -> Tokens {
        Tokens(self.bytes.div_ceil(4))
    }
}

/// What a recorded compaction took out of the context and put into it, in Pi's estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Line of the compaction.
    pub line: usize,
    /// Tokens of the messages and of the older summary that it replaced; `None`: that summary cannot be read.
    pub before: Option<Tokens>,
    /// Tokens of its summary, and of messages that it wrote out anew; `None`: the summary cannot be read.
    pub after: Option<Tokens>,
}

impl Replaced {
    pub(super) fn remark(&self) -> Option<Remark> {
        let (before, after) =
            self.before.zip(self.after).filter(|&(before, after)| after >= before && before > Tokens(0))?;
        let more = after.saturating_sub(before);
        let text = format!(
            "the summary of {after} tokens replaced {before} (by Pi's estimate): the context did not shrink but grew by {more}"
        );
        Some(Remark { line: self.line, kind: RemarkKind::NoGain, text })
    }
}

/// Every compaction of the path.
pub(super) fn replaced(path: &Path<'_>) -> Vec<Replaced> {
    // Where the context begins, and what the summary at its head counts.
    let (mut start, mut head) = (0, Some(Tokens(0)));
    let mut all = Vec::new();
    for position in 0..path.len() {
        let entry = path.entry(position);
        let EntryKind::Compaction(one) = &entry.kind else { continue };
        let kept = one.first_kept.as_deref().and_then(|id| path.find(id, position));
        // What is written out anew was there before: it counts on both sides.
        let end = kept.unwrap_or(position).max(start);
        let estimate = |message: &Message| message_tokens(message, path.rules());
        let anew: Tokens = one.replacement.iter().map(estimate).sum();
        let put = summary(&one.summary).map(|summary| summary + anew);
        let before = head.map(|head| head + path.estimates().range(start..end));
        all.push(Replaced { line: entry.line, before, after: put });
        (start, head) = (end, put);
    }
    all
}

/// Pi's estimate of a summary; an empty one was encrypted, or withheld.
fn summary(text: &Text) -> Option<Tokens> {
    (!text.is_empty()).then(|| Tokens(text.utf16_len().div_ceil(4) as u64))
}
