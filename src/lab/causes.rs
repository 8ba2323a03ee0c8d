//! What an error causes: a compaction that starts at another moment, and a cut at another place.

use super::error::number;
use super::observe::{Observed, RequestRow};
use crate::stats::{mean, quantile, real};
use crate::transcript::Tokens;

/// The same threshold on estimates and on the truth. A *phase* is what lies between two recorded compactions; only the first
/// request over the threshold counts in it, because a compaction would follow.
#[derive(Clone, Debug, PartialEq)]
pub struct TriggerRow {
    /// The estimator.
    pub subject: String,
    /// Window of the model.
    pub window: Tokens,
    /// The trigger fires above the window less this.
    pub reserve: Tokens,
    /// Phases in which the truth or the estimate passes the threshold.
    pub phases: u64,
    /// Of these: both at the same request.
    pub same: u64,
    /// The estimate fires before the truth does.
    pub early: u64,
    /// The estimate fires after it, or never.
    pub late: u64,
    /// The estimate fires and the truth never does.
    pub needless: u64,
    /// The truth passes the *window* before the estimate fires.
    pub overflows: u64,
    /// Requests between the two, where both fire; negative: early. Mean, and 95 % quantile of the size.
    pub requests: [Option<f64>; 2],
    /// True tokens at the one less true tokens at the other. Mean, and 95 % quantile of the size.
    pub tokens: [Option<f64>; 2],
}

/// The same budget for the kept tail on estimates and on the tokenizer's counts, at every request that is larger.
#[derive(Clone, Debug, PartialEq)]
pub struct CutRow {
    /// The estimator.
    pub subject: String,
    /// The budget.
    pub keep: Tokens,
    /// Requests.
    pub cuts: u64,
    /// Messages kept more than by the tokenizer (negative: fewer). Mean, and 95 % quantile of the size.
    pub messages: [Option<f64>; 2],
    /// The kept tail in the tokenizer's tokens as a part of the budget: smallest, mean, largest.
    pub kept: [Option<f64>; 3],
}

/// Mean, and 95 % quantile of the absolute values.
fn centre(values: &[f64]) -> [Option<f64>; 2] {
    let mut sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    [mean(values), quantile(&sizes, 0.95)]
}

/// Triggers of the subject with this index and name.
pub(super) fn trigger(
    sessions: &[Observed],
    index: usize,
    subject: &str,
    window: Tokens,
    reserve: Tokens,
) -> TriggerRow {
    let mut row = TriggerRow {
        subject: subject.to_owned(),
        window,
        reserve,
        phases: 0,
        same: 0,
        early: 0,
        late: 0,
        needless: 0,
        overflows: 0,
        requests: [None; 2],
        tokens: [None; 2],
    };
    let (mut requests, mut tokens) = (Vec::new(), Vec::new());
    for observed in sessions {
        for phase in observed.requests.chunk_by(|a, b| a.phase == b.phase) {
            if let Some((by, moved)) = one_phase(phase, index, window, reserve, &mut row) {
                requests.push(by);
                tokens.push(moved);
            }
        }
    }
    row.requests = centre(&requests);
    row.tokens = centre(&tokens);
    row
}

/// Counts one phase; the displacement in requests and in tokens where both fire.
fn one_phase(
    phase: &[RequestRow],
    index: usize,
    window: Tokens,
    reserve: Tokens,
    row: &mut TriggerRow,
) -> Option<(f64, f64)> {
    let threshold = window.saturating_sub(reserve);
    let fires = phase.iter().position(|request| request.estimates[index].0 > threshold);
    let should = phase.iter().position(|request| request.truth > threshold);
    let overflow = phase.iter().position(|request| request.truth > window);
    row.overflows += u64::from(overflow.is_some_and(|at| fires.is_none_or(|fires| fires > at)));
    row.phases += u64::from(fires.is_some() || should.is_some());
    match (fires, should) {
        (None, None) => None,
        (Some(_), None) => {
            row.needless += 1;
            None
        }
        (None, Some(_)) => {
            row.late += 1;
            None
        }
        (Some(fires), Some(should)) => {
            row.same += u64::from(fires == should);
            row.early += u64::from(fires < should);
            row.late += u64::from(fires > should);
            Some((real(fires) - real(should), number(phase[fires].truth) - number(phase[should].truth)))
        }
    }
}

/// Cuts of the subject with this index and name.
pub(super) fn cut(sessions: &[Observed], index: usize, subject: &str, keep: Tokens) -> CutRow {
    let cuts: Vec<(i64, Tokens)> =
        sessions.iter().flat_map(|one| &one.requests).filter_map(|row| row.cuts.get(index).copied()).collect();
    let signed = |value: i64| number(Tokens(value.unsigned_abs())) * if value < 0 { -1.0 } else { 1.0 };
    let messages: Vec<f64> = cuts.iter().map(|(more, _)| signed(*more)).collect();
    let kept: Vec<f64> = cuts.iter().map(|(_, kept)| number(*kept) / number(keep).max(1.0)).collect();
    CutRow {
        subject: subject.to_owned(),
        keep,
        cuts: cuts.len() as u64,
        messages: centre(&messages),
        kept: [kept.iter().copied().reduce(f64::min), mean(&kept), kept.iter().copied().reduce(f64::max)],
    }
}

#[cfg(test)]
mod tests {
    use super::{TriggerRow, one_phase};
    use crate::lab::RequestRow;
    use crate::transcript::{EntryIdx, Tokens};

    fn phase(pairs: &[(u64, u64)]) -> Vec<RequestRow> {
        let row = |(at, &(truth, estimate)): (usize, &(u64, u64))| RequestRow {
            request: at as u64 + 1,
            entry: EntryIdx(at),
            phase: 0,
            truth: Tokens(truth),
            head: Tokens(0),
            estimates: vec![(Tokens(estimate), false)],
            cuts: Vec::new(),
        };
        pairs.iter().enumerate().map(row).collect()
    }

    fn judge(pairs: &[(u64, u64)]) -> (TriggerRow, Option<(f64, f64)>) {
        let mut row = super::trigger(&[], 0, "x", Tokens(100), Tokens(20));
        let moved = one_phase(&phase(pairs), 0, Tokens(100), Tokens(20), &mut row);
        (row, moved)
    }

    #[test]
    fn a_low_estimate_fires_late_and_may_overflow() {
        // The threshold is 80. The truth is over at the second request, the estimate at the fourth; 105 does not fit.
        let (row, moved) = judge(&[(70, 50), (85, 60), (105, 75), (120, 90)]);
        assert_eq!((row.phases, row.late, row.overflows, row.early), (1, 1, 1, 0));
        assert_eq!(moved, Some((2.0, 35.0)));
    }

    #[test]
    fn a_high_estimate_fires_early_or_for_nothing() {
        let (row, moved) = judge(&[(60, 81), (70, 90), (90, 110)]);
        assert_eq!((row.early, row.overflows, moved), (1, 0, Some((-2.0, -30.0))));
        let (row, moved) = judge(&[(60, 81), (70, 90)]);
        assert_eq!((row.needless, row.phases, moved), (1, 1, None));
        // Firing at the very request that would not fit is in time.
        let (row, _) = judge(&[(60, 60), (120, 90)]);
        assert_eq!((row.same, row.overflows), (1, 0));
    }
}
