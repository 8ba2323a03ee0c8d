//! How long annotated items live: the share that is still known after each cut.

use super::super::number::real;
use super::{Cell, Setting, StrategyRow};

/// Items of one strategy after a number of cuts, counted from the one that dropped their source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Which cut, from 1.
    pub round: u32,
    /// Items that saw this cut: the others were lost before, or the session ended before it.
    pub at_risk: usize,
    /// Of them, those that it lost.
    pub lost: usize,
    /// The share of all items that is known after it (Kaplan and Meier 1958).
    pub share: f64,
}

/// The rounds of one row of the strategy table.
#[derive(Clone, Debug, PartialEq)]
pub struct Survival<'run> {
    /// Index of the strategy in [`super::ReportModel::labels`].
    pub label: usize,
    /// The setting.
    pub setting: Setting<'run>,
    /// In order, as long as an item sees the cut.
    pub rounds: Vec<Round>,
}

/// The strategies with an item that was dropped and scored.
pub(super) fn survivals<'run>(rows: &[StrategyRow<'run>], cells: &[Cell<'run>]) -> Vec<Survival<'run>> {
    let one = |row: &StrategyRow<'run>| {
        let own = cells.iter().filter(|cell| cell.label == row.label && Setting::of(cell.record) == row.setting);
        let lives: Vec<(u32, bool)> =
            own.flat_map(|cell| &cell.record.items).map(|item| (item.rounds_count, item.lost)).collect();
        Survival { label: row.label, setting: row.setting, rounds: rounds(&lives) }
    };
    rows.iter().map(one).filter(|survival| !survival.rounds.is_empty()).collect()
}

/// From lives, as cuts that were seen and whether the last one lost the item.
fn rounds(lives: &[(u32, bool)]) -> Vec<Round> {
    let mut share = 1.0;
    let mut rounds = Vec::new();
    for round in 1..=lives.iter().map(|(seen, _)| *seen).max().unwrap_or(0) {
        let at_risk = lives.iter().filter(|(seen, _)| *seen >= round).count();
        let lost = lives.iter().filter(|life| **life == (round, true)).count();
        share *= 1.0 - real(lost as u64) / real(at_risk as u64);
        rounds.push(Round { round, at_risk, lost, share });
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Five items see the first cut, which loses one; of the three that see the second, one is lost: 4/5, then 4/5 · 2/3.
        let found = rounds(&[(1, true), (1, false), (2, true), (2, false), (3, false), (0, false)]);
        let shown: Vec<_> = found.iter().map(|one| (one.round, one.at_risk, one.lost)).collect();
        assert_eq!(shown, [(1, 5, 1), (2, 3, 1), (3, 1, 0)]);
        assert!((found[0].share - 0.8).abs() < 1e-12 && (found[2].share - 8.0 / 15.0).abs() < 1e-12);
        assert!(rounds(&[(0, false)]).is_empty());
    }
}
