//! Where to cut: messages before the index are summarized, the rest is kept.

use std::borrow::Borrow;

use super::message::{ChatMessage, Role};
use super::trigger::{NoLimit, Size};
use crate::transcript::Tokens;

/// A list of messages that need not be stored as one.
pub trait Messages<'a> {
    /// How many.
    fn len(&self) -> usize;

    /// The message at `index`.
    fn at(&self, index: usize) -> &ChatMessage<'a>;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a, M: Borrow<ChatMessage<'a>>> Messages<'a> for [M] {
    fn len(&self) -> usize {
        <[M]>::len(self)
    }

    fn at(&self, index: usize) -> &ChatMessage<'a> {
        self[index].borrow()
    }
}

/// What the model is sent after a compaction: the summary, then the messages from the cut on.
#[derive(Clone, Copy, Debug)]
pub struct Effective<'m, 'a> {
    /// The summary, if there was a compaction.
    pub summary: Option<&'m ChatMessage<'a>>,
    /// The messages after it.
    pub kept: &'m [ChatMessage<'a>],
}

impl<'a> Messages<'a> for Effective<'_, 'a> {
    fn len(&self) -> usize {
        self.kept.len() + usize::from(self.summary.is_some())
    }

    fn at(&self, index: usize) -> &ChatMessage<'a> {
        match self.summary {
            Some(summary) if index == 0 => summary,
            Some(_) => &self.kept[index - 1],
            None => &self.kept[index],
        }
    }
}

/// The cut index for `keep`; 0 means there is nothing to do.
///
/// `total` is the scaled count of all messages, `suffix(i)` the unscaled one of those from `i` on. The result can keep
/// far more than `keep` asks for (a run of results pulls its calls in), and can be the length itself: nothing kept.
pub fn cut<'a>(
    messages: &(impl Messages<'a> + ?Sized),
    keep: Size,
    limit: Option<Tokens>,
    total: Tokens,
    suffix: impl Fn(usize) -> Tokens,
) -> Result<usize, NoLimit> {
    let len = messages.len();
    let Some(budget) = keep.budget(limit)? else {
        let Size::Messages(count) = keep else { return Ok(0) };
        return Ok(if len <= count { 0 } else { safe_point(messages, len - count) });
    };
    if total <= budget || len < 2 {
        return Ok(0);
    }
    // Suffix sums fall as the index grows, so the package's bounded binary search ends where this one does. If no
    // suffix fits, the last message is kept all the same.
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = usize::midpoint(low, high);
        if suffix(middle) <= budget { high = middle } else { low = middle + 1 }
    }
    Ok(safe_point(messages, low.min(len - 1)))
}

/// Moves a cut that stands on a tool result.
///
/// It goes back to the nearest assistant message that made *any* of the calls answered by the unbroken run of results
/// from here on; if there is none, to the end of that run. A cut on any other message stays.
pub fn safe_point<'a>(messages: &(impl Messages<'a> + ?Sized), index: usize) -> usize {
    let is_result = |at: usize| at < messages.len() && messages.at(at).role == Role::Tool;
    if !is_result(index) {
        return index;
    }
    let mut end = index;
    while is_result(end) {
        end += 1;
    }
    let answered = |id: &str| {
        let ids = (index..end).filter_map(|at| messages.at(at).answers.as_deref());
        !id.is_empty() && ids.into_iter().any(|answer| answer == id)
    };
    let made_one = |at: &usize| {
        let message = messages.at(*at);
        message.role == Role::Ai && message.calls.iter().any(|call| answered(&call.id))
    };
    (0..index).rev().find(made_one).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::{cut, safe_point};
    use crate::engine::langchain::{Call, ChatMessage, Content, Role, Size};
    use crate::transcript::Tokens;

    fn asks(id: &'static str) -> ChatMessage<'static> {
        let mut message = ChatMessage::new(Role::Ai, Content::text(""));
        message.calls.push(Call { id: id.into(), name: "t".into(), arguments: "{}".into() });
        message
    }

    fn answers(id: &'static str) -> ChatMessage<'static> {
        let mut message = ChatMessage::new(Role::Tool, Content::text(""));
        message.answers = Some(id.into());
        message
    }

    fn says() -> ChatMessage<'static> {
        ChatMessage::new(Role::Human, Content::text(""))
    }

    #[test]
    fn a_cut_on_results_goes_back_to_a_call_or_behind_them() {
        let messages = [says(), asks("a"), answers("a"), answers("lost"), says(), answers("lost")];
        let points: Vec<usize> = (0..=6).map(|index| safe_point(messages.as_slice(), index)).collect();
        // Index 3 is an orphan alone: behind the run. The last orphan leaves nothing.
        assert_eq!(points, [0, 1, 1, 4, 4, 6, 6]);
    }

    #[test]
    fn the_kept_part_is_the_longest_suffix_that_fits() {
        let messages = vec![says(), says(), says(), says()];
        let suffix = |index: usize| Tokens(10 * (4 - index as u64));
        let with = |budget| cut(messages.as_slice(), Size::Tokens(Tokens(budget)), None, Tokens(40), suffix).unwrap();
        assert_eq!((with(40), with(39), with(10), with(9)), (0, 1, 3, 3));
        assert_eq!(cut(messages.as_slice(), Size::Messages(3), None, Tokens(40), suffix), Ok(1));
        assert_eq!(cut(messages.as_slice(), Size::Messages(4), None, Tokens(40), suffix), Ok(0));
    }
}
