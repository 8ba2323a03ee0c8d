//! What a report shows: numbers already computed, in the order in which they are shown. Renderers only lay them out.

mod aggregate;
mod answers;
mod classes;
mod compactions;
mod context;
mod detail;
pub(super) mod evidence;
mod forgotten;
mod history;
mod items;
mod judged;
mod outcome;
mod pareto;
mod stack;
mod strategy;
mod verdict;
mod window;

use std::collections::{BTreeMap, BTreeSet};

pub use aggregate::Aggregate;
pub(super) use aggregate::is_additive;
pub use answers::PerUsd;
pub use classes::{ClassError, ClassErrors, SMALLEST_SHARE};
pub use compactions::{DearestCompaction, WorstCompaction};
pub use context::{ContextLine, ContextPanel, Point};
pub(super) use detail::EXAM_ROWS;
pub use detail::{DETAIL_BUDGET, TranscriptDetail};
pub use forgotten::{AtBudget, Extractors, ForgottenPanel, Rounds, Weighing};
pub use history::{CellHistory, EditTotal, StuckTotal};
pub use items::{ItemRow, ItemTable};
pub use judged::{CellJudgements, Evidence, Judged};
pub use outcome::Outcome;
pub(super) use outcome::outcomes;
pub use pareto::{Axis, ParetoPanel, ParetoPoint};
pub use stack::{Stack, StackPoint};
pub(crate) use strategy::CATEGORIES;
pub use strategy::{Column, Setting, StrategyRow};
pub(super) use verdict::ALPHA;
pub use verdict::{Contrast, EstimatorError, ItemLoss, Scored, Verdict};
pub use window::WindowStep;

use crate::compare::Comparison;
use crate::results::{CellRecord, EventRecord, Manifest, Measure, MeasureDef, Run};

/// The reason given for a measure that a cell does not carry at all.
const NOT_MEASURED: &str = "not measured in this cell";

/// Cells that one page shows: more have pages of their own, because a table of a thousand rows takes seconds to lay out.
pub const CELLS_SHOWN: usize = 300;

/// A cell with its events.
#[derive(Clone, Debug)]
pub struct Cell<'run> {
    /// The record.
    pub record: &'run CellRecord,
    /// Index of its strategy in [`ReportModel::labels`].
    pub label: usize,
    /// Its events, in order.
    pub events: Vec<&'run EventRecord>,
}

/// A reason for missing numbers, as the report's footnotes list it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoidNote<'run> {
    /// The reason.
    pub reason: &'run str,
    /// The measures it stands for.
    pub measures: BTreeSet<&'run str>,
    /// Cells with at least one such void.
    pub cells: usize,
}

/// The run that this one is compared with, and what the comparison says.
#[derive(Clone, Copy, Debug)]
pub struct Against<'run> {
    /// Where the base comes from.
    pub base: &'run Manifest,
    /// The comparison; its head is the run of the report.
    pub comparison: &'run Comparison,
}

/// The whole report.
#[derive(Clone, Debug)]
pub struct ReportModel<'run> {
    /// The run itself.
    pub run: &'run Run,
    /// Some summaries are a mock's: nothing here says anything about a real model.
    pub mock: bool,
    /// What a strategy is called in the report; unique, in the order of the grid.
    pub labels: Vec<String>,
    /// The cells, in the order of the grid.
    pub cells: Vec<Cell<'run>>,
    /// The measures of the run: the manifest's, then others that cells carry, by name.
    pub measures: Vec<MeasureDef>,
    /// The columns of the strategy table that this run has numbers or voids for.
    pub columns: Vec<Column>,
    /// One row per strategy and setting, over all transcripts.
    pub strategies: Vec<StrategyRow<'run>>,
    /// Context size over requests, one panel per transcript and setting.
    pub contexts: Vec<ContextPanel<'run>>,
    /// How the simulated cache served each request, cell by cell; `None` where nothing was simulated.
    pub stacks: Vec<Option<Stack>>,
    /// The errors of the estimators by class of content.
    pub classes: ClassErrors<'run>,
    /// The answers that a reader wants first, one per setting.
    pub verdicts: Vec<Verdict<'run>>,
    /// What each transcript's detail is, and on which page: in the order of the manifest.
    pub details: Vec<TranscriptDetail<'run>>,
    /// The transcript of each cell, as an index into `details`.
    pub detail_of: Vec<usize>,
    /// The pages of the cells, [`CELLS_SHOWN`] on each; empty when the main page holds them.
    pub cell_pages: Vec<String>,
    /// Costs against goal-loss, one panel per setting and cost that has points.
    pub pareto: Vec<ParetoPanel<'run>>,
    /// Survival over rounds, weights and comparisons at equal size, one panel per setting.
    pub forgotten: Vec<ForgottenPanel<'run>>,
    /// The fates of annotated items, one table per transcript that has any.
    pub items: Vec<ItemTable<'run>>,
    /// What a judge said of each cell.
    pub judgements: Vec<CellJudgements<'run>>,
    /// What happened in each cell.
    pub histories: Vec<CellHistory<'run>>,
    /// The reasons for missing numbers, in the order of their first appearance.
    pub voids: Vec<VoidNote<'run>>,
    /// The base, in a report of two runs.
    pub against: Option<Against<'run>>,
}

