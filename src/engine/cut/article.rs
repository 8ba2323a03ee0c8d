//! The cut of the article on Pi: whole turns from the newest back, up to a share of the window.

use super::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use crate::engine::view::{ContextView, Source};
use crate::transcript::{Role, Tokens};

/// Keeps whole turns up to `floor(window × (1 - threshold))`, and at least `min_turns_to_keep`.
///
/// Real Pi keeps a fixed number of tokens, has no minimum of turns, and splits a turn where it must.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Article {
    /// Share of the window at which the trigger fires.
    pub threshold: f64,
    /// Turns that are always kept.
    pub min_turns_to_keep: usize,
}

impl Article {
    /// The article's numbers.
    pub const DEFAULT: Self = Self { threshold: 0.75, min_turns_to_keep: 2 };

    /// Tokens to keep.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "windows are far below 2^52"
    )]
    pub fn target(&self, window: Tokens) -> Tokens {
        Tokens((window.0 as f64 * (1.0 - self.threshold)).floor() as u64)
    }
}

impl CutPolicy for Article {
    fn cut(&self, view: &ContextView<'_>, goal: CutGoal) -> Result<CutPlan, NothingToDrop> {
        let target = self.target(goal.window);
        let made = view.items().iter().take_while(|item| matches!(item.source, Source::Made(_))).count();
        let starts = (made..view.len()).rev().filter(|&at| view.kind(at).is(Role::User));
        let fits = |at: usize| view.estimates().range(at..view.len()) <= target;
        let kept = starts.enumerate().take_while(|&(turns, at)| turns < self.min_turns_to_keep || fits(at));
        match kept.last() {
            Some((_, at)) if at > made => Ok(CutPlan::at(made, at)),
            Some(_) => Err(NothingToDrop("the turns that must be kept are the whole context".into())),
            None => Err(NothingToDrop("no turn has begun since the last compaction".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Article, Tokens};

    #[test]
    fn the_target_is_a_quarter_of_the_window() {
        // 0.25 × 200,001 = 50,000.25.
        assert_eq!(Article::DEFAULT.target(Tokens(200_001)), Tokens(50_000));
    }
}
