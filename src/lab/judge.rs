//! All findings about a corpus.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::causes::{CutRow, TriggerRow, cut, trigger};
use super::error::{ErrorRow, rows};
use super::observe::Observed;
use super::reserve::{ReserveRow, reserve};
use crate::transcript::Tokens;

/// What thresholds and budgets are tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Windows of the models.
    pub windows: Vec<Tokens>,
    /// The trigger fires above the window less this: Pi's reserve by default.
    pub reserve: Tokens,
    /// Budget of the kept tail: Pi's by default.
    pub keep: Tokens,
    /// Shares of requests that may overflow.
    pub risks: Vec<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            windows: [32_000, 64_000, 128_000, 200_000].map(Tokens).to_vec(),
            reserve: Tokens(16_384),
            keep: Tokens(20_000),
            risks: vec![0.01, 0.001],
        }
    }
}

/// Everything that is known about the estimators on a corpus.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The estimators, in the order in which they were named.
    pub subjects: Vec<String>,
    /// How wrong.
    pub errors: Vec<ErrorRow>,
    /// When compaction starts.
    pub triggers: Vec<TriggerRow>,
    /// What is kept.
    pub cuts: Vec<CutRow>,
    /// Which margin is safe.
    pub reserves: Vec<ReserveRow>,
}

/// Judges the estimators named, in the order in which the sessions hold them.
pub fn judge(sessions: &[Observed], subjects: &[String], settings: &Settings) -> Findings {
    let one = |index: usize| {
        let name = &subjects[index];
        let triggers = settings.windows.iter().map(|&window| trigger(sessions, index, name, window, settings.reserve));
        let reserves = settings.risks.iter().map(|&risk| reserve(sessions, index, name, risk));
        Findings {
            subjects: vec![name.clone()],
            errors: rows(sessions, index, name),
            triggers: triggers.collect(),
            cuts: vec![cut(sessions, index, name, settings.keep)],
            reserves: reserves.collect(),
        }
    };
    let all: Vec<Findings> = (0..subjects.len()).into_par_iter().map(one).collect();
    all.into_iter().fold(Findings::default(), |mut sum, one| {
        sum.subjects.extend(one.subjects);
        sum.errors.extend(one.errors);
        sum.triggers.extend(one.triggers);
        sum.cuts.extend(one.cuts);
        sum.reserves.extend(one.reserves);
        sum
    })
}
