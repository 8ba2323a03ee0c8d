//! What happened, in counts.

use super::{Def, Measures, Meter, number};
use crate::measure::Direction::{Lower, Neutral};
use crate::measure::Measure;
use crate::replay::ReplayEvent;

pub(super) const DEFS: &[Def] = &[
    Def("requests_count", "count", Neutral, "calls of the model in the replay"),
    Def("compactions_count", "count", Neutral, "compactions"),
    Def("overflows_count", "count", Lower, "requests that did not fit the window"),
    Def("stuck_count", "count", Lower, "times a trigger fired and nothing could be dropped"),
    Def(
        "fired_count",
        "count",
        Neutral,
        "times a trigger fired while the recorded history was followed, where it never acts",
    ),
    Def("no_gain_count", "count", Lower, "compactions after which the context was not smaller"),
    Def("edits_count", "count", Neutral, "messages shortened or masked in place"),
    Def("split_turns_count", "count", Neutral, "compactions whose cut split a turn"),
    Def("repaired_orphans_count", "count", Lower, "tool results that lost their call; the replay left them out"),
    Def("peak_context_tokens", "tokens", Lower, "largest request, by the reference tokenizer"),
];

/// Counts events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Structure {
    requests: u64,
    compactions: u64,
    overflows: u64,
    stuck: u64,
    fired: u64,
    no_gain: u64,
    edits: u64,
    split_turns: u64,
    repaired: u64,
    peak: u64,
}

impl Meter for Structure {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => {
                self.requests += 1;
                self.peak = self.peak.max(request.reference.0);
            }
            ReplayEvent::Compaction(compaction) => {
                self.compactions += 1;
                self.repaired += compaction.repaired;
                self.split_turns += u64::from(!compaction.plan.prefix.is_empty());
                self.no_gain += u64::from(compaction.no_gain());
            }
            ReplayEvent::Overflow(_) => self.overflows += 1,
            ReplayEvent::Stuck(_) => self.stuck += 1,
            ReplayEvent::Fired(_) => self.fired += 1,
            ReplayEvent::Switch(_) => {}
            ReplayEvent::Edit(edit) => self.edits += edit.places.len() as u64,
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let count = |count| Measure::Value(number(count));
        let peak = if self.requests == 0 { Measure::void("no request") } else { count(self.peak) };
        vec![
            ("requests_count", count(self.requests)),
            ("compactions_count", count(self.compactions)),
            ("overflows_count", count(self.overflows)),
            ("stuck_count", count(self.stuck)),
            ("fired_count", count(self.fired)),
            ("no_gain_count", count(self.no_gain)),
            ("edits_count", count(self.edits)),
            ("split_turns_count", count(self.split_turns)),
            ("repaired_orphans_count", count(self.repaired)),
            ("peak_context_tokens", peak),
        ]
    }
}
