//! How long things last that may not be seen to end: Kaplan and Meier (1958), with Greenwood's variance (1926).

use super::real;

/// One life: how many rounds it was followed, and whether it ended then. A life that did not end is censored: it was still
/// there when the following stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// Rounds.
    pub rounds: u32,
    /// It ended in the last of them.
    pub ended: bool,
}

/// The curve at one round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survival {
    /// The round, from 1.
    pub round: u32,
    /// Lives followed up to this round, those that end or are censored in it included.
    pub at_risk: usize,
    /// Lives that end in it.
    pub ended: usize,
    /// Estimated share that outlives it.
    pub share: f64,
    /// Bounds of the interval at the level asked for. They are those of log(−log S), which stay within 0 and 1; where the
    /// share is 0 or 1 they have no width, and then say nothing.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The survival curve, one point for every round in which a life ends or is censored, in order. `z` is the normal quantile
/// of the intervals: 1.96 for 95 %. Lives of 0 rounds were never at risk and are left out.
pub fn survival(lives: &[Life], z: f64) -> Vec<Survival> {
    let mut lives: Vec<Life> = lives.iter().copied().filter(|life| life.rounds > 0).collect();
    lives.sort_by_key(|life| life.rounds);
    let (mut share, mut sum, mut curve) = (1.0, 0.0, Vec::new());
    let mut at_risk = lives.len();
    for group in lives.chunk_by(|a, b| a.rounds == b.rounds) {
        let ended = group.iter().filter(|life| life.ended).count();
        let (n, d) = (real(at_risk), real(ended));
        share *= 1.0 - d / n;
        // Greenwood: Σ d / (n · (n − d)); without bound when all that are left end.
        sum += d / (n * (n - d));
        let (low, high) = bounds(share, sum, z);
        curve.push(Survival { round: group[0].rounds, at_risk, ended, share, low, high });
        at_risk -= group.len();
    }
    curve
}

/// S^exp(±z·se), where se = sqrt(Σ) / |ln S| (Kalbfleisch and Prentice 1980).
fn bounds(share: f64, sum: f64, z: f64) -> (f64, f64) {
    if share <= 0.0 || share >= 1.0 {
        return (share.clamp(0.0, 1.0), share.clamp(0.0, 1.0));
    }
    let width = z * sum.sqrt() / share.ln().abs();
    (share.powf(width.exp()), share.powf((-width).exp()))
}

/// The first round that no more than half outlive; `None` when more than half outlive all rounds.
pub fn half_life(curve: &[Survival]) -> Option<u32> {
    // Half to within rounding: a product of shares may miss it by a hair.
    curve.iter().find(|point| point.share <= 0.5 + 1e-12).map(|point| point.round)
}

/// The round of the steepest fall, and the fall; the first of equal ones. `None` when nothing ended.
pub fn cliff(curve: &[Survival]) -> Option<(u32, f64)> {
    let mut before = 1.0;
    let mut steepest: Option<(u32, f64)> = None;
    for point in curve {
        let fall = before - point.share;
        before = point.share;
        if fall > 1e-12 && steepest.is_none_or(|(_, most)| fall > most + 1e-12) {
            steepest = Some((point.round, fall));
        }
    }
    steepest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Life, cliff, half_life, survival};

    fn life(rounds: u32, ended: bool) -> Life {
        Life { rounds, ended }
    }

    #[test]
    fn the_curve_of_four_lives() {
        // Round 1: 1 of 4 ends, 3/4. Round 2: 1 of 3 ends, one is censored, 1/2. Round 3: the last ends.
        let curve = survival(&[life(2, true), life(1, true), life(3, true), life(2, false), life(0, true)], 1.96);
        let shares: Vec<_> = curve.iter().map(|point| (point.round, point.at_risk, point.ended)).collect();
        assert_eq!(shares, [(1, 4, 1), (2, 3, 1), (3, 1, 1)]);
        assert!((curve[0].share - 0.75).abs() < 1e-12 && (curve[1].share - 0.5).abs() < 1e-12);
        assert!(curve[2].share.abs() < 1e-12);
        assert_eq!(half_life(&curve), Some(2));
        assert_eq!(cliff(&curve).unwrap().0, 3);
        // Greenwood at round 2: 1/(4·3) + 1/(3·2) = 0.25. se of log(−log) = 0.5 / ln 2 = 0.721348; 1.96 · 0.721348 =
        // 1.413842; 0.5^exp(1.413842) = 0.5^4.111723 = 0.057843; 0.5^exp(−1.413842) = 0.5^0.243207 = 0.844866.
        assert!((curve[1].low - 0.057_843).abs() < 1e-5 && (curve[1].high - 0.844_866).abs() < 1e-5, "{:?}", curve[1]);
    }

    #[test]
    fn without_an_end_there_is_no_half_life_and_no_cliff() {
        let curve = survival(&[life(3, false), life(5, false)], 1.96);
        assert_eq!((half_life(&curve), cliff(&curve)), (None, None));
        assert!(survival(&[], 1.96).is_empty());
    }

    proptest! {
        #[test]
        fn the_curve_falls_and_bounds_hold_it(lives in prop::collection::vec((1_u32..6, any::<bool>()), 1..40)) {
            let lives: Vec<Life> = lives.into_iter().map(|(rounds, ended)| life(rounds, ended)).collect();
            let curve = survival(&lives, 1.96);
            let mut before = 1.0;
            for point in &curve {
                prop_assert!(point.share <= before + 1e-12 && point.share >= 0.0);
                prop_assert!(point.low <= point.share + 1e-12 && point.share <= point.high + 1e-12);
                before = point.share;
            }
            // Without censoring the curve is the plain share that outlives a round.
            if lives.iter().all(|life| life.ended) {
                for point in &curve {
                    let outlive = lives.iter().filter(|life| life.rounds > point.round).count();
                    #[expect(clippy::cast_precision_loss, reason = "there are at most 39")]
                    let share = outlive as f64 / lives.len() as f64;
                    prop_assert!((point.share - share).abs() < 1e-9);
                }
            }
        }
    }
}
