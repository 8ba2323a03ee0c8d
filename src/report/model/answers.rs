//! What several parts of a report ask about one setting.

use std::collections::HashMap;

use super::{ItemLoss, ReportModel, Setting};

/// The strategy that keeps most for a dollar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerUsd {
    /// Index of the strategy in [`ReportModel::labels`].
    pub label: usize,
    /// The row of `pareto.csv`, which holds the panels one after the other.
    pub row: usize,
    /// Mean dollars of a session.
    pub cost: f64,
    /// Mean goal-loss.
    pub goal_loss: f64,
    /// What is not lost (1 less goal-loss) for a dollar.
    pub kept_per_usd: f64,
}

impl<'run> ReportModel<'run> {
    /// Who keeps most for a dollar; `None` without a price.
    pub fn most_per_usd(&self, setting: &Setting<'_>) -> Option<PerUsd> {
        let is_it = |panel: &super::ParetoPanel<'_>| panel.setting == *setting && panel.axis.measure.ends_with("_usd");
        let at = self.pareto.iter().position(is_it)?;
        let before: usize = self.pareto[..at].iter().map(|panel| panel.points.len()).sum();
        let (within, kept_per_usd) = self.pareto[at].most_per_usd()?;
        let point = &self.pareto[at].points[within];
        let (cost, goal_loss) = (point.cost, point.goal_loss);
        Some(PerUsd { label: point.label, row: before + within, cost, goal_loss, kept_per_usd })
    }

    /// Whether a mock wrote some of the summaries of a setting.
    pub fn is_mock(&self, setting: &Setting<'_>) -> bool {
        self.strategies.iter().any(|row| row.setting == *setting && row.mock)
    }

    /// The strategies of some losses, each once, in the order of the grid.
    pub fn losers(&self, losses: &[ItemLoss<'_>]) -> Vec<usize> {
        let mut losers: Vec<usize> = losses.iter().map(|loss| self.cells[loss.cell].label).collect();
        losers.sort_unstable();
        losers.dedup();
        losers
    }

    /// The losses of each item: critical items first, then those that most strategies lost, then in the order of the cells.
    pub fn by_item(&self, losses: &[ItemLoss<'run>]) -> Vec<Vec<ItemLoss<'run>>> {
        let mut items: Vec<Vec<ItemLoss<'run>>> = Vec::new();
        let mut places: HashMap<(usize, &str), usize> = HashMap::new();
        for &loss in losses {
            let place = *places.entry((self.detail_of[loss.cell], loss.item)).or_insert(items.len());
            if place == items.len() {
                items.push(Vec::new());
            }
            items[place].push(loss);
        }
        items.sort_by_cached_key(|losses| (!losses[0].critical, std::cmp::Reverse(self.losers(losses).len())));
        items
    }
}
