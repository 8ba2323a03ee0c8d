//! Two arms on the same units.

use super::{
    Description, Interval, NoInterval, Resampling, SignFlip, describe, interval, minimum_detectable, sign_flip,
    sign_test,
};

/// What paired differences say. The caller decides what a difference is; where less is better, head − base makes a positive
/// one a loss.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The differences in numbers; the greatest is the worst case when a positive one is a loss.
    pub differences: Description,
    /// Units whose difference is below −`tie`.
    pub below: usize,
    /// Units within `tie` of 0.
    pub ties: usize,
    /// Units whose difference is above `tie`.
    pub above: usize,
    /// Interval of the mean difference, or why there is none.
    pub interval: Result<Interval, NoInterval>,
    /// The sign-flip test of a mean of 0.
    pub sign_flip: SignFlip,
    /// Two-sided p-value of the sign test, which assumes no symmetry.
    pub sign_test_p: f64,
    /// The least mean difference that a set like this one finds with a power of 80 %; `None` below three units.
    pub minimum_detectable: Option<f64>,
}

impl Paired {
    /// Compares. `tie` is the distance from 0 within which a difference counts as none; it is in the unit of the differences.
    /// `None` without a difference.
    pub fn of(differences: &[f64], tie: f64, resampling: Resampling) -> Option<Self> {
        let description = describe(differences)?;
        let below = differences.iter().filter(|value| **value < -tie).count();
        let above = differences.iter().filter(|value| **value > tie).count();
        let detectable = description.deviation.and_then(|deviation| minimum_detectable(differences.len(), deviation));
        Some(Self {
            differences: description,
            below,
            ties: differences.len() - below - above,
            above,
            interval: interval(differences, resampling),
            sign_flip: sign_flip(differences, resampling.seed)?,
            sign_test_p: sign_test(below, above),
            minimum_detectable: detectable,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_ties_and_losses() {
        let found = Paired::of(&[-1.0, -0.5, 1e-12, 0.0, 2.0, 3.0, 4.0], 1e-9, Resampling::default()).unwrap();
        assert_eq!((found.below, found.ties, found.above), (2, 2, 3));
        assert!((found.differences.greatest - 4.0).abs() < 1e-12);
        // 2 · (1 + 5 + 10) / 32 for two against three.
        assert!((found.sign_test_p - 1.0).abs() < 1e-12);
        assert!(found.interval.is_ok());
        assert_eq!(Paired::of(&[], 0.0, Resampling::default()), None);
    }

    #[test]
    fn three_units_have_no_interval() {
        let found = Paired::of(&[1.0, 2.0, 3.0], 0.0, Resampling::default()).unwrap();
        assert_eq!(found.interval, Err(NoInterval::TooFew { n: 3 }));
        assert!((found.sign_flip.least_p - 0.25).abs() < 1e-12);
    }
}
