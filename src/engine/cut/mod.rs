//! What is dropped and what stays.

pub mod article;
pub mod everything;
pub mod langchain;
pub mod nothing;
pub mod pi;
pub mod tail;

use std::borrow::Cow;
use std::ops::Range;

use super::trigger::Checkpoint;
use super::view::ContextView;
use crate::transcript::Tokens;

/// What a cut is for.
#[derive(Clone, Copy, Debug)]
pub struct CutGoal {
    /// The model's context window.
    pub window: Tokens,
    /// The moment.
    pub checkpoint: Checkpoint,
}

/// A cut of a context, as ranges of its items. What stands before `history` (an older summary, or a part that a
/// strategy loses) is dropped without being summarized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutPlan {
    /// Dropped and summarized.
    pub history: Range<usize>,
    /// The start of a split turn, dropped and summarized on its own; empty when no turn is split.
    pub prefix: Range<usize>,
    /// First item of the kept tail.
    pub kept_from: usize,
}

impl CutPlan {
    /// Drops everything before `kept_from` and summarizes the part that begins at `start`.
    pub fn at(start: usize, kept_from: usize) -> Self {
        Self { history: start..kept_from, prefix: kept_from..kept_from, kept_from }
    }
}

/// Why there is nothing to drop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NothingToDrop(pub Cow<'static, str>);

/// A cut policy.
pub trait CutPolicy: Send + Sync {
    /// Where to cut.
    ///
    /// # Errors
    /// When the policy would drop nothing.
    fn cut(&self, view: &ContextView<'_>, goal: CutGoal) -> Result<CutPlan, NothingToDrop>;
}
