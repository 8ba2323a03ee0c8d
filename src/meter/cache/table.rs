//! The blocks of a transcript, each hashed and counted once, for all providers and all cells.

use super::block::{Block, Digest, Layer, Sort, word};
use crate::tokens::{IMAGE_TOKENS, MessageTable};
use crate::transcript::{Block as Content, EntryIdx, EntryKind, Head, Message, Tokens, Transcript, is_sent, user_text};

/// What stands before the messages, where the file lacks it. Inferred from the first recorded request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InferredHead {
    /// Tools and system prompt: what ends at a breakpoint of its own.
    pub stable: Tokens,
    /// What the agent put before the recorded messages, behind that breakpoint.
    pub opening: Tokens,
}

/// The blocks of all entries of a transcript, and of its head.
#[derive(Clone, Debug, Default)]
pub struct BlockTable {
    blocks: Vec<Block>,
    /// Where the blocks of each entry end.
    ends: Vec<usize>,
    head: Vec<Block>,
}

impl BlockTable {
    /// Hashes and counts a transcript.
    pub fn new(transcript: &Transcript, reference: &MessageTable) -> Self {
        let count = |text: &str| reference.reference().count(text);
        let mut table = Self { head: head_blocks(&transcript.head, &count), ..Self::default() };
        for (index, entry) in transcript.entries.iter().enumerate() {
            let total = reference.entry(EntryIdx(index));
            match &entry.kind {
                EntryKind::Message(message) => table.blocks.extend(message_blocks(message, total, &count)),
                EntryKind::BranchSummary(branch) if !branch.summary.is_empty() => {
                    let message = Message::BranchSummary(branch.summary.clone());
                    table.blocks.extend(message_blocks(&message, total, &count));
                }
                _ => {}
            }
            table.ends.push(table.blocks.len());
        }
        table
    }

    /// Puts opaque blocks in the place of a head that the file lacks.
    #[must_use]
    pub fn with_inferred_head(mut self, head: InferredHead) -> Self {
        let block = |layer, tokens, text| Block::new(layer, Sort::System, text, tokens);
        self.head = vec![block(Layer::System, head.stable, "inferred head")];
        if head.opening > Tokens(0) {
            self.head.push(block(Layer::Messages, head.opening, "inferred opening"));
        }
        self
    }

    /// The blocks of an entry.
    pub fn entry(&self, idx: EntryIdx) -> &[Block] {
        let start = idx.0.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.blocks[start..self.ends[idx.0]]
    }

    /// The blocks before the messages; none when nothing is known of them.
    pub fn head(&self) -> &[Block] {
        &self.head
    }

    /// All blocks of the messages.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

fn head_blocks(head: &Head, count: &dyn Fn(&str) -> Tokens) -> Vec<Block> {
    let mut blocks = Vec::new();
    for tool in head.tools.iter().flatten() {
        let texts = [&*tool.name, &*tool.description, &*tool.parameters];
        let tokens = texts.iter().map(|text| count(text)).sum();
        let digest = Digest::of(&[word(Sort::Tool), texts[0], texts[1], texts[2]]);
        blocks.push(Block { digest, tokens, layer: Layer::Tools, sort: Sort::Tool });
    }
    if let Some(system) = &head.system {
        blocks.push(Block::new(Layer::System, Sort::System, system.as_str(), count(system.as_str())));
    }
    blocks
}

/// The blocks of a message. `total` is its count; only where it has several blocks are they counted one by one.
pub(super) fn message_blocks(message: &Message, total: Tokens, count: &dyn Fn(&str) -> Tokens) -> Vec<Block> {
    if !is_sent(message) {
        return Vec::new();
    }
    let messages = |sort, text: &str| vec![Block::new(Layer::Messages, sort, text, total)];
    match message {
        Message::System(system) => vec![Block::new(Layer::System, Sort::System, system.content.as_str(), total)],
        Message::Bash(_) | Message::BranchSummary(_) | Message::CompactionSummary(_) => {
            messages(Sort::User, &user_text(message).unwrap_or_default())
        }
        Message::ToolResult(result) => {
            let mut texts = vec![word(Sort::Result), &*result.call_id, if result.is_error { "error" } else { "" }];
            result.content.blocks.iter().for_each(|block| part(block, &mut texts));
            vec![Block { digest: Digest::of(&texts), tokens: total, layer: Layer::Messages, sort: Sort::Result }]
        }
        Message::User(content) => several(&content.blocks, Sort::User, total, count),
        Message::Custom(custom) => several(&custom.content.blocks, Sort::User, total, count),
        Message::Assistant(content, _) => several(&content.blocks, Sort::Assistant, total, count),
    }
}

fn several(contents: &[Content], side: Sort, total: Tokens, count: &dyn Fn(&str) -> Tokens) -> Vec<Block> {
    let mut left = total;
    let one = |(index, content): (usize, &Content)| {
        let sort = match content {
            Content::Thinking { .. } => Sort::Thinking,
            Content::ToolCall(_) => Sort::Call,
            _ => side,
        };
        let mut texts = vec![word(sort)];
        part(content, &mut texts);
        // The last takes what is left, so that one block is never counted again and the sum is the message's.
        let tokens = if index + 1 == contents.len() { left } else { tokens(content, count).min(left) };
        left = left.saturating_sub(tokens);
        Block { digest: Digest::of(&texts), tokens, layer: Layer::Messages, sort }
    };
    contents.iter().enumerate().map(one).collect()
}

/// Everything of a block that is sent.
fn part<'c>(content: &'c Content, texts: &mut Vec<&'c str>) {
    match content {
        Content::Text(text) => texts.push(text.as_str()),
        Content::Thinking { text, signature, .. } => {
            texts.extend([text.as_str(), signature.as_deref().unwrap_or_default()]);
        }
        Content::ToolCall(call) => texts.extend([&*call.id, call.name.as_str(), call.arguments.as_str()]),
        Content::Image(image) => texts.extend([&*image.media_type, &*image.data]),
        Content::Other(raw) => texts.push(raw.as_str()),
    }
}

fn tokens(content: &Content, count: &dyn Fn(&str) -> Tokens) -> Tokens {
    match content {
        Content::Text(text) | Content::Thinking { text, .. } => count(text.as_str()),
        Content::ToolCall(call) => count(call.name.as_str()) + count(call.arguments.as_str()),
        Content::Image(_) => IMAGE_TOKENS,
        Content::Other(raw) => count(raw.as_str()),
    }
}
