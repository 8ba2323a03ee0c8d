//! The window of the model over the requests of a cell.

use super::Cell;
use crate::results::EventRecord;

/// A window, from a request on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowStep<'run> {
    /// The first request under it, from 1.
    pub request: u64,
    /// The model: recorded, or that of the cell.
    pub model: &'run str,
    /// Context window in tokens.
    pub tokens: u64,
}

/// The windows of a cell, in order; one, unless the session changed to a model of another size.
pub(super) fn windows<'run>(cell: &Cell<'run>) -> Vec<WindowStep<'run>> {
    let record = cell.record;
    let mut steps = vec![WindowStep { request: 1, model: &record.model, tokens: record.window_tokens }];
    for &event in &cell.events {
        if let EventRecord::Switched { request, model, window_tokens, .. } = event {
            // The session may begin with another model than that of the cell.
            while steps.last().is_some_and(|step| step.request >= *request) {
                steps.pop();
            }
            steps.push(WindowStep { request: *request, model, tokens: *window_tokens });
        }
    }
    steps
}
