//! What a strategy costs against what it loses.

use super::{Cell, Setting, StrategyRow, number};
use crate::stats::{Observation, Sample, mean};

/// The measure of what is lost.
pub(in super::super) const LOSS: &str = "goal_loss";

/// What goal-loss is drawn against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The measure; less is better.
    pub measure: &'static str,
    /// The title of the axis.
    pub title: &'static str,
    /// What a place far left means.
    pub left: &'static str,
    /// The header of its column.
    pub head: &'static str,
    /// What it is called in a sentence.
    pub words: &'static str,
}

/// What goal-loss may be drawn against, the price first. A run shows those that it measured.
const AXES: [Axis; 3] = [
    Axis {
        measure: "cost_usd",
        title: "Cost of a session (mean dollars)",
        left: "a cheaper session",
        head: "Cost",
        words: "dollars",
    },
    Axis {
        measure: "kept_tokens",
        title: "Kept after a compaction (mean reference tokens)",
        left: "a smaller context after a compaction",
        head: "Kept",
        words: "kept tokens",
    },
    Axis {
        measure: "invalidated_tokens",
        title: "Cached prefix made worthless in a session (mean tokens)",
        left: "a prompt cache that stays valid",
        head: "Invalidated",
        words: "invalidated tokens",
    },
];

/// One strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct ParetoPoint {
    /// Index of the strategy in [`super::ReportModel::labels`].
    pub label: usize,
    /// Mean of the axis over lineages, in the unit of its measure.
    pub cost: f64,
    /// Mean goal-loss, 0 to 1, over the same cells.
    pub goal_loss: f64,
    /// Cells that have both numbers.
    pub n: usize,
    /// Cells that lack one.
    pub left_out: usize,
    /// Lineages that have both.
    pub lineages: usize,
    /// It has as many lineages as any other point: only such are compared, because a mean over fewer is one over easier or harder
    /// sessions.
    pub is_comparable: bool,
    /// No other comparable strategy is at least as good in both and better in one.
    pub in_set: bool,
}

/// The strategies of one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct ParetoPanel<'run> {
    /// The setting.
    pub setting: Setting<'run>,
    /// What goal-loss is drawn against.
    pub axis: Axis,
    /// The points, in the order of the table.
    pub points: Vec<ParetoPoint>,
    /// Strategies without a point, because no cell has both numbers.
    pub absent: Vec<usize>,
}

impl ParetoPanel<'_> {
    /// What is not lost (1 less goal-loss) for a dollar; `None` where the cost is not in dollars, or nothing was paid.
    pub fn kept_per_usd(&self, point: &ParetoPoint) -> Option<f64> {
        (self.axis.measure.ends_with("_usd") && point.cost > 0.0).then(|| (1.0 - point.goal_loss) / point.cost)
    }

    /// The comparable strategy that keeps most for a dollar: which of the points, and how much.
    pub fn most_per_usd(&self) -> Option<(usize, f64)> {
        let comparable = self.points.iter().enumerate().filter(|(_, point)| point.is_comparable);
        let all = comparable.filter_map(|(at, point)| Some((at, self.kept_per_usd(point)?)));
        all.reduce(|best, one| if best.1 >= one.1 { best } else { one })
    }
}

pub(super) fn panels<'run>(rows: &[StrategyRow<'run>], cells: &[Cell<'run>]) -> Vec<ParetoPanel<'run>> {
    let mut panels = Vec::new();
    for rows in rows.chunk_by(|left, right| left.setting == right.setting) {
        panels.extend(AXES.iter().map(|axis| panel(*axis, rows, cells)));
    }
    panels.retain(|panel: &ParetoPanel<'_>| !panel.points.is_empty());
    panels
}

fn panel<'run>(axis: Axis, rows: &[StrategyRow<'run>], cells: &[Cell<'run>]) -> ParetoPanel<'run> {
    let mut panel = ParetoPanel { setting: rows[0].setting, axis, points: Vec::new(), absent: Vec::new() };
    for row in rows {
        match point(axis, row, cells) {
            Some(point) => panel.points.push(point),
            None => panel.absent.push(row.label),
        }
    }
    mark(&mut panel.points);
    panel
}

fn point(axis: Axis, row: &StrategyRow<'_>, cells: &[Cell<'_>]) -> Option<ParetoPoint> {
    let own = cells.iter().filter(|cell| cell.label == row.label && Setting::of(cell.record) == row.setting);
    let both: Vec<(&Cell<'_>, f64, f64)> = own
        .filter_map(|cell| Some((cell, number(cell.record, axis.measure).ok()?, number(cell.record, LOSS).ok()?)))
        .collect();
    let over_lineages = |of: fn(&(&Cell<'_>, f64, f64)) -> f64| {
        let sample = Sample::of(both.iter().map(|one| Observation {
            lineage: &one.0.record.lineage,
            transcript: &one.0.record.transcript,
            value: Some(of(one)),
        }));
        sample.values()
    };
    let losses = over_lineages(|one| one.2);
    Some(ParetoPoint {
        label: row.label,
        cost: mean(&over_lineages(|one| one.1))?,
        goal_loss: mean(&losses)?,
        lineages: losses.len(),
        n: both.len(),
        left_out: row.cells - both.len(),
        is_comparable: false,
        in_set: false,
    })
}

/// Marks the points that can be compared, and of them the Pareto set; less is better in both. Equal points are all in it.
fn mark(points: &mut [ParetoPoint]) {
    let most = points.iter().map(|point| point.lineages).max().unwrap_or(0);
    points.iter_mut().for_each(|point| point.is_comparable = point.lineages == most);
    let comparable = points.iter().filter(|point| point.is_comparable);
    let places: Vec<(f64, f64)> = comparable.map(|point| (point.cost, point.goal_loss)).collect();
    for point in points.iter_mut().filter(|point| point.is_comparable) {
        let (cost, loss) = (point.cost, point.goal_loss);
        let beats = |other: &(f64, f64)| other.0 <= cost && other.1 <= loss && (other.0 < cost || other.1 < loss);
        point.in_set = !places.iter().any(beats);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominated_points_are_outside() {
        let mut points = [point(10.0, 0.9), point(20.0, 0.5), point(30.0, 0.5), point(40.0, 0.1), point(40.0, 0.1)];
        mark(&mut points);
        assert_eq!(points.map(|point| point.in_set), [true, true, false, true, true]);
    }

    fn point(cost: f64, goal_loss: f64) -> ParetoPoint {
        ParetoPoint { label: 0, cost, goal_loss, n: 1, left_out: 0, lineages: 2, is_comparable: false, in_set: false }
    }

    #[test]
    fn a_mean_over_fewer_lineages_beats_nobody() {
        let mut points = [ParetoPoint { lineages: 1, ..point(1.0, 0.0) }, point(2.0, 0.5), point(4.0, 0.0)];
        mark(&mut points);
        assert_eq!(
            points.clone().map(|point| (point.is_comparable, point.in_set)),
            [(false, false), (true, true), (true, true)]
        );
        let setting = Setting { model: "m", window_tokens: 1, history: "full" };
        let mut panel = ParetoPanel { setting, axis: AXES[0], points: points.to_vec(), absent: Vec::new() };
        // For a dollar: 0.5 / 2 and 1 / 4 are equal, so that the first one is named; the incomparable 1 / 1 is not.
        assert_eq!(panel.most_per_usd().map(|(at, kept)| (panel.points[at].cost, kept)), Some((2.0, 0.25)));
        panel.axis = AXES[1];
        assert!(panel.most_per_usd().is_none(), "kept tokens are no dollars");
    }
}
