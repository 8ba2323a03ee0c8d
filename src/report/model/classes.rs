//! Where estimates fail: by class of content.

use std::collections::BTreeSet;

use crate::results::{ClassRecord, Run};
use crate::stats::{Interval, Observation, Resampling, Sample, interval, mean};

/// One estimator on one class of content.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassError<'run> {
    /// Index of the estimator in [`ClassErrors::estimators`].
    pub estimator: usize,
    /// The class.
    pub class: &'run str,
    /// Messages, over all transcripts.
    pub messages: u64,
    /// Their reference count.
    pub reference_tokens: u64,
    /// Their estimate.
    pub estimate_tokens: u64,
    /// Mean over lineages of estimate / reference − 1; `None` when no transcript has a reference count above 0.
    pub error: Option<f64>,
    /// The interval of that mean, or why there is none.
    pub interval: Result<Interval, String>,
    /// The least and the greatest lineage.
    pub range: Option<(f64, f64)>,
    /// Lineages.
    pub lineages: usize,
}

/// All of a run; empty in runs recorded before there were any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassErrors<'run> {
    /// The estimators, by name.
    pub estimators: Vec<&'run str>,
    /// The classes, the one with most reference tokens first.
    pub classes: Vec<&'run str>,
    /// By class, then estimator.
    pub rows: Vec<ClassError<'run>>,
}

/// A class below this share of the counted tokens is too small to say where an estimator fails.
pub const SMALLEST_SHARE: f64 = 0.01;

/// Errors nearer to each other than this are equal: they differ by rounding.
const TIE: f64 = 1e-9;

impl ClassErrors<'_> {
    /// The row on which one of these estimators is farthest off, among classes of [`SMALLEST_SHARE`] of the tokens or more.
    pub fn worst(&self, estimators: &BTreeSet<&str>) -> Option<usize> {
        let own = |row: &&ClassError<'_>| estimators.contains(self.estimators[row.estimator]);
        let total = |estimator: usize| -> u64 {
            self.rows.iter().filter(|row| row.estimator == estimator).map(|row| row.reference_tokens).sum()
        };
        let is_large = |row: &&ClassError<'_>| {
            super::super::number::real(row.reference_tokens)
                >= SMALLEST_SHARE * super::super::number::real(total(row.estimator))
        };
        let errors = self.rows.iter().enumerate().filter(|(_, row)| own(row) && is_large(row));
        let errors = errors.filter_map(|(at, row)| Some((at, row.error?.abs())));
        errors.reduce(|worst, one| if one.1 > worst.1 { one } else { worst }).map(|(at, _)| at)
    }

    /// The rows of the class of this one with the same error, itself among them: of estimators that count alike.
    pub fn tied(&self, at: usize) -> Vec<usize> {
        let row = &self.rows[at];
        let is_tied = |other: &ClassError<'_>| {
            let difference = other.error.zip(row.error).map(|(other, own)| (other - own).abs());
            other.class == row.class && difference.is_some_and(|difference| difference < TIE)
        };
        (0..self.rows.len()).filter(|&other| is_tied(&self.rows[other])).collect()
    }
}

pub(super) fn errors(run: &Run) -> ClassErrors<'_> {
    let records = &run.sources.classes;
    let mut estimators: Vec<&str> = records.iter().map(|record| &*record.estimator).collect();
    estimators.sort_unstable();
    estimators.dedup();
    let mut classes: Vec<&str> = records.iter().map(|record| &*record.class).collect();
    classes.sort_unstable();
    classes.dedup();
    let size =
        |class: &str| records.iter().filter(|one| one.class == class).map(|one| one.reference_tokens).sum::<u64>();
    classes.sort_by_key(|class| std::cmp::Reverse(size(class)));
    let mut rows = Vec::new();
    for class in &classes {
        for (at, estimator) in estimators.iter().enumerate() {
            let own: Vec<&ClassRecord> =
                records.iter().filter(|one| one.class == *class && one.estimator == *estimator).collect();
            rows.extend((!own.is_empty()).then(|| row(at, class, &own)));
        }
    }
    ClassErrors { estimators, classes, rows }
}

fn row<'run>(estimator: usize, class: &'run str, own: &[&ClassRecord]) -> ClassError<'run> {
    use super::super::number::real;
    let sum = |of: fn(&ClassRecord) -> u64| own.iter().map(|one| of(one)).sum();
    let error = |one: &ClassRecord| {
        (one.reference_tokens > 0).then(|| real(one.estimate_tokens) / real(one.reference_tokens) - 1.0)
    };
    let sample = Sample::of(own.iter().map(|one| Observation {
        lineage: &one.lineage,
        transcript: &one.transcript,
        value: error(one),
    }));
    let values = sample.values();
    let bound = |of: fn(f64, f64) -> f64| values.iter().copied().reduce(of);
    ClassError {
        estimator,
        class,
        messages: sum(|one| one.messages),
        reference_tokens: sum(|one| one.reference_tokens),
        estimate_tokens: sum(|one| one.estimate_tokens),
        error: mean(&values),
        interval: interval(&values, Resampling::default())
            .map_err(|none| none.to_string().replace("units", "lineages")),
        range: bound(f64::min).zip(bound(f64::max)),
        lineages: values.len(),
    }
}
