//! Two runs become a verdict: pass, regress, inconclusive or void.
//!
//! A gate is a measure with a margin. Per strategy and setting, the cells of base and head are paired by id, brought down to one
//! difference per lineage, and judged by non-inferiority: **pass** when the interval of the mean difference stays within the
//! margin; **regress** when it lies above 0, the mean is past the margin, and the sign-flip test survives Holm over all gates;
//! **inconclusive** otherwise; **void** when no pair has numbers. A second guard stands outside the mean: a critical item that
//! is newly lost in at least two of three repetitions is a regression at once.
//!
//! The unit of statistics is the lineage. Fewer than six can never reach 5 %, so fewer never pass or regress by their mean, unless
//! no cell changed at all.

mod change;
mod choose;
mod gate;
mod items;
mod judge;
mod pair;

use serde::Serialize;

pub use change::{Change, Moved, Shift};
pub use choose::{Choice, NoChoice, Rival, choose};
pub use gate::{Gate, GateError, Margin};
pub use items::LostItem;
pub use judge::{Difference, Judged, LineageRow};

use crate::measure::{Direction, MeasureDef};
use crate::results::Run;
use crate::stats::{Resampling, holm};

/// What a comparison or a part of it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Not worse than the margin allows.
    Pass,
    /// Worse.
    Regress,
    /// The runs cannot tell.
    Inconclusive,
    /// There is nothing to compare.
    Void,
}

impl Verdict {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Regress => "regress",
            Self::Inconclusive => "inconclusive",
            Self::Void => "void",
        }
    }
}

/// How two runs are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The declared family: every gate in every strategy and setting.
    pub gates: Vec<Gate>,
    /// Intervals and draws.
    pub resampling: Resampling,
    /// Two-sided level of the tests.
    pub alpha: f64,
    /// Compare this strategy of the base with that one of the head, instead of strategies of the same name.
    pub strategies: Option<(String, String)>,
}

impl Default for Plan {
    /// Goal-loss may rise by 0.02 (the statistics notes' margin), at 5 %.
    fn default() -> Self {
        let goal = Gate { measure: "goal_loss".to_owned(), margin: Margin::Absolute(0.02) };
        Self { gates: vec![goal], resampling: Resampling::default(), alpha: 0.05, strategies: None }
    }
}

/// Two runs that cannot be compared as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unlike {
    /// A measure means something else in the two runs.
    #[error("{measure} differs between the runs: {base} in the base, {head} in the head")]
    Measure {
        /// The measure.
        measure: String,
        /// Version, unit and direction in the base.
        base: String,
        /// The same in the head.
        head: String,
    },
    /// The reference tokenizers differ.
    #[error("the base counts with {base}, the head with {head}")]
    Reference {
        /// Tokenizer of the base.
        base: String,
        /// Tokenizer of the head.
        head: String,
    },
    /// A run does not define the measure of a gate.
    #[error("no measure is called {measure:?} in the {side}")]
    NoMeasure {
        /// The measure.
        measure: String,
        /// `base` or `head`.
        side: &'static str,
        /// The nearest name, if one is near.
        near: Option<String>,
    },
    /// A measure without a better side.
    #[error("{0} has no better or worse side, so it cannot be a gate")]
    Neutral(String),
}

impl Unlike {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Measure { .. } => "run the base again with this program".to_owned(),
            Self::Reference { .. } => "run one of them again with the other's --reference".to_owned(),
            Self::NoMeasure { near: Some(near), .. } => format!("did you mean {near:?}?"),
            Self::NoMeasure { near: None, .. } | Self::Neutral(_) => "`cutpoint list measures` names all".to_owned(),
        }
    }
}

/// The comparison of two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What it says as a whole.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// Mock summaries are among the cells: they say nothing about a real model.
    pub mock: bool,
    /// Pairs of cells that were compared.
    pub pairs: usize,
    /// Pairs whose record is the same in both runs.
    pub same_pairs: usize,
    /// Cells of the base that the head lacks.
    pub missing_in_head: usize,
    /// Cells of the head that the base lacks.
    pub missing_in_base: usize,
    /// Transcripts of the same name whose content or annotated items differ: their cells are not compared.
    pub changed_transcripts: Vec<String>,
    /// Every gate in every strategy and setting.
    pub gates: Vec<Judged>,
    /// Annotated items that were kept and are now lost, critical ones first.
    pub newly_lost: Vec<LostItem>,
    /// Items that were lost and no longer are.
    pub regained_count: usize,
    /// What differs in the experiments.
    pub changes: Vec<Change>,
    /// Means of all measures that moved, gated or not.
    pub moved: Vec<Moved>,
}

