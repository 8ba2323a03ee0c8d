//! Does the order of arms depend on the weights of the parts of a score?

use super::{Draws, real};

/// How often each arm is best when the weights are drawn anew.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// The arm that is best under the given weights; the first of equal ones.
    pub winner: usize,
    /// Share of the draws in which each arm is best, in their order; ties go to the first.
    pub best: Vec<f64>,
    /// The best and the worst rank of each arm over the draws, from 1.
    pub ranks: Vec<(usize, usize)>,
}

/// Ranks arms by the weighted sum of their parts (less is better) under `draws` weights from a Dirichlet distribution around
/// `weights`, with `concentration` as the sum of its parameters: the larger, the nearer to `weights`. `parts` holds, by arm,
/// one number for each weight. `None` without arms, or when a weight is not above 0 or a part is not a number.
pub fn stability(
    parts: &[Vec<f64>],
    weights: &[f64],
    concentration: f64,
    draws: usize,
    seed: u64,
) -> Option<Stability> {
    let total: f64 = weights.iter().sum();
    let is_usable = parts.iter().all(|arm| arm.len() == weights.len() && arm.iter().all(|part| part.is_finite()));
    if parts.is_empty() || !is_usable || !weights.iter().all(|weight| *weight > 0.0 && weight.is_finite()) {
        return None;
    }
    let given = order(parts, weights);
    let mut source = Draws::new(seed);
    let mut best = vec![0_usize; parts.len()];
    let mut ranks = vec![(parts.len(), 1); parts.len()];
    for _ in 0..draws {
        let drawn: Vec<f64> = weights.iter().map(|weight| gamma(concentration * weight / total, &mut source)).collect();
        let order = order(parts, &drawn);
        best[order[0]] += 1;
        for (rank, &arm) in (1..).zip(&order) {
            ranks[arm] = (ranks[arm].0.min(rank), ranks[arm].1.max(rank));
        }
    }
    let best = best.into_iter().map(|count| real(count) / real(draws.max(1))).collect();
    Some(Stability { winner: given[0], best, ranks })
}

/// Arms from the best on. The scale of the weights does not matter.
fn order(parts: &[Vec<f64>], weights: &[f64]) -> Vec<usize> {
    let score = |arm: &Vec<f64>| arm.iter().zip(weights).map(|(part, weight)| part * weight).sum::<f64>();
    let scores: Vec<f64> = parts.iter().map(score).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(a.cmp(&b)));
    order
}

/// A gamma number of this shape and scale 1, by Marsaglia and Tsang (2000); a shape below 1 through shape + 1.
fn gamma(shape: f64, source: &mut Draws) -> f64 {
    if shape < 1.0 {
        let boost = (1.0 - source.unit()).powf(1.0 / shape);
        return gamma(shape + 1.0, source) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = source.normal();
        let v = (1.0 + c * x).powi(3);
        let u = 1.0 - source.unit();
        if v > 0.0 && u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{gamma, stability};
    use crate::stats::Draws;

    #[test]
    fn an_arm_that_is_best_in_every_part_wins_always() {
        let parts = [vec![0.5, 0.5], vec![0.1, 0.2], vec![0.9, 0.3]];
        let found = stability(&parts, &[0.6, 0.4], 20.0, 200, 1).unwrap();
        assert_eq!((found.winner, found.best.as_slice()), (1, [0.0, 1.0, 0.0].as_slice()));
        assert_eq!(found.ranks[1], (1, 1));
    }

    #[test]
    fn a_winner_by_a_hair_changes_with_the_weights() {
        // Even under equal weights: whichever weight is larger decides.
        let parts = [vec![0.1, 0.9], vec![0.9, 0.1]];
        let found = stability(&parts, &[0.5, 0.5], 20.0, 2_000, 1).unwrap();
        assert!((found.best[0] - 0.5).abs() < 0.05, "{:?}", found.best);
        assert_eq!(found.ranks, [(1, 2), (1, 2)]);
        assert_eq!(stability(&[], &[1.0], 20.0, 10, 1), None);
        assert_eq!(stability(&[vec![f64::NAN]], &[1.0], 20.0, 10, 1), None);
    }

    #[test]
    fn gamma_numbers_have_their_mean_and_variance() {
        // Both are the shape.
        for shape in [0.5, 1.0, 8.0] {
            let mut source = Draws::new(3);
            let values: Vec<f64> = (0..20_000).map(|_| gamma(shape, &mut source)).collect();
            let mean = values.iter().sum::<f64>() / 20_000.0;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 20_000.0;
            assert!((mean - shape).abs() < 0.06 * shape.max(1.0), "{shape}: {mean}");
            assert!((variance - shape).abs() < 0.12 * shape.max(1.0), "{shape}: {variance}");
        }
    }
}
