//! What a replay tells its observers.

use super::{Limits, Live};
use crate::engine::cut::CutPlan;
use crate::engine::estimate::Estimate;
use crate::engine::summarize::Summary;
use crate::engine::trigger::Checkpoint;
use crate::engine::view::{Item, Track};
use crate::transcript::{EntryIdx, Tokens, Usage};

/// One event of a replay.
#[derive(Clone, Debug)]
pub enum ReplayEvent<'r, 'a> {
    /// A call of the model.
    Request(RequestEvent<'r, 'a>),
    /// A compaction.
    Compaction(CompactionEvent<'r, 'a>),
    /// A request that did not fit the window.
    Overflow(OverflowEvent),
    /// A trigger fired and nothing could be dropped.
    Stuck(StuckEvent),
    /// A trigger fired in a replay of the recorded history, where it never acts.
    Fired(FiredEvent),
    /// Messages were changed in place.
    Edit(EditEvent<'r, 'a>),
    /// The session went on with a model of another size.
    Switch(SwitchEvent<'a>),
}

/// A call of the model, as it leaves.
#[derive(Clone, Copy, Debug)]
pub struct RequestEvent<'r, 'a> {
    /// Its number, from 1.
    pub number: u64,
    /// The recorded reply.
    pub entry: EntryIdx,
    /// The context that is sent.
    pub live: &'r Live<'a>,
    /// The estimate of the strategy's estimator.
    pub estimate: Estimate,
    /// Reference count of the request.
    pub reference: Tokens,
    /// Recorded usage of the reply, while the replayed context is still the recorded one.
    pub recorded: Option<Usage>,
    /// Reference tokens shared with the request before.
    pub reused: Tokens,
    /// The window in force.
    pub window: Tokens,
    /// It does not fit that window.
    pub overflow: bool,
}

/// The size of a summary call, in reference tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SummaryCall {
    /// Its prompt.
    pub input: Tokens,
    /// Its answer; 0 where it failed.
    pub output: Tokens,
}

/// A compaction, when it is done.
#[derive(Clone, Copy, Debug)]
pub struct CompactionEvent<'r, 'a> {
    /// Number of the next request, from 1.
    pub request: u64,
    /// The moment.
    pub checkpoint: Checkpoint,
    /// Why, in words.
    pub reason: &'r str,
    /// The estimate before.
    pub estimate: Estimate,
    /// Items before.
    pub before: &'r [Item],
    /// Reference counts before.
    pub before_reference: &'r Track,
    /// The cut.
    pub plan: &'r CutPlan,
    /// What stands for the dropped part.
    pub summary: &'r Summary,
    /// The context after.
    pub after: &'r Live<'a>,
    /// Items of the context after that come before the kept tail.
    pub made_items: usize,
    /// Of those, the last ones, which recovery actions put back.
    pub recovered_items: usize,
    /// The summary calls, in order.
    pub summary_calls: &'r [SummaryCall],
    /// Reference tokens of the request before that the next one does not share.
    pub invalidated: Tokens,
    /// Results that lost their call and were left out.
    pub repaired: u64,
}

impl CompactionEvent<'_, '_> {
    /// Reference count of the whole context before.
    pub fn before_tokens(&self) -> Tokens {
        self.after.head_tokens() + self.before_reference.total()
    }

    /// Reference tokens of the prompts of the summary calls.
    pub fn summary_input(&self) -> Tokens {
        self.summary_calls.iter().map(|call| call.input).sum()
    }

    /// Reference tokens of their answers.
    pub fn summary_output(&self) -> Tokens {
        self.summary_calls.iter().map(|call| call.output).sum()
    }

    /// Reference count of what was dropped.
    pub fn dropped_tokens(&self) -> Tokens {
        self.before_reference.range(0..self.plan.kept_from)
    }

    /// Reference count of the kept tail.
    pub fn kept_tokens(&self) -> Tokens {
        self.after.reference().range(self.made_items..self.after.view().len())
    }

    /// Whether the context did not become smaller.
    pub fn no_gain(&self) -> bool {
        self.after.request_tokens() >= self.before_tokens()
    }
}

/// A request that did not fit the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverflowEvent {
    /// Its number, from 1.
    pub request: u64,
    /// Reference count.
    pub reference: Tokens,
}

/// A trigger fired and nothing could be dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckEvent {
    /// Reference tokens of the prompts of summary calls that were made in vain.
    pub spent: Tokens,
    /// Number of the next request, from 1.
    pub request: u64,
    /// The moment.
    pub checkpoint: Checkpoint,
    /// Why nothing could be dropped.
    pub reason: String,
}

/// A trigger fired in a replay of the recorded history, where it never acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiredEvent {
    /// Number of the next request, from 1.
    pub request: u64,
    /// The moment.
    pub checkpoint: Checkpoint,
    /// The estimate.
    pub estimate: Estimate,
    /// Why, in words.
    pub reason: String,
}

/// Messages were changed in place.
#[derive(Clone, Copy, Debug)]
pub struct EditEvent<'r, 'a> {
    /// Number of the next request, from 1.
    pub request: u64,
    /// The context after.
    pub after: &'r Live<'a>,
    /// The items that were changed, each once, in order.
    pub places: &'r [usize],
    /// Reference tokens saved; nothing when the change made the context longer.
    pub saved: Tokens,
    /// Reference tokens of the request before that the next one does not share.
    pub invalidated: Tokens,
}

/// The session went on with a model of another size. Told before anything is asked under it, and first where the session
/// begins with another model than that of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchEvent<'a> {
    /// Number of the next request, from 1.
    pub request: u64,
    /// The recorded name of the model; the cell's where the session does not say.
    pub model: &'a str,
    /// What holds from here on.
    pub limits: Limits,
}
