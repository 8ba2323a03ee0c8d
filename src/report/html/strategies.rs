//! The strategy table, goal-loss by category, and the same columns for each cell.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::super::model::{CATEGORIES, Cell, Column, Setting, StrategyRow, number};
use super::super::number::{Format, count};
use super::super::text::visible;
use super::ReportModel;
use super::cell::{aggregate, head, mock_tag, scroll, scroll_fit, setting, strategy, void};

pub(super) fn section(model: &ReportModel) -> Markup {
    if model.strategies.is_empty() {
        return html! { p { "The run holds no cell." } };
    }
    html! {
        p {
            "Each row aggregates one strategy over its cells, all transcripts and seeds. Counts and token flows are sums, \
             ratios, scores and levels are plain means over cells, without intervals. " b { "–" }
            " is a missing number, never zero; its reason is a footnote. " b { "n 1/2" }
            " means that one of two cells has a number. ↓ less is better, ↑ more is better."
        }
        @for setting in model.settings() {
            (table(model, &setting))
            (categories(model, &setting))
        }
    }
}

/// The extra class of a column: a line at its left where a group of columns starts.
fn edge(columns: &[Column], index: usize) -> &'static str {
    let starts = index == 0 || columns[index - 1].group != columns[index].group;
    if starts { " first-of-group" } else { "" }
}

fn header(model: &ReportModel, first: &[&str], last: Option<&str>, how: bool) -> Markup {
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
                    (head(model.definition(column.measure), column.head, how, edge(columns, index)))
                }
                @if let Some(name) = last { th scope="col" class="first-of-group" { (name) } }
            }
        }
    }
}

fn table(model: &ReportModel, now: &Setting<'_>) -> Markup {
    let label = format!("Strategies: {}", setting(now));
    let table = html! {
        table {
            caption { b { "Strategies." } " " (setting(now)) }
            (header(model, &["Strategy"], Some("Parts"), true))
            tbody {
                @for row in model.strategies.iter().filter(|row| row.setting == *now) {
                    tr {
                        (row_head(model, row))
                        @for (index, column) in model.columns.iter().enumerate() {
                            (aggregate(model, row.measures.get(column.measure), edge(&model.columns, index)))
                        }
                        (parts(row))
                    }
                }
            }
        }
    };
    scroll(&label, &table)
}

fn row_head(model: &ReportModel, row: &StrategyRow<'_>) -> Markup {
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

/// Goal-loss by category, shaded. The numbers carry it; the shade only helps the eye.
fn categories(model: &ReportModel, now: &Setting<'_>) -> Markup {
    let carried: BTreeSet<&str> =
        model.cells.iter().flat_map(|cell| cell.record.measures.keys().map(String::as_str)).collect();
    let shown: Vec<(&str, &str)> = CATEGORIES.into_iter().filter(|(name, _)| carried.contains(name)).collect();
    if shown.is_empty() {
        return html! {};
    }
    let table = html! {
        table {
            caption { b { "Goal-loss by category of the annotated items." } " 0: all kept, 1: all lost. " (setting(now)) }
            thead {
                tr {
                    th scope="col" { "Strategy" }
                    @for (name, title) in &shown { (head(model.definition(name), title, true, "")) }
                }
            }
            tbody {
                @for row in model.strategies.iter().filter(|row| row.setting == *now) {
                    tr {
                        (row_head(model, row))
                        @for (name, _) in &shown { (heat(model, row, name)) }
                    }
                }
            }
        }
    };
    scroll_fit("Goal-loss by category", &table)
}

fn heat(model: &ReportModel, row: &StrategyRow<'_>, name: &str) -> Markup {
    let value = row.measures.get(name);
    let Some(loss) = value.and_then(|value| value.value) else { return aggregate(model, value, "") };
    // At most half opaque, so that the text stays readable.
    let part = format!("--part:{:.2}", loss.clamp(0.0, 1.0) * 0.5);
    let Some(aggregated) = value else { return void(model, &[], "") };
    html! {
        td class="num heat" style=(part) {
            (aggregated.format.write(loss))
            @if aggregated.voids > 0 { span class="n" { "n " (aggregated.n) "/" (aggregated.n + aggregated.voids) } }
        }
    }
}

/// Every cell with the same columns.
pub(super) fn cells(model: &ReportModel) -> Option<Markup> {
    if model.cells.is_empty() {
        return None;
    }
    let table = html! {
        table {
            caption { b { "Cells." } " One row per strategy, transcript, model and seed." }
            (header(model, &["Strategy", "Transcript", "Model", "Seed"], None, false))
            tbody { @for cell in &model.cells { (cell_row(model, cell)) } }
        }
    };
    Some(html! {
        details {
            summary { "All " (model.cells.len()) " cells, as in " code { "cells.csv" } }
            (scroll("Cells", &table))
        }
    })
}

fn cell_row(model: &ReportModel, cell: &Cell<'_>) -> Markup {
    let record = cell.record;
    html! {
        tr {
            th scope="row" {
                (strategy(model, cell.label))
                @if record.mock { (mock_tag()) }
                small { "cell " code { (visible(&record.cell)) } }
            }
            td { (visible(&record.transcript)) }
            td { (visible(&record.model)) span class="unit" { "window " (count(record.window_tokens)) } }
            td class="num" { (record.seed) }
            @for (index, column) in model.columns.iter().enumerate() {
                @match (number(record, column.measure), model.definition(column.measure)) {
                    (Ok(value), Some(def)) => td class={ "num" (edge(&model.columns, index)) } { (Format::of(def).write(value)) },
                    (Err(reason), _) => (void(model, &[reason], edge(&model.columns, index))),
                    (Ok(_), None) => (void(model, &[], edge(&model.columns, index))),
                }
            }
        }
    }
}
