//! Which calls and results of a context pair up. A provider refuses a request with an orphan.

use super::outline::{CallId, Facts, Says};
use crate::transcript::{Block, Content, Message, Text, ToolResult};

/// What stands for the missing result of a call, as agents send it to a provider that insists on one.
const NO_RESULT: &str = "No result provided";

/// A result for a call that nothing answered.
pub(super) fn stand_in(call_id: &str) -> Message {
    let content = Content { blocks: vec![Block::Text(Text::from(NO_RESULT))], plain: false };
    let result = ToolResult {
        call_id: call_id.into(),
        tool: "".into(),
        content,
        is_error: true,
        details: None,
        nested_calls: None,
    };
    Message::ToolResult(Box::new(result))
}

/// Whether a made message stands for a missing result: a strategy makes no results of its own, it only changes them.
pub(super) fn is_stand_in(message: &Message) -> bool {
    matches!(message, Message::ToolResult(result) if result.tool.is_empty())
}

/// Calls that are open, while messages are read in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairing {
    open: Vec<CallId>,
}

impl Pairing {
    /// Whether calls that are open before this message must have been answered: it is sent, and it is no result.
    pub(super) fn closes(facts: &Facts<'_>) -> bool {
        facts.sent && !matches!(facts.says, Says::Result(_))
    }

    /// Reads the next message; whether it can be sent.
    pub(super) fn read(&mut self, facts: &Facts<'_>) -> bool {
        match &facts.says {
            Says::Calls(calls) if facts.sent => self.open.extend_from_slice(calls),
            Says::Result(call) => match self.open.iter().position(|open| open == call) {
                Some(index) => {
                    self.open.remove(index);
                }
                None => return false,
            },
            Says::Calls(_) | Says::Other => {}
        }
        facts.sent
    }

    /// The calls without a result, which are closed by this.
    pub(super) fn take_open(&mut self) -> Vec<CallId> {
        std::mem::take(&mut self.open)
    }

    /// Whether every call so far has its result.
    pub(super) fn is_closed(&self) -> bool {
        self.open.is_empty()
    }
}

/// Orphan calls and results among messages that are sent: what a strict provider would refuse, where the results of a
/// reply must follow it at once. For debug checks.
pub(super) fn orphans<'m>(messages: impl Iterator<Item = &'m Message>) -> usize {
    let mut open: Vec<&str> = Vec::new();
    let mut orphans = 0;
    for message in messages {
        if let Message::ToolResult(result) = message {
            match open.iter().position(|id| *id == &*result.call_id) {
                Some(index) => drop(open.remove(index)),
                None => orphans += 1,
            }
            continue;
        }
        orphans += open.len();
        open.clear();
        open.extend(message.blocks().iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(&*call.id),
            _ => None,
        }));
    }
    orphans + open.len()
}
