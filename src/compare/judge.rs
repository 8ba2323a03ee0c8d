//! One gate in one strategy and setting.

use std::collections::BTreeMap;

use serde::Serialize;

use super::pair::{Group, Pair};
use super::{Gate, Margin, Plan, Verdict};
use crate::measure::{Direction, Measure, MeasureDef};
use crate::stats::{Interval, Observation, Paired, Sample, least_units, mean};

/// Differences this near to 0 are ties: they come from rounding.
pub(super) const TIE: f64 = 1e-9;

/// Below so many lineages percentiles decide nothing (statistics notes: no interval is honest where a loss is rare).
const HONEST: usize = 12;

/// One lineage in both runs; a positive difference is worse.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineageRow {
    /// Its name.
    pub lineage: String,
    /// Mean of the base.
    pub base: f64,
    /// Mean of the head.
    pub head: f64,
    /// How much worse the head is.
    pub worse_by: f64,
}

/// The differences of all lineages in numbers, in the unit of the measure; positive is worse.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// The worst lineage.
    pub worst_lineage: String,
    /// How much worse it is.
    pub worst: f64,
    /// Lineages that got better.
    pub better: usize,
    /// Lineages that stayed.
    pub ties: usize,
    /// Lineages that got worse.
    pub worse: usize,
    /// Interval of the mean; `None` when there are too few lineages.
    pub interval: Option<[f64; 2]>,
    /// How the interval was made, with draws and seed; or why there is none.
    pub method: String,
    /// The method asked for had no finite bound: the interval is too narrow.
    pub fallback: bool,
    /// Two-sided p-value of the sign-flip test.
    pub p: f64,
    /// The same, corrected over all gates by Holm.
    pub p_holm: Option<f64>,
    /// All sign patterns were enumerated.
    pub p_is_exact: bool,
    /// The least p-value that so many lineages can give.
    pub least_p: f64,
    /// Two-sided p-value of the sign test.
    pub sign_test_p: f64,
    /// The least mean difference that this set finds with a power of 80 %.
    pub minimum_detectable: Option<f64>,
}

/// A gate, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// Strategy in the base.
    pub strategy: String,
    /// Strategy in the head.
    pub head_strategy: String,
    /// The model.
    pub model: String,
    /// Its window.
    pub window_tokens: u64,
    /// `full` or `recorded`.
    pub history: String,
    /// The measure.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// Which way is better.
    pub direction: Direction,
    /// How much worse it may become, in its unit.
    pub margin: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// Lineages with numbers in both runs.
    pub n: usize,
    /// Pairs of cells with numbers.
    pub pairs: usize,
    /// Pairs that are void in both runs.
    pub void_pairs: usize,
    /// Pairs that are void in one run.
    pub half_void_pairs: usize,
    /// Mean over lineages of the base.
    pub base_mean: Option<f64>,
    /// Mean over lineages of the head.
    pub head_mean: Option<f64>,
    /// The differences, where there are any.
    pub difference: Option<Difference>,
    /// Every lineage.
    pub lineages: Vec<LineageRow>,
    /// No cell of the group changed.
    pub unchanged: bool,
    /// The distinct reasons of voids.
    pub void_reasons: Vec<String>,
}

impl Judged {
    /// Gathers the numbers; [`Judged::decide`] gives the verdict.
    pub(super) fn of(group: &Group<'_>, gate: &Gate, def: &MeasureDef, plan: &Plan) -> Self {
        let first = group.pairs[0];
        let numbers = Numbers::of(&group.pairs, def);
        let values: Vec<f64> = numbers.rows.iter().map(|row| row.worse_by).collect();
        let means = |of: fn(&LineageRow) -> f64| mean(&numbers.rows.iter().map(of).collect::<Vec<_>>());
        let base_mean = means(|row| row.base);
        let paired = Paired::of(&values, TIE, plan.resampling);
        Self {
            strategy: first.base.strategy.clone(),
            head_strategy: first.head.strategy.clone(),
            model: first.base.model.clone(),
            window_tokens: first.base.window_tokens,
            history: first.base.history.clone(),
            measure: def.name.clone(),
            unit: def.unit.clone(),
            direction: def.direction,
            margin: match gate.margin {
                Margin::Absolute(margin) => Some(margin),
                share @ Margin::Share(_) => base_mean.map(|base| share.absolute(base)),
            },
            verdict: Verdict::Void,
            reason: String::new(),
            n: values.len(),
            pairs: numbers.pairs,
            void_pairs: numbers.void_pairs,
            half_void_pairs: numbers.half_void_pairs,
            base_mean,
            head_mean: means(|row| row.head),
            difference: paired.map(|paired| difference(&paired, &numbers.rows)),
            lineages: numbers.rows,
            unchanged: group.pairs.iter().all(Pair::is_same),
            void_reasons: numbers.reasons,
        }
    }

    /// The p-value that enters the family; none where nothing changed, because nothing is tested there.
    pub(super) fn p(&self) -> Option<f64> {
        self.difference.as_ref().filter(|_| !self.unchanged).map(|difference| difference.p)
    }

