//! What extracts of the dropped part would keep, of the size of what the strategy put in its place: the floor and the
//! ceiling that a strategy's own figure is read against.

use super::presence::{Line, LineHits};
use super::{Category, Fate, ItemSet, Score};

/// The dropped part of the last cut, and the size of what stands for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget<'c> {
    /// By entry, whether it is dropped.
    pub(super) dropped: &'c [bool],
    /// Bytes of what stands for it.
    pub(super) bytes: u64,
}

impl Budget<'_> {
    fn holds(&self, line: &Line) -> bool {
        self.dropped.get(line.entry.0).copied().unwrap_or(false)
    }

    /// Share of the dropped bytes that fit.
    fn share(&self, lines: &LineHits) -> f64 {
        let sizes = lines.bytes.iter().zip(self.dropped);
        let dropped: u64 = sizes.filter(|(_, dropped)| **dropped).map(|(bytes, _)| bytes).sum();
        if dropped == 0 { 0.0 } else { (number(self.bytes) / number(dropped)).min(1.0) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "bytes are far below 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}

/// Loss that a random extract is expected to have: every line of the dropped part enters with the probability that makes
/// the extract as large, on average, as what stands for it. The expectation is exact for lines drawn independently, so
/// nothing is drawn. What the kept tail says by itself (`tail`, the fates with nothing in place of the dropped part) counts
/// for every control. `None` when no item is scored.
pub(super) fn random(items: &ItemSet, lines: &LineHits, tail: &[Fate], budget: Budget<'_>) -> Option<f64> {
    let share = budget.share(lines);
    let expected = |(index, fate): (usize, &Fate)| {
        let alone = fate.score()?;
        // A slot is there when one of its lines is.
        let chance = |slot: &Vec<Line>| {
            // A line that is larger than the whole extract is in none.
            let fits = |line: &&Line| budget.holds(line) && u64::from(line.bytes) <= budget.bytes;
            let lines = slot.iter().filter(fits).count();
            1.0 - (1.0 - share).powi(i32::try_from(lines).unwrap_or(i32::MAX))
        };
        let chances: Vec<f64> = lines.slots[index].iter().map(chance).collect();
        let all: f64 = chances.iter().product();
        let none: f64 = chances.iter().map(|chance| 1.0 - chance).product();
        // Some slots are worth one half, if not all of them stand together.
        Some(alone.max(all + 0.5 * (1.0 - all - none).max(0.0)))
    };
    let scores: Vec<Option<f64>> = tail.iter().enumerate().map(expected).collect();
    Score::of_scores(items, &scores).loss
}

/// Loss of the best extract of that size: items enter by value for bytes, each with the shortest line of each slot.
/// Greedy, so a bound that a better extract may pass by little. `None` when no item is scored.
pub(super) fn oracle(items: &ItemSet, lines: &LineHits, tail: &[Fate], budget: Budget<'_>) -> Option<f64> {
    let weight_of = |category: Category| -> f64 {
        let scored =
            items.items.iter().zip(tail).filter(|(item, fate)| item.category == category && fate.score().is_some());
        scored.map(|(item, _)| item.weight).sum()
    };
    let mut offers: Vec<(f64, usize, Vec<Line>)> = Vec::new();
    for (index, (item, fate)) in items.items.iter().zip(tail).enumerate() {
        let shortest =
            |slot: &Vec<Line>| slot.iter().filter(|line| budget.holds(line)).min_by_key(|line| line.bytes).copied();
        let needed: Option<Vec<Line>> = lines.slots[index].iter().map(shortest).collect();
        let gain = fate.score().map_or(0.0, |score| 1.0 - score);
        let Some(mut needed) = needed.filter(|_| gain > 0.0) else { continue };
        needed.sort_unstable();
        needed.dedup();
        let bytes: u64 = needed.iter().map(|line| u64::from(line.bytes)).sum();
        let value = gain * item.category.share() * item.weight / weight_of(item.category);
        offers.push((value / number(bytes.max(1)), index, needed));
    }
    offers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut scores: Vec<Option<f64>> = tail.iter().map(|fate| fate.score().map(|score| score.max(0.0))).collect();
    let (mut taken, mut left) = (std::collections::BTreeSet::new(), budget.bytes);
    for (_, index, needed) in offers {
        let cost: u64 = needed.iter().filter(|line| !taken.contains(*line)).map(|line| u64::from(line.bytes)).sum();
        if cost <= left {
            left -= cost;
            taken.extend(needed);
            scores[index] = Some(1.0);
        }
    }
    Score::of_scores(items, &scores).loss
}
