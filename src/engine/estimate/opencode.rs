//! opencode's: usage first, UTF-16 units / 4 for what is newer.
//!
//! Source: `anomalyco/opencode`, `packages/opencode/src/session/compaction.ts` at fd78ec6 (ceil of characters / 4), and
//! the documentation of its second version (last usage, and newer content). Nothing is said about pictures: they count
//! nothing until usage reports them.

use super::anchored::since_usage;
use super::length::{Length, Unit};
use super::{Estimate, Estimator};
use crate::engine::view::ContextView;
use crate::transcript::{Head, Message, Tokens};

/// opencode's estimator.
#[derive(Clone, Copy, Debug)]
pub struct OpenCode;

const LOCAL: Length = Length { per_token: 4.0, unit: Unit::Utf16, image_tokens: 0 };

impl Estimator for OpenCode {
    fn message(&self, message: &Message) -> Tokens {
        LOCAL.message(message)
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        LOCAL.head(head)
    }

    fn context(&self, view: &ContextView<'_>) -> Estimate {
        since_usage(view)
    }
}
