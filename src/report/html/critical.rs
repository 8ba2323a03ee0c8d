//! The critical items that were lost, and where each was said.

use maud::{Markup, html};

use super::super::model::{ItemLoss, Scored, Verdict};
use super::super::number::count;
use super::super::text::{shortened_line, visible};
use super::ReportError;
use super::cell::{datum_at, names, scroll};
use super::section::{Body, Page, Section};
use crate::results::AnnotationRecord;

pub(super) const SECTION: Section = Section { id: "critical", title: "Critical items and rules lost", render };

/// Rows of the table.
const ROWS: usize = 200;
/// Cells that are named in a row.
const CELLS: usize = 12;

/// What could have been lost in some cell, and was not.
fn survived(verdicts: &[Verdict<'_>]) -> &'static str {
    let any = |of: fn(&Scored) -> usize| verdicts.iter().any(|verdict| of(&verdict.scored) > 0);
    match (any(|scored| scored.critical), any(|scored| scored.constraints)) {
        (true, true) => "every critical item and every rule of the person",
        (true, false) => "every critical item (no rule was annotated)",
        _ => "every rule of the person (no critical item was annotated)",
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.items.is_empty() {
        return Ok(Body::Absent("no transcript has annotated items, or nothing of them was dropped"));
    }
    let losses: Vec<ItemLoss<'_>> = model.verdicts.iter().flat_map(told).collect();
    if losses.is_empty() {
        if model.verdicts.iter().all(|verdict| verdict.scored == Scored::default()) {
            return Ok(Body::Absent("no critical item and no rule was annotated in a scored cell"));
        }
        return Ok(Body::Shown(html! {
            p { "None: " (survived(&model.verdicts)) " survived in every cell that has a goal-loss." }
        }));
    }
    let items = model.by_item(&losses);
    let table = html! {
        table class="sortable filtered" {
            caption {
                b { "Items whose loss alone would end the task, and rules of the person (constraints)." }
                " Follow one to the message that said it, or to a cell that lost it."
            }
            thead { tr {
                th scope="col" { "Item" }
                th scope="col" { "Category" }
                th scope="col" { "Transcript" }
                th scope="col" { "Said at" }
                th scope="col" class="num" { "Cells" span class="unit" { "count" } }
                th scope="col" { "Lost by" }
            } }
            tbody { @for losses in items.iter().take(ROWS) { (row(page, losses)) } }
        }
    };
    Ok(Body::Shown(html! {
        (scroll("Critical items and rules lost", &table))
        @if items.len() > ROWS {
            p class="soft" { (items.len() - ROWS) " more are in " code { "items.csv" } "." }
        }
    }))
}

/// Critical items, and rules that are not critical.
fn told<'a, 'run>(verdict: &'a Verdict<'run>) -> impl Iterator<Item = ItemLoss<'run>> + 'a {
    verdict.critical.iter().chain(verdict.constraints.iter().filter(|loss| !loss.critical)).copied()
}

fn annotation<'p>(page: Page<'p, '_>, loss: &ItemLoss<'_>) -> Option<&'p AnnotationRecord> {
    let detail = &page.model.details[page.model.detail_of[loss.cell]];
    detail.annotations.iter().find(|known| known.item == loss.item)
}

fn row(page: Page<'_, '_>, losses: &[ItemLoss<'_>]) -> Markup {
    let first = &losses[0];
    let cell = &page.model.cells[first.cell];
    let detail = page.model.detail_of[first.cell];
    let known = annotation(page, first);
    html! {
        tr {
            th scope="row" {
                (visible(known.map_or(first.item, |known| &known.text)))
                small { code { (visible(first.item)) } }
            }
            td { (visible(first.category)) @if first.critical { span class="tag bad" { "critical" } } }
            td { (visible(&cell.record.transcript)) }
            td { (said_at(page, detail, known)) }
            td class="num" { (losses.len()) }
            td { @for loss in losses.iter().take(CELLS) { (loser(page, detail, loss)) " " } @if losses.len() > CELLS { "…" } }
        }
    }
}

fn loser(page: Page<'_, '_>, detail: usize, loss: &ItemLoss<'_>) -> Markup {
    let label = page.model.cells[loss.cell].label;
    html! {
        span class="loser" {
            a class="loss" href=(page.link(detail, &Page::cell(loss.cell))) { (visible(&page.model.labels[label])) }
            @if loss.fate == "wrong" { span class="tag bad" { "wrong" } }
        }
    }
}

/// Links to the messages that say an item.
pub(super) fn said_at(page: Page<'_, '_>, detail: usize, known: Option<&AnnotationRecord>) -> Markup {
    let Some(known) = known else { return html! { span class="soft" { "not recorded" } } };
    let messages = &page.model.details[detail];
    html! {
        @for (index, line) in known.lines.iter().enumerate() {
            @if index > 0 { ", " }
            @if messages.message(*line).is_some() {
                a class="said" href=(page.link(detail, &Page::message(detail, *line))) { "line " (line) }
            } @else { "line " (line) }
        }
    }
}

/// The answer for the verdict.
pub(super) fn card(page: Page<'_, '_>, verdict: &Verdict<'_>, row: usize) -> Markup {
    let model = page.model;
    let number = |value: usize, column: &str| datum_at(value, ("verdicts.csv", row, column), &count(value as u64));
    if verdict.critical.is_empty() {
        return html! { p {
            @if verdict.best.is_none() { "Unknown: nothing was scored." }
            @else if verdict.scored.critical == 0 { "Unknown: no critical item was annotated in a scored cell." }
            @else { b { "No." } " Every critical item survived." }
        } };
    }
    let losers = model.losers(&verdict.critical).len();
    html! {
        p {
            b { "Yes: " (number(verdict.critical.len(), "critical_losses")) }
            @if verdict.critical.len() == 1 { " loss" } @else { " losses" }
            " in " (number(losers, "critical_strategies")) @if losers == 1 { " strategy. " } @else { " strategies. " }
            a href=(page.main("critical")) { "All of them" }
        }
        (of_best(page, verdict))
    }
}

/// What the strategy that forgets least lost itself.
fn of_best(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    let label = |loss: &&ItemLoss<'_>| Some(page.model.cells[loss.cell].label) == verdict.best;
    let Some(best) = verdict.best else { return html! {} };
    let name = visible(&page.model.labels[best]);
    match verdict.critical.iter().find(label) {
        Some(loss) => {
            html! { p { "Also by " b { (name) } " (" (visible(loss.category)) "): " (sentence(page, &[*loss])) } }
        }
        None => html! { p { b { (name) } " lost none of them." } },
    }
}

/// An item that was lost, in a sentence: what, where it was said, and by whom it was lost.
pub(super) fn sentence(page: Page<'_, '_>, losses: &[ItemLoss<'_>]) -> Markup {
    let (model, first) = (page.model, &losses[0]);
    let known = annotation(page, first);
    let detail = model.detail_of[first.cell];
    let by = |fate: &str| -> Vec<usize> {
        let of: Vec<ItemLoss<'_>> = losses.iter().filter(|loss| loss.fate == fate).copied().collect();
        model.losers(&of)
    };
    let (lost, wrong) = (by("lost"), by("wrong"));
    html! {
        "“" (shortened_line(known.map_or(first.item, |known| &known.text), 90)) "”, said at " (said_at(page, detail, known)) " of "
        (visible(&model.cells[first.cell].record.transcript)) ", "
        @if !lost.is_empty() { "lost by " (names(model, lost.iter().copied())) }
        @if !lost.is_empty() && !wrong.is_empty() { ", " }
        @if !wrong.is_empty() { "contradicted by " (names(model, wrong.iter().copied())) }
        "."
    }
}
