//! What happened in each cell.

use super::window::windows;
use super::{Cell, Setting, WindowStep};
use crate::results::{CellRecord, CompactionRecord, EventRecord};

/// All edits of a cell together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EditTotal {
    /// Times that messages were edited.
    pub edits: u64,
    /// Messages changed.
    pub messages: u64,
    /// Reference tokens saved.
    pub saved_tokens: u64,
    /// Tokens of the cached prefix made worthless.
    pub invalidated_tokens: u64,
}

/// Triggers that fired in vain, for one reason at one checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckTotal<'run> {
    /// The checkpoint.
    pub checkpoint: &'run str,
    /// The reason.
    pub reason: &'run str,
    /// How often.
    pub times: u64,
    /// The request before which it happened first.
    pub first_request: u64,
}

/// The compactions and incidents of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellHistory<'run> {
    /// The cell.
    pub record: &'run CellRecord,
    /// Index of the strategy in [`super::ReportModel::labels`].
    pub label: usize,
    /// The setting.
    pub setting: Setting<'run>,
    /// The windows over the requests.
    pub windows: Vec<WindowStep<'run>>,
    /// Requests made.
    pub requests: u64,
    /// The compactions, in order.
    pub compactions: Vec<&'run CompactionRecord>,
    /// Requests that did not fit: number, and reference tokens.
    pub overflows: Vec<(u64, u64)>,
    /// Triggers that fired in vain.
    pub stuck: Vec<StuckTotal<'run>>,
    /// Triggers that fired while the recorded history was followed, by checkpoint; the reason is that of the first time.
    pub fired: Vec<StuckTotal<'run>>,
    /// Edits in place.
    pub edits: EditTotal,
}

pub(super) fn histories<'run>(cells: &[Cell<'run>]) -> Vec<CellHistory<'run>> {
    cells.iter().map(history).collect()
}

fn history<'run>(cell: &Cell<'run>) -> CellHistory<'run> {
    let mut out = CellHistory {
        record: cell.record,
        label: cell.label,
        setting: Setting::of(cell.record),
        windows: windows(cell),
        requests: 0,
        compactions: Vec::new(),
        overflows: Vec::new(),
        stuck: Vec::new(),
        fired: Vec::new(),
        edits: EditTotal::default(),
    };
    for &event in &cell.events {
        match event {
            EventRecord::Request(_) => out.requests += 1,
            EventRecord::Compaction(compaction) => out.compactions.push(compaction),
            EventRecord::Overflow { request, reference_tokens, .. } => {
                out.overflows.push((*request, *reference_tokens));
            }
            EventRecord::Stuck { request, checkpoint, reason, .. } => {
                stuck(&mut out.stuck, checkpoint, reason, *request);
            }
            EventRecord::Fired { request, checkpoint, reason, .. } => {
                match out.fired.iter_mut().find(|total| total.checkpoint == *checkpoint) {
                    Some(total) => total.times += 1,
                    None => out.fired.push(StuckTotal { checkpoint, reason, times: 1, first_request: *request }),
                }
            }
            // It is among the windows.
            EventRecord::Switched { .. } => {}
            EventRecord::Edited { messages, saved_tokens, invalidated_tokens, .. } => {
                out.edits.edits += 1;
                out.edits.messages += messages;
                out.edits.saved_tokens += saved_tokens;
                out.edits.invalidated_tokens += invalidated_tokens;
            }
        }
    }
    out
}

fn stuck<'run>(totals: &mut Vec<StuckTotal<'run>>, checkpoint: &'run str, reason: &'run str, request: u64) {
    match totals.iter_mut().find(|total| total.checkpoint == checkpoint && total.reason == reason) {
        Some(total) => total.times += 1,
        None => totals.push(StuckTotal { checkpoint, reason, times: 1, first_request: request }),
    }
}
