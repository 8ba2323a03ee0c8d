//! Keeps the newest part up to a budget.

use super::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use crate::engine::view::{ContextView, Source};
use crate::transcript::{Role, Tokens};

/// Keeps the longest tail within the budget that begins at an allowed place; without any, the shortest there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    /// The most estimated tokens to keep.
    pub keep: Tokens,
    /// The most to keep as a share of the context, 0 to 1.
    pub share: f64,
    /// The tail begins with a message of the person; otherwise a reply will do as well.
    pub whole_turns: bool,
}

impl Tail {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "contexts are far below 2^52 tokens"
    )]
    fn budget(&self, context: Tokens) -> Tokens {
        self.keep.min(Tokens((context.0 as f64 * self.share).floor() as u64))
    }
}

impl CutPolicy for Tail {
    fn cut(&self, view: &ContextView<'_>, _: CutGoal) -> Result<CutPlan, NothingToDrop> {
        let made = view.items().iter().take_while(|item| matches!(item.source, Source::Made(_))).count();
        let budget = self.budget(view.estimates().range(made..view.len()));
        let may_begin = |at: usize| {
            let kind = view.kind(at);
            kind.is(Role::User) || (!self.whole_turns && kind.is(Role::Assistant))
        };
        let starts = (made..view.len()).rev().filter(|&at| may_begin(at));
        let fits = |at: usize| view.estimates().range(at..view.len()) <= budget;
        let kept = starts.enumerate().take_while(|&(before, at)| before == 0 || fits(at)).last();
        match kept {
            Some((_, at)) if at > made => Ok(CutPlan::at(made, at)),
            Some(_) => Err(NothingToDrop("everything is within the part that is kept".into())),
            None => Err(NothingToDrop("there is no place to cut since the last compaction".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CutGoal, CutPlan, CutPolicy, NothingToDrop, Tail, Tokens};
    use crate::engine::sketch::Sketch;
    use crate::engine::trigger::Checkpoint;

    fn cut(keep: u64, share: f64, whole_turns: bool, line: &str) -> Result<CutPlan, NothingToDrop> {
        let goal = CutGoal { window: Tokens(1_000), checkpoint: Checkpoint::BeforeRequest };
        Tail { keep: Tokens(keep), share, whole_turns }.cut(&Sketch::new(line).view(), goal)
    }

    #[test]
    fn the_longest_tail_within_the_budget() {
        let line = "u10 a10 u10 A10 r10 a10 u10";
        // From the end: 10, 20, (30 begins with a result), 40, 50, 60.
        assert_eq!(cut(40, 1.0, false, line), Ok(CutPlan::at(0, 3)));
        assert_eq!(cut(39, 1.0, false, line), Ok(CutPlan::at(0, 5)));
        assert_eq!(cut(50, 1.0, true, line), Ok(CutPlan::at(0, 2)));
        assert_eq!(cut(49, 1.0, true, line), Ok(CutPlan::at(0, 6)));
        // 0.5 of 70 are 35.
        assert_eq!(cut(1_000, 0.5, false, line), Ok(CutPlan::at(0, 5)));
    }

    #[test]
    fn a_tail_above_the_budget_is_better_than_none_at_all() {
        assert_eq!(cut(5, 1.0, true, "u10 a10 u10 a10"), Ok(CutPlan::at(0, 2)));
        let all = NothingToDrop("everything is within the part that is kept".into());
        assert_eq!(cut(90, 1.0, true, "u10 a10 u10 a10"), Err(all));
        let none = NothingToDrop("there is no place to cut since the last compaction".into());
        assert_eq!(cut(90, 1.0, true, "s10 a10 A10 r10"), Err(none));
    }
}
