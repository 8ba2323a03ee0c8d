//! What is kept against what is lost.

use super::super::number::real;
use super::{Cell, Setting, StrategyRow, number};

const KEPT: &str = "kept_tokens";
const LOSS: &str = "goal_loss";

/// One strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct ParetoPoint {
    /// Index of the strategy in [`super::ReportModel::labels`].
    pub label: usize,
    /// Mean of the tokens kept.
    pub kept_tokens: f64,
    /// Mean goal-loss, 0 to 1, over the same cells.
    pub goal_loss: f64,
    /// Cells that have both numbers.
    pub n: usize,
    /// Cells that lack one.
    pub left_out: usize,
    /// No other strategy keeps as few tokens with as little loss, one of them less.
    pub in_set: bool,
}

/// The strategies of one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct ParetoPanel<'run> {
    /// The setting.
    pub setting: Setting<'run>,
    /// The points, in the order of the table.
    pub points: Vec<ParetoPoint>,
    /// Strategies without a point, because no cell has both numbers.
    pub absent: Vec<usize>,
}

pub(super) fn panels<'run>(rows: &[StrategyRow<'run>], cells: &[Cell<'run>]) -> Vec<ParetoPanel<'run>> {
    let mut panels: Vec<ParetoPanel<'run>> = Vec::new();
    for row in rows {
        if panels.last().is_none_or(|panel| panel.setting != row.setting) {
            panels.push(ParetoPanel { setting: row.setting, points: Vec::new(), absent: Vec::new() });
        }
        let Some(panel) = panels.last_mut() else { continue };
        match point(row, cells) {
            Some(point) => panel.points.push(point),
            None => panel.absent.push(row.label),
        }
    }
    panels.retain(|panel| !panel.points.is_empty());
    for panel in &mut panels {
        mark(&mut panel.points);
    }
    panels
}

fn point(row: &StrategyRow<'_>, cells: &[Cell<'_>]) -> Option<ParetoPoint> {
    let own = cells.iter().filter(|cell| cell.label == row.label && Setting::of(cell.record) == row.setting);
    let both: Vec<(f64, f64)> =
        own.filter_map(|cell| Some((number(cell.record, KEPT).ok()?, number(cell.record, LOSS).ok()?))).collect();
    if both.is_empty() {
        return None;
    }
    let n = real(both.len() as u64);
    Some(ParetoPoint {
        label: row.label,
        kept_tokens: both.iter().map(|(kept, _)| kept).sum::<f64>() / n,
        goal_loss: both.iter().map(|(_, loss)| loss).sum::<f64>() / n,
        n: both.len(),
        left_out: row.cells - both.len(),
        in_set: false,
    })
}

/// Marks the Pareto set; less is better in both. Equal points are all in it.
fn mark(points: &mut [ParetoPoint]) {
    let places: Vec<(f64, f64)> = points.iter().map(|point| (point.kept_tokens, point.goal_loss)).collect();
    for point in points {
        let (kept, loss) = (point.kept_tokens, point.goal_loss);
        let beats = |other: &(f64, f64)| other.0 <= kept && other.1 <= loss && (other.0 < kept || other.1 < loss);
        point.in_set = !places.iter().any(beats);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominated_points_are_outside() {
        let point =
            |kept_tokens, goal_loss| ParetoPoint { label: 0, kept_tokens, goal_loss, n: 1, left_out: 0, in_set: false };
        let mut points = [point(10.0, 0.9), point(20.0, 0.5), point(30.0, 0.5), point(40.0, 0.1), point(40.0, 0.1)];
        mark(&mut points);
        assert_eq!(points.map(|point| point.in_set), [true, true, false, true, true]);
    }
}
