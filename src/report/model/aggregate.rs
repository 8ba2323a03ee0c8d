//! One number for many cells. Voids never enter it; they are counted beside it.

use super::super::number::{Format, real};
use super::{Cell, number};
use crate::results::MeasureDef;

/// How the numbers of several cells become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// Added up: counts and flows of tokens.
    Sum,
    /// The plain mean over cells: ratios, scores and levels.
    Mean,
}

/// Token measures that are a level (how full), not a flow (how much): adding them up over transcripts means nothing.
const LEVELS: [&str; 2] = ["kept_tokens", "peak_context_tokens"];

impl Aggregation {
    /// How this measure is aggregated: by its unit, and levels by their name.
    pub fn of(def: &MeasureDef) -> Self {
        match def.unit.as_str() {
            "count" | "tokens" | "usd" if !LEVELS.contains(&def.name.as_str()) => Self::Sum,
            _ => Self::Mean,
        }
    }

    /// `sum` or `mean`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
        }
    }
}

/// An aggregated measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate<'run> {
    /// How it was made.
    pub how: Aggregation,
    /// How it is written.
    pub format: Format,
    /// The number; `None` when every cell is void.
    pub value: Option<f64>,
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
        let how = Aggregation::of(def);
        let (mut total, mut n, mut voids) = (0.0, 0_u64, 0);
        let mut reasons = Vec::new();
        for cell in cells {
            match number(cell.record, &def.name) {
                Ok(value) => (total, n) = (total + value, n + 1),
                Err(reason) => {
                    voids += 1;
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
            }
        }
        let value = match how {
            _ if n == 0 => None,
            Aggregation::Sum => Some(total),
            Aggregation::Mean => Some(total / real(n)),
        };
        Self { how, format: Format::of(def), value, n: cells.len() - voids, voids, reasons }
    }
}
