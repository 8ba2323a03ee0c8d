//! A prompt as a cache sees it: a chain of block digests in the order of the provider.
//!
//! A block's text is hashed once, when its table is made; a prompt only mixes digests. Equal chains mean equal prompts
//! up to there, so a chain is compared by one number.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use sha2::{Digest as _, Sha256};

use crate::transcript::Tokens;

/// 128 bits of a SHA-256, or a mix of two such digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(u128);

impl Digest {
    /// Of texts, each with its length, so that no two lists of texts run together.
    pub fn of(texts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for text in texts {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        let full: [u8; 32] = hash.finalize().into();
        let mut half = [0; 16];
        half.copy_from_slice(&full[..16]);
        Self(u128::from_le_bytes(half))
    }

    /// The chain with `next` behind this one: two folded multiplications, so that a link costs nanoseconds whatever the
    /// text. Digests are not chosen by an enemy who knows the constants.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            low(product) ^ high(product)
        };
        let (a, b, c, d) = (low(self.0), high(self.0), low(next.0), high(next.0));
        // The first digits of the fractional part of pi.
        let one = fold(a ^ c ^ 0x243f_6a88_85a3_08d3, d ^ 0x1319_8a2e_0370_7344) ^ b.rotate_left(23);
        let two = fold(b ^ d ^ 0xa409_3822_299f_31d0, c ^ 0x082e_fa98_ec4e_6c89) ^ a.rotate_left(41);
        Self(u128::from(one) | u128::from(two) << 64)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
fn low(value: u128) -> u64 {
    value as u64
}

fn high(value: u128) -> u64 {
    low(value >> 64)
}

/// A table of digests. They are spread already: one half of a digest is its hash.
pub(super) type ByDigest<V> = HashMap<Digest, V, BuildHasherDefault<Half>>;

/// The hash of a digest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Half(u64);

impl Hasher for Half {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u128(&mut self, digest: u128) {
        self.0 = low(digest);
    }
}

/// The part of a prompt, in the order in which providers render it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Tool definitions.
    Tools,
    /// The system prompt.
    System,
    /// The conversation.
    Messages,
}

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// A tool definition.
    Tool,
    /// A system prompt, or a part of it.
    System,
    /// What the person's side says.
    User,
    /// What the model says.
    Assistant,
    /// Reasoning.
    Thinking,
    /// A tool call.
    Call,
    /// A tool result.
    Result,
}

impl Sort {
    /// Whether the model wrote it: consecutive blocks of one side are one message to the provider.
    pub fn is_reply(self) -> bool {
        matches!(self, Self::Assistant | Self::Thinking | Self::Call)
    }
}

/// One block of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Of everything in it that is sent, its kind of speaker included.
    pub digest: Digest,
    /// Its size.
    pub tokens: Tokens,
    /// Where it belongs.
    pub layer: Layer,
    /// What it holds.
    pub sort: Sort,
}

impl Block {
    /// A block of this text.
    pub fn new(layer: Layer, sort: Sort, text: &str, tokens: Tokens) -> Self {
        Self { digest: Digest::of(&[word(sort), text]), tokens, layer, sort }
    }
}

/// The word for a sort in digests.
pub(super) fn word(sort: Sort) -> &'static str {
    match sort {
        Sort::Tool => "tool",
        Sort::System => "system",
        Sort::User => "user",
        Sort::Assistant => "assistant",
        Sort::Thinking => "thinking",
        Sort::Call => "call",
        Sort::Result => "result",
    }
}

/// What decides a cache key beside the blocks. Each field stands before the layer from which on it invalidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The model: caches are separate per model.
    pub model: Digest,
    /// What invalidates system and messages: web search, citations, speed.
    pub system: Digest,
    /// What invalidates messages: tool choice, thinking, effort.
    pub messages: Digest,
}

/// A link of a prompt's chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The block.
    pub block: Block,
    /// Stands for the whole prompt up to the end of this block.
    pub chain: Digest,
    /// Tokens up to the end of this block.
    pub end: Tokens,
}

/// A prompt. It is grown and cut at its end, so that a request costs only its new blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    settings: Settings,
    links: Vec<Link>,
}

impl Prompt {
    /// An empty prompt.
    pub fn new(settings: Settings) -> Self {
        Self { settings, links: Vec::new() }
    }

    /// What else decides the key.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Its links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether it has no block.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Tokens of the first `blocks` blocks.
    pub fn tokens(&self, blocks: usize) -> Tokens {
        blocks.checked_sub(1).map_or(Tokens(0), |last| self.links[last].end)
    }

    /// Tokens of all of it.
    pub fn total(&self) -> Tokens {
        self.tokens(self.len())
    }

