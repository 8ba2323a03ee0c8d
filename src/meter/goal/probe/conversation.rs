//! Messages as the text of a prompt: every word that is sent, with who says it.

use crate::transcript::{Block, Message, is_sent, joined_text, user_text};

/// Appends the parts of a message, a blank line apart. What is not sent is left out; a picture is named.
pub(super) fn push(message: &Message, out: &mut String) {
    if !is_sent(message) {
        return;
    }
    match message {
        Message::Assistant(content, _) => content.blocks.iter().for_each(|block| said(block, out)),
        Message::ToolResult(result) => part("[Tool result]: ", &joined_text(&result.content), out),
        Message::System(system) => {
            part("[System]: ", system.content.as_str(), out);
            system.sections.iter().for_each(|(_, text)| part("[System]: ", text.as_str(), out));
        }
        other => part("[User]: ", &user_text(other).unwrap_or_default(), out),
    }
    let images = message.blocks().iter().filter(|block| matches!(block, Block::Image(_)));
    images.for_each(|_| part("[User]: ", "(a picture)", out));
}

fn said(block: &Block, out: &mut String) {
    match block {
        Block::Text(text) => part("[Assistant]: ", text.as_str(), out),
        Block::Thinking { text, .. } => part("[Assistant thinking]: ", text.as_str(), out),
        Block::ToolCall(call) => {
            part("[Assistant tool calls]: ", &format!("{}({})", call.name.as_str(), call.arguments.as_str()), out);
        }
        Block::Image(_) | Block::Other(_) => {}
    }
}

fn part(label: &str, text: &str, out: &mut String) {
    if text.trim().is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(label);
    out.push_str(text);
}

/// The whole conversation.
pub(super) fn rendered<'m>(messages: impl Iterator<Item = &'m Message>) -> String {
    let mut out = String::new();
    messages.for_each(|message| push(message, &mut out));
    out
}
