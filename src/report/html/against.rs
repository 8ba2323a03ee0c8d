//! The run against a base: the verdict of the gates, what was newly lost and where it was said, and every mean that moved.

use maud::{Markup, html};

use super::super::comparison::{MOCK, form, plus, title};
use super::super::csv::shift;
use super::super::model::Against;
use super::super::number::{Format, count};
use super::super::text::visible;
use super::ReportError;
use super::cell::{dash, datum, how_to, scroll, scroll_fit};
use super::section::{Body, Page, Section};
use crate::compare::{Comparison, Difference, Judged, LostItem, Moved, Shift, Verdict};

pub(super) const SECTION: Section = Section { id: "against", title: "Against the base", render };

/// Rows of a table; the files have all.
const ROWS: usize = 300;

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let Some(against) = page.model.against else { return Ok(Body::Absent("no base was given")) };
    let comparison = against.comparison;
    Ok(Body::Shown(html! {
        (said(against))
        (gates(comparison))
        (newly_lost(page, comparison))
        (moved(comparison))
        (changes(comparison))
    }))
}

/// The verdict in words, and what was compared.
fn said(against: Against<'_>) -> Markup {
    let Comparison { verdict, reason, pairs, same_pairs, missing_in_head, missing_in_base, .. } = against.comparison;
    let class = if *verdict == Verdict::Regress { "fate lost" } else { "fate" };
    html! {
        p class="said-so" {
            b class=(class) { (mark(*verdict)) " " (verdict.name()) } ": " (visible(reason)) ". Base: "
            b { (visible(&against.base.experiment)) } ", made by " (visible(&against.base.generator)) "."
        }
        @if against.comparison.mock { p class="soft" { (MOCK) } }
        p class="soft" {
            (count(*pairs as u64)) " pairs of cells, " (count(*same_pairs as u64)) " of them the same"
            @if *missing_in_head > 0 { "; " (count(*missing_in_head as u64)) " only in the base" }
            @if *missing_in_base > 0 { "; " (count(*missing_in_base as u64)) " only in this run" }
            "."
            @if !against.comparison.changed_transcripts.is_empty() {
                " Not compared, because the transcript or its items differ: "
                (visible(&against.comparison.changed_transcripts.join(", "))) "."
            }
        }
    }
}

/// A verdict must not depend on colour.
fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "✓",
        Verdict::Regress => "✕",
        Verdict::Inconclusive => "?",
        Verdict::Void => "–",
    }
}

fn gates(comparison: &Comparison) -> Markup {
    let table = html! {
        table class="sortable filtered" data-csv="gates.csv" {
            caption { b { "Gates." } " Paired by lineage; above 0 is worse. p by sign-flip, adjusted by Holm over all gates." }
            thead { tr {
                th scope="col" { "Strategy" }
                th scope="col" { "Gate" }
                th scope="col" { "Verdict" }
                th scope="col" class="num" { "Base" span class="unit" { "mean" } }
                th scope="col" class="num" { "This run" span class="unit" { "mean" } }
                th scope="col" class="num" { "Worse by" span class="unit" { "mean, 95 % interval" } }
                th scope="col" class="num" { "Lineages" span class="unit" { "better / tie / worse" } }
                th scope="col" class="num" { "p, adjusted" }
                th scope="col" { "Why" }
            } }
            tbody { @for (at, gate) in comparison.gates.iter().enumerate().take(ROWS) { (gate_row(at, gate)) } }
        }
    };
    html! { (scroll("Gates", &table)) (more(comparison.gates.len(), "gates.csv")) }
}

fn more(rows: usize, file: &str) -> Markup {
    html! { @if rows > ROWS { p class="soft" { (count((rows - ROWS) as u64)) " more are in " code { (file) } "." } } }
}

