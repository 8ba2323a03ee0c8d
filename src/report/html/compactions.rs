//! What happened in each cell: its compactions in numbers, each of them to open, and its incidents.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::super::model::CellHistory;
use super::super::number::{Format, count};
use super::super::text::visible;
use super::cell::{changes, dash, datum, how_to, mock_tag, scroll, strategy, tokens};
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel, opened};
use crate::results::CompactionRecord;

pub(super) const SECTION: Section = Section { id: "compactions", title: "Compactions", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    let cells: Vec<usize> = page.details().flat_map(|(_, detail)| detail.cells.iter().copied()).collect();
    if cells.is_empty() {
        return Ok(Body::Absent(if model.histories.is_empty() {
            "the run holds no cell"
        } else {
            "each transcript has a page of its own, see Transcripts"
        }));
    }
    let rows = first_rows(model);
    let firsts: BTreeMap<usize, Vec<Markup>> =
        page.details().map(|(detail, _)| (detail, opened::first_words(page, detail))).collect();
    let (eventful, quiet): (Vec<usize>, Vec<usize>) =
        cells.into_iter().partition(|&cell| is_eventful(&model.histories[cell]));
    let how = html! {
        "Open a cell for its compactions in numbers, and a compaction for what was dropped, the text that stands for it, \
         and what became of the annotated items; what the summary still says of them is marked. "
        b { "Invalidated" } ": what the next request no longer shares with the one before. "
        b { "Cache lost" } ": what the simulated cache held and the next request does not read. "
        b { "Cost once" } ": the summary calls, and writing what would have been read. "
        b { "Pays after" } ": so many later requests, as each of them reads less."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        @for &cell in &eventful {
            @let history = &model.histories[cell];
            details id=(Page::cell(cell)) {
                summary { (heading(model, history)) }
                @if !history.compactions.is_empty() { (table(history, rows[cell])) }
                (incidents(history))
                @for nth in 0..history.compactions.len() {
                    (opened::compaction(page, cell, nth, rows[cell] + nth, &firsts[&model.detail_of[cell]]))
                }
            }
        }
        @if !quiet.is_empty() { (nothing_happened(model, &quiet)) }
    }))
}

/// For each cell, the row of `compactions.csv` that holds its first compaction.
pub(super) fn first_rows(model: &ReportModel) -> Vec<usize> {
    let mut next = 0;
    let first = |history: &CellHistory<'_>| {
        let first = next;
        next += history.compactions.len();
        first
    };
    model.histories.iter().map(first).collect()
}

fn nothing_happened(model: &ReportModel, quiet: &[usize]) -> Markup {
    html! {
        p class="soft" {
            "Nothing happened in " (quiet.len()) @if quiet.len() == 1 { " cell: " } @else { " cells: " }
            @for (index, &cell) in quiet.iter().enumerate() {
                @let history = &model.histories[cell];
                @if index > 0 { ", " }
                span id=(Page::cell(cell)) {
                    (visible(&model.labels[history.label])) " on " (visible(&history.record.transcript))
                }
            }
            "."
        }
    }
}

fn is_eventful(history: &CellHistory<'_>) -> bool {
    !history.compactions.is_empty()
        || !history.overflows.is_empty()
        || !history.stuck.is_empty()
        || !history.fired.is_empty()
        || history.edits.edits > 0
        || !changes(&history.setting, &history.windows).is_empty()
}

fn heading(model: &ReportModel, history: &CellHistory<'_>) -> Markup {
    let compactions = history.compactions.len();
    html! {
        b { (strategy(model, history.label)) }
        " on " (visible(&history.record.transcript))
        span class="soft" {
            " · " (visible(history.setting.model)) ", window " (count(history.setting.window_tokens))
            (changes(&history.setting, &history.windows))
            ", seed " (history.record.seed)
            " · " (count(history.requests)) " requests, "
            (compactions) @if compactions == 1 { " compaction" } @else { " compactions" }
        }
        @if history.record.mock { (mock_tag()) }
    }
}

/// Headers of the compactions, with units: title, unit, is a number.
const HEADS: [(&str, &str, bool); 15] = [
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
    ("Cache lost", "tokens", true),
    ("Cost once", "usd", true),
    ("Pays after", "requests", true),
    ("Notes", "", false),
];

fn table(history: &CellHistory<'_>, first_row: usize) -> Markup {
    let record = history.record;
    let label = format!("Compactions of {} on {}, cell {}", record.strategy, record.transcript, record.cell);
    let table = html! {
        table data-csv="compactions.csv" {
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
            tbody { @for (nth, compaction) in history.compactions.iter().enumerate() { (row(compaction, first_row + nth)) } }
        }
    };
    scroll(&label, &table)
}

fn row(compaction: &CompactionRecord, at: usize) -> Markup {
    html! {
        tr data-row=(at) {
            th scope="row" class="num" { (datum(compaction.request, "request", &count(compaction.request))) }
            td { (visible(&compaction.checkpoint.replace('_', " "))) }
            td class="reason" { (visible(&compaction.reason)) }
            @match compaction.estimate_tokens {
                Some(estimate) => (tokens(estimate, "estimate_tokens")),
                None => td class="num void" { abbr title="void: the strategy asked no estimator" { "–" } },
            }
            (tokens(compaction.before_tokens, "before_tokens"))
            (tokens(compaction.after_tokens, "after_tokens"))
            (tokens(compaction.dropped_messages, "dropped_messages"))
            (tokens(compaction.dropped_tokens, "dropped_tokens"))
            (tokens(compaction.kept_tokens, "kept_tokens"))
            (tokens(compaction.summary_tokens, "summary_tokens"))
            (tokens(compaction.invalidated_tokens, "invalidated_tokens"))
            (money(compaction))
            td class="tags" { (notes(compaction)) }
        }
    }
}

/// What it did to the simulated cache, what it cost once, and when it has paid for itself.
fn money(compaction: &CompactionRecord) -> Markup {
    let none = |why: &str| html! { td class="num void" { (dash(&[why])) } };
    let Some(cache) = &compaction.cache else {
        return html! { @for _ in 0..3 { (none("no cache was simulated, or no request followed")) } };
    };
    html! {
        (tokens(cache.invalidated_tokens, "cache_invalidated_tokens"))
        @match cache.one_time_usd {
            Some(usd) => td class="num" { (datum(usd, "one_time_usd", &Format::Dollars.write(usd))) },
            None => (none("no price")),
        }
        @match cache.break_even_requests {
            Some(requests) => td class="num" { (datum(requests, "break_even_requests", &Format::Whole.write(requests))) },
            None if cache.one_time_usd.is_none() => (none("no price")),
            None => (none("never: it saves nothing")),
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
    if history.overflows.is_empty() && history.stuck.is_empty() && history.fired.is_empty() && edits.edits == 0 {
        return html! {};
    }
    html! {
        ul {
            @if let [(first, size), ..] = history.overflows[..] {
                li {
                    "Did not fit the window × " (history.overflows.len()) ", first request " (count(first)) " with "
                    (count(size)) " tokens."
                }
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
