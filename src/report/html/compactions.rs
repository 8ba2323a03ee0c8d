//! Each compaction, cell by cell, with the summary to unfold.

use maud::{Markup, html};

use super::super::model::CellHistory;
use super::super::number::count;
use super::super::text::visible;
use super::ReportModel;
use super::cell::{mock_tag, scroll, strategy, tokens};
use crate::results::CompactionRecord;

pub(super) fn section(model: &ReportModel) -> Option<Markup> {
    if model.histories.is_empty() {
        return None;
    }
    let (eventful, quiet): (Vec<_>, Vec<_>) = model.histories.iter().partition(|history| is_eventful(history));
    Some(html! {
        p { "Unfold a cell for its compactions and incidents, and a summary for the text that stands for what was dropped." }
        @for (index, history) in eventful.iter().enumerate() {
            details open[index == 0] {
                summary { (heading(model, history)) }
                @if !history.compactions.is_empty() { (table(history)) }
                (incidents(history))
            }
        }
        @if !quiet.is_empty() {
            p class="soft" {
                "Nothing happened in " (quiet.len()) @if quiet.len() == 1 { " cell: " } @else { " cells: " }
                @for (index, history) in quiet.iter().enumerate() {
                    @if index > 0 { ", " }
                    (visible(&model.labels[history.label])) " on " (visible(&history.record.transcript))
                }
                "."
            }
        }
    })
}

fn is_eventful(history: &CellHistory<'_>) -> bool {
    !history.compactions.is_empty()
        || !history.overflows.is_empty()
        || !history.stuck.is_empty()
        || !history.fired.is_empty()
        || history.edits.edits > 0
}

fn heading(model: &ReportModel, history: &CellHistory<'_>) -> Markup {
    let compactions = history.compactions.len();
    html! {
        b { (strategy(model, history.label)) }
        " on " (visible(&history.record.transcript))
        span class="soft" {
            " · " (visible(history.setting.model)) ", window " (count(history.setting.window_tokens))
            ", seed " (history.record.seed)
            " · " (count(history.requests)) " requests, "
            (compactions) @if compactions == 1 { " compaction" } @else { " compactions" }
        }
        @if history.record.mock { (mock_tag()) }
    }
}

/// Headers of the compactions, with units: title, unit, is a number.
const HEADS: [(&str, &str, bool); 12] = [
    ("Before request", "number", true),
    ("Asked at", "", false),
    ("Why", "", false),
    ("Estimate", "tokens", true),
    ("Before", "tokens", true),
    ("After", "tokens", true),
    ("Dropped", "messages", true),
    ("Dropped", "tokens", true),
    ("Kept", "tokens", true),
    ("Summary", "tokens", true),
    ("Invalidated", "tokens", true),
    ("Notes", "", false),
];

fn table(history: &CellHistory<'_>) -> Markup {
    let label = format!("Compactions of {} on {}", history.record.strategy, history.record.transcript);
    let table = html! {
        table {
            caption { "Compactions, in order. Tokens are reference tokens; the estimate is the strategy's own." }
            thead {
                tr {
                    @for (title, unit, is_number) in HEADS {
                        th scope="col" class=[is_number.then_some("num")] {
                            (title)
                            @if !unit.is_empty() { span class="unit" { (unit) } }
                        }
                    }
                }
            }
            tbody { @for compaction in &history.compactions { (row(compaction)) } }
        }
    };
    scroll(&label, &table)
}

fn row(compaction: &CompactionRecord) -> Markup {
    html! {
        tr {
            th scope="row" class="num" { (count(compaction.request)) }
            td { (visible(&compaction.checkpoint.replace('_', " "))) }
            td class="reason" { (visible(&compaction.reason)) }
            @match compaction.estimate_tokens {
                Some(estimate) => (tokens(estimate)),
                None => td class="num void" { abbr title="void: the strategy asked no estimator" { "–" } },
            }
            (tokens(compaction.before_tokens))
            (tokens(compaction.after_tokens))
            (tokens(compaction.dropped_messages))
            (tokens(compaction.dropped_tokens))
            (tokens(compaction.kept_tokens))
            (tokens(compaction.summary_tokens))
            (tokens(compaction.invalidated_tokens))
            td class="tags" { (notes(compaction)) }
        }
        @if let Some(summary) = &compaction.summary {
            tr class="more" {
                td colspan=(HEADS.len()) {
                    details {
                        summary { "Summary before request " (count(compaction.request)) }
                        pre { (visible(summary)) }
                    }
                }
            }
        }
    }
}

fn notes(compaction: &CompactionRecord) -> Markup {
    let orphans = compaction.repaired_orphans;
    html! {
        @if compaction.no_gain { span class="tag bad" { "no gain" } }
        @if compaction.split_turn { span class="tag" { "split turn" } }
        @if orphans > 0 {
            span class="tag bad" { (count(orphans)) @if orphans == 1 { " orphan removed" } @else { " orphans removed" } }
        }
        @if compaction.fallback.is_some() { span class="tag bad" { "fallback" } }
        @if compaction.summary.is_none() { span class="tag" { "no summary" } }
        @if let Some(fallback) = &compaction.fallback { p { (visible(fallback)) } }
    }
}

fn incidents(history: &CellHistory<'_>) -> Markup {
    let edits = &history.edits;
    html! {
        ul {
            @for (request, size) in &history.overflows {
                li { "Request " (count(*request)) " did not fit the window: " (count(*size)) " tokens." }
            }
            @for stuck in &history.stuck {
                li {
                    "Stuck × " (count(stuck.times)) " at " (visible(&stuck.checkpoint.replace('_', " ")))
                    ", first before request " (count(stuck.first_request)) ": " (visible(stuck.reason))
                }
            }
            @for fired in &history.fired {
                li {
                    "The trigger fires × " (count(fired.times)) " at " (visible(&fired.checkpoint.replace('_', " ")))
                    ", first before request " (count(fired.first_request)) ": " (visible(fired.reason))
                    ". The recorded history is followed."
                }
            }
            @if edits.edits > 0 {
                li {
                    "Edited in place × " (count(edits.edits)) ": " (count(edits.messages)) " messages, "
                    (count(edits.saved_tokens)) " tokens saved, " (count(edits.invalidated_tokens))
                    " tokens of the cached prefix invalidated."
                }
            }
        }
    }
}
