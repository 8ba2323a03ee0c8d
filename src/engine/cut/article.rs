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
    use super::{Article, CutGoal, CutPlan, CutPolicy, NothingToDrop, Tokens};
    use crate::engine::sketch::Sketch;
    use crate::engine::trigger::Checkpoint;

    /// The cut in a window of 400 tokens, of which a quarter, 100, may be kept.
    fn cut(line: &str) -> Result<CutPlan, NothingToDrop> {
        let goal = CutGoal { window: Tokens(400), checkpoint: Checkpoint::BeforeRequest };
        Article::DEFAULT.cut(&Sketch::new(line).view(), goal)
    }

    #[test]
    fn turns_are_kept_whole_up_to_the_target() {
        // From the end: 30, 60, 90; the turn before would make 120.
        assert_eq!(cut("u10 a20 u10 a20 u10 a20 u10 a20"), Ok(CutPlan::at(0, 2)));
        // Exactly 100 fits.
        assert_eq!(cut("u10 a20 u20 a20 u10 a20 u10 a20"), Ok(CutPlan::at(0, 2)));
        assert_eq!(cut("u10 a20 u21 a20 u10 a20 u10 a20"), Ok(CutPlan::at(0, 4)));
    }

    #[test]
    fn two_turns_are_kept_whatever_they_weigh() {
        assert_eq!(cut("u10 a20 u10 A20 r500 a1 u10 a20"), Ok(CutPlan::at(0, 2)));
        let all = NothingToDrop("the turns that must be kept are the whole context".into());
        assert_eq!(cut("u10 A20 r500 a1 u10 a20"), Err(all));
    }

    #[test]
    fn what_a_strategy_made_is_not_a_turn() {
        assert_eq!(cut("s900 u10 a20 u90 a20 u10 a20"), Ok(CutPlan::at(1, 3)));
        let none = NothingToDrop("no turn has begun since the last compaction".into());
        assert_eq!(cut("s900 A10 r20 A10 r20"), Err(none));
    }

    #[test]
    fn the_target_is_a_quarter_of_the_window() {
        // 0.25 × 200,001 = 50,000.25.
        assert_eq!(Article::DEFAULT.target(Tokens(200_001)), Tokens(50_000));
    }
}
