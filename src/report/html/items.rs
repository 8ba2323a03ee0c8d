//! Which annotated items each strategy loses.

use maud::{Markup, html};

use super::super::model::{ItemRow, ItemTable};
use super::super::text::visible;
use super::ReportModel;
use super::cell::{scroll_fit, setting, strategy};
use crate::results::ItemRecord;

pub(super) fn section(model: &ReportModel) -> Option<Markup> {
    if model.items.is_empty() {
        return None;
    }
    Some(html! {
        p {
            "● kept   ◐ partly kept   ○ lost   ✕ contradicted by the summary   ▪ still in the kept tail   ↷ replaced by another item. \
             A critical item is one whose loss alone would end the task."
        }
        @for table in &model.items { (one(model, table)) }
    })
}

fn one(model: &ReportModel, items: &ItemTable<'_>) -> Markup {
    let first_seed = items.cells.first().map(|(_, seed)| *seed);
    let has_seeds = items.cells.iter().any(|(_, seed)| Some(*seed) != first_seed);
    let label = format!("Items of {}: {}", items.transcript, setting(&items.setting));
    let table = html! {
        table {
            caption { b { (visible(items.transcript)) } " · " (setting(&items.setting)) }
            thead {
                tr {
                    th scope="col" { "Item" }
                    th scope="col" { "Category" }
                    th scope="col" class="num" { "Weight" span class="unit" { "within category" } }
                    @for (label, seed) in &items.cells {
                        th scope="col" {
                            (strategy(model, *label))
                            @if has_seeds { span class="unit" { "seed " (seed) } }
                        }
                    }
                }
            }
            tbody { @for row in &items.rows { (row_of(row)) } }
        }
    };
    scroll_fit(&label, &table)
}

fn row_of(row: &ItemRow<'_>) -> Markup {
    html! {
        tr {
            th scope="row" {
                (visible(&row.item.item))
                @if row.item.critical { span class="tag bad" { "critical" } }
            }
            td { (visible(&row.item.category)) }
            td class="num" { (row.item.weight) }
            @for fate in &row.fates { (field(*fate)) }
        }
    }
}

fn field(item: Option<&ItemRecord>) -> Markup {
    let Some(item) = item else {
        return html! { td class="void" { abbr title="void: the cell does not know this item" { "–" } } };
    };
    let (class, sign, words) = match item.fate.as_str() {
        "kept" => ("kept", "●", "kept"),
        "partly" => ("partly", "◐", "partly"),
        "lost" => ("lost", "○", "lost"),
        "wrong" => ("wrong", "✕", "wrong"),
        "in_tail" => ("in_tail", "▪", "in tail"),
        "superseded" => ("in_tail", "↷", "replaced"),
        "off_path" => ("in_tail", "▫", "off the path"),
        other => ("unknown", "?", other),
    };
    html! { td class={ "fate " (class) } { span aria-hidden="true" { (sign) } (visible(words)) } }
}
