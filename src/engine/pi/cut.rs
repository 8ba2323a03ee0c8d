//! Where Pi cuts: walk back until the budget is reached, snap forward to a candidate, step back over metadata.

use std::ops::Range;

use super::Rules;
use crate::engine::view::{ContextView, Kind, Track};
use crate::transcript::{Role, Tokens};

/// A sequence that can be cut: a recorded path, or a live context.
pub trait Positions {
    /// What stands at a position.
    fn kind(&self, at: usize) -> Kind;
    /// Pi's estimates of the positions.
    fn estimates(&self) -> &Track;
}

impl Positions for ContextView<'_> {
    fn kind(&self, at: usize) -> Kind {
        self.kind(at)
    }

    fn estimates(&self) -> &Track {
        self.estimates()
    }
}

/// A cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPoint {
    /// First position kept.
    pub first_kept: usize,
    /// The start of the turn that the cut splits.
    pub turn_start: Option<usize>,
    /// Whether the budget was reached; if not, everything is kept.
    pub reached: bool,
}

/// `findCutPoint` over the positions of `range`, keeping about `keep` tokens.
///
/// The tail is a little over the budget when the position that crosses it is a candidate, and under it when that
/// position is a tool result, for then the cut moves forward.
pub fn find_cut_point(on: &impl Positions, range: Range<usize>, keep: Tokens, rules: &Rules) -> CutPoint {
    let candidate = |at: &usize| is_candidate(on.kind(*at));
    let Some(first) = range.clone().find(candidate) else {
        return CutPoint { first_kept: range.start, turn_start: None, reached: false };
    };
    let crossing = crossing(on, range.clone(), keep, rules);
    let mut cut = crossing.map_or(first, |from| {
        let fallback = || if rules.cut_falls_back_to_last { range.clone().rev().find(candidate) } else { None };
        (from..range.end).find(candidate).or_else(fallback).unwrap_or(first)
    });
    while cut > range.start && is_metadata(on.kind(cut - 1), rules) {
        cut -= 1;
    }
    let turn_start = if starts_turn_at_cut(on.kind(cut), rules) {
        None
    } else {
        (range.start..=cut).rev().find(|&at| starts_turn(on.kind(at)))
    };
    CutPoint { first_kept: cut, turn_start, reached: crossing.is_some() }
}

/// The position at which the walk from the end has counted `keep` tokens.
fn crossing(on: &impl Positions, range: Range<usize>, keep: Tokens, rules: &Rules) -> Option<usize> {
    let estimates = on.estimates();
    if rules.cut_sees_injected {
        // A budget of nothing is reached by the first position that is worth something.
        return estimates.reaches_from(range, keep.max(Tokens(1)));
    }
    let mut sum = Tokens(0);
    range.rev().find(|&at| {
        let tokens = if is_injected(on.kind(at)) { Tokens(0) } else { estimates.at(at) };
        sum = sum + tokens;
        tokens > Tokens(0) && sum >= keep
    })
}

/// Text that an extension or a branch summary injected.
fn is_injected(kind: Kind) -> bool {
    kind.is(Role::Custom) || kind.is(Role::BranchSummary)
}

fn is_candidate(kind: Kind) -> bool {
    matches!(kind, Kind::Message(role) if !matches!(role, Role::ToolResult | Role::System))
}

fn is_metadata(kind: Kind, rules: &Rules) -> bool {
    kind == Kind::Hidden || (!rules.cut_sees_injected && is_injected(kind))
}

fn starts_turn_at_cut(kind: Kind, rules: &Rules) -> bool {
    if rules.cut_sees_injected { starts_turn(kind) } else { kind.is(Role::User) }
}

fn starts_turn(kind: Kind) -> bool {
    matches!(kind, Kind::Message(role) if !matches!(role, Role::Assistant | Role::ToolResult | Role::System))
}
