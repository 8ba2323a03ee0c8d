//! The strategy table: one row per strategy, with intervals.

use maud::{Markup, html};

use super::super::model::{Aggregate, Column, Setting, StrategyRow};
use super::super::text::visible;
use super::cell::{aggregate, head, how_to, mock_tag, scroll, setting, strategy};
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};

pub(super) const SECTION: Section = Section { id: "strategies", title: "Strategies", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.strategies.is_empty() {
        return Ok(Body::Absent("the run holds no cell"));
    }
    let how = html! {
        "Each number is a mean over lineages: over the seeds of a transcript, then its transcripts, then the lineages. "
        (spreads(model))
        b { "–" } " is a missing number, never zero; its reason is a footnote. " b { "n 1/2" }
        " means that one of two cells has a number. ↓ less is better, ↑ more is better. Click a header to sort."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        @for setting in model.settings() { (table(model, &setting)) }
    }))
}

/// What stands below a number, as far as it does in this run.
fn spreads(model: &ReportModel) -> Markup {
    let columns = |row| model.columns.iter().filter_map(move |column| measure(row, column));
    let shown = || model.strategies.iter().flat_map(columns).filter(|value| value.value.is_some());
    let has_interval = shown().any(|value| value.interval.is_ok());
    let has_range = shown().any(|value| value.interval.is_err() && value.units.len() > 1);
    html! {
        @match (has_interval, has_range) {
            (true, true) => "Below it stands its 95 % interval in brackets, or, with fewer than five lineages, the least … the greatest of them. ",
            (true, false) => "Below it stands its 95 % interval in brackets. ",
            (false, true) => "Below it stand the least … the greatest of them: an interval needs five lineages. ",
            (false, false) => {},
        }
    }
}

fn measure<'m, 'run>(row: &'m StrategyRow<'run>, column: &Column) -> Option<&'m Aggregate<'run>> {
    row.measures.get(column.measure)
}

/// The extra class of a column: a line at its left where a group of columns starts.
pub(super) fn edge(columns: &[Column], index: usize) -> &'static str {
    let starts = index == 0 || columns[index - 1].group != columns[index].group;
    if starts { " first-of-group" } else { "" }
}

/// Two rows of headers: the groups, and the columns.
pub(super) fn header(model: &ReportModel, first: &[&str], last: Option<&str>) -> Markup {
    let columns = &model.columns;
    html! {
        thead {
            tr class="groups" {
                td colspan=(first.len()) {}
                @for group in columns.chunk_by(|left, right| left.group == right.group) {
                    th scope="colgroup" colspan=(group.len()) class="first-of-group" { (group[0].group) }
                }
                @if last.is_some() { td class="first-of-group" {} }
            }
            tr {
                @for name in first { th scope="col" { (name) } }
                @for (index, column) in columns.iter().enumerate() {
                    (head(model.definition(column.measure), column.head, edge(columns, index)))
                }
                @if let Some(name) = last { th scope="col" class="first-of-group" { (name) } }
            }
        }
    }
}

fn table(model: &ReportModel, now: &Setting<'_>) -> Markup {
    let label = format!("Strategies: {}", setting(now));
    let table = html! {
        table class="sortable filtered" data-csv="strategies.csv" {
            caption { b { "Strategies." } " " (setting(now)) (prices(model, now)) }
            (header(model, &["Strategy"], Some("Parts")))
            tbody {
                @for (at, row) in model.strategies.iter().enumerate().filter(|(_, row)| row.setting == *now) {
                    tr data-row=(at) {
                        (row_head(model, row))
                        @for (index, column) in model.columns.iter().enumerate() {
                            (aggregate(model, column.measure, row.measures.get(column.measure), edge(&model.columns, index)))
                        }
                        (parts(row))
                    }
                }
            }
        }
    };
    scroll(&label, &table)
}

/// The rows of the price book behind the dollars of a setting, after a dot; nothing where there are no dollars.
pub(super) fn prices(model: &ReportModel, now: &Setting<'_>) -> Markup {
    let rows = model.price_rows(now);
    html! {
        @if !rows.is_empty() {
            " · dollars by " @if rows.len() == 1 { "price row " } @else { "price rows " }
            @for (index, row) in rows.iter().enumerate() { @if index > 0 { ", " } code { (visible(row)) } }
        }
    }
}

/// The name of a strategy as the head of a row.
pub(super) fn row_head(model: &ReportModel, row: &StrategyRow<'_>) -> Markup {
    html! { th scope="row" { (strategy(model, row.label)) @if row.mock { (mock_tag()) } } }
}

/// What the strategy is made of, and how many cells it was measured on.
fn parts(row: &StrategyRow<'_>) -> Markup {
    html! {
        td class="parts first-of-group" {
            @if let Some(mimics) = &row.first.mimics { "mimics " (visible(mimics)) } @else { "no real system" }
            "; estimator " (visible(&row.first.estimator))
            "; summaries " (visible(&row.first.summarizer))
            "; " (row.cells) @if row.cells == 1 { " cell" } @else { " cells" }
        }
    }
}
