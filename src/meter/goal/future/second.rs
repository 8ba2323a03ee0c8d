//! The same recall by the second extractor: where both disagree, a result is one of the rules that find names.

use super::Future;
use crate::meter::{Measures, Meter};
use crate::replay::ReplayEvent;

/// What is reported, under its own name.
const NAMES: [(&str, &str); 3] = [
    ("future_loss", "future_loss_second"),
    ("future_recall", "future_recall_second"),
    ("future_facts_count", "future_facts_second_count"),
];

/// A meter over an index of the second extractor.
#[derive(Debug)]
pub struct Second<'m>(pub Future<'m>);

impl Meter for Second<'_> {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        self.0.observe(event);
    }

    fn finish(self: Box<Self>) -> Measures {
        let all = Box::new(self.0).finish();
        let named = |name: &str| NAMES.iter().find(|(one, _)| *one == name).map(|(_, second)| *second);
        all.into_iter().filter_map(|(name, measure)| Some((named(name)?, measure))).collect()
    }
}
