//! Intervals of a mean.

use std::fmt;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::describe::moments;
use super::{Draws, bca, real};

/// How an interval is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Bootstrap-t (Efron and Tibshirani 1993, chapter 12): the default, because it is the least wrong for few units.
    #[default]
    BootstrapT,
    /// Quantiles of resampled means: too narrow below some 30 units.
    Percentile,
    /// Bias-corrected and accelerated (Efron 1987): as narrow as the percentiles below some 20 units.
    Bca,
    /// Student's t: right for normal differences.
    StudentT,
}

impl Method {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::BootstrapT => "bootstrap-t",
            Self::Percentile => "percentile",
            Self::Bca => "BCa",
            Self::StudentT => "Student's t",
        }
    }
}

/// What is drawn, and how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// The method.
    pub method: Method,
    /// Confidence, above 0 and below 1.
    pub confidence: f64,
    /// Resamples.
    pub draws: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for Resampling {
    /// 95 %, and 1,999 resamples, so that (draws + 1) times 2.5 % is a whole number.
    fn default() -> Self {
        Self { method: Method::BootstrapT, confidence: 0.95, draws: 1_999, seed: 0 }
    }
}

/// An interval of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// The method that made it; percentile when bootstrap-t had no finite bound.
    pub method: Method,
    /// How it was drawn, and what was asked for.
    pub resampling: Resampling,
}

/// Why there is no interval.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoInterval {
    /// Too few units: no method is honest there, so the values themselves are to be shown.
    #[error("{n} units; an interval needs {LEAST}")]
    TooFew {
        /// Units.
        n: usize,
    },
    /// A value is not finite.
    #[error("a value is not finite")]
    NotFinite,
}

/// Below five units even bootstrap-t covers far too little (statistics notes, table of methods).
const LEAST: usize = 5;

/// A resample whose deviation is below this share of its largest value has none: the rest is rounding.
const ROUNDING: f64 = 1e-12;

impl Interval {
    /// The method asked for had no finite bound, and percentiles stand in: they are too narrow.
    pub fn is_fallback(&self) -> bool {
        self.method != self.resampling.method
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Resampling { confidence, draws, seed, .. } = self.resampling;
        write!(f, "{} % interval by {}, {draws} draws, seed {seed}", confidence * 100.0, self.method.name())
    }
}

/// The interval of the mean of `values`, one value per unit, in the unit of the values.
///
/// # Errors
/// With fewer than five values, or one that is not finite.
pub fn interval(values: &[f64], resampling: Resampling) -> Result<Interval, NoInterval> {
    if values.len() < LEAST {
        return Err(NoInterval::TooFew { n: values.len() });
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(NoInterval::NotFinite);
    }
    let made = |(low, high), method| Interval { low, high, method, resampling };
    let method = resampling.method;
    Ok(match method {
        Method::BootstrapT => match bootstrap_t(values, resampling) {
            Some(bounds) => made(bounds, method),
            None => made(percentile(values, resampling), Method::Percentile),
        },
        Method::Percentile => made(percentile(values, resampling), method),
        Method::Bca => made(bca::bounds(values, resampling), method),
        Method::StudentT => made(student(values, resampling.confidence), method),
    })
}

/// The mean and the deviation of every resample, the latter exactly 0 where all values drawn are equal.
pub(super) fn resampled(values: &[f64], resampling: Resampling) -> Vec<(f64, f64)> {
    let mut draws = Draws::new(resampling.seed);
    let mut sample = vec![0.0; values.len()];
    let rounding = values.iter().fold(0.0_f64, |most, value| most.max(value.abs())) * ROUNDING;
    let mut one = || {
        for slot in &mut sample {
            *slot = values[draws.index(values.len())];
        }
        let (mean, deviation) = moments(&sample);
        (mean, if deviation > rounding { deviation } else { 0.0 })
    };
    (0..resampling.draws.max(1)).map(|_| one()).collect()
}

/// The order statistic of ascending values at `share`: the one of rank (n + 1) · share, which makes the quantiles of a
/// bootstrap exact when that is a whole number (Davison and Hinkley 1997, section 2.4).
pub(super) fn at_share(sorted: &[f64], share: f64) -> f64 {
    let rank = (real(sorted.len() + 1) * share).round().clamp(1.0, real(sorted.len()));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 1 and the length")]
    let rank = rank as usize;
    sorted[rank - 1]
}

/// `None` when a bound is not finite: so many resamples have no spread that the quantile is one of them.
fn bootstrap_t(values: &[f64], resampling: Resampling) -> Option<(f64, f64)> {
    let (mean, deviation) = moments(values);
    let root = real(values.len()).sqrt();
    let rounding = values.iter().fold(0.0_f64, |most, value| most.max(value.abs())) * ROUNDING;
    let mut pivots: Vec<f64> = resampled(values, resampling)
        .into_iter()
        .map(|(resampled, spread)| {
            let away = resampled - mean;
            // A resample of equal values that lies at the mean says nothing; elsewhere it is infinitely many errors away.
            if away.abs() <= rounding { 0.0 } else { away / (spread / root) }
        })
        .collect();
    pivots.sort_by(f64::total_cmp);
    let tail = (1.0 - resampling.confidence) / 2.0;
    let error = deviation / root;
    let (low, high) = (at_share(&pivots, 1.0 - tail), at_share(&pivots, tail));
    (low.is_finite() && high.is_finite()).then_some((mean - low * error, mean - high * error))
}

fn percentile(values: &[f64], resampling: Resampling) -> (f64, f64) {
    let mut means: Vec<f64> = resampled(values, resampling).into_iter().map(|(mean, _)| mean).collect();
    means.sort_by(f64::total_cmp);
    let tail = (1.0 - resampling.confidence) / 2.0;
    (at_share(&means, tail), at_share(&means, 1.0 - tail))
}

fn student(values: &[f64], confidence: f64) -> (f64, f64) {
    let (mean, deviation) = moments(values);
    let upper = StudentsT::new(0.0, 1.0, real(values.len() - 1))
        .map_or(f64::INFINITY, |student| student.inverse_cdf(f64::midpoint(1.0, confidence)));
    let half = if deviation > 0.0 { upper * deviation / real(values.len()).sqrt() } else { 0.0 };
    (mean - half, mean + half)
}
