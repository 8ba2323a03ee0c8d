//! A fresh context.

use super::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use crate::engine::view::{ContextView, Source};

/// Keeps nothing.
#[derive(Clone, Copy, Debug)]
pub struct Everything;

impl CutPolicy for Everything {
    fn cut(&self, view: &ContextView<'_>, _: CutGoal) -> Result<CutPlan, NothingToDrop> {
        let made = view.items().iter().take_while(|item| matches!(item.source, Source::Made(_))).count();
        if view.messages(made..view.len()).next().is_none() {
            return Err(NothingToDrop("the context is already fresh".into()));
        }
        Ok(CutPlan::at(made, view.len()))
    }
}
