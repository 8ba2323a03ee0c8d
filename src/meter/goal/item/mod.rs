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
mod sentences;
mod spelling;

pub use file::{Category, GoalItem, ItemSet, ItemsError};
pub use lint::{Agreement, Doubt, agreement, doubts};
pub(crate) use meter::DROPPED_FLOOR;
pub use meter::Goal;
pub(super) use polarity::is_past_heading;
pub use presence::Presence;
pub use rounds::Lifetime;
pub use score::{Fate, ItemFate, Score};
pub(in crate::meter::goal) use spelling::is_whole;
