//! Goal-loss: which annotated items are still visible after the dropped part is gone.
//!
//! Survival of text is an upper bound of what an agent remembers: what is not there cannot be recalled, what is there
//! may still be overlooked.

mod items;
mod presence;
mod score;
mod visible;

pub use items::{Category, GoalItem, ItemSet, ItemsError};
pub use presence::Presence;
pub use score::{Fate, ItemFate, Score};
pub use visible::Goal;

use super::Def;
use crate::measure::Direction::Lower;

pub(super) const DEFS: &[Def] = &[
    Def(
        "goal_loss",
        "score",
        Lower,
        "share of the annotated items lost at the last cut, weighted by category: 0 nothing, 1 everything",
    ),
    Def("goal_loss_goal", "score", Lower, "loss among goals and success criteria"),
    Def("goal_loss_constraint", "score", Lower, "loss among constraints and rules of the person"),
    Def("goal_loss_decision", "score", Lower, "loss among decisions and rejected options"),
    Def("goal_loss_artifact", "score", Lower, "loss among files and what was done to them"),
    Def("goal_loss_progress", "score", Lower, "loss among done and open steps"),
    Def("goal_loss_value", "score", Lower, "loss among exact values"),
    Def("goal_loss_error", "score", Lower, "loss among error messages"),
    Def("critical_lost_count", "count", Lower, "critical items that are lost or wrong at the last cut"),
];
