//! What is forgotten, beyond one number: over rounds, under other weights, at equal size.

use std::collections::BTreeMap;

use super::{CATEGORIES, Cell, Setting, StrategyRow, number};
use crate::stats::{
    Life, Paired, Resampling, Stability, Survival, cliff, half_life, mean, pareto, stability, survival,
};

/// Draws of weights, and the sum of the parameters of their Dirichlet distribution: a weight of 0.25 then varies by about
/// 0.09 (one standard deviation).
const DRAWS: usize = 200;
const CONCENTRATION: f64 = 20.0;
/// Normal quantile of 95 %.
const Z: f64 = 1.96;
/// Two cells have the same budget if their kept tokens differ by no more than this share.
const SAME_BUDGET: f64 = 0.1;

/// Shares of the categories in `goal_loss`, in the order of [`CATEGORIES`], and the weight of `future_loss` beside all of
/// them: the defaults of the meter.
const SHARES: [f64; 7] = [0.25, 0.20, 0.15, 0.15, 0.15, 0.05, 0.05];
const ITEMS: f64 = 0.6;
const FUTURE: f64 = 0.4;

/// Survival of annotated items over rounds of compaction, for one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounds {
    /// Index of the strategy's name.
    pub label: usize,
    /// Items that were followed.
    pub items: usize,
    /// The curve.
    pub curve: Vec<Survival>,
    /// The first round that no more than half outlive.
    pub half_life: Option<u32>,
    /// The round of the steepest fall, and the fall.
    pub cliff: Option<(u32, f64)>,
}

/// Whether the winner depends on the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighing {
    /// Indices of the names of the strategies that have all parts.
    pub labels: Vec<usize>,
    /// The parts that all of them have.
    pub parts: Vec<String>,
    /// Strategies without a goal-loss, or with one on fewer lineages.
    pub left_out: Vec<usize>,
    /// What the draws say.
    pub stability: Stability,
    /// Draws.
    pub draws: usize,
}

/// Goal-loss of a strategy against the first one, where both keep as much.
#[derive(Clone, Debug, PartialEq)]
pub struct AtBudget {
    /// Index of the strategy's name.
    pub label: usize,
    /// Transcripts where both were scored, and kept tokens differ by at most a tenth.
    pub matched: usize,
    /// Transcripts where both were scored.
    pub scored: usize,
    /// The differences, strategy − first, by lineage; `None` without a match.
    pub paired: Option<Paired>,
}

/// Whether two extractors of names put the strategies into the same order of `future_loss`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extractors {
    /// Pairs of strategies that both tell apart.
    pub pairs: usize,
    /// Of those, the ones that they order the other way round.
    pub turned: usize,
    /// The best strategy is the same.
    pub same_winner: bool,
}

/// One setting.
#[derive(Clone, Debug, PartialEq)]
pub struct ForgottenPanel<'run> {
    /// The setting.
    pub setting: Setting<'run>,
    /// Survival over rounds, by strategy; empty where no item was dropped.
    pub rounds: Vec<Rounds>,
    /// Stability of the order; `None` with fewer than two strategies that can be ranked.
    pub weighing: Option<Weighing>,
    /// Strategies that no other beats in goal-loss, kept tokens and, where it was measured, dollars.
    pub pareto: Vec<usize>,
    /// The coordinates of that set.
    pub coordinates: Vec<&'static str>,
    /// Comparisons with the first strategy.
    pub at_budget: Vec<AtBudget>,
    /// Agreement of the extractors; `None` with fewer than two strategies that both score.
    pub extractors: Option<Extractors>,
}

