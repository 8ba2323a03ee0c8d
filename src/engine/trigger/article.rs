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

    fn fires_at(&self, window: Tokens, _: Tokens) -> Option<Tokens> {
        Some(self.limit(window) + Tokens(1))
    }
}

#[cfg(test)]
mod tests {
    use super::{Article, Checkpoint, Decision, Tokens, Trigger, TriggerView};
    use crate::engine::estimate::Estimate;
    use crate::engine::pi::Rules;
    use crate::engine::sketch::Sketch;
    use crate::engine::trigger::pi::Pi;

    fn decide(trigger: &mut dyn Trigger, at: Checkpoint, line: &str, tokens: u64, window: u64) -> Decision {
        let sketch = Sketch::new(line);
        let view = sketch.view();
        let estimate = Estimate { tokens: Tokens(tokens), anchored: None };
        trigger.decide(
            at,
            &TriggerView { context: &view, estimate, window: Tokens(window), max_output: Tokens(0), switched: false },
        )
    }

    #[test]
    fn three_quarters_of_the_window_are_too_much() {
        let mut article = Article::DEFAULT;
        // floor(0.75 × 200,001) = 150,000.
        let mut at = |tokens| decide(&mut article, Checkpoint::BeforeRequest, "u1", tokens, 200_001);
        assert_eq!(at(150_000), Decision::Wait);
        assert_eq!(at(150_001), Decision::Compact("150001 tokens > 150000, 0.75 of the window".to_owned()));
    }

    #[test]
    fn more_than_twenty_messages_are_too_many() {
        let mut article = Article::DEFAULT;
        let mut at = |line: &str| decide(&mut article, Checkpoint::BeforeRequest, line, 40, 200_000);
        assert_eq!(at(&"u1 a1 h0 ".repeat(10)), Decision::Wait);
        let more = format!("{} u1", "u1 a1 h0 ".repeat(10));
        assert_eq!(at(&more), Decision::Compact("more than 20 messages".to_owned()));
    }

    /// The article says that its rules are Pi's. They disagree in both directions.
    #[test]
    fn the_article_contradicts_pi() {
        let mut pi = Pi(Rules::V1_6);
        let (mut article, before, end) = (Article::DEFAULT, Checkpoint::BeforeRequest, Checkpoint::TurnEnd);
        // 160,000 tokens: over the article's 150,000, under Pi's 200,000 - 16,384 = 183,616.
        assert_ne!(decide(&mut article, before, "u1 A1 r1", 160_000, 200_000), Decision::Wait);
        assert_eq!(decide(&mut pi, before, "u1 A1 r1", 160_000, 200_000), Decision::Wait);
        // 42 tokens: too many messages for the article; Pi counts none.
        let many = format!("{} u1 A1 r1", "u1 a1 ".repeat(10));
        assert_ne!(decide(&mut article, before, &many, 42, 200_000), Decision::Wait);
        assert_eq!(decide(&mut pi, before, &many, 42, 200_000), Decision::Wait);
        // In a window of 32,000 it is Pi that fires first: above 15,616, the article above 24,000.
        assert_eq!(decide(&mut article, before, "u1 A1 r1", 20_000, 32_000), Decision::Wait);
        assert_ne!(decide(&mut pi, before, "u1 A1 r1", 20_000, 32_000), Decision::Wait);
        // Pi looks when a turn has ended, the article only before a request.
        assert_eq!(decide(&mut article, end, "u1 a1=190000", 190_000, 200_000), Decision::Wait);
        assert_ne!(decide(&mut pi, end, "u1 a1=190000", 190_000, 200_000), Decision::Wait);
    }
}
