//! Pi's cut on a live context.

use super::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use crate::engine::pi::{Rules, find_cut_point};
use crate::engine::view::{ContextView, Kind, Source};

/// Pi's cut, as one release has it.
#[derive(Clone, Copy, Debug)]
pub struct Pi(pub Rules);

impl CutPolicy for Pi {
    fn cut(&self, view: &ContextView<'_>, _: CutGoal) -> Result<CutPlan, NothingToDrop> {
        let rules = &self.0;
        let end = view.len();
        if end.checked_sub(1).is_none_or(|last| view.kind(last) == Kind::Boundary) {
            return Err(NothingToDrop("nothing has happened since the last compaction".into()));
        }
        // What a strategy put at the front is not cut again. The old rules start behind the last compaction, and lose
        // what that one had kept.
        let made = view.items().iter().take_while(|item| matches!(item.source, Source::Made(_))).count();
        let after_boundary = view.boundary().map_or(made, |at| at + 1);
        let start = if rules.repeats_from_kept { made } else { after_boundary };
        let cut = find_cut_point(view, start..end, rules.keep_recent, rules);
        let history_end = cut.turn_start.unwrap_or(cut.first_kept);
        let plan = CutPlan {
            history: start..history_end,
            prefix: cut.turn_start.unwrap_or(cut.first_kept)..cut.first_kept,
            kept_from: cut.first_kept,
        };
        let empty = view.messages(start..cut.first_kept).next().is_none();
        // Before 0.79.8 Pi goes ahead: it asks for a summary of nothing and keeps everything.
        if empty && rules.refuses_empty {
            return Err(NothingToDrop("everything is within the part that is kept".into()));
        }
        Ok(plan)
    }
}
