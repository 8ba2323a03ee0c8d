//! One number for many cells. Voids never enter it; they are counted beside it.

use super::super::number::Format;
use super::{Cell, number};
use crate::results::MeasureDef;
use crate::stats::{Interval, Observation, Resampling, Sample, interval, mean};

/// Token measures that are a level (how full), not a flow (how much): adding them up over transcripts means nothing.
const LEVELS: [&str; 2] = ["kept_tokens", "peak_context_tokens"];

/// Whether the numbers of several cells may be added up: counts, and flows of tokens and dollars.
pub(in super::super) fn is_additive(def: &MeasureDef) -> bool {
    matches!(def.unit.as_str(), "count" | "tokens" | "usd") && !LEVELS.contains(&def.name.as_str())
}

/// A measure over cells. The number is the mean over lineages: first over the seeds of a transcript, then over the
/// transcripts of a lineage, then over lineages, so that neither replicates nor forks count as evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate<'run> {
    /// How it is written.
    pub format: Format,
    /// The mean over lineages; `None` when every cell is void.
    pub value: Option<f64>,
    /// The sum over all cells that have a number, where adding up means something.
    pub sum: Option<f64>,
    /// Each lineage that has a number, by name, with it.
    pub units: Vec<(&'run str, f64)>,
    /// The interval of the mean, or why there is none.
    pub interval: Result<Interval, String>,
    /// Cells that have a number.
    pub n: usize,
    /// Cells that have none.
    pub voids: usize,
    /// The distinct reasons of those.
    pub reasons: Vec<&'run str>,
}

impl<'run> Aggregate<'run> {
    /// Aggregates a measure over cells.
    pub(super) fn over(def: &MeasureDef, cells: &[&Cell<'run>]) -> Self {
        let mut reasons = Vec::new();
        let mut total = 0.0;
        let sample = Sample::of(cells.iter().map(|cell| {
            let value = number(cell.record, &def.name);
            match value {
                Ok(value) => total += value,
                Err(reason) if !reasons.contains(&reason) => reasons.push(reason),
                Err(_) => {}
            }
            Observation { lineage: &cell.record.lineage, transcript: &cell.record.transcript, value: value.ok() }
        }));
        let values = sample.values();
        Self {
            format: Format::mean_of(def),
            value: mean(&values),
            sum: (is_additive(def) && sample.cells > 0).then_some(total),
            interval: interval(&values, Resampling::default()).map_err(|none| match values.len() {
                0 => "no number".to_owned(),
                _ => none.to_string().replace("units", "lineages"),
            }),
            units: sample.units,
            n: sample.cells,
            voids: sample.void_cells,
            reasons,
        }
    }

    /// The least and the greatest lineage; `None` without a number.
    pub fn range(&self) -> Option<(f64, f64)> {
        let values = || self.units.iter().map(|(_, value)| *value);
        self.value?;
        Some((values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)))
    }
}
