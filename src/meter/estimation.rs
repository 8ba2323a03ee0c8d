//! How wrong the estimator is, request by request.

use super::{Def, Measures, Meter, mean, number};
use crate::measure::Direction::{Lower, Neutral};
use crate::replay::ReplayEvent;
use crate::transcript::Tokens;

pub(super) const DEFS: &[Def] = &[
    Def(
        "estimation_error_ratio",
        "ratio",
        Neutral,
        "mean over requests of (estimate - reference) / reference; negative: the estimator believes the context smaller than it is",
    ),
    Def("estimation_abs_error_ratio", "ratio", Lower, "mean over requests of |estimate - reference| / reference"),
    Def(
        "estimation_recorded_error_ratio",
        "ratio",
        Neutral,
        "mean over requests of (estimate - recorded prompt) / recorded prompt, while the replayed context is the recorded one",
    ),
];

/// Compares estimates with the reference and with recorded usage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimation {
    signed: f64,
    absolute: f64,
    requests: u64,
    recorded: f64,
    recorded_requests: u64,
}

/// (estimate - truth) / truth; `None` when there is nothing to compare with.
fn error(estimate: Tokens, truth: Tokens) -> Option<f64> {
    let (estimate, truth) = (number(estimate.0), number(truth.0));
    (truth > 0.0).then(|| (estimate - truth) / truth)
}

impl Meter for Estimation {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        let ReplayEvent::Request(request) = event else { return };
        if let Some(error) = error(request.estimate.tokens, request.reference) {
            self.signed += error;
            self.absolute += error.abs();
            self.requests += 1;
        }
        let recorded = request.recorded.map(|usage| usage.prompt());
        if let Some(error) = recorded.and_then(|prompt| error(request.estimate.tokens, prompt)) {
            self.recorded += error;
            self.recorded_requests += 1;
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let no_usage = "no usage was recorded while the replayed context was the recorded one";
        vec![
            ("estimation_error_ratio", mean(self.signed, self.requests, "no request")),
            ("estimation_abs_error_ratio", mean(self.absolute, self.requests, "no request")),
            ("estimation_recorded_error_ratio", mean(self.recorded, self.recorded_requests, no_usage)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::{Tokens, error};

    #[test]
    fn the_sign_says_which_way_the_estimate_is_wrong() {
        assert_eq!(error(Tokens(75), Tokens(100)), Some(-0.25));
        assert_eq!(error(Tokens(0), Tokens(0)), None);
    }
}
