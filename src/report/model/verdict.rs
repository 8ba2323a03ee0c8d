//! The answers that a reader wants first.

use std::collections::BTreeSet;

use super::compactions::{DearestCompaction, WorstCompaction, dearest_compaction, worst_compaction};
use super::pareto::LOSS;
use super::{Cell, ClassErrors, Setting, StrategyRow, number};
use crate::results::ItemRecord;
use crate::stats::{Paired, Resampling, holm, least_units};

/// Differences of goal-loss nearer to 0 than this are ties: they come from rounding.
const TIE: f64 = 1e-9;

/// The category of the person's rules.
const CONSTRAINT: &str = "constraint";

/// The level at which a difference is called significant.
pub(in super::super) const ALPHA: f64 = 0.05;

/// The strategy that loses least, against another one, on the lineages that both have numbers for.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrast {
    /// The other strategy.
    pub label: usize,
    /// Other less best: positive means that the other loses more. `None` without a common lineage.
    pub paired: Option<Paired>,
    /// The p-value of the sign-flip test, adjusted by Holm over all contrasts of the setting.
    pub adjusted_p: Option<f64>,
}

impl Contrast {
    /// Significant after the adjustment.
    pub fn is_significant(&self) -> bool {
        self.adjusted_p.is_some_and(|p| p <= ALPHA)
    }
}

/// The estimator of one strategy and its mean error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimatorError {
    /// The strategy.
    pub label: usize,
    /// Mean absolute error, as a fraction.
    pub absolute: f64,
    /// Mean signed error; below 0 the estimate is too low.
    pub signed: Option<f64>,
}

/// An annotated item that a strategy lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemLoss<'run> {
    /// Index of the cell.
    pub cell: usize,
    /// The item's id.
    pub item: &'run str,
    /// Its category.
    pub category: &'run str,
    /// Losing it is a veto.
    pub critical: bool,
    /// `lost` or `wrong`.
    pub fate: &'run str,
}

/// How many annotated items could have been lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scored {
    /// Critical ones.
    pub critical: usize,
    /// Rules of the person, critical or not.
    pub constraints: usize,
}

/// The answers for one setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict<'run> {
    /// The setting.
    pub setting: Setting<'run>,
    /// The strategy that loses least among those with the most lineages; `None` without goal-loss.
    pub best: Option<usize>,
    /// Its mean goal-loss.
    pub best_loss: Option<f64>,
    /// Its lineages.
    pub lineages: usize,
    /// The others against it, in the order of the table.
    pub contrasts: Vec<Contrast>,
    /// Strategies that are not comparable, because they have numbers for fewer lineages.
    pub incomparable: Vec<usize>,
    /// The estimators, the worst first.
    pub estimators: Vec<EstimatorError>,
    /// The row of [`super::ClassErrors::rows`] on which an estimator that this setting asks is farthest off.
    pub worst_class: Option<usize>,
    /// The compaction that cost the cache most.
    pub worst_compaction: Option<WorstCompaction<'run>>,
    /// The one that cost most dollars at once; `None` without a price.
    pub dearest_compaction: Option<DearestCompaction<'run>>,
    /// Annotated items of the cells that have a goal-loss, each as often as there are such cells.
    pub scored: Scored,
    /// The critical items lost, in the order of the cells.
    pub critical: Vec<ItemLoss<'run>>,
    /// The rules of the person lost, critical or not, in the order of the cells.
    pub constraints: Vec<ItemLoss<'run>>,
}

impl Verdict<'_> {
    /// Others that lose significantly more.
    pub fn significant(&self) -> usize {
        self.contrasts.iter().filter(|contrast| contrast.is_significant()).count()
    }

    /// Lineages without which so many comparisons cannot find anything significant.
    pub fn needed_lineages(&self) -> usize {
        least_units(ALPHA, self.contrasts.len())
    }

    /// Compactions with a price, where there are some without.
    pub fn priced_in_part(&self) -> Option<usize> {
        let priced = self.dearest_compaction?.count;
        self.worst_compaction.is_none_or(|all| all.count != priced).then_some(priced)
    }
}

pub(super) fn verdicts<'run>(
    rows: &[StrategyRow<'run>],
    cells: &[Cell<'run>],
    classes: &ClassErrors<'run>,
) -> Vec<Verdict<'run>> {
    rows.chunk_by(|left, right| left.setting == right.setting).map(|rows| verdict(rows, cells, classes)).collect()
}

