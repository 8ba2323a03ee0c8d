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
