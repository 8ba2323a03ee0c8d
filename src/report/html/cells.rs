//! Every cell with the columns of the strategy table.

use maud::{Markup, html};

use super::super::model::{CELLS_SHOWN, Cell, number};
use super::super::number::{Format, count};
use super::super::text::visible;
use super::cell::{datum, mock_tag, scroll, strategy, void};
use super::section::{Body, Page, Section};
use super::strategies::{edge, header};
use super::{ReportError, ReportModel};

pub(super) const SECTION: Section = Section { id: "cells", title: "Cells", render };

/// What the main page shows of the cells, or one of their own pages.
fn shown(page: Page<'_, '_>) -> std::ops::Range<usize> {
    let (model, all) = (page.model, page.model.cells.len());
    let at = model.cell_pages.iter().position(|name| Some(name.as_str()) == page.here).unwrap_or(0);
    at * CELLS_SHOWN..all.min((at + 1) * CELLS_SHOWN)
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.cells.is_empty() {
        return Ok(Body::Absent("the run holds no cell"));
    }
    Ok(Body::Shown(if page.here.is_some() {
        html! { (others(page)) (table(page)) }
    } else if !model.cell_pages.is_empty() {
        others(page)
    } else {
        html! { details { summary { "All " (model.cells.len()) " cells, as in " code { "cells.csv" } } (table(page)) } }
    }))
}

/// Links to the pages of cells.
fn others(page: Page<'_, '_>) -> Markup {
    let all = page.model.cells.len();
    html! {
        p {
            (count(all as u64)) " cells, on pages of their own: "
            @for (at, name) in page.model.cell_pages.iter().enumerate() {
                @if at > 0 { ", " }
                @let words = format!("{} to {}", at * CELLS_SHOWN + 1, all.min((at + 1) * CELLS_SHOWN));
                @if Some(name.as_str()) == page.here { b { (words) } } @else { a href=(name) { (words) } }
            }
            ". " code { "cells.csv" } " has all of them."
        }
    }
}

fn table(page: Page<'_, '_>) -> Markup {
    let model = page.model;
    let table = html! {
        table class="sortable filtered" data-csv="cells.csv" {
            caption { b { "Cells." } " One row per strategy, transcript, model and seed." }
            (header(model, &["Strategy", "Transcript", "Model", "Seed"], None))
            tbody { @for index in shown(page) { (row(page, index, &model.cells[index])) } }
        }
    };
    scroll("Cells", &table)
}

fn row(page: Page<'_, '_>, index: usize, cell: &Cell<'_>) -> Markup {
    let (model, record) = (page.model, cell.record);
    html! {
        tr data-row=(index) {
            th scope="row" {
                a href=(page.link(model.detail_of[index], &Page::cell(index))) { (strategy(model, cell.label)) }
                @if record.mock { (mock_tag()) }
                small { "cell " code { (visible(&record.cell)) } }
            }
            td { (visible(&record.transcript)) }
            td { (visible(&record.model)) span class="unit" { "window " (count(record.window_tokens)) } }
            td class="num" { (datum(record.seed, "seed", &record.seed.to_string())) }
            @for at in 0..model.columns.len() { (field(model, cell, at)) }
        }
    }
}

fn field(model: &ReportModel, cell: &Cell<'_>, at: usize) -> Markup {
    let (name, extra) = (model.columns[at].measure, edge(&model.columns, at));
    match (number(cell.record, name), model.definition(name)) {
        (Ok(value), Some(def)) => html! {
            td class={ "num" (extra) } { (datum(value, name, &Format::of(def).write(value))) }
        },
        (Err(reason), _) => void(model, &[reason], extra),
        (Ok(_), None) => void(model, &[], extra),
    }
}
