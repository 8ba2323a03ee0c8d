//! What a sample looks like.

use super::real;

/// A sample in numbers. All of them are in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// How many values.
    pub n: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation with n − 1; `None` for one value.
    pub deviation: Option<f64>,
    /// Standard error of the mean; `None` for one value.
    pub standard_error: Option<f64>,
    /// Least value.
    pub least: f64,
    /// Lower quartile.
    pub lower_quartile: f64,
    /// Median.
    pub median: f64,
    /// Upper quartile.
    pub upper_quartile: f64,
    /// Greatest value.
    pub greatest: f64,
}

/// Mean; `None` for no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / real(values.len()))
}

/// Mean and standard deviation with n − 1; the deviation is 0 for one value, and both are 0 for none.
pub(super) fn moments(values: &[f64]) -> (f64, f64) {
    let middle = mean(values).unwrap_or(0.0);
    if values.len() < 2 {
        return (middle, 0.0);
    }
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    (middle, (squares / real(values.len() - 1)).sqrt())
}

/// The quantile `share` (0 to 1) of values in ascending order, by linear interpolation between order statistics: type 7 of
/// Hyndman and Fan (1996), the default of R and numpy. `None` for no values.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * real(last);
    let below = place.floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0 and the last index")]
    let index = below as usize;
    let (low, high) = (sorted[index], sorted[(index + 1).min(last)]);
    Some(if low.total_cmp(&high).is_eq() { low } else { low + (place - below) * (high - low) })
}

/// Describes a sample; `None` for no values.
pub fn describe(values: &[f64]) -> Option<Description> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (mean, deviation) = moments(values);
    let deviation = (values.len() > 1).then_some(deviation);
    Some(Description {
        n: values.len(),
        mean,
        deviation,
        standard_error: deviation.map(|deviation| deviation / real(values.len()).sqrt()),
        least: *sorted.first()?,
        lower_quartile: quantile(&sorted, 0.25)?,
        median: quantile(&sorted, 0.5)?,
        upper_quartile: quantile(&sorted, 0.75)?,
        greatest: *sorted.last()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Squared distances from 5: 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; 32 / 7.
        let found = describe(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        let deviation = (32.0_f64 / 7.0).sqrt();
        let expected = Description {
            n: 8,
            mean: 5.0,
            deviation: Some(deviation),
            standard_error: Some(deviation / 8.0_f64.sqrt()),
            least: 2.0,
            lower_quartile: 4.0,
            median: 4.5,
            upper_quartile: 5.5,
            greatest: 9.0,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn one_value_has_no_deviation_and_none_has_nothing() {
        let one = describe(&[3.0]).unwrap();
        assert_eq!((one.deviation, one.standard_error, one.median), (None, None, 3.0));
        assert_eq!(describe(&[]), None);
    }
}
