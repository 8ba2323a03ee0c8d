//! Choosing a strategy on one half of the lineages, and confirming it on the other.
//!
//! A setting that was picked because it did best on some transcripts looks better on them than it is. So the choice is made on one
//! half, and everything that is said about it comes from the other.

use std::collections::{BTreeMap, BTreeSet};

use crate::measure::{Direction, Measure};
use crate::results::Run;
use crate::stats::{
    Description, Draws, Interval, NoInterval, Observation, Paired, Resampling, Sample, describe, holm, interval, mean,
};

/// Differences this near to 0 are ties: they come from rounding.
const TIE: f64 = 1e-9;

/// What was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The strategy.
    pub strategy: String,
    /// Its mean on the half that chose, in the unit of the measure.
    pub chosen_on: f64,
    /// Its numbers on the other half; `None` when that is empty.
    pub confirmed_on: Option<Description>,
    /// Interval of its mean on the other half.
    pub interval: Result<Interval, NoInterval>,
    /// Lineages that chose.
    pub choosing: Vec<String>,
    /// Lineages that confirmed.
    pub confirming: Vec<String>,
    /// Candidates that the other half cannot tell from the chosen one, the next-best first.
    pub alike: Vec<Rival>,
    /// Candidates that it tells apart.
    pub worse: usize,
    /// Lineages without a number for every candidate: they took no part.
    pub left_out: usize,
}

/// Another candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Rival {
    /// The strategy.
    pub strategy: String,
    /// Its mean on the half that chose.
    pub chosen_on: f64,
    /// How much worse it is on the other half, on average; positive is worse.
    pub worse_by: Option<f64>,
    /// Two-sided p-value of that, after Holm over all rivals.
    pub p: Option<f64>,
}

/// Nothing can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoChoice {
    /// The run has no such measure, or it has no better side.
    #[error("{0:?} is no measure of the run with a better and a worse side")]
    Measure(String),
    /// Too few lineages.
    #[error("{0} lineages have a number for every candidate; it takes 2, one to choose and one to confirm")]
    TooFew(usize),
}

/// Chooses the best strategy of a run by a measure. Which lineages choose is drawn by the seed.
///
/// # Errors
/// When the measure cannot rank, or fewer than two lineages have numbers for all strategies.
pub fn choose(run: &Run, measure: &str, alpha: f64, resampling: Resampling) -> Result<Choice, NoChoice> {
    let def = run.manifest.measures.iter().find(|def| def.name == measure && def.direction != Direction::Neutral);
    let def = def.ok_or_else(|| NoChoice::Measure(measure.to_owned()))?;
    let sign = if def.direction == Direction::Higher { -1.0 } else { 1.0 };
    let (names, values) = values(run, measure);
    let mut all: BTreeSet<&str> = BTreeSet::new();
    for one in &values {
        all.extend(one.keys().copied());
    }
    let common: Vec<&str> =
        all.iter().copied().filter(|name| values.iter().all(|one| one.contains_key(name))).collect();
    if common.len() < 2 {
        return Err(NoChoice::TooFew(common.len()));
    }
    let left_out = all.len() - common.len();
    let (choosing, confirming) = halves(common, resampling.seed);
    let on = |half: &[&str], one: usize| half.iter().map(|name| values[one][name]).collect::<Vec<f64>>();
    let score = |one: usize| mean(&on(&choosing, one)).unwrap_or(f64::INFINITY);
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| (sign * score(a)).total_cmp(&(sign * score(b))));
    let best = order[0];
    let confirmed = on(&confirming, best);
    let rivals = rivals(&order[1..], |one| {
        let differences: Vec<f64> =
            on(&confirming, one).iter().zip(&confirmed).map(|(rival, best)| sign * (rival - best)).collect();
        let paired = Paired::of(&differences, TIE, resampling);
        Rival {
            strategy: names[one].to_owned(),
            chosen_on: score(one),
            worse_by: paired.as_ref().map(|paired| paired.differences.mean),
            p: paired.map(|paired| paired.sign_flip.p),
        }
    });
    let is_told = |rival: &Rival| rival.p.is_some_and(|p| p <= alpha) && rival.worse_by.is_some_and(|by| by > 0.0);
    let worse = rivals.iter().filter(|rival| is_told(rival)).count();
    Ok(Choice {
        strategy: names[best].to_owned(),
        chosen_on: score(best),
        confirmed_on: describe(&confirmed),
        interval: interval(&confirmed, resampling),
        choosing: choosing.into_iter().map(str::to_owned).collect(),
        confirming: confirming.into_iter().map(str::to_owned).collect(),
        alike: rivals.into_iter().filter(|rival| !is_told(rival)).collect(),
        worse,
        left_out,
    })
}

/// Strategies in the order of the run, and the number of each lineage for each.
fn values<'r>(run: &'r Run, measure: &str) -> (Vec<&'r str>, Vec<BTreeMap<&'r str, f64>>) {
    let mut names: Vec<&str> = Vec::new();
    let mut cells: Vec<Vec<Observation<'_>>> = Vec::new();
    for cell in &run.cells {
        let at = names.iter().position(|name| *name == cell.strategy).unwrap_or_else(|| {
            names.push(&cell.strategy);
            cells.push(Vec::new());
            names.len() - 1
        });
        let value = cell.measures.get(measure).and_then(Measure::value);
        cells[at].push(Observation { lineage: &cell.lineage, transcript: &cell.transcript, value });
    }
    let values = cells.into_iter().map(|cells| Sample::of(cells).units.into_iter().collect()).collect();
    (names, values)
}

/// Two halves of names, drawn by a seed (Fisher and Yates); the first is the larger one.
fn halves(mut names: Vec<&str>, seed: u64) -> (Vec<&str>, Vec<&str>) {
    let mut draws = Draws::new(seed);
    for last in (1..names.len()).rev() {
        names.swap(last, draws.index(last + 1));
    }
    let second = names.split_off(names.len().div_ceil(2));
    (names, second)
}

/// The rivals in order, with their p-values corrected over all of them.
fn rivals(order: &[usize], of: impl Fn(usize) -> Rival) -> Vec<Rival> {
    let mut rivals: Vec<Rival> = order.iter().map(|&one| of(one)).collect();
    let mut adjusted = holm(&rivals.iter().filter_map(|rival| rival.p).collect::<Vec<_>>()).into_iter();
    for rival in &mut rivals {
        rival.p = if rival.p.is_some() { adjusted.next() } else { None };
    }
    rivals
}

#[cfg(test)]
mod tests {
    use super::halves;

    #[test]
    fn halves_hold_every_name_once() {
        let names = vec!["a", "b", "c", "d", "e"];
        let (first, second) = halves(names.clone(), 7);
        assert_eq!((first.len(), second.len()), (3, 2));
        let mut both = [first.clone(), second].concat();
        both.sort_unstable();
        assert_eq!(both, names);
        assert_eq!(halves(names, 7).0, first);
    }
}
