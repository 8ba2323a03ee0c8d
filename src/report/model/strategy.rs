//! The strategy table.

use std::collections::BTreeMap;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{Aggregate, Cell};
use crate::results::{CellRecord, MeasureDef};

/// What stays equal while strategies are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting<'run> {
    /// The model.
    pub model: &'run str,
    /// Its window.
    pub window_tokens: u64,
    /// `full` or `recorded`.
    pub history: &'run str,
}

impl<'run> Setting<'run> {
    pub(super) fn of(cell: &'run CellRecord) -> Self {
        Self { model: &cell.model, window_tokens: cell.window_tokens, history: &cell.history }
    }
}

/// One strategy in one setting, over all transcripts and seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyRow<'run> {
    /// Index of its name in [`super::ReportModel::labels`].
    pub label: usize,
    /// What it mimics, its estimator and summarizer: those of its first cell.
    pub first: &'run CellRecord,
    /// The setting.
    pub setting: Setting<'run>,
    /// A mock wrote some of its summaries.
    pub mock: bool,
    /// Its cells.
    pub cells: usize,
    /// Every measure of the run, by name.
    pub measures: BTreeMap<String, Aggregate<'run>>,
}

/// A column of the strategy table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The measure.
    pub measure: &'static str,
    /// The columns beside it that it belongs to.
    pub group: &'static str,
    /// Its header.
    pub head: &'static str,
    /// Its header on a terminal.
    pub short: &'static str,
    /// On a narrow terminal, columns with high numbers are left out first.
    pub rank: u8,
}

const fn column(
    measure: &'static str,
    group: &'static str,
    head: &'static str,
    short: &'static str,
    rank: u8,
) -> Column {
    Column { measure, group, head, short, rank }
}

/// The columns of the strategy table, in order: what is lost and what it costs come first.
const COLUMNS: [Column; 19] = [
    column("goal_loss", "What is lost", "Goal-loss", "loss", 1),
    column("critical_lost_count", "What is lost", "Critical items", "crit", 6),
    column("cost_usd", "Money", "Cost", "usd", 3),
    column("cost_summary_usd", "Money", "Of it summaries", "sum usd", 15),
    column("kept_tokens", "Context", "Kept", "kept", 2),
    column("prompt_tokens", "Context", "Prompts", "prompts", 11),
    column("invalidated_tokens", "Prompt cache", "Invalidated", "invalid", 3),
    column("rewritten_tokens", "Prompt cache", "Rewritten", "rewrite", 7),
    column("cache_hit_ratio", "Prompt cache", "Hits", "hits", 16),
    column("cache_break_even_requests", "Prompt cache", "Break-even", "even", 17),
    column("estimation_error_ratio", "Estimation error", "Signed", "est err", 5),
    column("estimation_abs_error_ratio", "Estimation error", "Absolute", "|err|", 9),
    column("compactions_count", "Work", "Compactions", "compact", 0),
    column("edits_count", "Work", "Edits", "edits", 10),
    column("overflows_count", "Faults", "Overflows", "overfl", 4),
    column("stuck_count", "Faults", "Stuck", "stuck", 8),
    column("no_gain_count", "Faults", "No gain", "no gain", 12),
    column("repaired_orphans_count", "Faults", "Orphans", "orphans", 13),
    column("split_turns_count", "Faults", "Split turns", "splits", 14),
];

/// The categories of goal-loss: measure and header.
pub(crate) const CATEGORIES: [(&str, &str); 7] = [
    ("goal_loss_goal", "Goal"),
    ("goal_loss_constraint", "Constraint"),
    ("goal_loss_decision", "Decision"),
    ("goal_loss_artifact", "Artifact"),
    ("goal_loss_progress", "Progress"),
    ("goal_loss_value", "Value"),
    ("goal_loss_error", "Error"),
];

/// The columns whose measure this run defines or carries.
pub(super) fn columns(measures: &[MeasureDef], cells: &[Cell<'_>]) -> Vec<Column> {
    let is_present = |column: &Column| {
        measures.iter().any(|def| def.name == column.measure)
            && cells.iter().any(|cell| cell.record.measures.contains_key(column.measure))
    };
    COLUMNS.into_iter().filter(is_present).collect()
}

/// One row per strategy and setting, in the order of the grid.
pub(super) fn rows<'run>(measures: &[MeasureDef], cells: &[Cell<'run>]) -> Vec<StrategyRow<'run>> {
    let mut groups: Vec<((usize, Setting<'run>), Vec<&Cell<'run>>)> = Vec::new();
    for cell in cells {
        let key = (cell.label, Setting::of(cell.record));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(cell),
            None => groups.push((key, vec![cell])),
        }
    }
    // Rows of one setting stand together, because they are what is compared. The sort is stable.
    let mut settings: Vec<Setting<'run>> = Vec::new();
    for ((_, setting), _) in &groups {
        if !settings.contains(setting) {
            settings.push(*setting);
        }
    }
    groups.sort_by_key(|((label, setting), _)| (settings.iter().position(|known| known == setting), *label));
    groups
        .into_iter()
        .map(|((label, setting), members)| StrategyRow {
            label,
            first: members[0].record,
            setting,
            mock: members.iter().any(|cell| cell.record.mock),
            cells: members.len(),
            measures: measures.par_iter().map(|def| (def.name.clone(), Aggregate::over(def, &members))).collect(),
        })
        .collect()
}
