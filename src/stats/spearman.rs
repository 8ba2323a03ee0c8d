//! Does one measure go with another? Spearman's correlation of ranks.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{mean, real};

/// Fewer units are not correlated. A choice: at seven the two-sided 5 % bound of the exact test is 0.786, at eight 0.738, so
/// that with fewer hardly anything but a perfect order is told from chance.
const LEAST_UNITS: usize = 8;

/// A correlation of ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spearman {
    /// From −1 to 1; equal values have the mean of their ranks.
    pub rho: f64,
    /// Its 95 % interval. `None` where all ranks agree, or all are opposite: the formula has no variance there, and how sure it
    /// is depends on the number of units and of equal values.
    pub interval: Option<[f64; 2]>,
    /// Units.
    pub n: usize,
}

/// Why there is no correlation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSpearman {
    /// Too few units.
    #[error("{n} lineages have both; {LEAST_UNITS} are needed")]
    TooFew {
        /// Units that have both values.
        n: usize,
    },
    /// All values of one side are equal: they have no order.
    #[error("all values of one of the two are equal")]
    NoSpread,
    /// A value is not finite.
    #[error("a value is not finite")]
    NotFinite,
}

/// The correlation of pairs, one for each unit. The interval is Fisher's, with the variance (1 + ρ² / 2) / (n − 3) of Bonett and
/// Wright (2000).
///
/// # Errors
/// With fewer than eight pairs, without any spread, or with a value that is not finite.
pub fn spearman(pairs: &[(f64, f64)]) -> Result<Spearman, NoSpearman> {
    let n = pairs.len();
    if n < LEAST_UNITS {
        return Err(NoSpearman::TooFew { n });
    }
    if pairs.iter().any(|(a, b)| !(a.is_finite() && b.is_finite())) {
        return Err(NoSpearman::NotFinite);
    }
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let rho = pearson(&ranks(&first), &ranks(&second)).ok_or(NoSpearman::NoSpread)?;
    let error = ((1.0 + rho * rho / 2.0) / real(n - 3)).sqrt();
    let reach = Normal::standard().inverse_cdf(0.975) * error;
    let bound = |by: f64| (rho.atanh() + by).tanh();
    let interval = (rho.abs() < 1.0).then(|| [bound(-reach), bound(reach)]);
    Ok(Spearman { rho, interval, n })
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    // Zero has no sign here.
    let values: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    for run in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let shared = real(2 * from + run.len() + 1) / 2.0;
        run.iter().for_each(|&at| ranks[at] = shared);
        from += run.len();
    }
    ranks
}

/// Pearson's correlation; `None` when one side has no spread.
fn pearson(first: &[f64], second: &[f64]) -> Option<f64> {
    let (a, b) = (mean(first)?, mean(second)?);
    let sum = |of: &dyn Fn(f64, f64) -> f64| first.iter().zip(second).map(|(x, y)| of(x - a, y - b)).sum::<f64>();
    let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    (xx > 0.0 && yy > 0.0).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Squared differences of ranks of 1..8 against 2 1 4 3 6 5 8 7: eight times 1. ρ = 1 − 6 · 8 / (8 · 63) = 0.904762.
        let other = [2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0];
        let pairs: Vec<(f64, f64)> = (1_u8..9).map(f64::from).zip(other).collect();
        let found = spearman(&pairs).unwrap();
        assert!((found.rho - 0.904_762).abs() < 1e-6 && found.n == 8);
        // atanh 0.904762 = 1.497866; error √(1.409297 / 5) = 0.530904; 1.497866 ∓ 1.959964 · 0.530904 = 0.457313, 2.538420.
        let [low, high] = found.interval.unwrap();
        assert!((low - 0.427_892).abs() < 1e-6, "{found:?}");
        assert!((high - 0.987_598).abs() < 1e-6, "{found:?}");
        // Any change that keeps the order keeps the correlation.
        let bent: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (a.powi(3), b.exp())).collect();
        assert_eq!(spearman(&bent), Ok(found));
    }

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
        assert_eq!(ranks(&[0.0, -0.0, 1.0]), [1.5, 1.5, 3.0]);
    }

    #[test]
    fn a_perfect_order_has_no_interval() {
        let falling: Vec<(f64, f64)> = (0_u8..9).map(|at| (f64::from(at), -f64::from(at))).collect();
        assert_eq!(spearman(&falling), Ok(Spearman { rho: -1.0, interval: None, n: 9 }));
    }

    #[test]
    fn what_has_no_order_or_too_few_units_is_void() {
        assert_eq!(spearman(&[(1.0, 2.0); 7]), Err(NoSpearman::TooFew { n: 7 }));
        assert_eq!(spearman(&[(1.0, 2.0); 8]), Err(NoSpearman::NoSpread));
        let mut odd: Vec<(f64, f64)> = (0_u8..8).map(|at| (f64::from(at), f64::from(at))).collect();
        odd[3].1 = f64::NAN;
        assert_eq!(spearman(&odd), Err(NoSpearman::NotFinite));
    }
}
