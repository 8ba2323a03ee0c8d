//! The facts that only the dropped part knew and the continuation needed, and how much of them was there.

use super::super::entity::{Kind, Place};

/// One such fact, at its first use.
#[derive(Clone, Debug)]
pub(super) struct Needed {
    /// What it is.
    pub(super) kind: Kind,
    /// Type × use × idf × decay.
    pub(super) value: f64,
    /// It stood in the summary, or in another text of the strategy.
    pub(super) kept: bool,
    /// The chance that a random extract of the same size holds it.
    pub(super) chance: f64,
    /// The shortest dropped line that says it.
    pub(super) line: Place,
    /// The cut before it, by number.
    pub(super) cut: usize,
}

/// Recall of the facts, and what it is read against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Recall {
    /// What the strategy kept.
    pub(super) kept: f64,
    /// What a random extract is expected to keep.
    pub(super) random: f64,
    /// What the best extract keeps.
    pub(super) best: f64,
}

/// No kind is worth more than this share of all.
const MOST_OF_A_KIND: f64 = 0.5;

/// The factor of each kind that holds its share down, so that rare exact strings of one kind do not decide alone.
fn damping(needed: &[Needed]) -> impl Fn(Kind) -> f64 {
    let mut sums = [0.0; Kind::ALL.len()];
    for one in needed {
        sums[one.kind as usize] += one.value;
    }
    let all: f64 = sums.iter().sum();
    let factor = sums.map(|sum| {
        let rest = all - sum;
        if rest > 0.0 && sum > MOST_OF_A_KIND * all { rest / sum } else { 1.0 }
    });
    move |kind| factor[kind as usize]
}

/// Recall over all cuts: a ratio of sums. `budgets` holds the bytes of what stands for the dropped part, by cut. `None` when
/// nothing was needed.
pub(super) fn recall(needed: &[Needed], budgets: &[u64]) -> Option<Recall> {
    let factor = damping(needed);
    let worth = |one: &Needed| one.value * factor(one.kind);
    let all: f64 = needed.iter().map(worth).sum();
    if all <= 0.0 {
        return None;
    }
    let kept: f64 = needed.iter().filter(|one| one.kept).map(worth).sum();
    let random: f64 = needed.iter().map(|one| worth(one) * one.chance).sum();
    let best: f64 =
        needed.chunk_by(|a, b| a.cut == b.cut).map(|cut| best_of_cut(cut, budgets[cut[0].cut], &worth)).sum();
    // An empty sum is -0, which would be printed so.
    Some(Recall { kept: kept / all + 0.0, random: random / all + 0.0, best: best / all + 0.0 })
}

/// The value of the best extract of lines within a number of bytes, greedily by value for bytes; a line that says several
/// facts is paid once.
fn best_of_cut(needed: &[Needed], budget: u64, worth: &impl Fn(&Needed) -> f64) -> f64 {
    let mut lines: Vec<(Place, f64)> = needed.iter().map(|one| (one.line, worth(one))).collect();
    lines.sort_by_key(|(line, _)| *line);
    let mut merged: Vec<(Place, f64)> = Vec::new();
    for (line, value) in lines {
        match merged.last_mut() {
            Some((last, sum)) if *last == line => *sum += value,
            _ => merged.push((line, value)),
        }
    }
    let density = |(line, value): &(Place, f64)| value / f64::from(line.bytes.max(1));
    merged.sort_by(|a, b| density(b).total_cmp(&density(a)).then(a.0.cmp(&b.0)));
    let mut left = budget;
    let mut sum = 0.0;
    for (line, value) in merged {
        if u64::from(line.bytes) <= left {
            left -= u64::from(line.bytes);
            sum += value;
        }
    }
    sum
}

/// `1 - clip((kept - random) / (best - random), -1, 1)`: 0 is the best extract, 1 a random one, up to 2 worse than random.
/// `None` when the best extract is no better than a random one, so that there is no scale.
pub(super) fn normalised_loss(recall: Recall) -> Option<f64> {
    let scale = recall.best - recall.random;
    (scale > 0.01).then(|| 1.0 - ((recall.kept - recall.random) / scale).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::super::super::entity::{Kind, Place};
    use super::{Needed, Recall, normalised_loss, recall};
    use crate::transcript::EntryIdx;

    fn needed(kind: Kind, value: f64, kept: bool, line: (u32, u32)) -> Needed {
        let line = Place { entry: EntryIdx(0), line: line.0, bytes: line.1 };
        Needed { kind, value, kept, chance: 0.25, line, cut: 0 }
    }

    #[test]
    fn recall_is_a_ratio_of_values_and_the_best_pays_a_line_once() {
        let facts = [
            needed(Kind::Path, 1.0, true, (0, 50)),
            needed(Kind::Symbol, 1.0, false, (0, 50)),
            needed(Kind::Id, 2.0, false, (1, 60)),
        ];
        // Of 4: kept 1; expected by chance a quarter; 100 bytes hold line 0 (2 for 50) and not line 1 (2 for 60) too.
        let found = recall(&facts, &[100]).unwrap();
        assert_eq!(found, Recall { kept: 0.25, random: 0.25, best: 0.5 });
        assert_eq!(normalised_loss(found), Some(1.0), "no better than chance");
        assert_eq!(recall(&facts, &[110]).unwrap().best.to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn no_kind_decides_alone() {
        // Three numbers of 1 beside a path of 1: the numbers together count as much as the path.
        let mut facts = vec![needed(Kind::Path, 1.0, true, (0, 1))];
        facts.extend((1..4).map(|id| needed(Kind::Number, 1.0, false, (id, 1))));
        assert!((recall(&facts, &[0]).unwrap().kept - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_scale_ends_at_one_worse_than_chance() {
        let loss = |kept, random, best| normalised_loss(Recall { kept, random, best });
        assert_eq!(loss(0.8, 0.2, 0.8), Some(0.0));
        assert_eq!(loss(0.0, 0.5, 0.6), Some(2.0));
        assert_eq!(loss(0.5, 0.5, 0.5), None);
    }
}
