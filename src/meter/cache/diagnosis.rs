//! Why two prompts differ where they do.

use std::collections::HashMap;

use super::block::{Digest, Layer, Link, Prompt, Settings, Sort};
use super::outcome::{BreakReason, Cause};

/// Why `now` differs from `before` behind their first `common` blocks.
pub(super) fn difference(
    (before, settings): (&[Link], Settings),
    now: &Prompt,
    common: usize,
    cause: Option<Cause>,
) -> BreakReason {
    match cause {
        _ if settings.model != now.settings().model => return BreakReason::ModelSwitch,
        Some(Cause::Compaction) => return BreakReason::Compaction,
        Some(Cause::Masking) => return BreakReason::Masking,
        None => {}
    }
    let (old, new) = (&before[common..], &now.links()[common..]);
    let layer = |links: &[Link]| links.first().map(|link| link.block.layer);
    // A digest of its own that is the same means that only the chain differs: a setting did it.
    let same = old.first().zip(new.first()).is_some_and(|(old, new)| old.block.digest == new.block.digest);
    if same && settings != now.settings() {
        return BreakReason::Settings;
    }
    match layer(old).into_iter().chain(layer(new)).min() {
        Some(Layer::Tools) if same_tools(before, now.links()) => BreakReason::ToolOrder,
        Some(Layer::Tools) => BreakReason::ToolsChanged,
        Some(Layer::System) => BreakReason::SystemChanged,
        _ => message_difference(old, new),
    }
}

fn counts<'l>(links: impl Iterator<Item = &'l Link>) -> HashMap<Digest, usize> {
    let mut counts = HashMap::new();
    for link in links {
        *counts.entry(link.block.digest).or_default() += 1;
    }
    counts
}

fn same_tools(before: &[Link], now: &[Link]) -> bool {
    let is_tool = |link: &&Link| link.block.layer == Layer::Tools;
    counts(before.iter().take_while(is_tool)) == counts(now.iter().take_while(is_tool))
}

/// What happened to the first message block that differs. Both parts begin with it.
fn message_difference(old: &[Link], new: &[Link]) -> BreakReason {
    let (Some(was), Some(is)) = (old.first(), new.first()) else {
        // One prompt is the beginning of the other: the end was taken back.
        return BreakReason::BlockRemoved;
    };
    let stands_in = |link: &Link, others: &[Link]| others.iter().any(|other| other.block.digest == link.block.digest);
    let (kept, was_there) = (stands_in(was, new), stands_in(is, old));
    match (was.block.sort, kept, was_there) {
        (Sort::Thinking, false, _) => BreakReason::ThinkingDropped,
        // Both still stand somewhere, or what stood here stands farther back behind something else that moved up.
        (_, true, true) => BreakReason::BlockMoved,
        (_, true, false) => BreakReason::BlockInserted,
        (_, false, true) => BreakReason::BlockRemoved,
        (_, false, false) => BreakReason::BlockChanged,
    }
}
