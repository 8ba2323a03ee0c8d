//! `get_buffer_string` in its default form: one `Role: text` line per message.

use std::borrow::Borrow;

use super::calls;
use super::message::{ChatMessage, Role};

/// Lines of `System:`, `Human:`, `AI:` and `Tool:`, unescaped; calls follow their text as Python prints them.
pub fn transcript_prefix<'a, M: Borrow<ChatMessage<'a>>>(messages: &[M]) -> String {
    let line = |message: &M| {
        let message = message.borrow();
        let role = match message.role {
            Role::System => "System",
            Role::Human => "Human",
            Role::Ai => "AI",
            Role::Tool => "Tool",
        };
        let calls = if message.calls.is_empty() { String::new() } else { calls::repr(&message.calls) };
        format!("{role}: {}{calls}", message.content.joined(""))
    };
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}