/// Compares two runs.
///
/// # Errors
/// When a gate cannot be applied, because the runs do not measure the same thing.
pub fn compare(base: &Run, head: &Run, plan: &Plan) -> Result<Comparison, Unlike> {
    let gates =
        plan.gates.iter().map(|gate| Ok((gate, definition(base, head, gate)?))).collect::<Result<Vec<_>, _>>()?;
    if base.manifest.reference != head.manifest.reference {
        let (base, head) = (base.manifest.reference.clone(), head.manifest.reference.clone());
        return Err(Unlike::Reference { base, head });
    }
    let paired = pair::pairs(base, head, plan.strategies.as_ref());
    let mut judged = Vec::new();
    for group in pair::groups(&paired.pairs) {
        for (gate, def) in &gates {
            judged.push(Judged::of(&group, gate, def, plan));
        }
    }
    let p: Vec<f64> = judged.iter().filter_map(Judged::p).collect();
    let mut adjusted = holm(&p).into_iter();
    for one in &mut judged {
        let p_holm = if one.p().is_some() { adjusted.next() } else { None };
        one.decide(p_holm, plan);
    }
    let (newly_lost, regained_count) = items::changed(&paired.pairs);
    let mut comparison = Comparison {
        verdict: Verdict::Void,
        reason: String::new(),
        mock: paired.pairs.iter().any(|pair| pair.base.mock || pair.head.mock),
        pairs: paired.pairs.len(),
        same_pairs: paired.pairs.iter().filter(|pair| pair.is_same()).count(),
        missing_in_head: paired.missing_in_head,
        missing_in_base: paired.missing_in_base,
        changed_transcripts: paired.changed_transcripts,
        gates: judged,
        newly_lost,
        regained_count,
        changes: change::changes(base, head),
        moved: change::moved(&paired.pairs, &head.manifest.measures, plan.resampling),
    };
    (comparison.verdict, comparison.reason) = comparison.whole();
    Ok(comparison)
}

impl Comparison {
    /// Critical items that are newly lost.
    pub fn critical(&self) -> impl Iterator<Item = &LostItem> {
        self.newly_lost.iter().filter(|item| item.critical)
    }

    fn whole(&self) -> (Verdict, String) {
        let of = |verdict| self.gates.iter().filter(|gate| gate.verdict == verdict).count();
        let (regressed, open, void) = (of(Verdict::Regress), of(Verdict::Inconclusive), of(Verdict::Void));
        let all = self.gates.len();
        let critical = self.critical().count();
        if critical > 0 {
            return (Verdict::Regress, format!("{critical} critical items are newly lost"));
        }
        if regressed > 0 {
            return (Verdict::Regress, format!("{regressed} of {all} gates regressed"));
        }
        if self.pairs == 0 {
            return (Verdict::Void, "no cell of the base has its like in the head".to_owned());
        }
        if void == all {
            return (Verdict::Void, "no pair of cells has numbers for any gate".to_owned());
        }
        if open > 0 {
            return (Verdict::Inconclusive, format!("{open} of {all} gates cannot be told"));
        }
        if self.missing_in_head > 0 {
            let missing = self.missing_in_head;
            return (Verdict::Inconclusive, format!("the head lacks {missing} cells of the base"));
        }
        if !self.changed_transcripts.is_empty() {
            let changed = self.changed_transcripts.len();
            return (Verdict::Inconclusive, format!("{changed} transcripts differ, and were not compared"));
        }
        let voids = if void > 0 { format!("; {void} are void") } else { String::new() };
        (Verdict::Pass, format!("{} of {all} gates pass{voids}", all - void))
    }
}

/// The definition of a gate's measure, if both runs mean the same by it.
fn definition(base: &Run, head: &Run, gate: &Gate) -> Result<MeasureDef, Unlike> {
    let find = |run: &Run, side| {
        let all = &run.manifest.measures;
        all.iter().find(|def| def.name == gate.measure).cloned().ok_or_else(|| Unlike::NoMeasure {
            measure: gate.measure.clone(),
            side,
            near: nearest(&gate.measure, all),
        })
    };
    let (old, new) = (find(base, "base")?, find(head, "head")?);
    let says = |def: &MeasureDef| format!("version {}, {}, {:?}", def.version, def.unit, def.direction);
    if says(&old) != says(&new) {
        return Err(Unlike::Measure { measure: gate.measure.clone(), base: says(&old), head: says(&new) });
    }
    if new.direction == Direction::Neutral {
        return Err(Unlike::Neutral(gate.measure.clone()));
    }
    Ok(new)
}

fn nearest(name: &str, measures: &[MeasureDef]) -> Option<String> {
    let near = measures.iter().map(|def| (strsim::damerau_levenshtein(name, &def.name), &def.name)).min();
    near.filter(|(distance, _)| *distance <= 3).map(|(_, name)| name.clone())
}
