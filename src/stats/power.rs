//! What a set of so many units can show.

use super::real;

/// 1.96 + 0.84: the normal quantiles of a two-sided test at 5 % and of a power of 80 %.
const QUANTILES: f64 = 1.959_963_984_540_054 + 0.841_621_233_572_914_2;

/// Small samples need about 1.9 units more than the normal approximation says (half the square of the upper quantile;
/// Guenther 1981).
const SMALL: f64 = 1.9;

/// The least difference of means that a paired test of `n` units finds with a power of 80 % at 5 %, when the differences have
/// this standard deviation. It is n ≈ ((1.96 + 0.84) / d)² + 1.9, solved for d. `None` below three units.
pub fn minimum_detectable(n: usize, deviation: f64) -> Option<f64> {
    (n > 2).then(|| QUANTILES * deviation / (real(n) - SMALL).sqrt())
}

/// The least number of units whose most extreme outcome reaches a two-sided level of `alpha` in a sign-flip test when
/// `comparisons` are corrected by Holm: 2 / 2^n ≤ alpha / comparisons.
pub fn least_units(alpha: f64, comparisons: usize) -> usize {
    let level = alpha / real(comparisons.max(1));
    (1..64).find(|&n| 2.0_f64.powi(1 - n) <= level).map_or(64, |n| usize::try_from(n).unwrap_or(64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_units_find_so_large_an_effect() {
        // The table of the statistics notes: effect in standard deviations, and units needed.
        for (effect, needed) in [(0.5, 34), (0.8, 15), (1.0, 10), (1.5, 6)] {
            let enough = minimum_detectable(needed, 1.0).unwrap();
            let too_few = minimum_detectable(needed - 1, 1.0).unwrap();
            assert!(enough <= effect && effect < too_few, "{effect}: {enough} {too_few}");
        }
        assert_eq!(minimum_detectable(2, 1.0), None);
    }

    #[test]
    fn five_units_cannot_be_significant() {
        // 2/2^5 = 0.0625, 2/2^6 = 0.031; ten comparisons need 2/2^9 = 0.0039.
        assert_eq!((least_units(0.05, 1), least_units(0.05, 10)), (6, 9));
    }
}
