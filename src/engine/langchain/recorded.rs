//! What a recorded message contributes, without building the message that a LangChain agent would hold.

use super::calls::{call_repr_chars, listed_chars, thinking_repr_chars, tool_use_repr_chars};
use super::estimate::{Measure, count};
use super::from_transcript::{Dialect, is_object};
use super::message::Role;
use super::view::chat_message;
use crate::transcript::{Block, Content, Message, is_sent};

impl Measure {
    /// [`Measure::of`] of [`chat_message`], `None` where that is. The lengths of what is made of blocks are added up where they
    /// stand.
    pub fn recorded(message: &Message) -> Option<Self> {
        if !is_sent(message) {
            return None;
        }
        Some(match message {
            Message::User(content) => said(Role::Human, content),
            Message::Custom(custom) => said(Role::Human, &custom.content),
            Message::Assistant(content, reply) if Dialect::of(reply) == Dialect::Plain => plain_reply(content),
            Message::Assistant(content, _) => said(Role::Ai, content),
            Message::ToolResult(result) => {
                let mut measure = said(Role::Tool, &result.content);
                measure.chars += count(&result.call_id);
                measure.name = count(&result.tool);
                measure
            }
            Message::Bash(_) | Message::BranchSummary(_) | Message::CompactionSummary(_) | Message::System(_) => {
                Self::of(&chat_message(message)?)
            }
        })
    }
}

/// A string, or a list of blocks: of both the texts count as they are.
fn said(role: Role, content: &Content) -> Measure {
    let mut measure = Measure { chars: role.openai_chars(), ..Measure::default() };
    for block in &content.blocks {
        match block {
            Block::Image(_) => measure.images += 1,
            other => measure.chars += block_chars(other),
        }
    }
    measure
}

fn block_chars(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.char_len(),
        Block::Thinking { text, signature, .. } => thinking_repr_chars(text.as_str(), signature.as_deref()),
        Block::ToolCall(call) => tool_use_repr_chars(call.name.as_str(), call.arguments.python_char_len(), &call.id),
        Block::Other(json) => json.python_char_len(),
        Block::Image(_) => 0,
    }
}

/// A reply that has a string for its content, and its calls beside it.
fn plain_reply(content: &Content) -> Measure {
    let texts = content.blocks.iter().map(|block| if let Block::Text(text) = block { text.char_len() } else { 0 });
    let calls = content.blocks.iter().filter_map(|block| match block {
        Block::ToolCall(call) if is_object(call) => {
            Some(call_repr_chars(call.name.as_str(), call.arguments.python_char_len(), &call.id))
        }
        _ => None,
    });
    let chars = Role::Ai.openai_chars() + texts.sum::<usize>() + listed_chars(calls);
    Measure { chars, ..Measure::default() }
}
