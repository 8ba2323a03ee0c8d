//! What the summarizer is given, and what its answer becomes.

use std::borrow::{Borrow, Cow};

use super::estimate::Estimator;
use super::message::{ChatMessage, Content, Role};
use super::number::{share, tokens};
use super::transcript_xml::transcript_xml;
use super::trim::trim_last;
use crate::transcript::Tokens;

/// Stands in for a summary when there is nothing to summarize; the model is not asked.
pub const NO_HISTORY_ANSWER: &str = "No previous conversation history.";

/// Stands in for a summary when trimming left nothing; the model is not asked, and the history is lost.
pub const LONG_HISTORY_ANSWER: &str = "Previous conversation was too long to summarize.";

/// Marks the cut in a transcript that was too long for the summarizer. Our words; 44 characters, as in the package.
const MIDDLE_MARKER: &str = "\n\n[... the middle part is cut out here ...]\n";

/// What goes to the summarizer.
#[derive(Clone, Debug, PartialEq)]
pub enum SummaryInput<'m, 'a> {
    /// No model call: this is the summary.
    Fixed(&'static str),
    /// These messages, as a transcript in a prompt.
    Messages(Vec<Cow<'m, ChatMessage<'a>>>),
}

impl SummaryInput<'_, '_> {
    /// The transcript; empty when the model is not asked.
    pub fn transcript(&self) -> String {
        match self {
            Self::Fixed(_) => String::new(),
            Self::Messages(messages) => transcript_xml(messages),
        }
    }
}

/// The old messages as the summarizer gets them: trimmed to `trim` tokens if that is set.
pub fn summarizer_input<'m, 'a>(
    old: &'m [ChatMessage<'a>],
    counts: &[Tokens],
    trim: Option<Tokens>,
    estimator: &Estimator,
) -> SummaryInput<'m, 'a> {
    if old.is_empty() {
        return SummaryInput::Fixed(NO_HISTORY_ANSWER);
    }
    let kept = match trim {
        Some(budget) => trim_last(old, counts, budget, estimator),
        None => old.iter().map(Cow::Borrowed).collect(),
    };
    if kept.is_empty() { SummaryInput::Fixed(LONG_HISTORY_ANSWER) } else { SummaryInput::Messages(kept) }
}

/// The transcript for the one retry after the summarizer itself overflowed: a quarter of what fits from its head, the
/// rest from its tail. What fits is half its own estimate, or 40 % of the summarizer's input `limit` if that is less.
pub fn cut_middle(transcript: &str, limit: Option<Tokens>, estimator: &Estimator) -> String {
    let message = ChatMessage::new(Role::Human, Content::text(transcript));
    let estimate = estimator.of(&message);
    let half = Tokens(estimate.0 / 2);
    let budget = limit.map_or(half, |limit| half.min(share(limit, 0.4)));
    let chars = message.content.text_chars();
    let kept = usize::try_from(tokens(chars).0 * budget.0 / estimate.0).unwrap_or(chars);
    let head = kept / 4;
    let byte = |char: usize| transcript.char_indices().nth(char).map_or(transcript.len(), |(at, _)| at);
    let (head, tail) = (&transcript[..byte(head)], &transcript[byte(chars - (kept - head))..]);
    format!("{head}{MIDDLE_MARKER}{tail}")
}

/// The message that stands in for the old ones, with the place of the full history where there is one.
///
/// Its frame is Deep Agents' own (282 characters with a path of 65), as it is part of every later request.
pub fn summary_message(summary: &str, history: Option<&str>) -> ChatMessage<'static> {
    let text = match history {
        Some(path) => format!(
            "You are in the middle of a conversation that has been summarized.\n\n\
             The full conversation history has been saved to {path} should you need to refer back to it for details.\n\n\
             A condensed summary follows:\n\n<summary>\n{summary}\n</summary>"
        ),
        None => format!("Here is a summary of the conversation to date:\n\n{summary}"),
    };
    ChatMessage { is_summary: true, ..ChatMessage::new(Role::Human, Content::text(text)) }
}

/// What a compaction appends to the history file: earlier summaries are left out. `time` is UTC in ISO form.
pub fn history_section<'a, M: Borrow<ChatMessage<'a>>>(old: &[M], time: &str) -> String {
    let old: Vec<&ChatMessage<'a>> = old.iter().map(Borrow::borrow).filter(|message| !message.is_summary).collect();
    format!("## Summarized at {time}\n\n{}\n\n", transcript_xml(&old))
}

#[cfg(test)]
mod tests {
    use super::{MIDDLE_MARKER, cut_middle};
    use crate::engine::langchain::Estimator;
    use crate::transcript::Tokens;

    #[test]
    fn a_quarter_of_the_rest_comes_from_the_head() {
        assert_eq!(MIDDLE_MARKER.chars().count(), 44);
        let transcript = format!("{}{}", "a".repeat(200), "z".repeat(600));
        // Estimate ceil(804/4)+3 = 204, budget 102: 400 characters, 100 + 300.
        let cut = cut_middle(&transcript, None, &Estimator::DEFAULT);
        assert_eq!(cut, format!("{}{MIDDLE_MARKER}{}", "a".repeat(100), "z".repeat(300)));
        // A limit of 100 tokens leaves 40: int(800 × 40 / 204) = 156.
        assert_eq!(cut_middle(&transcript, Some(Tokens(100)), &Estimator::DEFAULT).chars().count(), 156 + 44);
    }
}
