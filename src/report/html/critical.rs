//! The critical items that were lost, and where each was said.

use maud::{Markup, html};

use super::super::model::{CriticalLoss, Verdict};
use super::super::text::{shortened_line, visible};
use super::ReportError;
use super::cell::scroll;
use super::section::{Body, Page, Section};
use crate::results::AnnotationRecord;

pub(super) const SECTION: Section = Section { id: "critical", title: "Critical items lost", render };

/// Rows of the table.
const ROWS: usize = 200;
/// Cells that are named in a row.
const CELLS: usize = 12;

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.items.is_empty() {
        return Ok(Body::Absent("no transcript has annotated items, or nothing of them was dropped"));
    }
    let losses: Vec<&CriticalLoss<'_>> = model.verdicts.iter().flat_map(|verdict| &verdict.critical).collect();
    if losses.is_empty() {
        return Ok(Body::Shown(
            html! { p { "None: every critical item survived in every cell that has a goal-loss." } },
        ));
    }
    let items = by_item(page, &losses);
    let table = html! {
        table class="sortable filtered" {
            caption { b { "Items whose loss alone would end the task." } " Follow one to the message that said it, or to a cell that lost it." }
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
        (scroll("Critical items lost", &table))
        @if items.len() > ROWS {
            p class="soft" { (items.len() - ROWS) " more are in " code { "items.csv" } "." }
        }
    }))
}

/// The losses of each item, in the order in which the items first appear.
fn by_item<'a>(page: Page<'_, '_>, losses: &[&'a CriticalLoss<'a>]) -> Vec<Vec<&'a CriticalLoss<'a>>> {
    let key = |loss: &CriticalLoss<'a>| (page.model.detail_of[loss.cell], loss.item);
    let mut items: Vec<Vec<&CriticalLoss<'a>>> = Vec::new();
    for &loss in losses {
        match items.iter_mut().find(|known| key(known[0]) == key(loss)) {
            Some(known) => known.push(loss),
            None => items.push(vec![loss]),
        }
    }
    items
}

fn annotation<'p>(page: Page<'p, '_>, loss: &CriticalLoss<'_>) -> Option<&'p AnnotationRecord> {
    let detail = &page.model.details[page.model.detail_of[loss.cell]];
    detail.annotations.iter().find(|known| known.item == loss.item)
}

fn row(page: Page<'_, '_>, losses: &[&CriticalLoss<'_>]) -> Markup {
    let first = losses[0];
    let cell = &page.model.cells[first.cell];
    let detail = page.model.detail_of[first.cell];
    let known = annotation(page, first);
    let category = cell.record.items.iter().find(|item| item.item == first.item).map(|item| &*item.category);
    html! {
        tr {
            th scope="row" {
                (visible(known.map_or(first.item, |known| &known.text)))
                small { code { (visible(first.item)) } }
            }
            td { (visible(category.unwrap_or_default())) }
            td { (visible(&cell.record.transcript)) }
            td { (said_at(page, detail, known)) }
            td class="num" { (losses.len()) }
            td { @for loss in losses.iter().take(CELLS) { (loser(page, detail, loss)) " " } @if losses.len() > CELLS { "…" } }
        }
    }
}

fn loser(page: Page<'_, '_>, detail: usize, loss: &CriticalLoss<'_>) -> Markup {
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
pub(super) fn card(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    let label = |loss: &CriticalLoss<'_>| page.model.cells[loss.cell].label;
    let of_best = verdict.critical.iter().find(|loss| Some(label(loss)) == verdict.best);
    let Some(first) = of_best.or(verdict.critical.first()) else {
        return html! { p { @if verdict.best.is_some() { b { "No." } " Every critical item survived." } @else { "Unknown: nothing was scored." } } };
    };
    let mut losers: Vec<usize> = verdict.critical.iter().map(label).collect();
    losers.sort_unstable();
    losers.dedup();
    // A rule of the person is what a reader looks for: where the first loss is none, the first such one is named too.
    let is_rule = |loss: &&CriticalLoss<'_>| category(page, loss) == "constraint";
    let rule = verdict.critical.iter().find(is_rule).filter(|_| !is_rule(&first));
    html! {
        p {
            b { "Yes: " (verdict.critical.len()) } @if verdict.critical.len() == 1 { " loss" } @else { " losses" }
            " in " (losers.len()) @if losers.len() == 1 { " strategy. " } @else { " strategies. " }
            a href=(page.main("critical")) { "All of them" }
        }
        (one(page, first, "One of them"))
        @if let Some(rule) = rule { (one(page, rule, "A rule")) }
    }
}

fn category<'p>(page: Page<'p, '_>, loss: &CriticalLoss<'_>) -> &'p str {
    let items = &page.model.cells[loss.cell].record.items;
    items.iter().find(|item| item.item == loss.item).map_or("critical item", |item| &item.category)
}

/// A loss in a sentence: what, by whom, and where it was said.
fn one(page: Page<'_, '_>, loss: &CriticalLoss<'_>, start: &str) -> Markup {
    let known = annotation(page, loss);
    let said = shortened_line(known.map_or(loss.item, |known| &known.text), 90);
    html! {
        p {
            (start) " (" (visible(category(page, loss))) "): “" (said) "”, " (if loss.fate == "wrong" { "contradicted" } else { "lost" })
            " by " b { (visible(&page.model.labels[page.model.cells[loss.cell].label])) } " on "
            (visible(&page.model.cells[loss.cell].record.transcript)) ", said at "
            (said_at(page, page.model.detail_of[loss.cell], known)) "."
        }
    }
}
