//! A whole strategy: its stages, and the name they go by.

use std::sync::Arc;

use super::cut::CutPolicy;
use super::edit::Edit;
use super::estimate::Estimator;
use super::recover::Recovery;
use super::summarize::Summarizer;
use super::trigger::Trigger;

/// The stages of a strategy. Triggers and edits may remember, so a strategy serves one replay.
pub struct Strategy {
    /// Its name.
    pub name: String,
    /// The estimator's name; estimates of a transcript are shared by all strategies with the same one.
    pub estimator_name: String,
    /// Counts tokens.
    pub estimator: Arc<dyn Estimator>,
    /// Shorten or mask messages in place.
    pub edits: Vec<Box<dyn Edit>>,
    /// Decides when to compact.
    pub trigger: Box<dyn Trigger>,
    /// Decides what goes.
    pub cut: Box<dyn CutPolicy>,
    /// Writes what stands for it.
    pub summarizer: Box<dyn Summarizer>,
    /// Put things back.
    pub recovery: Vec<Box<dyn Recovery>>,
}

impl std::fmt::Debug for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Strategy")
            .field("name", &self.name)
            .field("estimator", &self.estimator_name)
            .finish_non_exhaustive()
    }
}
