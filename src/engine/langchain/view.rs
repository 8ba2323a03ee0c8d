//! A live context as the messages that a LangChain agent would hold.

use std::ops::Range;

use super::{ChatMessage, Dialect, from_transcript};
use crate::engine::view::ContextView;
use crate::transcript::{Message, is_sent};

/// The messages of a range of items, each with its item. Failed replies never enter such an agent's state.
pub fn chat_messages<'v>(view: &'v ContextView<'_>, range: Range<usize>) -> Vec<(usize, ChatMessage<'v>)> {
    let chat = |at: usize| Some((at, chat_message(view.message(at)?)?));
    range.filter_map(chat).collect()
}

/// One message, in the dialect of the API that it was recorded from.
pub fn chat_message(message: &Message) -> Option<ChatMessage<'_>> {
    if !is_sent(message) {
        return None;
    }
    from_transcript(message, message.reply().map_or(Dialect::Plain, Dialect::of))
}
