//! The bias-corrected and accelerated interval (Efron 1987), offered as an option.

use statrs::distribution::{ContinuousCDF, Normal};

use super::interval::{Resampling, at_share, resampled};
use super::{mean, real};

pub(super) fn bounds(values: &[f64], resampling: Resampling) -> (f64, f64) {
    let normal = Normal::standard();
    let middle = mean(values).unwrap_or(0.0);
    let mut means: Vec<f64> = resampled(values, resampling).into_iter().map(|(mean, _)| mean).collect();
    means.sort_by(f64::total_cmp);
    // Means that equal the estimate count half, as in scipy.
    let (below, equal) = means.iter().fold((0.0, 0.0), |(below, equal), mean| {
        if *mean < middle {
            (below + 1.0, equal)
        } else if *mean > middle {
            (below, equal)
        } else {
            (below, equal + 1.0)
        }
    });
    let bias = normal.inverse_cdf((below + equal / 2.0) / real(means.len()));
    let acceleration = acceleration(values);
    let tail = (1.0 - resampling.confidence) / 2.0;
    let share = |tail: f64| {
        let z = bias + normal.inverse_cdf(tail);
        normal.cdf(bias + z / (1.0 - acceleration * z))
    };
    let at = |tail: f64| {
        let share = share(tail);
        if share.is_finite() { at_share(&means, share) } else { middle }
    };
    (at(tail), at(1.0 - tail))
}

/// A sixth of the skewness of the jackknife means; 0 for equal values.
fn acceleration(values: &[f64]) -> f64 {
    let total: f64 = values.iter().sum();
    let without: Vec<f64> = values.iter().map(|value| (total - value) / real(values.len() - 1)).collect();
    let middle = mean(&without).unwrap_or(0.0);
    let moment = |power: i32| without.iter().map(|value| (middle - value).powi(power)).sum::<f64>();
    let squares = moment(2);
    if squares > 0.0 { moment(3) / (6.0 * squares.powf(1.5)) } else { 0.0 }
}
