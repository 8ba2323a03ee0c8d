//! The trigger of the article on Pi: a share of the window, or a number of messages.

use super::{Checkpoint, Decision, Trigger, TriggerView};
use crate::transcript::Tokens;

/// Fires at `threshold` of the window, or above `min_turns_to_keep` × 10 messages.
///
/// Real Pi has neither rule: its threshold is the window less a reserve, and it counts no messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Article {
    /// Share of the window.
    pub threshold: f64,
    /// Turns that are always kept; ten times as many messages are too many.
    pub min_turns_to_keep: usize,
}

impl Article {
    /// The article's numbers.
    pub const DEFAULT: Self = Self { threshold: 0.75, min_turns_to_keep: 2 };

    /// `window × threshold`, rounded down.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "windows are far below 2^52"
    )]
    fn limit(&self, window: Tokens) -> Tokens {
        Tokens((window.0 as f64 * self.threshold).floor() as u64)
    }
}

impl Trigger for Article {
    fn decide(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Decision {
        if at != Checkpoint::BeforeRequest {
            return Decision::Wait;
        }
        let (tokens, limit) = (now.estimate.tokens, self.limit(now.window));
        if tokens > limit {
            return Decision::Compact(format!("{tokens} tokens > {limit}, {} of the window", self.threshold));
        }
        let most = self.min_turns_to_keep * 10;
        if now.context.message_count() > most {
            return Decision::Compact(format!("more than {most} messages"));
        }
        Decision::Wait
    }
}
