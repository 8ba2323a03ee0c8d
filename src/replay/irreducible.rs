//! What no compaction can drop. Where it is too large by itself, compacting again and again would only cost.

use super::driver::Driver;
use crate::engine::trigger::Checkpoint;
use crate::engine::view::ContextView;
use crate::transcript::{EntryIdx, Role, Tokens};

/// What is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The head, for the threshold.
    Threshold,
    /// The head, for the window.
    Window,
    /// A message of the person.
    Message(EntryIdx),
}

/// What is too large, and why that is so, in words.
pub(super) type Reason = (What, String);

/// Why no compaction can help at this moment, if none can. What a person asks for by hand is done in any case.
pub(super) fn reason(driver: &Driver<'_, '_>, at: Checkpoint) -> Option<Reason> {
    match at {
        Checkpoint::Manual => None,
        Checkpoint::Overflow => full_head(driver).or_else(|| prompt(driver)),
        Checkpoint::BeforeRequest => over_threshold(driver).or_else(|| prompt(driver)),
        Checkpoint::AfterResponse | Checkpoint::TurnEnd => over_threshold(driver),
    }
}

/// The head alone is over the threshold: the trigger would fire for ever.
fn over_threshold(driver: &Driver<'_, '_>) -> Option<Reason> {
    let threshold = driver.strategy.trigger.fires_at(driver.limits.window, driver.limits.max_output)?;
    let estimator = &driver.strategy.estimator;
    let empty = ContextView::new(driver.input.transcript, driver.live.view().head());
    let own = estimator.context(&empty).tokens;
    // Usage counts the head, whatever the estimator does.
    let is_anchored = estimator.context(driver.live.view()).anchored.is_some();
    let head = if is_anchored { own.max(driver.live.head_tokens()) } else { own };
    let words = format!(
        "irreducible part over threshold: the head alone has {head} tokens, and the trigger fires at {threshold}; no \
         compaction can help"
    );
    (head >= threshold).then_some((What::Threshold, words))
}

/// The head alone does not fit.
fn full_head(driver: &Driver<'_, '_>) -> Option<Reason> {
    let (head, window) = (driver.live.head_tokens(), driver.limits.window);
    let words = format!("the head alone has {head} tokens, the window {window}: no compaction can help");
    (head > window).then_some((What::Window, words))
}

/// A message that the person has just written does not fit, even if nothing stood beside it.
pub(super) fn prompt(driver: &Driver<'_, '_>) -> Option<Reason> {
    let live = &driver.live;
    let view = live.view();
    let room = driver.limits.window.saturating_sub(live.head_tokens());
    let unanswered = (0..view.len()).rev().take_while(|&at| !view.kind(at).is(Role::Assistant));
    let is_large = |&at: &usize| view.kind(at).is(Role::User) && live.reference().at(at) > room;
    let at = unanswered.filter(is_large).last()?;
    let entry = view.items()[at].origin()?;
    let line = driver.input.transcript.entry(entry).line;
    let Tokens(tokens) = live.reference().at(at);
    let words = format!(
        "the message of line {line} alone has {tokens} tokens, and beside the head {room} fit the window; no compaction \
         can help"
    );
    Some((What::Message(entry), words))
}
