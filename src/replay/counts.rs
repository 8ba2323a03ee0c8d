//! Counts of the texts that strategies make, shared by all cells.
//!
//! The prompts of a session differ in where a conversation begins and ends, and hold the same messages. So a text is counted
//! part by part, and a part is counted once. That is exact: both tokenizers split a text before they merge, and none of their
//! patterns (`tokens::long`) takes a line end and the sign behind it into one piece.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use memchr::memchr_iter;
use sha2::{Digest, Sha256};

use crate::engine::summarize::{LlmRequest, LlmResponse, Prompt};
use crate::tokens::Reference;
use crate::transcript::Tokens;

/// How a message begins in a serialized conversation: of Pi behind an empty line, of Deep Agents on a line of its own.
const STARTS: [&str; 2] = ["\n[", "<message type="];

/// Reference counts of texts that strategies make: summaries and their prompts. Shared by all cells, because many
/// cells make the same ones.
#[derive(Debug)]
pub struct CountCache {
    reference: Reference,
    counts: Mutex<HashMap<Key, Tokens>>,
}

/// The SHA-256 of a text, or of the lengths and contents of two.
type Key = [u8; 32];

impl CountCache {
    /// An empty cache.
    pub fn new(reference: Reference) -> Self {
        Self { reference, counts: Mutex::default() }
    }

    /// Tokens of `text`.
    pub fn count(&self, text: &str) -> Tokens {
        let parts: Vec<(&str, Key)> = parts(text).map(|part| (part, Sha256::digest(part).into())).collect();
        let (mut total, mut unknown) = (Tokens(0), Vec::new());
        {
            let known = self.lock();
            for (part, key) in parts {
                match known.get(&key) {
                    Some(&tokens) => total = total + tokens,
                    None => unknown.push((part, key)),
                }
            }
        }
        for (part, key) in unknown {
            total = total + self.remembered(key, || self.reference.count(part));
        }
        total
    }

    /// Tokens of a prompt: known by the digest that its other caches ask for too, or else counted in parts.
    pub fn prompt(&self, prompt: &Prompt) -> Tokens {
        self.remembered(prompt.digest(), || self.count(prompt))
    }

    /// Tokens of a request: of its system prompt, of the part of its prompt that others share, of its own part, and of the
    /// schemas of its tools. Each is tokenized on its own.
    pub fn request(&self, request: &LlmRequest) -> Tokens {
        let prompt = match request.prompt.split_at_checked(request.shared_bytes) {
            Some((shared, own)) if !shared.is_empty() => self.count(shared) + self.count(own),
            _ => self.prompt(&request.prompt),
        };
        let schemas = request.tools.iter().flat_map(|tool| [&*tool.name, &*tool.description, &*tool.parameters]);
        let around = request.system.as_deref().into_iter().chain(schemas).map(|text| self.count(text));
        prompt + around.sum()
    }

    /// Tokens of an answer: of its text and its calls.
    pub fn response(&self, response: &LlmResponse) -> Tokens {
        let calls = response.calls.iter().flat_map(|call| [&*call.name, &*call.arguments]);
        std::iter::once(&*response.text).chain(calls).map(|text| self.count(text)).sum()
    }

    /// Leading tokens that two texts share.
    pub fn common_prefix(&self, a: &str, b: &str) -> Tokens {
        if a.bytes().next() != b.bytes().next() || a.is_empty() {
            return Tokens(0);
        }
        let hash = Sha256::new_with_prefix(b"common prefix").chain_update((a.len() as u64).to_le_bytes());
        let key = hash.chain_update(a).chain_update(b).finalize().into();
        self.remembered(key, || {
            let (a, b) = (self.reference.encode(a), self.reference.encode(b));
            Tokens(a.iter().zip(&b).take_while(|(a, b)| a == b).count() as u64)
        })
    }

