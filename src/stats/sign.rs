//! Tests that look at the signs of paired differences.

use statrs::function::factorial::ln_binomial;

use super::{Draws, real};

/// Up to so many units all 2^n sign patterns are enumerated.
const EXACT: usize = 16;

/// Patterns that are drawn beyond that.
const DRAWN: usize = 20_000;

/// Sums that differ by less than this share of the total are equal: they differ by rounding only.
const ROUNDING: f64 = 1e-12;

/// The outcome of a sign-flip permutation test of a mean of 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignFlip {
    /// Two-sided p-value.
    pub p: f64,
    /// All patterns were enumerated; otherwise 20,000 were drawn, and p is (b + 1) / (B + 1).
    pub exact: bool,
    /// The least p-value that so many units can give; above 0.05 nothing can be significant.
    pub least_p: f64,
}

/// Tests whether the mean of paired differences is 0, by flipping signs (Fisher 1935, Pitman 1937). It assumes that under the
/// null hypothesis a difference is as often on one side as on the other. `None` without a difference.
pub fn sign_flip(differences: &[f64], seed: u64) -> Option<SignFlip> {
    let n = differences.len();
    if n == 0 {
        return None;
    }
    let total: f64 = differences.iter().sum();
    let scale: f64 = differences.iter().map(|value| value.abs()).sum();
    let bar = total.abs() - scale * ROUNDING;
    let flipped = |bits: &dyn Fn(usize) -> bool| -> f64 {
        differences.iter().enumerate().map(|(at, value)| if bits(at) { -value } else { *value }).sum()
    };
    let least_p = 2.0_f64.powi(1 - i32::try_from(n).unwrap_or(i32::MAX)).min(1.0);
    if n <= EXACT {
        let patterns = 1_usize << n;
        let extreme = (0..patterns).filter(|pattern| flipped(&|at| pattern >> at & 1 == 1).abs() >= bar).count();
        return Some(SignFlip { p: real(extreme) / real(patterns), exact: true, least_p });
    }
    let mut draws = Draws::new(seed);
    let mut words = vec![0_u64; n.div_ceil(64)];
    let mut extreme = 0;
    for _ in 0..DRAWN {
        words.fill_with(|| draws.bits());
        extreme += usize::from(flipped(&|at| words[at / 64] >> (at % 64) & 1 == 1).abs() >= bar);
    }
    let least_p = least_p.max(1.0 / real(DRAWN + 1));
    Some(SignFlip { p: real(extreme + 1) / real(DRAWN + 1), exact: false, least_p })
}

/// Two-sided p-value of the exact sign test: as many wins as losses are expected, ties do not enter. 1 without either.
pub fn sign_test(wins: usize, losses: usize) -> f64 {
    let n = (wins + losses) as u64;
    let half = -real(wins + losses) * std::f64::consts::LN_2;
    let tail: f64 = (0..=wins.min(losses) as u64).map(|hits| (ln_binomial(n, hits) + half).exp()).sum();
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_most_extreme_outcome_has_the_least_p() {
        // 2 / 2^n, and the table of the statistics notes.
        for (n, p) in [(5, 0.0625), (6, 0.03125), (8, 0.007_812_5), (9, 0.003_906_25), (10, 0.001_953_125)] {
            let found = sign_flip(&vec![1.5; n], 0).unwrap();
            assert_eq!(found, SignFlip { p, exact: true, least_p: p });
        }
    }

    #[test]
    fn by_hand() {
        // 1, 2, 3 less 4: |sum| = 2. Of the 16 patterns of ±1 ±2 ±3 ±4 two sum to 0 with either sign of all, so 14 reach 2.
        let found = sign_flip(&[1.0, 2.0, 3.0, -4.0], 0).unwrap();
        assert!((found.p - 14.0 / 16.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn no_difference_is_no_evidence() {
        assert!((sign_flip(&[0.0; 8], 0).unwrap().p - 1.0).abs() < 1e-12);
        assert_eq!(sign_flip(&[], 0), None);
    }

    #[test]
    fn rounding_does_not_make_equal_sums_differ() {
        // In floating point 0.1 + 0.2 is not 0.3; every pattern with |sum| 0.6 or more must count as reaching it.
        assert!((sign_flip(&[0.1, 0.2, 0.3], 0).unwrap().p - 0.25).abs() < 1e-12);
        assert!((sign_flip(&[0.3, 0.2, 0.1], 0).unwrap().p - 0.25).abs() < 1e-12);
    }

    #[test]
    fn drawn_patterns_come_near_the_exact_ones() {
        let values: Vec<f64> = (0..16).map(|at| f64::from(at % 5) - 1.4).collect();
        let exact = sign_flip(&values, 0).unwrap();
        // A 17th difference of 0 changes no sum, but forces drawing.
        let drawn = sign_flip(&[&values[..], &[0.0]].concat(), 0).unwrap();
        assert!(exact.exact && !drawn.exact);
        assert!((exact.p - drawn.p).abs() < 0.01, "{exact:?} {drawn:?}");
    }

    #[test]
    fn signs_alone() {
        // 2 · (1 + 10) / 1,024 for 9 wins and a loss; balance is certain.
        assert!((sign_test(9, 1) - 22.0 / 1_024.0).abs() < 1e-12);
        assert!((sign_test(1, 9) - 22.0 / 1_024.0).abs() < 1e-12);
        assert!((sign_test(5, 5) - 1.0).abs() < 1e-12);
        assert!((sign_test(0, 0) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn side_and_order_do_not_matter(mut values in prop::collection::vec(-100.0..100.0, 1..9)) {
            let there = sign_flip(&values, 0).unwrap();
            values.reverse();
            values.iter_mut().for_each(|value| *value = -*value);
            prop_assert_eq!(there, sign_flip(&values, 0).unwrap());
            prop_assert!(there.p >= there.least_p && there.p <= 1.0);
        }
    }
}
