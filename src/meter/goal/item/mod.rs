//! Annotated items: which of them are still visible after the dropped part is gone.

mod control;
mod fates;
mod file;
mod lint;
mod matcher;
mod meter;
mod polarity;
mod presence;
mod rounds;
mod score;

pub use file::{Category, GoalItem, ItemSet, ItemsError};
pub use lint::{Agreement, Doubt, agreement, doubts};
pub(in crate::meter::goal) use matcher::is_whole_number;
pub(crate) use meter::DROPPED_FLOOR;
pub use meter::Goal;
pub use presence::Presence;
pub use rounds::Lifetime;
pub use score::{Fate, ItemFate, Score};
