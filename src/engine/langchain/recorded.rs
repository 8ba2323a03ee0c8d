//! What a recorded message contributes, without building the message that a LangChain agent would hold.

use super::calls::{call_repr_chars, listed_chars};
use super::estimate::Measure;
use super::from_transcript::{Dialect, is_object};
use super::message::Role;
use super::view::chat_message;
use crate::transcript::{Block, Content, Message, Reply, is_sent};

impl Measure {
    /// [`Measure::of`] of [`chat_message`], `None` where that is. Most messages are one text, or texts and calls: their
    /// lengths are added up where they stand.
    pub fn recorded(message: &Message) -> Option<Self> {
        if !is_sent(message) {
            return None;
        }
        plainly(message).or_else(|| chat_message(message).map(|message| Self::of(&message)))
    }
}

/// The measure of a message whose content is a string in which nothing has to be put together.
fn plainly(message: &Message) -> Option<Measure> {
    let measure = |role: Role, chars| Measure { chars: role.openai_chars() + chars, ..Measure::default() };
    match message {
        Message::User(content) => Some(measure(Role::Human, one_text(content)?)),
        Message::ToolResult(result) => {
            let chars = one_text(&result.content)? + bytecount::num_chars(result.call_id.as_bytes());
            Some(Measure { name: bytecount::num_chars(result.tool.as_bytes()), ..measure(Role::Tool, chars) })
        }
        Message::Assistant(content, reply) => Some(measure(Role::Ai, reply_chars(content, reply)?)),
        _ => None,
    }
}

/// Code points of content that is at most one text.
fn one_text(content: &Content) -> Option<usize> {
    match content.blocks.as_slice() {
        [] => Some(0),
        [Block::Text(text)] => Some(text.char_len()),
        _ => None,
    }
}

/// Code points of the texts and the calls of a reply that has a string for its content.
fn reply_chars(content: &Content, reply: &Reply) -> Option<usize> {
    if Dialect::of(reply) == Dialect::Blocks {
        return one_text(content);
    }
    let texts = content.blocks.iter().map(|block| if let Block::Text(text) = block { text.char_len() } else { 0 });
    let calls = content.blocks.iter().filter_map(|block| match block {
        Block::ToolCall(call) if is_object(call) => {
            Some(call_repr_chars(call.name.as_str(), call.arguments.as_str(), &call.id))
        }
        _ => None,
    });
    Some(texts.sum::<usize>() + listed_chars(calls))
}
