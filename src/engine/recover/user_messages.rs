//! Pinned words of the person: they are put back as they were said.

use super::Recovery;
use crate::engine::cut::CutPlan;
use crate::engine::view::ContextView;
use crate::transcript::{Message, Tokens};

/// Puts the newest messages of the person back, as Codex does (20,000 tokens by bytes / 4, `compact.rs` @ e06dd0e). Unlike
/// Codex it leaves a message out that does not fit, instead of cutting its middle.
#[derive(Clone, Copy, Debug)]
pub struct UserMessages {
    /// The most tokens, by bytes / 4.
    pub tokens: Tokens,
}

impl Recovery for UserMessages {
    fn recover(&self, before: &ContextView<'_>, plan: &CutPlan) -> Vec<Message> {
        let mut left = self.tokens.0;
        let mut back = Vec::new();
        for message in before.messages(0..plan.kept_from).rev() {
            let Message::User(content) = message else { continue };
            let tokens = (crate::transcript::joined_text(content).len() as u64).div_ceil(4);
            if tokens > left {
                break;
            }
            left -= tokens;
            back.push(message.clone());
        }
        back.reverse();
        back
    }
}