    fn remembered(&self, key: Key, count: impl FnOnce() -> Tokens) -> Tokens {
        if let Some(&tokens) = self.lock().get(&key) {
            return tokens;
        }
        let tokens = count();
        self.lock().insert(key, tokens);
        tokens
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Tokens>> {
        // A poisoned lock only means that another cell panicked; the counts in it are whole.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A text cut where a line ends and a message begins.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let begins = |at: &usize| STARTS.iter().any(|start| text[*at..].starts_with(start));
    let cut = move |end: usize| if text[end + 1..].starts_with('\n') { end + 2 } else { end + 1 };
    let cuts = memchr_iter(b'\n', text.as_bytes()).filter(move |end| begins(&(end + 1))).map(cut);
    let mut from = 0;
    cuts.chain([text.len()]).map(move |to| &text[std::mem::replace(&mut from, to)..to])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::summarize::Purpose;
    use crate::transcript::ToolSchema;

    #[test]
    fn a_conversation_is_cut_where_its_messages_begin() {
        let cut = |text| parts(text).collect::<Vec<_>>();
        assert_eq!(
            cut("Sum up:\n\n[User]: a\n[b]\n\n\n[Tool result]: c"),
            ["Sum up:\n\n", "[User]: a\n[b]\n\n\n", "[Tool result]: c"]
        );
        assert_eq!(cut("x\n<message type=\"ai\">a\n<b>"), ["x\n", "<message type=\"ai\">a\n<b>"]);
        assert_eq!(cut(""), [""]);
    }

    #[test]
    fn a_part_is_counted_once() {
        let cache = CountCache::new(Reference::O200kBase);
        let counted = || cache.lock().len();
        cache.count("[User]: a\n\n[Assistant]: b");
        assert_eq!(counted(), 2);
        // The last message of the first text ends there, that of the second with an empty line.
        cache.count("[User]: a\n\n[Assistant]: b\n\n[User]: c");
        assert_eq!(counted(), 4);
        cache.count("[User]: a\n\n[User]: c");
        assert_eq!(counted(), 4);
    }

    #[test]
    fn a_prompt_is_known_as_a_whole() {
        let cache = CountCache::new(Reference::O200kBase);
        let text = "tiktoken is great!\n\n[User]: a";
        let expected = Reference::O200kBase.count(text);
        assert_eq!((cache.prompt(&Prompt::from(text)), cache.lock().len()), (expected, 3), "two parts and the whole");
        assert_eq!((cache.prompt(&Prompt::from(text)), cache.lock().len()), (expected, 3));
    }

    #[test]
    fn a_request_is_all_of_its_parts() {
        let cache = CountCache::new(Reference::O200kBase);
        let words = |text: &str| Reference::O200kBase.count(text);
        let mut request = LlmRequest::new(Purpose::Question, Some("You answer.".into()), "What was said?\n\nWho?");
        assert_eq!(cache.request(&request), words("You answer.") + words(&request.prompt));
        request.shared_bytes = "What was said?\n\n".len();
        let schema = ToolSchema { name: "read".into(), description: "Reads.".into(), parameters: "{}".into() };
        request.tools = [schema].into();
        let parts = ["You answer.", "What was said?\n\n", "Who?", "read", "Reads.", "{}"];
        assert_eq!(cache.request(&request), parts.into_iter().map(words).sum());
    }

    proptest! {
        #[test]
        fn the_parts_add_up_to_the_whole(
            texts in proptest::collection::vec("[\\PC \t\r\n/\\[<'.)]{0,12}", 1..8),
            gap in "[ \t\r/.)=-]{0,3}\n[ \t\r\n/]{0,3}",
        ) {
            for start in ["\n\n[", "\n\n[Tool result]: ", "\n<message type="] {
                let text = texts.join(&format!("{gap}{start}"));
                for reference in Reference::ALL {
                    prop_assert_eq!(CountCache::new(reference).count(&text), reference.count(&text), "{:?}", text);
                }
            }
        }
    }
}
