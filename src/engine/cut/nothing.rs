//! No cut.

use super::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use crate::engine::view::ContextView;

/// Never drops anything.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl CutPolicy for Nothing {
    fn cut(&self, _: &ContextView<'_>, _: CutGoal) -> Result<CutPlan, NothingToDrop> {
        Err(NothingToDrop("the strategy drops nothing".into()))
    }
}
