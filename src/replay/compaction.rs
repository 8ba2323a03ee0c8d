//! One compaction: summary, recovery, new context.

use std::collections::HashSet;

use super::driver::Driver;
use super::{CompactionEvent, CountCache, ReplayEvent, SummaryCall};
use crate::engine::cut::CutPlan;
use crate::engine::summarize::{Exchange, Summary, SummaryError, SummaryJob};
use crate::engine::trigger::Checkpoint;
use crate::engine::view::{Item, LastSummary};
use crate::transcript::{Compaction, EntryIdx, Message, Tokens};

/// Carries out `plan`. The error says why nothing was done, and what it cost.
pub(super) fn compact(
    driver: &mut Driver<'_, '_>,
    checkpoint: Checkpoint,
    reason: &str,
    instructions: Option<&str>,
    plan: &CutPlan,
) -> Result<(), (String, Tokens)> {
    let job = SummaryJob {
        context: driver.live.view(),
        plan,
        past: driver.past(),
        checkpoint,
        instructions,
        window: driver.limits.window,
        seed: driver.input.seed,
    };
    let in_vain = |failed: SummaryError| (failed.to_string(), prompts(driver.input.counts, &failed.exchanges));
    let summary = driver.strategy.summarizer.summarize(&job, driver.llm).map_err(in_vain)?;
    let mut made: Vec<Item> = summary.message.iter().cloned().map(Item::made).collect();
    let summaries = made.len();
    for recovery in &driver.strategy.recovery {
        made.extend(recovery.recover(driver.live.view(), plan).into_iter().map(Item::made));
    }
    let recovered = made.len() - summaries;
    apply(driver, checkpoint, reason, plan, &summary, (made, recovered));
    Ok(())
}

fn apply(
    driver: &mut Driver<'_, '_>,
    checkpoint: Checkpoint,
    reason: &str,
    plan: &CutPlan,
    summary: &Summary,
    (made, recovered_items): (Vec<Item>, usize),
) {
    let estimate = driver.strategy.estimator.context(driver.live.view());
    let reusable = driver.live.reused_tokens();
    let made_items = made.len();
    let kept = driver.live.view().items()[plan.kept_from..]
        .iter()
        .filter(|item| item.kind != crate::engine::view::Kind::Boundary);
    let items = made.into_iter().chain(kept.cloned()).chain([Item::boundary()]).collect();
    let before = driver.live.replace(items, &*driver.strategy.estimator);
    let last =
        LastSummary { text: summary.text.clone(), details: summary.details.clone(), from_hook: summary.from_hook };
    driver.live.view_mut().set_last_summary(last);
    driver.recorded = false;
    let counts = driver.input.counts;
    let calls: Vec<SummaryCall> = summary.exchanges.iter().map(|exchange| sized(counts, exchange)).collect();
    let event = CompactionEvent {
        request: driver.request,
        checkpoint,
        reason,
        estimate,
        before: &before.items,
        before_reference: &before.reference,
        plan,
        summary,
        after: &driver.live,
        made_items,
        recovered_items,
        summary_calls: &calls,
        invalidated: reusable.saturating_sub(driver.live.reused_tokens()),
        repaired: before.orphaned,
    };
    (driver.observe)(&ReplayEvent::Compaction(event));
}

/// Reference tokens of a call.
fn sized(counts: &CountCache, exchange: &Exchange) -> SummaryCall {
    let output = exchange.response.as_ref().map_or(Tokens(0), |response| counts.response(response));
    SummaryCall { input: counts.request(&exchange.request), output }
}

/// Reference tokens of the prompts of calls.
fn prompts(counts: &CountCache, exchanges: &[Exchange]) -> Tokens {
    exchanges.iter().map(|exchange| sized(counts, exchange).input).sum()
}

/// Follows a compaction of the recording: its summary, what it kept, and what comes after.
pub(super) fn follow_recorded(driver: &mut Driver<'_, '_>, recorded: &Compaction) {
    let kept_from = first_kept(driver, recorded);
    // A summary that cannot be read, because it is encrypted, is no message.
    let unreadable = recorded.summary.is_empty() && !recorded.replacement.is_empty();
    let summary = Summary {
        message: (!unreadable).then(|| Message::CompactionSummary(recorded.summary.clone())),
        text: recorded.summary.clone(),
        details: recorded.details.clone(),
        from_hook: recorded.from_hook,
        ..Summary::default()
    };
    let made = recorded.replacement.iter().chain(&summary.message).cloned().map(Item::made).collect();
    let plan = CutPlan::at(0, kept_from);
    apply(driver, Checkpoint::Manual, "recorded", &plan, &summary, (made, 0));
    // The recorded context is this one.
    driver.recorded = true;
}

/// The first item of the context that stands at or after the entry that the recording names: that entry may have no item
/// of its own, as an older compaction has none. A name that is not on the path, or the compaction's own, keeps nothing.
fn first_kept(driver: &Driver<'_, '_>, recorded: &Compaction) -> usize {
    let (transcript, path, view) = (driver.input.transcript, driver.input.path, driver.live.view());
    let named = |id: &str| path.iter().position(|&idx| *transcript.entry(idx).id == *id);
    let Some(from) = recorded.first_kept.as_deref().and_then(named) else { return view.len() };
    let kept: HashSet<EntryIdx> = path[from..].iter().copied().collect();
    let is_kept = |item: &Item| item.origin().is_some_and(|idx| kept.contains(&idx));
    view.items().iter().position(is_kept).unwrap_or(view.len())
}
