//! One compaction, opened: what became of the annotated items, the summary with the evidence marked, the dropped part.

use std::ops::Range;

use maud::{Markup, html};

use super::super::model::{Outcome, TranscriptDetail, outcomes};
use super::super::number::{Format, count};
use super::super::text::{shortened_line, visible};
use super::cell::{datum_at, scroll_fit};
use super::critical::said_at;
use super::items::look;
use super::section::Page;
use crate::results::{CompactionRecord, MessageRecord};

/// Characters of a dropped message in the list; all of it stands with the messages.
const FIRST_WORDS: usize = 96;

/// `row` is that of the compaction in `compactions.csv`, `firsts` what [`first_words`] gives for the transcript.
pub(super) fn compaction(page: Page<'_, '_>, cell: usize, nth: usize, row: usize, firsts: &[Markup]) -> Markup {
    let model = page.model;
    let history = &model.histories[cell];
    let record = history.compactions[nth];
    let detail = model.detail_of[cell];
    let before = nth.checked_sub(1).map(|before| history.compactions[before]);
    let outcomes = outcomes(&model.details[detail], &history.record.items, record, before);
    let lost = outcomes.iter().filter(|outcome| outcome.is_newly_lost()).count();
    html! {
        details class="compaction" id=(Page::compaction(cell, nth)) {
            summary {
                "Compaction " (nth + 1) ", before request " (count(record.request)) ": " (count(record.before_tokens)) " → "
                (count(record.after_tokens)) " tokens"
                (price(record, row))
                @if lost > 0 { span class="tag bad" { (lost) " newly lost" } }
            }
            (items(page, detail, &outcomes))
            (summary(record, &outcomes))
            (dropped(&model.details[detail], record, firsts))
        }
    }
}

/// What it cost once, and when it has paid for itself; nothing where there is no price.
fn price(record: &CompactionRecord, row: usize) -> Markup {
    let Some((cache, usd)) = record.cache.as_ref().and_then(|cache| Some((cache, cache.one_time_usd?))) else {
        return html! {};
    };
    let number = |value: f64, column: &str, format: Format| {
        datum_at(value, ("compactions.csv", row, column), &format.write(value))
    };
    html! {
        span class="soft" {
            " · $" (number(usd, "one_time_usd", Format::Dollars)) " once, pays "
            @match cache.break_even_requests {
                Some(requests) => { "after " (number(requests, "break_even_requests", Format::Whole)) " requests" },
                None => "never",
            }
        }
    }
}

