//! The cut of LangChain's middleware: a budget, made safe by going back to the calls.

use super::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use crate::engine::langchain::{Size, chat_messages, cut};
use crate::engine::view::ContextView;
use crate::transcript::Tokens;

/// Keeps a number of messages, of tokens, or a share of the input limit.
///
/// The kept part can exceed the budget without bound, and can be nothing at all; see the functions it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LangChain {
    /// What to keep.
    pub keep: Size,
    /// The model has a profile that states its input limit: the window.
    pub profile: bool,
}

impl CutPolicy for LangChain {
    fn cut(&self, view: &ContextView<'_>, goal: CutGoal) -> Result<CutPlan, NothingToDrop> {
        let messages = chat_messages(view, 0..view.len());
        let (places, chat): (Vec<usize>, Vec<_>) = messages.into_iter().unzip();
        let estimates = view.estimates();
        let place = |index: usize| places.get(index).copied().unwrap_or(view.len());
        let suffix = |index: usize| estimates.range(place(index)..view.len());
        let limit = self.profile.then_some(goal.window);
        // The package compares the scaled count here; after a trigger has fired it is above any sensible budget.
        let total: Tokens = estimates.total();
        match cut(chat.as_slice(), self.keep, limit, total, suffix) {
            Ok(0) => Err(NothingToDrop("everything is within the part that is kept".into())),
            Ok(index) => Ok(CutPlan::at(0, place(index))),
            Err(error) => Err(NothingToDrop(error.to_string().into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CutGoal, CutPlan, CutPolicy, LangChain, NothingToDrop, Size, Tokens};
    use crate::engine::langchain::Fraction;
    use crate::engine::sketch::Sketch;
    use crate::engine::trigger::Checkpoint;

    fn cut(keep: Size, line: &str) -> Result<CutPlan, NothingToDrop> {
        let goal = CutGoal { window: Tokens(1_000), checkpoint: Checkpoint::BeforeRequest };
        LangChain { keep, profile: true }.cut(&Sketch::new(line).view(), goal)
    }

    #[test]
    fn messages_are_kept_with_the_calls_of_their_results() {
        // The last three messages are r a u; the call of r stands before them, so four stay.
        assert_eq!(cut(Size::Messages(3), "u1 a1 u1 A1 r1 a1 u1"), Ok(CutPlan::at(0, 3)));
        // Records without a message and stopped replies are no messages: two are kept, and what stands between them.
        assert_eq!(cut(Size::Messages(2), "u1 a1 h0 u1 x1 h0 u1"), Ok(CutPlan::at(0, 3)));
        assert_eq!(
            cut(Size::Messages(3), "u1 a1 u1"),
            Err(NothingToDrop("everything is within the part that is kept".into()))
        );
    }

    #[test]
    fn tokens_are_kept_up_to_the_budget() {
        // From the end 40, 70, 100, 130; a budget of 100 takes three.
        assert_eq!(cut(Size::Tokens(Tokens(100)), "u30 a30 u30 a30 u40"), Ok(CutPlan::at(0, 2)));
        assert_eq!(cut(Size::Tokens(Tokens(99)), "u30 a30 u30 a30 u40"), Ok(CutPlan::at(0, 3)));
        // A tenth of the window is 100.
        assert_eq!(cut(Size::Fraction(Fraction::new(0.1).unwrap()), "u30 a30 u30 a30 u40"), Ok(CutPlan::at(0, 2)));
        // A result that would be parted from its call brings it along, over the budget.
        assert_eq!(cut(Size::Tokens(Tokens(100)), "u30 a30 A500 r60 u40"), Ok(CutPlan::at(0, 2)));
    }
}
