//! A tokenizer as estimator: it counts what is sent, part by part.

use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::Estimator;
use crate::tokens::{CountTokens, head_tokens, message_tokens};
use crate::transcript::{Head, Message, Tokens};

/// Counts with a tokenizer, and adds a constant per message. Pictures count as in [`crate::tokens::IMAGE_TOKENS`].
#[derive(Clone)]
pub struct Exact {
    /// The tokenizer.
    pub tokenizer: Arc<dyn CountTokens>,
    /// Tokens around a message that the tokenizer does not see; OpenAI's documentation says 3 for its chat models.
    pub per_message: u64,
}

impl Estimator for Exact {
    fn message(&self, message: &Message) -> Tokens {
        message_tokens(&*self.tokenizer, message) + Tokens(self.per_message)
    }

    fn messages(&self, messages: &[&Message]) -> Vec<Tokens> {
        messages.par_iter().map(|message| self.message(message)).collect()
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        head_tokens(&*self.tokenizer, head)
    }

    fn fault(&self) -> Option<String> {
        self.tokenizer.fault()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Exact;
    use crate::engine::estimate::Estimator;
    use crate::tokens::Reference;
    use crate::transcript::{Block, Content, Message, Text, Tokens};

    #[test]
    fn it_counts_as_the_tokenizer_does() {
        let exact = Exact { tokenizer: Arc::new(Reference::Cl100kBase), per_message: 3 };
        let said = Message::User(Content { blocks: vec![Block::Text(Text::from("tiktoken is great!"))], plain: true });
        assert_eq!(exact.message(&said), Tokens(6 + 3));
        assert_eq!(exact.messages(&[&said, &said]), [Tokens(9), Tokens(9)]);
    }
}
