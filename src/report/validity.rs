//! Does a loss that needs no model go with what a reader still knows? If it does not, nothing should be gated on it.

use std::collections::BTreeMap;

use crate::measure::Measure;
use crate::results::CellRecord;
use crate::stats::{NoSpearman, Observation, Sample, Spearman, spearman};

/// Losses that are compared with `probe_loss`.
const LOSSES: [&str; 3] = ["goal_loss", "future_loss", "goal_offline_loss"];
/// What they shall predict.
const PROBE: &str = "probe_loss";
/// The row of all strategies together.
pub const EVERY: &str = "(all)";

/// One loss beside `probe_loss`, over lineages.
#[derive(Clone, Debug, PartialEq)]
pub struct Validity {
    /// The strategy, or [`EVERY`].
    pub strategy: String,
    /// The loss.
    pub loss: &'static str,
    /// Their correlation, or why there is none.
    pub spearman: Result<Spearman, NoSpearman>,
    /// Some reader was a mock: it says nothing about a real one.
    pub mock: bool,
}

impl Validity {
    /// Whether the loss is shown to predict what a reader knows: there is an interval, and the whole of it is above 0.
    pub fn is_shown(&self) -> bool {
        self.spearman.is_ok_and(|found| found.interval.is_some_and(|[low, _]| low > 0.0))
    }
}

/// All losses: of all strategies first, then of each by name. Nothing where no reader was asked.
pub fn validity<'c>(cells: impl IntoIterator<Item = &'c CellRecord>) -> Vec<Validity> {
    let mut groups: BTreeMap<&str, Vec<&CellRecord>> = BTreeMap::new();
    let mut every = Vec::new();
    for cell in cells.into_iter().filter(|cell| cell.exam.is_some()) {
        groups.entry(&cell.strategy).or_default().push(cell);
        every.push(cell);
    }
    if every.is_empty() {
        return Vec::new();
    }
    let groups = std::iter::once((EVERY, every)).chain(groups);
    groups.flat_map(|(strategy, cells)| LOSSES.map(|loss| row(strategy, loss, &cells))).collect()
}

fn row(strategy: &str, loss: &'static str, cells: &[&CellRecord]) -> Validity {
    let value = |cell: &CellRecord, name: &str| cell.measures.get(name).and_then(Measure::value);
    // A cell that lacks one of the two says nothing of both.
    let both: Vec<(&CellRecord, [f64; 2])> =
        cells.iter().filter_map(|cell| Some((*cell, [value(cell, loss)?, value(cell, PROBE)?]))).collect();
    let side = |at: usize| {
        let seen = both.iter().map(|(cell, values)| Observation {
            lineage: &cell.lineage,
            transcript: &cell.transcript,
            value: Some(values[at]),
        });
        Sample::of(seen).values()
    };
    let pairs: Vec<(f64, f64)> = side(0).into_iter().zip(side(1)).collect();
    let mock = cells.iter().any(|cell| cell.exam.as_ref().is_some_and(|exam| exam.mock));
    Validity { strategy: strategy.to_owned(), loss, spearman: spearman(&pairs), mock }
}
