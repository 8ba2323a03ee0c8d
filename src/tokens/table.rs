//! Reference counts of the entries of a transcript.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{Reference, head_tokens, message_tokens};
use crate::transcript::{EntryIdx, EntryKind, Message, Tokens, Transcript};

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
            EntryKind::Message(message) => message_tokens(&reference, message),
            EntryKind::BranchSummary(branch) if !branch.summary.is_empty() => {
                message_tokens(&reference, &Message::BranchSummary(branch.summary.clone()))
            }
            _ => Tokens(0),
        });
        Self { reference, counts: counts.collect(), head: head_tokens(&reference, &transcript.head) }
    }

    /// A table of zeros, for a walk that brings its own counts.
    pub fn uncounted(transcript: &Transcript) -> Self {
        Self { reference: Reference::default(), counts: vec![Tokens(0); transcript.entries.len()], head: None }
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
        message_tokens(&self.reference, message)
    }
}

#[cfg(test)]
mod tests {
    use super::{MessageTable, Reference};
    use crate::tokens::IMAGE_TOKENS;
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