fn verdict<'run>(rows: &[StrategyRow<'run>], cells: &[Cell<'run>], classes: &ClassErrors<'run>) -> Verdict<'run> {
    let setting = rows[0].setting;
    let lineages = |row: &StrategyRow<'_>| row.measures.get(LOSS).map_or(0, |loss| loss.units.len());
    let most = rows.iter().map(lineages).max().unwrap_or(0);
    let loss = |row: &StrategyRow<'_>| row.measures.get(LOSS).and_then(|loss| loss.value);
    let comparable: Vec<&StrategyRow<'_>> = rows.iter().filter(|row| most > 0 && lineages(row) == most).collect();
    let by_loss = |left: &&&StrategyRow<'_>, right: &&&StrategyRow<'_>| {
        loss(left).unwrap_or(f64::INFINITY).total_cmp(&loss(right).unwrap_or(f64::INFINITY))
    };
    let best = comparable.iter().min_by(by_loss).copied();
    let own = |cell: &&(usize, &Cell<'run>)| Setting::of(cell.1.record) == setting;
    let own: Vec<(usize, &Cell<'run>)> = cells.iter().enumerate().filter(|cell| own(&cell)).collect();
    let is_scored = |cell: &&(usize, &Cell<'run>)| number(cell.1.record, LOSS).is_ok();
    let scored_cells: Vec<(usize, &Cell<'run>)> = own.iter().filter(is_scored).copied().collect();
    let lost = losses(&scored_cells);
    let asked: BTreeSet<&str> = own.iter().map(|(_, cell)| &*cell.record.estimator).collect();
    Verdict {
        setting,
        best: best.map(|row| row.label),
        best_loss: best.and_then(loss),
        lineages: most,
        contrasts: best.map_or_else(Vec::new, |best| contrasts(best, &comparable)),
        incomparable: rows.iter().filter(|row| (1..most).contains(&lineages(row))).map(|row| row.label).collect(),
        estimators: estimators(rows),
        worst_compaction: worst_compaction(&own),
        dearest_compaction: dearest_compaction(&own),
        worst_class: classes.worst(&asked),
        scored: scored(&scored_cells),
        critical: lost.iter().copied().filter(|loss| loss.critical).collect(),
        constraints: lost.into_iter().filter(|loss| loss.category == CONSTRAINT).collect(),
    }
}

fn contrasts(best: &StrategyRow<'_>, rows: &[&StrategyRow<'_>]) -> Vec<Contrast> {
    let others = rows.iter().filter(|row| row.label != best.label);
    let mut contrasts: Vec<Contrast> =
        others.map(|row| Contrast { label: row.label, paired: paired(best, row), adjusted_p: None }).collect();
    let p: Vec<f64> = contrasts.iter().filter_map(|one| one.paired.as_ref()).map(|paired| paired.sign_flip.p).collect();
    let tested = contrasts.iter_mut().filter(|one| one.paired.is_some());
    for (contrast, adjusted) in tested.zip(holm(&p)) {
        contrast.adjusted_p = Some(adjusted);
    }
    // Where no difference could be significant, none can be detected either.
    let needed = least_units(ALPHA, contrasts.len());
    for paired in contrasts.iter_mut().filter_map(|one| one.paired.as_mut()) {
        let lineages = paired.below + paired.ties + paired.above;
        paired.minimum_detectable = paired.minimum_detectable.filter(|_| lineages >= needed);
    }
    contrasts
}

/// The differences of goal-loss on common lineages.
fn paired(best: &StrategyRow<'_>, other: &StrategyRow<'_>) -> Option<Paired> {
    let (best, other) = (best.measures.get(LOSS)?, other.measures.get(LOSS)?);
    let on_best = |lineage: &str| best.units.iter().find(|(name, _)| *name == lineage).map(|(_, loss)| *loss);
    let differences: Vec<f64> =
        other.units.iter().filter_map(|(lineage, loss)| Some(loss - on_best(lineage)?)).collect();
    Paired::of(&differences, TIE, Resampling::default())
}

fn estimators(rows: &[StrategyRow<'_>]) -> Vec<EstimatorError> {
    let value = |row: &StrategyRow<'_>, name: &str| row.measures.get(name).and_then(|measure| measure.value);
    let error = |row: &StrategyRow<'_>| {
        Some(EstimatorError {
            label: row.label,
            absolute: value(row, "estimation_abs_error_ratio")?,
            signed: value(row, "estimation_error_ratio"),
        })
    };
    let mut errors: Vec<EstimatorError> = rows.iter().filter_map(error).collect();
    errors.sort_by(|left, right| right.absolute.total_cmp(&left.absolute));
    errors
}

fn scored(cells: &[(usize, &Cell<'_>)]) -> Scored {
    let items = cells.iter().flat_map(|(_, cell)| &cell.record.items);
    Scored {
        critical: items.clone().filter(|item| item.critical).count(),
        constraints: items.filter(|item| item.category == CONSTRAINT).count(),
    }
}

/// The items lost in these cells. Where goal-loss is void, the fates would say nothing.
fn losses<'run>(cells: &[(usize, &Cell<'run>)]) -> Vec<ItemLoss<'run>> {
    let of = |&(index, cell): &(usize, &Cell<'run>)| {
        let lost = cell.record.items.iter().filter(|item| matches!(&*item.fate, "lost" | "wrong"));
        let loss = move |item: &'run ItemRecord| ItemLoss {
            cell: index,
            item: &item.item,
            category: &item.category,
            critical: item.critical,
            fate: &item.fate,
        };
        lost.map(loss).collect::<Vec<_>>()
    };
    cells.iter().flat_map(of).collect()
}