fn gate_row(at: usize, gate: &Judged) -> Markup {
    let form = form(&gate.measure, &gate.unit);
    let class = if gate.verdict == Verdict::Regress { "fate lost" } else { "fate" };
    html! {
        tr data-row=(at) {
            th scope="row" { (visible(&title(gate))) small { "window " (count(gate.window_tokens)) } }
            td {
                (visible(&gate.measure))
                @if let Some(margin) = gate.margin { span class="unit" { "at most " (number(form, margin, "margin")) " worse" } }
            }
            td class=(class) { (mark(gate.verdict)) " " (gate.verdict.name()) }
            (maybe(form, gate.base_mean, "base"))
            (maybe(form, gate.head_mean, "head"))
            @match &gate.difference {
                Some(found) => { (worse_by(form, found)) (lineages(found)) },
                None => @for _ in 0..2 { (void()) },
            }
            @match gate.difference.as_ref().and_then(|found| found.p_holm) {
                Some(p) => td class="num" { (datum(p, "adjusted_p", &Format::Score.write(p))) },
                None => (void()),
            }
            td class="reason" { (visible(&gate.reason)) }
        }
    }
}

type Form = (Format, &'static str);

fn number((form, sign): Form, value: f64, column: &str) -> Markup {
    html! { (datum(value, column, &form.write(value))) (sign) }
}

fn maybe(form: Form, value: Option<f64>, column: &str) -> Markup {
    match value {
        Some(value) => html! { td class="num" { (number(form, value, column)) } },
        None => void(),
    }
}

fn void() -> Markup {
    html! { td class="num void" { (dash(&["no number in both runs, or nothing changed"])) } }
}

/// The mean difference, and below it its interval or why there is none.
fn worse_by((form, sign): Form, found: &Difference) -> Markup {
    let signed = |value: f64, column: &str| datum(value, column, &plus(value, form.write(value)));
    html! {
        td class="num" {
            (signed(found.mean, "difference")) (sign)
            @match found.interval {
                Some([low, high]) => span class="n" title=(visible(&found.method)) { "[" (signed(low, "low")) ", " (signed(high, "high")) "]" },
                None => span class="n" title=(visible(&found.method)) { "no interval" },
            }
        }
    }
}

fn lineages(found: &Difference) -> Markup {
    html! {
        td class="num" {
            (datum(found.better, "better_lineages", &found.better.to_string())) " / "
            (datum(found.ties, "tied_lineages", &found.ties.to_string())) " / "
            (datum(found.worse, "worse_lineages", &found.worse.to_string()))
        }
    }
}

fn newly_lost(page: Page<'_, '_>, comparison: &Comparison) -> Markup {
    let lost = &comparison.newly_lost;
    if lost.is_empty() {
        return html! {
            h3 { "Newly lost" }
            p { "Nothing: no annotated item that the base kept is lost. Items regained: " (comparison.regained_count) "." }
        };
    }
    let table = html! {
        table class="sortable filtered" data-csv="newly_lost.csv" {
            caption { b { "Kept in the base, lost now." } " Critical ones first. Follow one to the message that said it." }
            thead { tr {
                th scope="col" { "Item" }
                th scope="col" { "Strategy" }
                th scope="col" { "Transcript" }
                th scope="col" { "Said at" }
                th scope="col" { "Fate" span class="unit" { "base → this run" } }
                th scope="col" class="num" { "Repetitions" span class="unit" { "newly lost in, of" } }
            } }
            tbody { @for (at, item) in lost.iter().enumerate().take(ROWS) { (lost_row(page, at, item)) } }
        }
    };
    html! {
        h3 { "Newly lost" }
        (scroll("Newly lost", &table))
        (more(lost.len(), "newly_lost.csv"))
        p class="soft" { "Items regained: " (comparison.regained_count) "." }
    }
}

fn lost_row(page: Page<'_, '_>, at: usize, item: &LostItem) -> Markup {
    html! {
        tr data-row=(at) {
            th scope="row" {
                (visible(&item.text))
                small { code { (visible(&item.item)) } " · " (visible(&item.category)) }
                @if item.critical { span class="tag bad" { "critical" } }
            }
            td { (visible(&item.strategy)) span class="unit" { (visible(&item.model)) ", window " (count(item.window_tokens)) } }
            td { (visible(&item.transcript)) }
            td { (said_at(page, item)) }
            td { (visible(&item.base_fate)) " → " span class="fate lost" { (visible(&item.head_fate)) } }
            td class="num" {
                (datum(item.lost_in, "lost_in", &item.lost_in.to_string())) " of "
                (datum(item.repetitions, "repetitions", &item.repetitions.to_string()))
            }
        }
    }
}

/// Links to the lines that state an item, where the run recorded the messages.
fn said_at(page: Page<'_, '_>, item: &LostItem) -> Markup {
    let detail = page.model.details.iter().position(|detail| detail.name == item.transcript);
    let is_known = |line: u64| detail.filter(|&at| page.model.details[at].message(line).is_some());
    html! {
        @if item.lines.is_empty() { span class="soft" { "not recorded" } }
        @for (index, &line) in item.lines.iter().enumerate() {
            @if index > 0 { ", " }
            @match is_known(line) {
                Some(detail) => a class="said" href=(page.link(detail, &Page::message(detail, line))) { "line " (line) },
                None => { "line " (line) },
            }
        }
    }
}

/// What got worse first, then what got better, then what may be chance.
fn rank(moved: &Moved) -> u8 {
    match moved.shift() {
        Shift::Worse => 0,
        Shift::Better => 1,
        Shift::Unclear => 2,
        Shift::Neutral => 3,
    }
}

fn moved(comparison: &Comparison) -> Markup {
    let mut all: Vec<(usize, &Moved)> = comparison.moved.iter().enumerate().collect();
    all.sort_by_key(|(_, moved)| rank(moved));
    if all.is_empty() {
        return html! { h3 { "What moved" } p { "Nothing: every mean is that of the base." } };
    }
    let how = html! {
        "A row is a mean over lineages that differs from the base. “better” and “worse” stand where the 95 % interval of the \
         difference lies on one side of 0; “unclear” may be chance. These p-values are not adjusted: only gates decide."
    };
    let table = html! {
        table class="sortable filtered" data-csv="moved.csv" {
            caption { b { "Means that moved." } " Worse by: below 0 it got better; where no way is better, above 0 is more." }
            thead { tr {
                th scope="col" { "Strategy" }
                th scope="col" { "Measure" }
                th scope="col" { "Shift" }
                th scope="col" class="num" { "Base" span class="unit" { "mean" } }
                th scope="col" class="num" { "This run" span class="unit" { "mean" } }
                th scope="col" class="num" { "Worse by" span class="unit" { "mean, 95 % interval" } }
                th scope="col" class="num" { "Lineages" span class="unit" { "better / tie / worse" } }
                th scope="col" class="num" { "p" }
            } }
            tbody { @for (at, moved) in all.iter().take(ROWS) { (moved_row(*at, moved)) } }
        }
    };
    html! { h3 { "What moved" } (how_to(&how)) (scroll("Means that moved", &table)) (more(all.len(), "moved.csv")) }
}

fn moved_row(at: usize, moved: &Moved) -> Markup {
    let form = form(&moved.measure, &moved.unit);
    let (found, is_worse) = (&moved.difference, moved.shift() == Shift::Worse);
    html! {
        tr data-row=(at) {
            th scope="row" { (visible(&moved.strategy)) small { (visible(&moved.model)) ", window " (count(moved.window_tokens)) } }
            td { (visible(&moved.measure)) span class="unit" { (visible(&moved.unit)) } }
            td class=(if is_worse { "fate lost" } else { "fate" }) { (shift(moved.shift())) }
            td class="num" { (number(form, moved.base, "base")) }
            td class="num" { (number(form, moved.head, "head")) }
            (worse_by(form, found))
            (lineages(found))
            td class="num" { (datum(found.p, "p", &Format::Score.write(found.p))) }
        }
    }
}

fn changes(comparison: &Comparison) -> Markup {
    if comparison.changes.is_empty() {
        return html! { p class="soft" { "The experiments and the programs are the same." } };
    }
    let value = |value: &Option<String>| html! { td { @match value { Some(text) => code { (visible(text)) }, None => (dash(&["not set"])) } } };
    let table = html! {
        table {
            caption { b { "What differs in the experiment." } }
            thead { tr { th scope="col" { "Field" } th scope="col" { "Base" } th scope="col" { "This run" } } }
            tbody {
                @for change in comparison.changes.iter().take(ROWS) {
                    tr { th scope="row" { code { (visible(&change.field)) } } (value(&change.base)) (value(&change.head)) }
                }
            }
        }
    };
    scroll_fit("What differs in the experiment", &table)
}
