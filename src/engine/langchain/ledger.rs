//! Running sums of message tokens, so that any slice of a session is counted without visiting it.

use std::ops::Range;

use super::message::{ChatMessage, Role};
use super::number::{ceil, float};
use crate::transcript::Tokens;

/// Usage scaling never raises an estimate by more than this factor, and never lowers it.
const MAX_SCALE: f64 = 1.25;

/// Prefix sums of per-message tokens, and what usage scaling has to know of the assistant messages.
///
/// Sums are right for estimators whose constant per message is a whole number, as both built-in ones are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    sums: Vec<u64>,
    replies: Vec<ReplyMark>,
}

/// What an assistant message says of the model behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ReplyMark {
    index: usize,
    /// It names its provider.
    known: bool,
    /// Times, up to here, that a reply named another provider (or none) after one that did.
    breaks: usize,
    /// The latest mark, up to here, with usage.
    with_usage: Option<usize>,
    usage: u64,
}

impl Ledger {
    /// Sums up `tokens`, the counts of `messages` in order.
    pub fn new<'m, 'a: 'm>(counted: impl IntoIterator<Item = (&'m ChatMessage<'a>, Tokens)>) -> Self {
        let mut ledger = Self { sums: vec![0], replies: Vec::new() };
        let mut provider: Option<&'m str> = None;
        for (index, (message, tokens)) in counted.into_iter().enumerate() {
            ledger.sums.push(ledger.sums[index] + tokens.0);
            if message.role == Role::Ai {
                let own = message.provider.as_deref().filter(|name| !name.is_empty());
                ledger.mark(index, own.is_some(), provider.is_some() && own != provider, message.usage);
                provider = own;
            }
        }
        ledger
    }

    fn mark(&mut self, index: usize, known: bool, breaks: bool, usage: Option<Tokens>) {
        let before = self.replies.last();
        let with_usage =
            if usage.is_some() { Some(self.replies.len()) } else { before.and_then(|mark| mark.with_usage) };
        let breaks = before.map_or(0, |mark| mark.breaks) + usize::from(breaks);
        self.replies.push(ReplyMark { index, known, breaks, with_usage, usage: usage.unwrap_or_default().0 });
    }

    /// Number of messages.
    pub fn len(&self) -> usize {
        self.sums.len() - 1
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tokens of the messages in `range`.
    ///
    /// # Panics
    /// When `range` is not within the messages.
    pub fn plain(&self, range: Range<usize>) -> Tokens {
        Tokens(self.sums[range.end] - self.sums[range.start])
    }

    /// Index of the last assistant message in `range`.
    pub fn last_reply(&self, range: Range<usize>) -> Option<usize> {
        let marks = self.marks(range);
        marks.last().map(|mark| mark.index)
    }

    /// The count with usage scaling: `before` (system prompt, a summary, tool schemas) and the messages in `range`,
    /// raised by the ratio of reported to estimated tokens at the last reply that reports any.
    ///
    /// `messages_before` is the number of messages in `before`. Scaling is off for a single message, when replies name
    /// different providers, when the last names none, and when none reports usage. (A first reply that names none does
    /// not switch it off.)
    pub fn scaled(&self, range: Range<usize>, before: Tokens, messages_before: usize) -> Tokens {
        self.scaled_between(range, before, Tokens(0), messages_before)
    }

    /// [`Ledger::scaled`] with `after` behind the range, which is raised but not part of what the reply reports on.
    /// `other_messages` counts the messages in `before` and `after`, none of which is a reply.
    pub fn scaled_between(&self, range: Range<usize>, before: Tokens, after: Tokens, other_messages: usize) -> Tokens {
        let total = before + self.plain(range.clone()) + after;
        if range.len() + other_messages < 2 {
            return total;
        }
        let Some((reported, estimated)) = self.anchor(range, before) else { return total };
        if reported == 0 || estimated.0 == 0 {
            return total;
        }
        let scale = (float(reported) / float(estimated.0)).clamp(1.0, MAX_SCALE);
        Tokens(ceil(float(total.0) * scale))
    }

    /// Reported tokens of the last reply with usage in `range`, and the estimate up to and including it.
    fn anchor(&self, range: Range<usize>, before: Tokens) -> Option<(u64, Tokens)> {
        let start = range.start;
        let marks = self.marks(range);
        let (first, last) = (marks.first()?, marks.last()?);
        let with_usage = &self.replies[last.with_usage?];
        let usable = last.known && last.breaks == first.breaks && with_usage.index >= start;
        usable.then(|| (with_usage.usage, before + self.plain(start..with_usage.index + 1)))
    }

    fn marks(&self, range: Range<usize>) -> &[ReplyMark] {
        let first = self.replies.partition_point(|mark| mark.index < range.start);
        let end = self.replies.partition_point(|mark| mark.index < range.end);
        &self.replies[first..end.max(first)]
    }
}

#[cfg(test)]
mod tests {
    use super::Ledger;
    use crate::engine::langchain::{ChatMessage, Content, Role};
    use crate::transcript::Tokens;

    fn reply(provider: Option<&'static str>, usage: Option<u64>) -> ChatMessage<'static> {
        let mut message = ChatMessage::new(Role::Ai, Content::text(""));
        message.provider = provider.map(Into::into);
        message.usage = usage.map(Tokens);
        message
    }

    fn ledger(messages: &[ChatMessage<'static>]) -> Ledger {
        Ledger::new(messages.iter().map(|message| (message, Tokens(100))))
    }

    #[test]
    fn scaling_only_raises_and_by_a_quarter_at_most() {
        let low = ledger(&[reply(Some("a"), None), reply(Some("a"), Some(150)), reply(Some("a"), None)]);
        assert_eq!(low.scaled(0..3, Tokens(0), 0), Tokens(300));
        // 220 reported at an estimate of 200: 300 × 1.1.
        let high = ledger(&[reply(Some("a"), None), reply(Some("a"), Some(220)), reply(Some("a"), None)]);
        assert_eq!(high.scaled(0..3, Tokens(0), 0), Tokens(330));
        assert_eq!(high.scaled(1..3, Tokens(0), 0), Tokens(250));
        assert_eq!(high.scaled(2..3, Tokens(50), 1), Tokens(150));
    }

    #[test]
    fn a_change_of_provider_counts_only_within_the_slice() {
        let mixed = ledger(&[reply(Some("a"), Some(900)), reply(Some("b"), Some(900)), reply(Some("b"), None)]);
        assert_eq!(mixed.scaled(0..3, Tokens(0), 0), Tokens(300));
        assert_eq!(mixed.scaled(1..3, Tokens(0), 0), Tokens(250));
        let late = ledger(&[reply(None, None), reply(Some("b"), Some(900))]);
        assert_eq!(late.scaled(0..2, Tokens(0), 0), Tokens(250));
        let lost = ledger(&[reply(Some("b"), Some(900)), reply(None, None)]);
        assert_eq!(lost.scaled(0..2, Tokens(0), 0), Tokens(200));
    }
}
