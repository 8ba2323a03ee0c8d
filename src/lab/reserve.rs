//! The safe reserve: how much of the window must stay free so that under-estimates rarely overflow it.
//!
//! A trigger that fires when the estimate reaches (1 − m) of the window lets a request of exactly the window's size pass when
//! estimate < (1 − m) · truth, that is when its under-estimate (truth − estimate) / truth is above m. The smallest m that is
//! passed by at most a share r of the requests is the reserve for the risk r. Small contexts have large relative errors that
//! never meet a window, so only requests of at least [`LEAST`] tokens count.

use super::error::number;
use super::observe::Observed;
use crate::stats::{Draws, quantile, real};
use crate::transcript::Tokens;

/// Requests below this are no test of a reserve.
pub const LEAST: Tokens = Tokens(8_000);

/// Resamples of lineages behind an interval.
const DRAWS: usize = 1_999;

/// A margin with the bounds of its 95 % interval: percentiles over resampled lineages, which are too narrow for few of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// The margin.
    pub value: f64,
    /// Bounds; `None` below five lineages.
    pub interval: Option<(f64, f64)>,
}

/// The reserve of one estimator for one risk, in two forms: estimates of whole contexts are wrong in proportion to them, those
/// anchored to usage by what came since.
#[derive(Clone, Debug, PartialEq)]
pub struct ReserveRow {
    /// The estimator.
    pub subject: String,
    /// The share of requests that may overflow.
    pub risk: f64,
    /// Requests of at least [`LEAST`] tokens.
    pub requests: u64,
    /// Lineages they come from.
    pub lineages: u64,
    /// The reserve as a part of the window; `Err` says why there is none.
    pub window: Result<Margin, String>,
    /// The reserve in tokens.
    pub tokens: Option<Margin>,
}

/// The reserve of the subject with this index and name.
pub(super) fn reserve(sessions: &[Observed], index: usize, subject: &str, risk: f64) -> ReserveRow {
    let mut names: Vec<&str> = sessions.iter().map(|one| one.session.lineage.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let (mut shares, mut tokens) = (Vec::new(), Vec::new());
    for observed in sessions {
        let lineage = names.partition_point(|name| *name < observed.session.lineage.as_str());
        for row in observed.requests.iter().filter(|row| row.truth >= LEAST) {
            let (estimate, truth) = (number(row.estimates[index].0), number(row.truth));
            shares.push(((truth - estimate) / truth, lineage));
            tokens.push((truth - estimate, lineage));
        }
    }
    let mut present: Vec<usize> = shares.iter().map(|(_, lineage)| *lineage).collect();
    present.sort_unstable();
    present.dedup();
    let requests = shares.len();
    let enough = real(requests) * risk >= 1.0;
    let void = || {
        format!("{requests} requests of {LEAST} tokens or more; a risk of {} % needs {:.0}", risk * 100.0, 1.0 / risk)
    };
    ReserveRow {
        subject: subject.to_owned(),
        risk,
        requests: requests as u64,
        lineages: present.len() as u64,
        window: if enough { Ok(margin(shares, &present, names.len(), risk)) } else { Err(void()) },
        tokens: enough.then(|| margin(tokens, &present, names.len(), risk)),
    }
}

fn margin(mut errors: Vec<(f64, usize)>, present: &[usize], lineages: usize, risk: f64) -> Margin {
    errors.sort_by(|a, b| b.0.total_cmp(&a.0));
    let value = smallest(&errors, &vec![1; lineages], risk);
    Margin { value, interval: bounds(&errors, present, lineages, risk) }
}

/// The smallest margin, not below 0, that at most the share `risk` of the weighted errors passes. `errors` fall.
fn smallest(errors: &[(f64, usize)], weights: &[usize], risk: f64) -> f64 {
    let total: usize = errors.iter().map(|(_, lineage)| weights[*lineage]).sum();
    let allowed = real(total) * risk;
    let mut above = 0;
    for (error, lineage) in errors {
        above += weights[*lineage];
        // The tolerance keeps 0.01 × 100 at 1.
        if real(above) > allowed + 1e-9 {
            return error.max(0.0);
        }
    }
    0.0
}

fn bounds(errors: &[(f64, usize)], present: &[usize], lineages: usize, risk: f64) -> Option<(f64, f64)> {
    if present.len() < 5 {
        return None;
    }
    let mut draws = Draws::new(0);
    let mut margins: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let mut weights = vec![0; lineages];
            for _ in present {
                weights[present[draws.index(present.len())]] += 1;
            }
            smallest(errors, &weights, risk)
        })
        .collect();
    margins.sort_by(f64::total_cmp);
    Some((quantile(&margins, 0.025)?, quantile(&margins, 0.975)?))
}

#[cfg(test)]
mod tests {
    use super::smallest;

    #[test]
    fn one_in_a_hundred_may_pass_the_margin() {
        // 0.99, 0.98, …, 0.00.
        let errors: Vec<(f64, usize)> = (0..100).rev().map(|at| (f64::from(at) / 100.0, 0)).collect();
        // 0.99 alone passes a margin of 0.98.
        assert!((smallest(&errors, &[1], 0.01) - 0.98).abs() < 1e-12);
        assert!((smallest(&errors, &[1], 0.5) - 0.49).abs() < 1e-12);
        // Weights of a lineage that was drawn twice change no share.
        assert!((smallest(&errors, &[2], 0.01) - 0.98).abs() < 1e-12);
        // Over-estimates need no reserve.
        assert!(smallest(&[(-0.2, 0), (-0.3, 0)], &[1], 0.01).abs() < 1e-12);
    }
}
