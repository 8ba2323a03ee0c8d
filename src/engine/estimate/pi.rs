//! Pi's estimator: UTF-16 units / 4 per message, anchored to reported usage.

use super::{Estimate, Estimator};
use crate::engine::pi::{Rules, message_tokens};
use crate::engine::view::ContextView;
use crate::transcript::{Head, Message, Tokens};

/// Pi's estimator, as one release has it.
#[derive(Clone, Copy, Debug)]
pub struct Pi(pub &'static Rules);

impl Estimator for Pi {
    fn message(&self, message: &Message) -> Tokens {
        message_tokens(message, self.0)
    }

    /// Pi's own sum leaves system prompt and tools out; they are in the reported usage only.
    fn head(&self, _: &Head) -> Option<Tokens> {
        None
    }

    /// The last reported usage and the messages after it. Since 0.87.0 usage from before a compaction is not trusted.
    fn context(&self, view: &ContextView<'_>) -> Estimate {
        let estimates = view.estimates();
        let trusted = |at| !self.0.projection || view.boundary().is_none_or(|boundary| at > boundary);
        match view.anchor().filter(|anchor| trusted(anchor.at)) {
            Some(anchor) => Estimate {
                tokens: anchor.usage + estimates.range(anchor.at + 1..view.len()),
                anchored: Some(anchor.usage),
            },
            None => Estimate { tokens: estimates.total(), anchored: None },
        }
    }
}
