//! When a context is compacted.

pub mod article;
pub mod langchain;
pub mod never;
pub mod pi;
pub mod threshold;

use std::fmt;

use super::estimate::Estimate;
use super::view::ContextView;
use crate::transcript::Tokens;

/// A moment when a trigger is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Checkpoint {
    /// Everything for the next request is there.
    BeforeRequest,
    /// A reply has arrived, and the turn goes on.
    AfterResponse,
    /// The turn has ended.
    TurnEnd,
    /// The request did not fit the window.
    Overflow,
    /// The person asked for it.
    Manual,
}

impl Checkpoint {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::BeforeRequest => "before_request",
            Self::AfterResponse => "after_response",
            Self::TurnEnd => "turn_end",
            Self::Overflow => "overflow",
            Self::Manual => "manual",
        }
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a trigger sees.
#[derive(Clone, Copy, Debug)]
pub struct TriggerView<'v, 'a> {
    /// The context.
    pub context: &'v ContextView<'a>,
    /// Its estimate by the strategy's estimator.
    pub estimate: Estimate,
    /// The model's context window.
    pub window: Tokens,
    /// The most tokens a reply may have.
    pub max_output: Tokens,
    /// The model is of another size than when the last reply was looked at.
    pub switched: bool,
}

/// Whether to compact now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Wait,
    /// Compact, for this reason in words.
    Compact(String),
}

/// A compaction trigger.
pub trait Trigger: Send {
    /// Asked at every checkpoint but [`Checkpoint::Overflow`] and [`Checkpoint::Manual`], which compact by themselves.
    fn decide(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Decision;

    /// The smallest context at which it fires by size alone; `None` when size is not what it looks at. Where what no
    /// compaction can drop is as large, none can help.
    fn fires_at(&self, _window: Tokens, _max_output: Tokens) -> Option<Tokens> {
        None
    }
}