    /// Appends a block. One of an earlier layer than the last block belongs to the last block's layer.
    pub fn push(&mut self, mut block: Block) {
        let last = self.links.last();
        let (mut chain, end) = last.map_or((self.settings.model, Tokens(0)), |link| (link.chain, link.end));
        let before = last.map(|link| link.block.layer);
        block.layer = before.map_or(block.layer, |layer| layer.max(block.layer));
        let enters = |layer| before < Some(layer) && block.layer >= layer;
        if enters(Layer::System) {
            chain = chain.then(self.settings.system);
        }
        if enters(Layer::Messages) {
            chain = chain.then(self.settings.messages);
        }
        self.links.push(Link { block, chain: chain.then(block.digest), end: end + block.tokens });
    }

    /// Cuts everything behind the first `blocks` blocks.
    pub fn truncate(&mut self, blocks: usize) {
        self.links.truncate(blocks);
    }

    /// Stretches the blocks from `from` on, so that the whole has `total` tokens; a total below what stands before them
    /// stretches all messages, or, below the head, everything. For prompts whose real size is known.
    pub fn fit(&mut self, from: usize, total: Tokens) {
        let messages = self.links.partition_point(|link| link.block.layer < Layer::Messages);
        let from =
            [from, messages].into_iter().find(|&from| from < self.len() && self.tokens(from) < total).unwrap_or(0);
        let base = self.tokens(from);
        let (have, want) = (self.total().0 - base.0, total.0.saturating_sub(base.0));
        if have == 0 || have == want {
            return;
        }
        for link in &mut self.links[from..] {
            let share = u128::from(link.end.0 - base.0) * u128::from(want) / u128::from(have);
            link.end = Tokens(base.0 + low(share));
        }
    }

    /// Leading blocks that both share: a binary search, because equal chains mean equal prompts.
    pub fn common(&self, other: &[Link]) -> usize {
        let len = self.links.len().min(other.len());
        let (mut low, mut high) = (0, len);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.links[middle].chain == other[middle].chain { low = middle + 1 } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(settings: Settings, texts: &[(Layer, &str, u64)]) -> Prompt {
        let mut prompt = Prompt::new(settings);
        for &(layer, text, tokens) in texts {
            prompt.push(Block::new(layer, Sort::User, text, Tokens(tokens)));
        }
        prompt
    }

    #[test]
    fn a_chain_is_the_whole_prompt_up_to_it() {
        let texts =
            [(Layer::Tools, "t", 5), (Layer::System, "s", 7), (Layer::Messages, "a", 2), (Layer::Messages, "b", 3)];
        let one = prompt(Settings::default(), &texts);
        assert_eq!((one.total(), one.tokens(2), one.tokens(0)), (Tokens(17), Tokens(12), Tokens(0)));
        let mut other = texts;
        other[2].1 = "x";
        // The last block is the same, and stands behind another.
        assert_eq!(one.common(prompt(Settings::default(), &other).links()), 2);
        assert_eq!(one.common(one.links()), 4);
    }

    #[test]
    fn settings_invalidate_from_their_layer_on() {
        let texts = [(Layer::Tools, "t", 1), (Layer::System, "s", 1), (Layer::Messages, "a", 1)];
        let plain = prompt(Settings::default(), &texts);
        let with = |settings: Settings| plain.common(prompt(settings, &texts).links());
        let word = Digest::of(&["high"]);
        assert_eq!(with(Settings { messages: word, ..Settings::default() }), 2);
        assert_eq!(with(Settings { system: word, ..Settings::default() }), 1);
        assert_eq!(with(Settings { model: word, ..Settings::default() }), 0);
        // Without a head the borders are crossed at the first message.
        let headless = prompt(Settings::default(), &texts[2..]);
        let settings = Settings { system: word, ..Settings::default() };
        assert_eq!(headless.common(prompt(settings, &texts[2..]).links()), 0);
    }

    #[test]
    fn a_known_size_stretches_the_new_blocks() {
        let mut prompt = prompt(
            Settings::default(),
            &[(Layer::Messages, "a", 10), (Layer::Messages, "b", 20), (Layer::Messages, "c", 20)],
        );
        prompt.fit(1, Tokens(90));
        // 80 for two equal blocks behind 10.
        assert_eq!((prompt.tokens(1), prompt.tokens(2), prompt.total()), (Tokens(10), Tokens(50), Tokens(90)));
        // Less than what stands before: all shrink by the same factor.
        prompt.fit(3, Tokens(45));
        assert_eq!((prompt.tokens(1), prompt.tokens(2), prompt.total()), (Tokens(5), Tokens(25), Tokens(45)));
    }

    #[test]
    fn texts_do_not_run_together() {
        assert_ne!(Digest::of(&["ab", "c"]), Digest::of(&["a", "bc"]));
        let (a, b) = (Digest::of(&["a"]), Digest::of(&["b"]));
        assert_ne!(a.then(b), b.then(a));
    }
}
