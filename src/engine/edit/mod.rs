//! Messages shortened or masked in place, without a cut.

pub mod deepagents;
pub mod mask_results;

use super::trigger::{Checkpoint, TriggerView};
use crate::transcript::Message;

/// A message of the context, and what takes its place.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The item.
    pub at: usize,
    /// Its new message: of the same role, with the same calls, answering the same call.
    pub message: Message,
}

/// An edit of the context.
pub trait Edit: Send {
    /// Asked before every request, and before the trigger. The rewrites stay.
    fn edit(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Vec<Rewrite>;
}
