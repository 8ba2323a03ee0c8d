//! The pieces of a message that length-based estimators add up.

use crate::transcript::{Block, Image, JsonText, Message, System, Text, ToolCall};

/// One piece of a message.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'m> {
    /// Text that the person, the model or a tool wrote.
    Text(&'m Text),
    /// Reasoning, without its signature.
    Thinking(&'m Text),
    /// A tool call.
    Call(&'m ToolCall),
    /// A picture.
    Image(&'m Image),
    /// JSON of another kind of block, or schemas that a stored system message adds.
    Json(&'m JsonText),
}

/// Hands every piece of a message to `each`, in order. Wrappers that an agent puts around shell commands and summaries
/// are no pieces: no estimator here counts them.
pub fn pieces<'m>(message: &'m Message, mut each: impl FnMut(Piece<'m>)) {
    match message {
        Message::Bash(bash) => {
            each(Piece::Text(&bash.command));
            each(Piece::Text(&bash.output));
        }
        Message::BranchSummary(text) | Message::CompactionSummary(text) => each(Piece::Text(text)),
        Message::System(system) => {
            let System { content, sections, tools_added } = &**system;
            each(Piece::Text(content));
            for (_, section) in sections {
                each(Piece::Text(section));
            }
            if let Some(tools) = tools_added {
                each(Piece::Json(tools));
            }
        }
        _ => message.blocks().iter().for_each(|block| each(piece(block))),
    }
}

fn piece(block: &Block) -> Piece<'_> {
    match block {
        Block::Text(text) => Piece::Text(text),
        Block::Thinking { text, .. } => Piece::Thinking(text),
        Block::ToolCall(call) => Piece::Call(call),
        Block::Image(image) => Piece::Image(image),
        Block::Other(raw) => Piece::Json(raw),
    }
}