pub(super) fn panels<'run>(rows: &[StrategyRow<'run>], cells: &[Cell<'run>]) -> Vec<ForgottenPanel<'run>> {
    let of_setting = |rows: &[StrategyRow<'run>]| {
        let setting = rows[0].setting;
        let (pareto, coordinates) = unbeaten(rows);
        ForgottenPanel {
            setting,
            rounds: rows.iter().filter_map(|row| rounds(row, cells)).collect(),
            weighing: weighing(rows),
            pareto,
            coordinates,
            at_budget: rows[1..].iter().filter_map(|row| at_budget(&rows[0], row, cells)).collect(),
            extractors: agreement(&both_losses(rows)),
        }
    };
    rows.chunk_by(|a, b| a.setting == b.setting).map(of_setting).collect()
}

fn own<'c, 'run>(row: &StrategyRow<'run>, cells: &'c [Cell<'run>]) -> impl Iterator<Item = &'c Cell<'run>> {
    let (label, setting) = (row.label, row.setting);
    cells.iter().filter(move |cell| cell.label == label && Setting::of(cell.record) == setting)
}

fn rounds(row: &StrategyRow<'_>, cells: &[Cell<'_>]) -> Option<Rounds> {
    let items = own(row, cells).flat_map(|cell| &cell.record.items);
    let lives: Vec<Life> = items
        .filter(|item| item.rounds_count > 0)
        .map(|item| Life { rounds: item.rounds_count, ended: item.lost })
        .collect();
    let curve = survival(&lives, Z);
    let found =
        Rounds { label: row.label, items: lives.len(), half_life: half_life(&curve), cliff: cliff(&curve), curve };
    (!lives.is_empty()).then_some(found)
}

fn value(row: &StrategyRow<'_>, name: &str) -> Option<f64> {
    row.measures.get(name)?.value
}

/// Ranked are the strategies that have a goal-loss on most lineages, as the verdict compares them: one that was scored on fewer may
/// lack most parts. The parts are those that all of them have; the future counts only where all have it.
fn weighing(rows: &[StrategyRow<'_>]) -> Option<Weighing> {
    let lineages = |row: &StrategyRow<'_>| row.measures.get("goal_loss").map_or(0, |loss| loss.units.len());
    let most = rows.iter().map(lineages).max().unwrap_or(0);
    let (scored, others): (Vec<&StrategyRow<'_>>, Vec<_>) =
        rows.iter().partition(|row| most > 0 && lineages(row) == most);
    let all_have = |name: &str| scored.iter().all(|row| value(row, name).is_some());
    let mut parts: Vec<(&str, f64)> =
        CATEGORIES.iter().zip(SHARES).map(|((name, _), share)| (*name, ITEMS * share)).collect();
    parts.push(("future_loss", FUTURE));
    parts.retain(|(name, _)| all_have(name));
    let weights: Vec<f64> = parts.iter().map(|(_, weight)| *weight).collect();
    let of = |row: &&StrategyRow<'_>| parts.iter().filter_map(|(name, _)| value(row, name)).collect::<Vec<f64>>();
    let table: Vec<Vec<f64>> = scored.iter().map(of).collect();
    if table.len() < 2 || parts.is_empty() {
        return None;
    }
    let left_out = others.iter().map(|row| row.label).collect();
    Some(Weighing {
        labels: scored.iter().map(|row| row.label).collect(),
        parts: parts.iter().map(|(name, _)| (*name).to_owned()).collect(),
        left_out,
        stability: stability(&table, &weights, CONCENTRATION, DRAWS, 0)?,
        draws: DRAWS,
    })
}

/// The future loss of every strategy that both extractors score.
fn both_losses(rows: &[StrategyRow<'_>]) -> Vec<(f64, f64)> {
    rows.iter().filter_map(|row| Some((value(row, "future_loss")?, value(row, "future_loss_second")?))).collect()
}

fn agreement(losses: &[(f64, f64)]) -> Option<Extractors> {
    if losses.len() < 2 {
        return None;
    }
    let (mut pairs, mut turned) = (0, 0);
    for (index, a) in losses.iter().enumerate() {
        for b in &losses[index + 1..] {
            let sign = (a.0 - b.0) * (a.1 - b.1);
            pairs += usize::from(sign != 0.0);
            turned += usize::from(sign < 0.0);
        }
    }
    let best = |of: fn(&(f64, f64)) -> f64| losses.iter().map(of).fold(f64::INFINITY, f64::min);
    let (first, second) = (best(|loss| loss.0), best(|loss| loss.1));
    let same_winner = losses.iter().any(|loss| loss.0 <= first && loss.1 <= second);
    Some(Extractors { pairs, turned, same_winner })
}

fn unbeaten(rows: &[StrategyRow<'_>]) -> (Vec<usize>, Vec<&'static str>) {
    let names = ["goal_loss", "kept_tokens", "cost_usd"];
    let scored: Vec<&StrategyRow<'_>> =
        rows.iter().filter(|row| names[..2].iter().all(|name| value(row, name).is_some())).collect();
    let has_cost = !scored.is_empty() && scored.iter().all(|row| value(row, names[2]).is_some());
    // Without prices the third coordinate is the same for all, and decides nothing.
    let place = |row: &&StrategyRow<'_>| {
        names.map(|name| value(row, name).filter(|_| has_cost || name != names[2]).unwrap_or(0.0))
    };
    let points: Vec<[f64; 3]> = scored.iter().map(place).collect();
    let inside = scored.iter().zip(pareto(&points)).filter(|(_, is_in)| *is_in).map(|(row, _)| row.label).collect();
    (inside, names[..if has_cost { 3 } else { 2 }].to_vec())
}

fn at_budget(first: &StrategyRow<'_>, row: &StrategyRow<'_>, cells: &[Cell<'_>]) -> Option<AtBudget> {
    let numbers = |row: &StrategyRow<'_>| {
        let one = |cell: &Cell<'_>| {
            let (loss, kept) = (number(cell.record, "goal_loss").ok()?, number(cell.record, "kept_tokens").ok()?);
            Some(((cell.record.transcript.clone(), cell.record.seed), (loss, kept, cell.record.lineage.clone())))
        };
        own(row, cells).filter_map(one).collect::<BTreeMap<_, _>>()
    };
    let (base, head) = (numbers(first), numbers(row));
    let both: Vec<_> = head.iter().filter_map(|(key, head)| Some((key, base.get(key)?, head))).collect();
    if both.is_empty() {
        return None;
    }
    let is_same = |(_, base, head): &&(_, &(f64, f64, String), &(f64, f64, String))| {
        (head.1 - base.1).abs() <= SAME_BUDGET * base.1.max(head.1)
    };
    let matched: Vec<_> = both.iter().filter(is_same).collect();
    let mut by_lineage: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (_, base, head) in &matched {
        by_lineage.entry(&head.2).or_default().push(head.0 - base.0);
    }
    let differences: Vec<f64> = by_lineage.values().filter_map(|all| mean(all)).collect();
    Some(AtBudget {
        label: row.label,
        matched: matched.len(),
        scored: both.len(),
        paired: Paired::of(&differences, 1e-9, Resampling::default()),
    })
}

#[cfg(test)]
mod tests {
    use super::{Extractors, agreement};

    #[test]
    fn extractors_agree_pair_by_pair() {
        // By the first 1 < 2 < 3; by the second the last two change places, and then two are equal.
        let found = |losses: &[(f64, f64)]| agreement(losses);
        let of = |pairs, turned, same_winner| Some(Extractors { pairs, turned, same_winner });
        assert_eq!(found(&[(0.1, 0.2), (0.2, 0.9), (0.3, 0.8)]), of(3, 1, true));
        assert_eq!(found(&[(0.1, 0.8), (0.2, 0.8), (0.3, 0.7)]), of(2, 2, false));
        assert_eq!(found(&[(0.1, 0.8)]), None);
    }
}