impl<'run> ReportModel<'run> {
    /// Computes the report of a run.
    pub fn new(run: &'run Run) -> Self {
        let (labels, cells) = cells(run);
        let measures = measures(run);
        let columns = strategy::columns(&measures, &cells);
        let strategies = strategy::rows(&measures, &cells);
        let (contexts, items) = (context::panels(&cells), items::tables(&cells));
        let classes = classes::errors(run);
        let judgements = judged::judgements(run, &cells);
        let (details, detail_of) = detail::details(run, &cells, &contexts, &items, &judgements);
        Self {
            mock: run.manifest.mock || run.cells.iter().any(|cell| cell.mock),
            pareto: pareto::panels(&strategies, &cells),
            forgotten: forgotten::panels(&strategies, &cells),
            verdicts: verdict::verdicts(&strategies, &cells, &classes),
            cell_pages: cell_pages(cells.len()),
            contexts,
            items,
            details,
            detail_of,
            stacks: cells.iter().map(stack::stack).collect(),
            classes,
            judgements,
            histories: history::histories(&cells),
            voids: voids(&measures, &cells),
            run,
            labels,
            cells,
            measures,
            columns,
            strategies,
            against: None,
        }
    }

    /// The same with what differs from a base.
    #[must_use]
    pub fn against(mut self, base: &'run Manifest, comparison: &'run Comparison) -> Self {
        self.against = Some(Against { base, comparison });
        self
    }

    /// The definition of a measure of this run.
    pub fn definition(&self, name: &str) -> Option<&MeasureDef> {
        self.measures.iter().find(|def| def.name == name)
    }

    /// The rows of the price book behind the dollars of a setting, in the order of the grid.
    pub fn price_rows(&self, setting: &Setting<'_>) -> Vec<&'run str> {
        let mut rows: Vec<&str> = Vec::new();
        for row in self
            .cells
            .iter()
            .filter(|cell| Setting::of(cell.record) == *setting)
            .filter_map(|cell| cell.record.price.as_deref())
        {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }

    /// The number of a reason in the footnotes, from 1.
    pub fn footnote(&self, reason: &str) -> Option<usize> {
        self.voids.iter().position(|note| note.reason == reason).map(|index| index + 1)
    }

    /// Distinct settings, in the order of the grid.
    pub fn settings(&self) -> Vec<Setting<'run>> {
        let mut settings = Vec::new();
        for cell in &self.cells {
            let setting = Setting::of(cell.record);
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        settings
    }
}

fn cell_pages(cells: usize) -> Vec<String> {
    let pages = if cells > CELLS_SHOWN { cells.div_ceil(CELLS_SHOWN) } else { 0 };
    (1..=pages).map(|page| format!("cells-{page}.html")).collect()
}

/// The number of a measure in a cell, or the reason why there is none. What is not finite is no number.
pub(crate) fn number<'run>(cell: &'run CellRecord, name: &str) -> Result<f64, &'run str> {
    match cell.measures.get(name) {
        Some(Measure::Value(value)) if value.is_finite() => Ok(*value),
        Some(Measure::Value(_)) => Err("not a finite number"),
        Some(Measure::Void(reason)) => Err(reason),
        None => Err(NOT_MEASURED),
    }
}

/// A strategy's name is its label, unless the run holds it with several estimators or summarizers.
fn cells(run: &Run) -> (Vec<String>, Vec<Cell<'_>>) {
    let mut variants: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for cell in &run.cells {
        variants.entry(&cell.strategy).or_default().insert((&cell.estimator, &cell.summarizer));
    }
    let mut events: BTreeMap<&str, Vec<&EventRecord>> = BTreeMap::new();
    for event in &run.events {
        events.entry(event.cell()).or_default().push(event);
    }
    let mut labels: Vec<String> = Vec::new();
    let mut cells = Vec::with_capacity(run.cells.len());
    for record in &run.cells {
        let is_unique = variants.get(record.strategy.as_str()).is_none_or(|seen| seen.len() < 2);
        let label = if is_unique {
            record.strategy.clone()
        } else {
            format!("{} ({}, {})", record.strategy, record.estimator, record.summarizer)
        };
        let index = labels.iter().position(|known| *known == label).unwrap_or_else(|| {
            labels.push(label);
            labels.len() - 1
        });
        cells.push(Cell { record, label: index, events: events.remove(record.cell.as_str()).unwrap_or_default() });
    }
    (labels, cells)
}

/// The manifest's measures, and those that it does not define but cells carry.
fn measures(run: &Run) -> Vec<MeasureDef> {
    let mut measures = run.manifest.measures.clone();
    let defined: BTreeSet<&str> = run.manifest.measures.iter().map(|def| def.name.as_str()).collect();
    let carried: BTreeSet<&str> = run.cells.iter().flat_map(|cell| cell.measures.keys().map(String::as_str)).collect();
    measures.extend(carried.difference(&defined).map(|name| MeasureDef {
        name: (*name).to_owned(),
        unit: "unknown".to_owned(),
        direction: crate::results::Direction::Neutral,
        about: "The manifest does not define this measure.".to_owned(),
        version: 1,
    }));
    measures
}

fn voids<'run>(measures: &[MeasureDef], cells: &[Cell<'run>]) -> Vec<VoidNote<'run>> {
    let mut notes: Vec<VoidNote<'run>> = Vec::new();
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    for cell in cells {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for def in measures {
            let Err(reason) = number(cell.record, &def.name) else { continue };
            let name = cell.record.measures.get_key_value(&def.name).map(|(name, _)| name.as_str());
            let at = *index.entry(reason).or_insert_with(|| {
                notes.push(VoidNote { reason, measures: BTreeSet::new(), cells: 0 });
                notes.len() - 1
            });
            notes[at].measures.extend(name);
            notes[at].cells += usize::from(seen.insert(reason));
        }
    }
    notes
}
