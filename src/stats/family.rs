//! Several tests at once.

use super::real;

/// Adjusted p-values by Holm (1979), in the order given: they hold the chance of any false alarm in a declared family.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut floor = 0.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate() {
        floor = floor.max((p[index] * real(p.len() - rank)).min(1.0));
        adjusted[index] = floor;
    }
    adjusted
}

/// Adjusted p-values by Benjamini and Hochberg (1995), in the order given: they hold the share of false alarms among the
/// findings, for exploring.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut ceiling = 1.0_f64;
    for (rank, index) in ascending(p).into_iter().enumerate().rev() {
        ceiling = ceiling.min(p[index] * (real(p.len()) / real(rank + 1)));
        adjusted[index] = ceiling;
    }
    adjusted
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
        assert_eq!(found.len(), expected.len());
    }

    #[test]
    fn by_hand() {
        // Ascending: 0.005 × 4 = 0.02; 0.01 × 3 = 0.03; 0.03 × 2 = 0.06; 0.04 × 1, raised to 0.06.
        close(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
        // From the top: 0.04 × 4/4; 0.03 × 4/3 = 0.04; 0.01 × 4/2 = 0.02; 0.005 × 4/1 = 0.02.
        close(&benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005]), &[0.02, 0.04, 0.04, 0.02]);
        assert!(holm(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn adjusting_never_lowers_and_keeps_the_order(p in prop::collection::vec(0.0..=1.0, 1..20)) {
            for adjusted in [holm(&p), benjamini_hochberg(&p)] {
                prop_assert!(p.iter().zip(&adjusted).all(|(p, q)| q >= p && *q <= 1.0));
                for (a, b) in ascending(&p).iter().zip(ascending(&p).iter().skip(1)) {
                    prop_assert!(adjusted[*a] <= adjusted[*b]);
                }
            }
        }
    }
}
