//! How far raters agree, beyond what chance would give.

use std::collections::BTreeMap;

use super::real;

/// How far apart two categories are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Categories without an order: equal or not.
    Nominal,
    /// Numbers on a scale: the square of their difference.
    Interval,
    /// Ranks: the square of how many ratings lie between them (Krippendorff 2011), used by α alone.
    Ordinal,
}

/// Counts of the ratings of two raters: rows are the first, columns the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    /// The categories, ascending.
    pub categories: Vec<i64>,
    /// `counts[row][column]`.
    pub counts: Vec<Vec<usize>>,
}

impl Confusion {
    /// Counts pairs of ratings.
    pub fn new(pairs: &[(i64, i64)]) -> Self {
        let mut categories: Vec<i64> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        categories.sort_unstable();
        categories.dedup();
        let mut counts = vec![vec![0; categories.len()]; categories.len()];
        let place = |value: i64| categories.binary_search(&value).unwrap_or(0);
        for &(a, b) in pairs {
            counts[place(a)][place(b)] += 1;
        }
        Self { categories, counts }
    }

    /// Share of the pairs that are equal; `None` without any.
    pub fn agreement(&self) -> Option<f64> {
        let same: usize = (0..self.categories.len()).map(|at| self.counts[at][at]).sum();
        let all = self.total();
        (all > 0).then(|| real(same) / real(all))
    }

    fn total(&self) -> usize {
        self.counts.iter().flatten().sum()
    }
}

#[expect(clippy::cast_precision_loss, reason = "ratings are small numbers")]
fn squared(a: i64, b: i64) -> f64 {
    let apart = (a - b) as f64;
    apart * apart
}

/// Cohen's κ (1960), with quadratic weights (Cohen 1968) for [`Level::Interval`] and [`Level::Ordinal`]: 1 full agreement, 0
/// that of chance. `None` without pairs, or where chance alone gives full agreement: both raters know one category.
pub fn cohen_kappa(pairs: &[(i64, i64)], level: Level) -> Option<f64> {
    let table = Confusion::new(pairs);
    let n = real(table.total());
    let rows: Vec<f64> = table.counts.iter().map(|row| real(row.iter().sum())).collect();
    let columns: Vec<f64> =
        (0..rows.len()).map(|column| real(table.counts.iter().map(|row| row[column]).sum())).collect();
    let (mut seen, mut expected) = (0.0, 0.0);
    for (at, &a) in table.categories.iter().enumerate() {
        for (to, &b) in table.categories.iter().enumerate() {
            let apart = if level == Level::Nominal { f64::from(u8::from(a != b)) } else { squared(a, b) };
            seen += apart * real(table.counts[at][to]);
            expected += apart * rows[at] * columns[to] / n;
        }
    }
    (expected > 0.0).then(|| 1.0 - seen / expected)
}

/// Krippendorff's α over units, each with the ratings that it has, of whoever gave them: 1 full agreement, 0 that of chance.
/// A unit with one rating says nothing. `None` where nothing can be compared, or all ratings are one category.
pub fn krippendorff_alpha(units: &[Vec<i64>], level: Level) -> Option<f64> {
    let units: Vec<&Vec<i64>> = units.iter().filter(|unit| unit.len() > 1).collect();
    let mut totals: BTreeMap<i64, usize> = BTreeMap::new();
    units.iter().copied().flatten().for_each(|&value| *totals.entry(value).or_default() += 1);
    let n: usize = totals.values().sum();
    let apart = |a: i64, b: i64| match level {
        Level::Nominal => f64::from(u8::from(a != b)),
        Level::Interval => squared(a, b),
        Level::Ordinal => {
            let (low, high) = (a.min(b), a.max(b));
            let between: usize = totals.range(low..=high).map(|(_, count)| count).sum();
            let ends = real(totals.get(&low).copied().unwrap_or(0) + totals.get(&high).copied().unwrap_or(0));
            if a == b { 0.0 } else { (real(between) - ends / 2.0).powi(2) }
        }
    };
    let mut seen = 0.0;
    for unit in units {
        let pairs = unit.iter().flat_map(|&a| unit.iter().map(move |&b| (a, b)));
        seen += pairs.map(|(a, b)| apart(a, b)).sum::<f64>() / real(unit.len() - 1);
    }
    let mut expected = 0.0;
    for (&a, &count) in &totals {
        for (&b, &other) in &totals {
            expected += real(count) * real(other) * apart(a, b);
        }
    }
    // Observed disagreement is seen / n, that of chance is expected / (n · (n − 1)).
    (expected > 0.0).then(|| 1.0 - real(n - 1) * seen / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_by_hand() {
        // 2×2: both yes 20, yes/no 5, no/yes 10, both no 15. Agreement 0.7; chance 0.5·0.6 + 0.5·0.4 = 0.5; κ 0.4.
        let cell = |a, b, count| std::iter::repeat_n((a, b), count);
        let pairs: Vec<(i64, i64)> =
            cell(1, 1, 20).chain(cell(1, 0, 5)).chain(cell(0, 1, 10)).chain(cell(0, 0, 15)).collect();
        assert!((cohen_kappa(&pairs, Level::Nominal).unwrap() - 0.4).abs() < 1e-12);
        let table = Confusion::new(&pairs);
        assert_eq!((table.categories, table.counts), (vec![0, 1], vec![vec![15, 10], vec![5, 20]]));
        assert_eq!(Confusion::new(&pairs).agreement(), Some(0.7));
        // One step apart out of four pairs on 0, 1, 2: seen 1; rows 0:1 1:2 2:1, columns 0:1 1:1 2:2, expected
        // (1·1·1 + 1·2·4 + 2·1·1 + 2·2·1 + 1·1·4 + 1·1·1) / 4 = 20 / 4.
        let scale = [(0, 0), (1, 1), (1, 2), (2, 2)];
        assert!((cohen_kappa(&scale, Level::Interval).unwrap() - 0.8).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_disagree_has_no_kappa() {
        assert_eq!(cohen_kappa(&[(1, 1), (1, 1)], Level::Nominal), None);
        assert_eq!(cohen_kappa(&[], Level::Nominal), None);
        assert_eq!(krippendorff_alpha(&[vec![1, 1], vec![1]], Level::Nominal), None);
        assert_eq!(krippendorff_alpha(&[vec![1], vec![2]], Level::Nominal), None);
    }

    #[test]
    fn alpha_by_hand() {
        // Units 0 0, 1 1, 0 1: totals 3 and 3 of 6. Seen: one unit with two unequal ordered pairs, 2 / 1 = 2.
        // Expected 2 · 3 · 3 = 18. α = 1 − 5 · 2 / 18.
        let units = [vec![0, 0], vec![1, 1], vec![0, 1]];
        assert!((krippendorff_alpha(&units, Level::Nominal).unwrap() - (1.0 - 10.0 / 18.0)).abs() < 1e-12);
    }
}
