//! The mean of what a person would say, from a judge's word on everything and a person's on a part
//! (Angelopoulos and others 2023, "Prediction-powered inference").

use statrs::distribution::{ContinuousCDF, Normal};

use super::describe::moments;
use super::real;

/// A mean, corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Powered {
    /// The judge's mean over the unlabelled part, as it is.
    pub judged: f64,
    /// The corrected mean: the judge's, and the mean of (person − judge) over the labelled part.
    pub point: f64,
    /// Lower bound of its interval.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Labelled values.
    pub labelled: usize,
    /// Values without a label.
    pub unlabelled: usize,
}

/// Why there is no corrected mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPowered {
    /// Fewer than two values of either kind have no variance.
    #[error("{labelled} labelled and {unlabelled} unlabelled values; two of each are needed")]
    TooFew {
        /// Labelled values.
        labelled: usize,
        /// Values without a label.
        unlabelled: usize,
    },
    /// A value is not finite.
    #[error("a value is not finite")]
    NotFinite,
}

/// The corrected mean. `labelled` are pairs of person and judge; `unlabelled` what the judge says of the rest. The interval is
/// normal, of the two variances: σ²(judge) / N + σ²(person − judge) / n. It takes values as independent: with several values
/// of one lineage, give the means of lineages.
///
/// # Errors
/// With fewer than two values of either kind, or one that is not finite.
pub fn powered_mean(labelled: &[(f64, f64)], unlabelled: &[f64], confidence: f64) -> Result<Powered, NotPowered> {
    if labelled.len() < 2 || unlabelled.len() < 2 {
        return Err(NotPowered::TooFew { labelled: labelled.len(), unlabelled: unlabelled.len() });
    }
    let finite = |value: &f64| value.is_finite();
    if !(unlabelled.iter().all(finite) && labelled.iter().all(|(person, judge)| finite(person) && finite(judge))) {
        return Err(NotPowered::NotFinite);
    }
    let rectifiers: Vec<f64> = labelled.iter().map(|(person, judge)| person - judge).collect();
    let ((judged, spread), (bias, bias_spread)) = (population(unlabelled), population(&rectifiers));
    let error = (spread.powi(2) / real(unlabelled.len()) + bias_spread.powi(2) / real(labelled.len())).sqrt();
    let z = Normal::standard().inverse_cdf(f64::midpoint(1.0, confidence));
    let point = judged + bias;
    Ok(Powered {
        judged,
        point,
        low: point - z * error,
        high: point + z * error,
        labelled: labelled.len(),
        unlabelled: unlabelled.len(),
    })
}

/// Mean and standard deviation with n, as the paper's program has it.
fn population(values: &[f64]) -> (f64, f64) {
    let (mean, deviation) = moments(values);
    (mean, deviation * (real(values.len() - 1) / real(values.len())).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // The judge says 0.5 on average, and is 0.25 too low: person − judge is 0, 0, 0.5, 0.5.
        let labelled = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.5), (0.5, 0.0)];
        let found = powered_mean(&labelled, &[0.0, 1.0, 0.0, 1.0], 0.95).unwrap();
        assert!((found.judged - 0.5).abs() < 1e-12 && (found.point - 0.75).abs() < 1e-12);
        // 1.959964 · √(0.25 / 4 + 0.0625 / 4) = 1.959964 · 0.279508.
        assert!((found.high - found.point - 0.547_826).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn too_few_have_no_interval() {
        assert_eq!(
            powered_mean(&[(1.0, 1.0)], &[1.0, 0.0], 0.95),
            Err(NotPowered::TooFew { labelled: 1, unlabelled: 2 })
        );
        assert_eq!(powered_mean(&[(1.0, f64::NAN), (1.0, 1.0)], &[1.0, 0.0], 0.95), Err(NotPowered::NotFinite));
    }
}
