//! A limit: a share of the window less reserves, or a number of tokens, whichever is lower.

use super::{Checkpoint, Decision, Trigger, TriggerView};
use crate::transcript::Tokens;

/// Fires before a request whose estimate reaches the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Share of the window, above 0 and up to 1.
    pub share: f64,
    /// Left free for the reply: the largest reply of the model, at most so much.
    pub output: Tokens,
    /// Left free beside that.
    pub less: Tokens,
    /// The limit is at most so much, however large the window.
    pub at: Option<Tokens>,
}

impl Threshold {
    /// The limit: floor(share × window) − min(largest reply, `output`) − `less`, and at most `at`.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "windows are far below 2^52"
    )]
    pub fn limit(&self, window: Tokens, max_output: Tokens) -> Tokens {
        let share = Tokens((window.0 as f64 * self.share).floor() as u64);
        let limit = share.saturating_sub(max_output.min(self.output)).saturating_sub(self.less);
        self.at.map_or(limit, |at| limit.min(at))
    }
}

impl Trigger for Threshold {
    fn decide(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Decision {
        let limit = self.limit(now.window, now.max_output);
        if at != Checkpoint::BeforeRequest || now.estimate.tokens < limit {
            return Decision::Wait;
        }
        Decision::Compact(format!("{} tokens >= limit {limit}", now.estimate.tokens))
    }

    fn fires_at(&self, window: Tokens, max_output: Tokens) -> Option<Tokens> {
        Some(self.limit(window, max_output))
    }
}

#[cfg(test)]
mod tests {
    use super::{Threshold, Tokens};

    #[test]
    fn limits_of_real_systems() {
        let none = Threshold { share: 1.0, output: Tokens(0), less: Tokens(0), at: None };
        let limit = |threshold: Threshold, window, output| threshold.limit(Tokens(window), Tokens(output)).0;
        // Claude Code: 200,000 − 20,000 − 13,000; with a window of a million 967,000; with replies of 8,192 only those.
        let claude = Threshold { output: Tokens(20_000), less: Tokens(13_000), ..none };
        assert_eq!(limit(claude, 200_000, 32_000), 167_000);
        assert_eq!(limit(claude, 1_000_000, 32_000), 967_000);
        assert_eq!(limit(claude, 200_000, 8_192), 178_808);
        // Codex: nine tenths of 272,000.
        assert_eq!(limit(Threshold { share: 0.9, ..none }, 272_000, 128_000), 244_800);
        // An API threshold, which a small window undercuts.
        let api = Threshold { at: Some(Tokens(150_000)), ..none };
        assert_eq!((limit(api, 200_000, 0), limit(api, 64_000, 0)), (150_000, 64_000));
        assert_eq!(limit(claude, 10_000, 8_192), 0);
    }
}
