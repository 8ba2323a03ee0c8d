//! What compactions do to the cached prefix, in reference tokens; and, below, the caches of real providers.
//!
//! A [`Prompt`] is a chain of digests; a [`Simulator`] with the [`Rules`] of a [`Preset`] says what of it is read, written
//! or plain, and why less was read than could have been.

mod audit;
mod bill;
mod block;
mod clock;
mod diagnosis;
mod economics;
mod explain;
mod feed;
pub(super) mod ledger;
mod model;
mod oracle;
mod outcome;
mod placement;
mod preset;
mod providers;
mod rules;
mod simulator;
mod store;
mod table;
mod tree;

pub use audit::{Audit, AuditInput, AuditRow, HeadGuess, guess_head};
pub use bill::{BillInput, ProviderBill};
pub use block::{Block, Digest, Layer, Link, Prompt, Settings, Sort};
pub use clock::{Clock, Moment};
pub use economics::{Episode, Multiples};
pub use explain::{Explanation, Hidden};
pub use feed::{Feed, Reasoning};
pub use ledger::{CompactionLedger, RequestLedger};
pub use model::{minimum, preset_of, preset_of_protocol, reasoning};
pub use oracle::{Step, Terms, cheapest};
pub use outcome::{Break, BreakReason, Cause, Outcome, Split};
pub use placement::{Breakpoint, Mark, Placement, Spot, marked};
pub use preset::{Factors, PRESETS, Preset, preset};
pub use providers::{ModelCache, Providers};
pub use rules::{Life, Matching, Millis, Places, Refresh, Rules, Seconds};
pub use simulator::{Request, Simulator};
pub use table::{BlockTable, InferredHead};

use super::{Def, Measures, Meter, mean, number};
use crate::measure::Direction::{Higher, Lower, Neutral};
use crate::measure::Measure;
use crate::replay::ReplayEvent;
use crate::transcript::Tokens;

const NOTHING_COMPACTED: &str = "nothing was compacted";

pub(super) const DEFS: &[Def] = &[
    Def("prompt_tokens", "tokens", Lower, "prompts of all requests together; summary calls are not among them"),
    Def(
        "reused_ratio",
        "ratio",
        Higher,
        "share of all prompt tokens that stand in the longest common prefix with the request before",
    ),
    Def(
        "invalidated_tokens",
        "tokens",
        Lower,
        "tokens of the request before that a compaction or an edit makes useless as a cached prefix, summed",
    ),
    Def(
        "rewritten_tokens",
        "tokens",
        Lower,
        "tokens after the common prefix in the context that a compaction leaves: summary, recovery and kept tail, summed",
    ),
    Def("dropped_tokens", "tokens", Neutral, "tokens dropped by compactions, summed"),
    Def("kept_tokens", "tokens", Lower, "context after a compaction, mean"),
    Def("kept_ratio", "ratio", Lower, "context after a compaction / context before it, mean"),
    Def("summary_input_tokens", "tokens", Lower, "prompts of the summary calls, summed"),
    Def("summary_output_tokens", "tokens", Lower, "answers of the summary calls, summed"),
    Def(
        "failed_tokens",
        "tokens",
        Lower,
        "prompts of requests that did not fit the window and of summary calls that failed, summed; not among the others",
    ),
];

/// Follows the common prefix from request to request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cache {
    prompt: u64,
    reused: u64,
    invalidated: u64,
    rewritten: u64,
    dropped: u64,
    compactions: u64,
    kept: f64,
    kept_ratio: f64,
    ratios: u64,
    summary_input: u64,
    summary_output: u64,
    failed: u64,
}

impl Meter for Cache {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => {
                self.prompt += request.reference.0;
                self.reused += request.reused.0;
            }
            ReplayEvent::Compaction(compaction) => {
                let after = compaction.after.request_tokens();
                let before = compaction.before_tokens();
                self.invalidated += compaction.invalidated.0;
                self.rewritten += after.saturating_sub(compaction.after.reused_tokens()).0;
                self.dropped += compaction.dropped_tokens().0;
                self.summary_input += compaction.summary_input().0;
                self.summary_output += compaction.summary_output().0;
                self.compactions += 1;
                self.kept += number(after.0);
                // A context of nothing has no ratio; it must not enter the mean as one.
                if before > Tokens(0) {
                    self.kept_ratio += number(after.0) / number(before.0);
                    self.ratios += 1;
                }
            }
            ReplayEvent::Edit(edit) => self.invalidated += edit.invalidated.0,
            ReplayEvent::Overflow(overflow) => self.failed += overflow.reference.0,
            ReplayEvent::Stuck(stuck) => self.failed += stuck.spent.0,
            ReplayEvent::Fired(_) | ReplayEvent::Switch(_) => {}
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let sum = |tokens| Measure::Value(number(tokens));
        let reused = if self.prompt == 0 {
            Measure::void("no request")
        } else {
            Measure::from(number(self.reused) / number(self.prompt))
        };
        vec![
            ("prompt_tokens", sum(self.prompt)),
            ("reused_ratio", reused),
            ("invalidated_tokens", sum(self.invalidated)),
            ("rewritten_tokens", sum(self.rewritten)),
            ("dropped_tokens", sum(self.dropped)),
            ("kept_tokens", mean(self.kept, self.compactions, NOTHING_COMPACTED)),
            ("kept_ratio", mean(self.kept_ratio, self.ratios, NOTHING_COMPACTED)),
            ("summary_input_tokens", sum(self.summary_input)),
            ("summary_output_tokens", sum(self.summary_output)),
            ("failed_tokens", sum(self.failed)),
        ]
    }
}
