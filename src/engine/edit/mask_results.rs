//! Observation masking: old tool results give way to one line.

use super::{Edit, Rewrite};
use crate::engine::trigger::{Checkpoint, Decision, Trigger, TriggerView};
use crate::engine::view::{Kind, Source};
use crate::transcript::{Block, Content, Message, Role, Text, Tokens};

/// What is left of a masked result.
pub const MASK: &str = "[tool result removed to save context]";

/// Masks all tool results before the newest `keep` tokens when `trigger` fires.
pub struct MaskResults {
    /// When.
    pub trigger: Box<dyn Trigger>,
    /// Estimated tokens at the end of the context that stay as they are.
    pub keep: Tokens,
    /// What was masked already.
    pub masked: Masked,
}

/// How far a context was masked: everything before a place, while the items keep their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    layout: u64,
    before: usize,
}

impl Edit for MaskResults {
    fn edit(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Vec<Rewrite> {
        let view = now.context;
        if self.trigger.decide(at, now) == Decision::Wait {
            return Vec::new();
        }
        let kept_from = view.estimates().reaches_from(0..view.len(), self.keep).unwrap_or(0);
        let open = |&index: &usize| {
            view.kind(index) == Kind::Message(Role::ToolResult)
                && matches!(view.items()[index].source, Source::Entry(_))
        };
        let from = if self.masked.layout == view.layout() { self.masked.before } else { 0 };
        self.masked = Masked { layout: view.layout(), before: kept_from.max(from) };
        let masked = (from..kept_from).filter(open).filter_map(|index| match view.message(index)? {
            message @ Message::ToolResult(_) => {
                let content = Content { blocks: vec![Block::Text(Text::from(MASK))], plain: false };
                Some(Rewrite { at: index, message: message.with_content(content) })
            }
            _ => None,
        });
        masked.collect()
    }
}