    /// Sets verdict and reason.
    pub(super) fn decide(&mut self, p_holm: Option<f64>, plan: &Plan) {
        if let Some(difference) = &mut self.difference {
            difference.p_holm = p_holm;
        }
        (self.verdict, self.reason) = self.judged(plan);
    }

    fn judged(&self, plan: &Plan) -> (Verdict, String) {
        let inconclusive = |reason: String| (Verdict::Inconclusive, reason);
        if self.half_void_pairs > 0 {
            let (pairs, verb) = if self.half_void_pairs == 1 { ("pair", "has") } else { ("pairs", "have") };
            return inconclusive(format!("{} {pairs} {verb} a number in one run only", self.half_void_pairs));
        }
        let (Some(difference), Some(margin)) = (&self.difference, self.margin) else {
            let reason = self.void_reasons.first().map_or("no pair has a number", String::as_str);
            return (Verdict::Void, reason.to_owned());
        };
        if self.unchanged {
            return (Verdict::Pass, "no cell changed".to_owned());
        }
        let least = least_units(plan.alpha, 1);
        if self.n < least {
            let lineages = if self.n == 1 { "lineage" } else { "lineages" };
            return inconclusive(format!("{} {lineages} cannot be significant; it takes {least}", self.n));
        }
        let Some([low, high]) = difference.interval else { return inconclusive(difference.method.clone()) };
        if difference.fallback && self.n < HONEST {
            return inconclusive(format!("{} lineages, and most did not change: no interval is honest", self.n));
        }
        if high <= margin {
            return (Verdict::Pass, "the interval stays within the margin".to_owned());
        }
        let is_clear = difference.p_holm.is_some_and(|p| p <= plan.alpha);
        match (low > 0.0 && difference.mean > margin, is_clear) {
            (true, true) => (Verdict::Regress, "worse than the margin allows".to_owned()),
            (true, false) => inconclusive("worse, but not after Holm's correction over all gates".to_owned()),
            (false, _) => inconclusive("the interval reaches past the margin".to_owned()),
        }
    }
}

/// The numbers of a group.
pub(super) struct Numbers {
    pub(super) rows: Vec<LineageRow>,
    pairs: usize,
    void_pairs: usize,
    half_void_pairs: usize,
    reasons: Vec<String>,
}

impl Numbers {
    pub(super) fn of(pairs: &[Pair<'_>], def: &MeasureDef) -> Self {
        let mut numbers = Self { rows: Vec::new(), pairs: 0, void_pairs: 0, half_void_pairs: 0, reasons: Vec::new() };
        let (mut base, mut head) = (Vec::new(), Vec::new());
        for pair in pairs {
            let (old, new) = (pair.base.measures.get(&def.name), pair.head.measures.get(&def.name));
            for measure in [old, new] {
                if let Some(Measure::Void(reason)) = measure
                    && !numbers.reasons.contains(reason)
                {
                    numbers.reasons.push(reason.clone());
                }
            }
            let number = |measure: Option<&Measure>| measure.and_then(Measure::value).filter(|value| value.is_finite());
            let (lineage, transcript) = (pair.base.lineage.as_str(), pair.base.transcript.as_str());
            match (number(old), number(new)) {
                (Some(old), Some(new)) => {
                    numbers.pairs += 1;
                    base.push(Observation { lineage, transcript, value: Some(old) });
                    head.push(Observation { lineage, transcript, value: Some(new) });
                }
                (None, None) => numbers.void_pairs += 1,
                _ => numbers.half_void_pairs += 1,
            }
        }
        let sign = if def.direction == Direction::Higher { -1.0 } else { 1.0 };
        let heads: BTreeMap<&str, f64> = Sample::of(head).units.into_iter().collect();
        let row = |(lineage, base): (&str, f64)| {
            let head = *heads.get(lineage)?;
            Some(LineageRow { lineage: lineage.to_owned(), base, head, worse_by: sign * (head - base) })
        };
        numbers.rows = Sample::of(base).units.into_iter().filter_map(row).collect();
        numbers
    }
}

pub(super) fn difference(paired: &Paired, rows: &[LineageRow]) -> Difference {
    let worst = rows.iter().max_by(|a, b| a.worse_by.total_cmp(&b.worse_by));
    Difference {
        mean: paired.differences.mean,
        median: paired.differences.median,
        worst_lineage: worst.map(|row| row.lineage.clone()).unwrap_or_default(),
        worst: paired.differences.greatest,
        better: paired.below,
        ties: paired.ties,
        worse: paired.above,
        interval: paired.interval.ok().map(|interval| [interval.low, interval.high]),
        method: paired.interval.map_or_else(|reason| reason.to_string(), |interval| interval.to_string()),
        fallback: paired.interval.is_ok_and(|interval: Interval| interval.is_fallback()),
        p: paired.sign_flip.p,
        p_holm: None,
        p_is_exact: paired.sign_flip.exact,
        least_p: paired.sign_flip.least_p,
        sign_test_p: paired.sign_test_p,
        minimum_detectable: paired.minimum_detectable,
    }
}
