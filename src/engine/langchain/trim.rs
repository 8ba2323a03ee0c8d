//! `trim_messages`: what of the old messages fits the summarizer's budget.

use std::borrow::Cow;

use super::estimate::Estimator;
use super::ledger::Ledger;
use super::message::{ChatMessage, Content, Measured, Part, Role};
use crate::transcript::Tokens;

/// The end of `messages` that fits `budget`, as the middleware asks for it: a system message in front stays, the result
/// begins with a human message, and the first message may be cut at a line break.
///
/// `tokens` are the counts of `messages`. The package counts with usage scaling, over the messages in reverse order, so
/// that the *oldest* reply with usage sets the scale. With no human message in the tail that fits, nothing is left but
/// the system message.
pub fn trim_last<'m, 'a>(
    messages: &'m [ChatMessage<'a>],
    tokens: &[Tokens],
    budget: Tokens,
    estimator: &Estimator,
) -> Vec<Cow<'m, ChatMessage<'a>>> {
    let system = usize::from(messages.first().is_some_and(|first| first.role == Role::System));
    let room = budget.saturating_sub(tokens[..system].iter().copied().sum());
    let reversed = Ledger::new(messages[system..].iter().zip(tokens[system..].iter().copied()).rev());
    let whole = whole_messages(&reversed, room);
    let mut start = messages.len() - whole;
    let mut kept: Vec<Cow<'m, ChatMessage<'a>>> = messages[..system].iter().map(Cow::Borrowed).collect();
    // A part of any other message would be dropped again, as the result begins with a human one.
    let next = messages[system..start].last().filter(|message| message.role == Role::Human);
    match next.and_then(|next| part_that_fits(next, &reversed, whole, room, estimator)) {
        Some(part) => kept.push(Cow::Owned(part)),
        None => start += messages[start..].iter().take_while(|message| message.role != Role::Human).count(),
    }
    kept.extend(messages[start..].iter().map(Cow::Borrowed));
    kept
}

/// How many of the messages, newest first, fit `room`. Scaled counts need not grow with the number of messages, so this
/// takes the package's steps one by one.
fn whole_messages(reversed: &Ledger, room: Tokens) -> usize {
    let fits = |count: usize| reversed.scaled(0..count, Tokens(0), 0) <= room;
    let (mut low, mut high) = (0, reversed.len());
    if fits(high) {
        return high;
    }
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// The longest end of a message that fits beside the `whole` ones: blocks first, else lines of its last block.
fn part_that_fits<'a>(
    message: &ChatMessage<'a>,
    reversed: &Ledger,
    whole: usize,
    room: Tokens,
    estimator: &Estimator,
) -> Option<ChatMessage<'a>> {
    if let Content::Parts(parts) = &message.content {
        for drop in 1..parts.len() {
            let rest = message.with_content(Content::Parts(parts[drop..].to_vec()));
            if reversed.scaled_between(0..whole, Tokens(0), estimator.of(&rest), 1) <= room {
                return Some(rest);
            }
        }
    }
    let text = match &message.content {
        Content::Text(_) => message.content.joined(""),
        Content::Parts(parts) => Cow::Borrowed(parts.last().and_then(Part::text)?),
    };
    if text.is_empty() {
        return None;
    }
    let room = room.saturating_sub(reversed.scaled(0..whole, Tokens(0), 0));
    let rest = |from: usize| message.with_content(Content::Text(vec![Measured::new(text[from..].to_owned())]));
    let lines: Vec<usize> = line_starts(&text);
    // The more lines are left out the smaller the rest, so the first that fits is found by bisection.
    let first = lines.partition_point(|&from| estimator.of(&rest(from)) > room);
    lines.get(first).map(|&from| rest(from))
}

/// Where the text can be cut: at its start and after each line feed, the last one included, so that a message can
/// be left with no text at all.
fn line_starts(text: &str) -> Vec<usize> {
    let after = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    std::iter::once(0).chain(after).collect()
}

#[cfg(test)]
mod tests {
    use super::trim_last;
    use crate::engine::langchain::{ChatMessage, Content, Estimator, Role};
    use crate::transcript::Tokens;

    #[test]
    fn the_first_human_message_is_cut_at_a_line() {
        let text = format!("{}\n{}\n{}", "a".repeat(40), "b".repeat(40), "c".repeat(40));
        let messages =
            [ChatMessage::new(Role::Human, Content::text(text)), ChatMessage::new(Role::Ai, Content::text("ok"))];
        let estimator = Estimator::DEFAULT;
        let tokens: Vec<Tokens> = messages.iter().map(|message| estimator.of(message)).collect();
        // 122 characters and "user": ceil(126/4)+3 = 35; "ok" and "assistant": 6.
        assert_eq!(tokens, [Tokens(35), Tokens(6)]);
        // Two lines are 81 characters: ceil(85/4)+3 = 25; one is 40: 14.
        let left = |budget| {
            let kept = trim_last(&messages, &tokens, Tokens(budget), &estimator);
            kept.first().map_or(0, |first| first.content.text_chars())
        };
        assert_eq!((left(41), left(31), left(30), left(20), left(19)), (122, 81, 40, 40, 0));
    }
}
