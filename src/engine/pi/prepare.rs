//! `prepareCompaction`: what is summarized and what stays, for a recorded path.

use super::context::is_system;
use super::{CutPoint, FileOps, Item, Path, Positions, estimate_context, estimate_projected, find_cut_point};
use crate::engine::view::Kind;
use crate::transcript::{Compaction, ContextEdit, EntryKind, Message, Tokens};

/// What a compaction would do.
#[derive(Clone, Debug)]
pub struct Preparation<'a> {
    /// Position of the first entry kept.
    pub first_kept: usize,
    /// The start of the turn that the cut splits.
    pub turn_start: Option<usize>,
    /// Messages for the history summary.
    pub history: Vec<Item<'a>>,
    /// Messages for the turn-prefix summary.
    pub prefix: Vec<Item<'a>>,
    /// Messages kept.
    pub kept: Vec<Item<'a>>,
    /// Estimate of the context before.
    pub tokens_before: Tokens,
    /// The previous compaction.
    pub previous: Option<&'a Compaction>,
    /// Files touched by what is dropped, and by earlier compactions.
    pub files: FileOps,
}

/// What a compaction of `path` that keeps about `keep` tokens would do; `None` when there is nothing to compact.
pub fn prepare<'a>(path: &Path<'a>, keep: Tokens) -> Option<Preparation<'a>> {
    let end = path.len();
    if matches!(path.entry(end.checked_sub(1)?).kind, EntryKind::Compaction(_)) {
        return None;
    }
    let rules = path.rules();
    let previous = path.compaction();
    let start = previous.map_or(0, |(at, compaction)| {
        let kept = compaction.first_kept.as_deref().filter(|_| rules.repeats_from_kept);
        kept.and_then(|id| path.find(id, at)).unwrap_or(at + 1)
    });
    let cut = after_omitted(path, start, find_cut_point(path, start..end, keep, rules));
    let history_end = cut.turn_start.unwrap_or(cut.first_kept);
    let take = |from: usize, to: usize| -> Vec<Item<'a>> {
        path.items(from..to).filter(|item| !rules.projection || !is_system(item)).collect()
    };
    let history = take(start, history_end);
    let prefix = cut.turn_start.map_or_else(Vec::new, |turn| take(turn, cut.first_kept));
    if rules.refuses_empty && history.is_empty() && prefix.is_empty() {
        return None;
    }
    let mut files = FileOps::default();
    if let Some((_, compaction)) = previous.filter(|(_, compaction)| !compaction.from_hook) {
        compaction.details.iter().for_each(|details| files.add_details(details));
    }
    history.iter().chain(&prefix).for_each(|item| files.add(&item.message, rules));
    Some(Preparation {
        first_kept: cut.first_kept,
        turn_start: cut.turn_start,
        history,
        prefix,
        kept: take(cut.first_kept, end),
        tokens_before: tokens_before(path, previous),
        previous: previous.map(|(_, compaction)| compaction),
        files,
    })
}

/// Three generations of the same figure.
fn tokens_before(path: &Path<'_>, previous: Option<(usize, &Compaction)>) -> Tokens {
    let rules = path.rules();
    if rules.projection {
        return estimate_projected(path, &path.context(), rules).tokens;
    }
    if rules.repeats_from_kept {
        return estimate_context(&path.context(), rules).tokens;
    }
    let mut items = Vec::new();
    let mut after = 0;
    if let Some((at, compaction)) = previous {
        let summary = Message::CompactionSummary(compaction.summary.clone());
        items.push(Item { position: None, message: std::borrow::Cow::Owned(summary) });
        after = at + 1;
    }
    items.extend(path.items(after..path.len()));
    estimate_context(&items, rules).tokens
}

/// After a recovered overflow everything behind the cut may be invisible; then the cut moves one on, so that the input
/// of the failed attempt can be summarized.
fn after_omitted(path: &Path<'_>, start: usize, cut: CutPoint) -> CutPoint {
    let end = path.len();
    let suffix = cut.first_kept + 1..end;
    let invisible = suffix.clone().all(|at| !matches!(path.kind(at), Kind::Message(_)));
    if !path.rules().projection || !cut.reached || !invisible {
        return cut;
    }
    let edits = suffix.clone().filter_map(|at| match &path.entry(at).kind {
        EntryKind::ContextEdit(edit) => Some(edit),
        _ => None,
    });
    let inside = |edit: &ContextEdit| path.find(&edit.target, end).is_some_and(|at| suffix.contains(&at));
    let replaced_outside = edits.clone().any(|edit| edit.replacement.is_some() && !inside(edit));
    let omitted_attempt = suffix.clone().any(|at| {
        matches!(path.entry(at).kind, EntryKind::Message(Message::Assistant(..))) && path.message(at).is_none()
    });
    if !omitted_attempt || replaced_outside || cut.first_kept + 1 >= end {
        return cut;
    }
    let first_kept = cut.first_kept + 1;
    let starts = |at: &usize| {
        use crate::transcript::Role::{Assistant, System, ToolResult};
        matches!(path.kind(*at), Kind::Message(role) if !matches!(role, Assistant | ToolResult | System))
    };
    CutPoint { first_kept, turn_start: (start..=first_kept).rev().find(starts), reached: true }
}
