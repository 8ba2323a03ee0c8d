//! Reference counts of the entries of a transcript.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::Reference;
use crate::transcript::{EntryIdx, EntryKind, Head, Message, Part, Tokens, Transcript, sent_parts};

/// What a picture counts, whatever its size: the figure of Pi (4,800 characters / 4). It is a rule, not a measurement.
pub const IMAGE_TOKENS: Tokens = Tokens(1_200);

/// Reference counts of all entries, each counted once.
///
/// A message counts the sum of its parts that are sent, each tokenized on its own. The few tokens that a provider adds
/// around messages are not public and not added. What is not sent counts nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageTable {
    reference: Reference,
    counts: Vec<Tokens>,
    head: Option<Tokens>,
}

impl MessageTable {
    /// Counts a transcript, on all threads of the pool.
    pub fn new(transcript: &Transcript, reference: Reference) -> Self {
        let counts = transcript.entries.par_iter().map(|entry| match &entry.kind {
            EntryKind::Message(message) => message_count(reference, message),
            EntryKind::BranchSummary { summary, .. } if !summary.is_empty() => {
                message_count(reference, &Message::BranchSummary(summary.clone()))
            }
            _ => Tokens(0),
        });
        Self { reference, counts: counts.collect(), head: head_count(reference, &transcript.head) }
    }

    /// The tokenizer.
    pub fn reference(&self) -> Reference {
        self.reference
    }

    /// Count of an entry.
    pub fn entry(&self, idx: EntryIdx) -> Tokens {
        self.counts[idx.0]
    }

    /// Count of system prompt and tool schemas; `None` when either is unknown.
    pub fn head(&self) -> Option<Tokens> {
        self.head
    }

    /// Count of a message that is not of the transcript.
    pub fn message(&self, message: &Message) -> Tokens {
        message_count(self.reference, message)
    }
}

fn message_count(reference: Reference, message: &Message) -> Tokens {
    let mut tokens = Tokens(0);
    sent_parts(message, |part| {
        tokens = tokens
            + match part {
                Part::Text(text) => reference.count(&text),
                Part::Image(_) => IMAGE_TOKENS,
            };
    });
    tokens
}

fn head_count(reference: Reference, head: &Head) -> Option<Tokens> {
    let system = reference.count(head.system.as_ref()?.as_str());
    let tools = head.tools.as_ref()?.iter();
    let tool = |text: &str| reference.count(text);
    Some(system + tools.map(|one| tool(&one.name) + tool(&one.description) + tool(&one.parameters)).sum())
}

#[cfg(test)]
mod tests {
    use super::{IMAGE_TOKENS, MessageTable, Reference};
    use crate::transcript::{Block, Content, Head, Image, Message, Text, Tokens, ToolSchema, Transcript};

    #[test]
    fn a_message_counts_its_parts() {
        let table = MessageTable::new(&Transcript::default(), Reference::Cl100kBase);
        let image = Image { data: "aGk=".into(), media_type: "image/png".into() };
        let blocks = vec![Block::Text(Text::from("tiktoken is great!")), Block::Image(image)];
        let message = Message::User(Content { blocks, plain: false });
        assert_eq!(table.message(&message), Tokens(6) + IMAGE_TOKENS);
    }

    #[test]
    fn an_unknown_head_is_not_zero() {
        let mut transcript = Transcript::default();
        assert_eq!(MessageTable::new(&transcript, Reference::Cl100kBase).head(), None);
        transcript.head = Head { system: Some(Text::from("tiktoken is great!")), tools: None };
        assert_eq!(MessageTable::new(&transcript, Reference::Cl100kBase).head(), None);
        let tool = ToolSchema { name: "great".into(), description: "tiktoken is great!".into(), parameters: "".into() };
        transcript.head.tools = Some(vec![tool]);
        assert_eq!(MessageTable::new(&transcript, Reference::Cl100kBase).head(), Some(Tokens(6 + 1 + 6)));
    }
}