fn items(page: Page<'_, '_>, detail: usize, outcomes: &[Outcome<'_>]) -> Markup {
    if outcomes.is_empty() {
        return html! { p class="soft" { "Items: none were scored here; the transcript has none, or too little was dropped." } };
    }
    let (told, tail): (Vec<_>, Vec<_>) = outcomes.iter().partition(|outcome| look(outcome.fate).0 != "in_tail");
    let table = html! {
        table {
            caption { b { "Annotated items after this compaction." } " The losses first." }
            thead { tr {
                th scope="col" { "Fate" }
                th scope="col" { "Item" }
                th scope="col" { "Said at" }
                th scope="col" { "In the summary" }
            } }
            tbody { @for outcome in &told { (item(page, detail, outcome)) } }
        }
    };
    html! {
        @if !told.is_empty() { (scroll_fit("Annotated items after this compaction", &table)) }
        @if !tail.is_empty() {
            p class="soft" { (tail.len()) " more are still in the kept tail, or were not said yet." }
        }
    }
}

fn item(page: Page<'_, '_>, detail: usize, outcome: &Outcome<'_>) -> Markup {
    let (class, sign, words) = look(outcome.fate);
    html! {
        tr {
            td class={ "fate " (class) } {
                span aria-hidden="true" { (sign) } (visible(words))
                @if outcome.is_newly_lost() { span class="tag bad" { "new" } }
            }
            th scope="row" {
                (visible(outcome.annotation.map_or(outcome.item, |known| &known.text)))
                small {
                    code { (visible(outcome.item)) }
                    @if let Some(record) = outcome.record { " · " (visible(&record.category)) }
                }
                @if outcome.record.is_some_and(|record| record.critical) { span class="tag bad" { "critical" } }
            }
            td { (said_at(page, detail, outcome.annotation)) }
            td {
                @match outcome.evidence.len() {
                    0 => span class="soft" { "not said" },
                    1 => "1 place",
                    places => { (places) " places" },
                }
            }
        }
    }
}

fn summary(record: &CompactionRecord, outcomes: &[Outcome<'_>]) -> Markup {
    let Some(text) = &record.summary else {
        return html! { p class="soft" { "Summary: none, nothing stands for the dropped part." } };
    };
    let of = |wrong: bool| {
        outcomes.iter().filter(move |one| (one.fate == "wrong") == wrong).flat_map(|one| one.evidence.clone())
    };
    html! {
        details open {
            summary { "Summary, " (count(record.summary_tokens)) " tokens" }
            pre tabindex="0" { (marked(text, &merged(of(false).collect()), &merged(of(true).collect()))) }
        }
    }
}

/// Places in order; those that touch are one.
fn merged(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.sort_by_key(|place| (place.start, place.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for place in places {
        match merged.last_mut() {
            Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
            _ => merged.push(place),
        }
    }
    merged
}

/// The text with these places marked: what still says an item, and what contradicts one.
pub(super) fn marked(text: &str, said: &[Range<usize>], wrong: &[Range<usize>]) -> Markup {
    let mut places: Vec<(&Range<usize>, bool)> = said.iter().map(|place| (place, false)).collect();
    places.extend(wrong.iter().map(|place| (place, true)));
    places.sort_by_key(|(place, _)| place.start);
    let mut at = 0;
    let mut pieces: Vec<(&str, Option<bool>)> = Vec::new();
    for (place, is_wrong) in places {
        if place.start < at {
            continue;
        }
        pieces.push((&text[at..place.start], None));
        pieces.push((&text[place.clone()], Some(is_wrong)));
        at = place.end;
    }
    pieces.push((&text[at..], None));
    html! {
        @for (piece, mark) in pieces {
            @match mark {
                None => (visible(piece)),
                Some(false) => mark { (visible(piece)) },
                Some(true) => mark class="wrong" { (visible(piece)) },
            }
        }
    }
}

/// For each message of a transcript, how the list of a dropped part shows it: once, whatever the number of compactions.
pub(super) fn first_words(page: Page<'_, '_>, detail: usize) -> Vec<Markup> {
    let one = |message: &MessageRecord| {
        html! {
            li {
                a href=(page.link(detail, &Page::message(detail, message.line))) { "line " (message.line) } " "
                b { (visible(&message.role)) } " "
                (shortened_line(&message.text, FIRST_WORDS))
            }
        }
    };
    page.model.details[detail].messages.iter().map(one).collect()
}

fn dropped(known: &TranscriptDetail<'_>, record: &CompactionRecord, firsts: &[Markup]) -> Markup {
    html! {
        details {
            summary {
                "Dropped part: " (count(record.dropped_messages)) " messages, " (count(record.dropped_tokens)) " tokens"
            }
            @if record.dropped_lines.is_empty() { p class="soft" { "The run did not record which messages." } }
            ul class="dropped" {
                @for place in record.dropped_lines.iter().filter_map(|line| known.place(*line)) { (firsts[place]) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "a list of stretches may hold one")]
    fn evidence_is_marked_and_the_rest_escaped() {
        let text = "keep <b> and not";
        let shown = marked(text, &[0..4], &[13..16]).into_string();
        assert_eq!(shown, "<mark>keep</mark> &lt;b&gt; and <mark class=\"wrong\">not</mark>");
        assert_eq!(marked("a", &[], &[]).into_string(), "a");
        assert_eq!(merged(vec![3..5, 0..2, 1..4]), [0..5]);
    }
}
