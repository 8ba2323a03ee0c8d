//! The last recorded usage, and another estimator for what came after it.

use std::sync::Arc;

use super::{Estimate, Estimator};
use crate::engine::view::ContextView;
use crate::transcript::{Head, Message, Tokens};

/// Last usage + delta. What stands before the anchor counts what the provider said, head included; the inner estimator
/// counts the rest. Without an anchor it is the inner estimator's own estimate.
#[derive(Clone)]
pub struct Anchored(pub Arc<dyn Estimator>);

/// Usage and the estimates behind it; the head and all estimates when nothing is anchored. Usage from before a compaction
/// is of another context and does not count.
pub fn since_usage(view: &ContextView<'_>) -> Estimate {
    let estimates = view.estimates();
    let trusted = view.anchor().filter(|anchor| view.boundary().is_none_or(|boundary| anchor.at > boundary));
    match trusted {
        Some(anchor) => {
            Estimate { tokens: anchor.usage + estimates.range(anchor.at + 1..view.len()), anchored: Some(anchor.usage) }
        }
        None => Estimate { tokens: view.head().unwrap_or_default() + estimates.total(), anchored: None },
    }
}

impl Estimator for Anchored {
    fn message(&self, message: &Message) -> Tokens {
        self.0.message(message)
    }

    fn messages(&self, messages: &[&Message]) -> Vec<Tokens> {
        self.0.messages(messages)
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        self.0.head(head)
    }

    fn context(&self, view: &ContextView<'_>) -> Estimate {
        since_usage(view)
    }

    fn fault(&self) -> Option<String> {
        self.0.fault()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Anchored;
    use crate::engine::estimate::length::{Length, Unit};
    use crate::engine::estimate::{Estimate, Estimator};
    use crate::engine::view::{ContextView, Item};
    use crate::transcript::{Message, Text, Tokens, Transcript};

    #[test]
    fn what_stands_before_the_anchor_is_not_estimated() {
        let inner = Length { per_token: 4.0, unit: Unit::Utf16, image_tokens: 0 };
        let anchored = Anchored(Arc::new(inner));
        let transcript = Transcript::default();
        let mut view = ContextView::new(&transcript, Some(Tokens(50)));
        let item = |text: &str| Item::made(Message::CompactionSummary(Text::from(text)));
        view.push(item("0123456789ab"), Tokens(3));
        assert_eq!(anchored.context(&view), Estimate { tokens: Tokens(53), anchored: None });
        view.anchor_last(Tokens(900));
        view.push(item("01234567"), Tokens(2));
        assert_eq!(anchored.context(&view), Estimate { tokens: Tokens(902), anchored: Some(Tokens(900)) });
    }
}
