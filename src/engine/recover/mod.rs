//! What is put back after a cut, beside the summary.

pub mod history;
pub mod recent_files;
pub mod reread;
pub mod spec;
pub mod user_messages;

use super::cut::CutPlan;
use super::view::ContextView;
use crate::transcript::Message;

/// A recovery action.
pub trait Recovery: Send + Sync {
    /// The messages that follow the summary, made from the context before the cut. Nothing later can be seen.
    fn recover(&self, before: &ContextView<'_>, plan: &CutPlan) -> Vec<Message>;
}
