//! Events of a replay as records.

use super::Cell;
use crate::replay::{CompactionEvent, ReplayEvent, RequestEvent};
use crate::results::{CompactionRecord, EventRecord, RequestRecord};
use crate::transcript::Transcript;

/// The record of an event of `cell`.
pub(super) fn record(cell: &Cell, transcript: &Transcript, event: &ReplayEvent<'_, '_>) -> EventRecord {
    let varies = !cell.model.recorded.is_empty();
    let cell = cell.id.clone();
    match event {
        ReplayEvent::Request(event) => {
            let window_tokens = varies.then_some(event.window.0);
            EventRecord::Request(RequestRecord { window_tokens, ..request(cell, transcript, event) })
        }
        ReplayEvent::Compaction(event) => EventRecord::Compaction(Box::new(compaction(cell, transcript, event))),
        ReplayEvent::Overflow(event) => {
            EventRecord::Overflow { cell, request: event.request, reference_tokens: event.reference.0 }
        }
        ReplayEvent::Stuck(event) => EventRecord::Stuck {
            cell,
            request: event.request,
            checkpoint: event.checkpoint.to_string(),
            reason: event.reason.clone(),
        },
        ReplayEvent::Fired(event) => EventRecord::Fired {
            cell,
            request: event.request,
            checkpoint: event.checkpoint.to_string(),
            estimate_tokens: event.estimate.tokens.0,
            reason: event.reason.clone(),
        },
        ReplayEvent::Switch(event) => EventRecord::Switched {
            cell,
            request: event.request,
            model: event.model.to_owned(),
            window_tokens: event.limits.window.0,
            max_output_tokens: event.limits.max_output.0,
        },
        ReplayEvent::Edit(event) => EventRecord::Edited {
            cell,
            request: event.request,
            messages: event.places.len() as u64,
            saved_tokens: event.saved.0,
            invalidated_tokens: event.invalidated.0,
        },
    }
}

fn request(cell: String, transcript: &Transcript, event: &RequestEvent<'_, '_>) -> RequestRecord {
    RequestRecord {
        cell,
        request: event.number,
        line: transcript.entry(event.entry).line as u64,
        messages: event.live.sent_messages(),
        estimate_tokens: Some(event.estimate.tokens.0),
        reference_tokens: event.reference.0,
        recorded_tokens: event.recorded.map(|usage| usage.prompt().0),
        reused_tokens: event.reused.0,
        written_tokens: event.reference.saturating_sub(event.reused).0,
        window_tokens: None,
        overflow: event.overflow,
        cache: None,
    }
}

fn compaction(cell: String, transcript: &Transcript, event: &CompactionEvent<'_, '_>) -> CompactionRecord {
    let is_message = |item: &&crate::replay::Item| matches!(item.kind, crate::replay::Kind::Message(_));
    let count = |items: &[crate::replay::Item]| items.iter().filter(is_message).count() as u64;
    let line = |item: &crate::replay::Item| item.origin().map(|idx| transcript.entry(idx).line as u64);
    let text = event.summary.text.as_str();
    CompactionRecord {
        cell,
        request: event.request,
        checkpoint: event.checkpoint.to_string(),
        reason: event.reason.to_owned(),
        estimate_tokens: Some(event.estimate.tokens.0),
        before_tokens: event.before_tokens().0,
        after_tokens: event.after.request_tokens().0,
        dropped_messages: count(&event.before[..event.plan.kept_from]),
        dropped_tokens: event.dropped_tokens().0,
        kept_messages: count(&event.before[event.plan.kept_from..]),
        kept_tokens: event.kept_tokens().0,
        summary_tokens: event.after.reference().range(0..event.made_items).0,
        summary_requests: event.summary.exchanges.len() as u64,
        summary_input_tokens: event.summary_input().0,
        summary_output_tokens: event.summary_output().0,
        invalidated_tokens: event.invalidated.0,
        split_turn: !event.plan.prefix.is_empty(),
        no_gain: event.no_gain(),
        repaired_orphans: event.repaired,
        from_hook: event.summary.from_hook,
        details: event.summary.details.as_ref().map(|details| details.as_str().to_owned()),
        fallback: event.summary.fallback.clone(),
        summary: (!text.is_empty()).then(|| text.to_owned()),
        cache: None,
        dropped_lines: event.before[..event.plan.kept_from].iter().filter_map(line).collect(),
        fates: std::collections::BTreeMap::new(),
    }
}
