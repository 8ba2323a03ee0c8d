//! LangChain's `count_tokens_approximately`, as the middleware of Deep Agents uses it.

use super::{Estimate, Estimator};
use crate::engine::langchain::{self, ChatMessage, Content, Measure, Role, tool_schema_chars};
use crate::engine::view::ContextView;
use crate::transcript::{Head, Message, Tokens};

/// Usage scaling never raises an estimate by more than this factor, and never lowers it.
const MAX_SCALE: f64 = 1.25;

/// Characters divided by a constant, and three tokens per message, raised towards reported usage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LangChain {
    /// The constants.
    pub constants: langchain::Estimator,
    /// Raise towards the usage of the newest reply, by a quarter at most.
    pub scaling: bool,
}

impl Estimator for LangChain {
    fn message(&self, message: &Message) -> Tokens {
        Measure::recorded(message).map_or_else(Tokens::default, |measure| self.constants.message(&measure))
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        let system = ChatMessage::new(Role::System, Content::text(head.system.as_ref()?.as_str()));
        let tools: usize = head.tools.as_ref()?.iter().filter_map(tool_schema_chars).sum();
        Some(self.constants.of(&system) + self.constants.tools(tools))
    }

    /// The sum, times the ratio of reported to estimated tokens up to the newest reply, between 1 and 1.25. All replies
    /// of a replay count as of one provider.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts are far below 2^52"
    )]
    fn context(&self, view: &ContextView<'_>) -> Estimate {
        let head = view.head().unwrap_or_default();
        let total = head + view.estimates().total();
        let Some(anchor) = view.anchor().filter(|_| self.scaling) else {
            return Estimate { tokens: total, anchored: None };
        };
        let estimated = head + view.estimates().range(0..anchor.at + 1);
        if estimated == Tokens(0) || anchor.usage == Tokens(0) {
            return Estimate { tokens: total, anchored: None };
        }
        let scale = (anchor.usage.0 as f64 / estimated.0 as f64).clamp(1.0, MAX_SCALE);
        Estimate { tokens: Tokens((total.0 as f64 * scale).ceil() as u64), anchored: Some(anchor.usage) }
    }
}
