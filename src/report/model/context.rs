//! Context size over requests.

use super::super::number::real;
use super::window::windows;
use super::{Cell, Setting, WindowStep};
use crate::results::EventRecord;

/// A place in the plot: a request number, and reference tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Request number; a compaction before request `k` lies at `k - 0.5`.
    pub request: f64,
    /// Reference tokens.
    pub tokens: f64,
}

/// One cell as a line.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextLine {
    /// Index of the cell in [`super::ReportModel::cells`].
    pub cell: usize,
    /// Index of the strategy in [`super::ReportModel::labels`].
    pub label: usize,
    /// Requests and, between them, the falls of compactions.
    pub points: Vec<Point>,
    /// The height from which each compaction fell.
    pub compactions: Vec<Point>,
    /// Requests that did not fit the window.
    pub overflows: Vec<Point>,
}

/// One transcript in one setting: a line per strategy and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextPanel<'run> {
    /// The transcript.
    pub transcript: &'run str,
    /// The setting.
    pub setting: Setting<'run>,
    /// The windows over the requests; the same for all lines, because the recording decides.
    pub windows: Vec<WindowStep<'run>>,
    /// The lines, in the order of the grid.
    pub lines: Vec<ContextLine>,
}

impl ContextPanel<'_> {
    /// The highest point of all lines, in tokens.
    pub fn peak_tokens(&self) -> f64 {
        let heights = self.lines.iter().flat_map(|line| line.points.iter().chain(&line.overflows));
        heights.map(|point| point.tokens).fold(0.0, f64::max)
    }

    /// The last request of all lines, or one that nobody answered, where the window changes before it.
    pub fn last_request(&self) -> f64 {
        let changes = self.windows.iter().map(|step| real(step.request));
        let points = self.lines.iter().flat_map(|line| &line.points).map(|point| point.request);
        points.chain(changes).fold(1.0, f64::max)
    }
}

impl ContextPanel<'_> {
    /// Rows of request number and, per line, the tokens of that request; `None` where the line has no such request.
    pub fn rows(&self) -> Vec<(f64, Vec<Option<f64>>)> {
        let mut rows: Vec<(f64, Vec<Option<f64>>)> = Vec::new();
        for (column, line) in self.lines.iter().enumerate() {
            // The falls of compactions lie between two requests.
            for point in line.points.iter().filter(|point| is_whole(point.request)) {
                let at = rows.partition_point(|(request, _)| *request < point.request);
                if rows.get(at).is_none_or(|(request, _)| *request > point.request) {
                    rows.insert(at, (point.request, vec![None; self.lines.len()]));
                }
                rows[at].1[column] = Some(point.tokens);
            }
        }
        rows
    }
}

pub(super) fn panels<'run>(cells: &[Cell<'run>]) -> Vec<ContextPanel<'run>> {
    let mut panels: Vec<ContextPanel<'run>> = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        let line = line(index, cell);
        if line.points.is_empty() {
            continue;
        }
        let (transcript, setting) = (cell.record.transcript.as_str(), Setting::of(cell.record));
        match panels.iter_mut().find(|panel| panel.transcript == transcript && panel.setting == setting) {
            Some(panel) => panel.lines.push(line),
            None => panels.push(ContextPanel { transcript, setting, windows: windows(cell), lines: vec![line] }),
        }
    }
    panels
}

fn line(index: usize, cell: &Cell<'_>) -> ContextLine {
    let (mut points, mut compactions, mut overflows) = (Vec::new(), Vec::new(), Vec::new());
    for event in &cell.events {
        match event {
            EventRecord::Request(request) => {
                points.push(Point { request: real(request.request), tokens: real(request.reference_tokens) });
            }
            EventRecord::Compaction(compaction) => {
                let at = |tokens| Point { request: real(compaction.request) - 0.5, tokens: real(tokens) };
                points.extend([at(compaction.before_tokens), at(compaction.after_tokens)]);
                compactions.push(at(compaction.before_tokens));
            }
            EventRecord::Overflow { request, reference_tokens, .. } => {
                overflows.push(Point { request: real(*request), tokens: real(*reference_tokens) });
            }
            EventRecord::Stuck { .. }
            | EventRecord::Fired { .. }
            | EventRecord::Switched { .. }
            | EventRecord::Edited { .. } => {}
        }
    }
    ContextLine { cell: index, label: cell.label, points, compactions, overflows }
}

/// A request has a whole number; a compaction lies half-way between two.
fn is_whole(request: f64) -> bool {
    request.fract().abs() < 0.25
}
