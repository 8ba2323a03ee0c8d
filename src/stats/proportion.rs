//! Single rates.

use super::real;

/// Wilson's interval (1927) at 95 % for `hits` of `n`. `None` when `n` is 0 or less than `hits`.
pub fn wilson(hits: usize, n: usize) -> Option<(f64, f64)> {
    const Z: f64 = 1.959_963_984_540_054;
    if n == 0 || hits > n {
        return None;
    }
    let (rate, n) = (real(hits) / real(n), real(n));
    let scale = 1.0 / (1.0 + Z * Z / n);
    let centre = scale * (rate + Z * Z / (2.0 * n));
    let half = scale * Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some(((centre - half).max(0.0), (centre + half).min(1.0)))
}

/// Upper bound at 95 % of a rate of which `n` trials showed nothing: 3 / n (Hanley and Lippman-Hand 1983), at most 1.
/// `None` without a trial.
pub fn rule_of_three(n: usize) -> Option<f64> {
    (n > 0).then(|| (3.0 / real(n)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_ten_is_symmetric() {
        // z² = 3.8415; centre 0.5; half = 1.96 · √(0.025 + 0.0096037) / 1.38415 = 0.263406.
        let (low, high) = wilson(5, 10).unwrap();
        assert!((low - 0.236_593).abs() < 1e-6 && (high - 0.763_407).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn nothing_seen_is_not_nothing() {
        let (low, high) = wilson(0, 10).unwrap();
        // z² / (n + z²) = 3.8415 / 13.8415.
        assert!(low.abs() < 1e-12 && (high - 0.277_533).abs() < 1e-6, "{low} {high}");
        assert_eq!((wilson(0, 0), wilson(2, 1)), (None, None));
        assert_eq!((rule_of_three(100), rule_of_three(2), rule_of_three(0)), (Some(0.03), Some(1.0), None));
    }
}
