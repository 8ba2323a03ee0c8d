//! Which calls and results of a context pair up. A provider refuses a request with an orphan.

use std::collections::HashSet;

use crate::transcript::{Block, Message, is_sent};

/// Calls that are open, while messages are read in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairing {
    open: Vec<Box<str>>,
}

impl Pairing {
    /// Reads the next message; whether it can be sent.
    pub(super) fn read(&mut self, message: &Message) -> bool {
        match message {
            Message::Assistant(content, _) => {
                if !is_sent(message) {
                    return false;
                }
                let calls = content.blocks.iter().filter_map(|block| match block {
                    Block::ToolCall(call) => Some(call.id.clone()),
                    _ => None,
                });
                self.open.extend(calls);
                true
            }
            Message::ToolResult(result) => match self.open.iter().position(|id| *id == result.call_id) {
                Some(index) => {
                    self.open.remove(index);
                    true
                }
                None => false,
            },
            _ => is_sent(message),
        }
    }

    /// The calls without a result, which are closed by this.
    pub(super) fn take_open(&mut self) -> Vec<Box<str>> {
        std::mem::take(&mut self.open)
    }

    /// Whether every call so far has its result.
    pub(super) fn is_closed(&self) -> bool {
        self.open.is_empty()
    }
}

/// Orphan calls and results among messages that are sent: what a provider would refuse. For tests and debug checks.
pub(super) fn orphans<'m>(messages: impl Iterator<Item = &'m Message>) -> usize {
    let mut open: HashSet<&str> = HashSet::new();
    let mut orphans = 0;
    for message in messages {
        if let Message::ToolResult(result) = message {
            orphans += usize::from(!open.remove(&*result.call_id));
        }
        let calls = message.blocks().iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(&*call.id),
            _ => None,
        });
        open.extend(calls);
    }
    orphans + open.len()
}
