//! Which annotated items each strategy loses.

use maud::{Markup, html};

use super::super::model::{ItemRow, ItemTable};
use super::super::text::visible;
use super::ReportError;
use super::cell::{how_to, scroll_fit, setting, strategy};
use super::critical::said_at;
use super::section::{Body, Page, Section};
use crate::results::ItemRecord;

pub(super) const SECTION: Section = Section { id: "items", title: "Annotated items", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let tables: Vec<(usize, &ItemTable<'_>)> = page
        .details()
        .flat_map(|(at, detail)| detail.items.iter().map(move |&index| (at, &page.model.items[index])))
        .collect();
    if tables.is_empty() {
        return Ok(Body::Absent(if page.model.items.is_empty() {
            "no transcript has annotated items, or nothing of them was dropped"
        } else {
            "each transcript has a page of its own, see Transcripts"
        }));
    }
    let how = html! {
        "A row is an item, a column a strategy: its fate at the end of the session. ● kept   ◐ partly kept   ○ lost   ✕ \
         contradicted by the summary   ▪ still in the kept tail   ↷ replaced by another item. A critical item is one whose \
         loss alone would end the task. A fate links to what happened in that cell."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        @for (index, (at, table)) in tables.iter().enumerate() {
            details open[index == 0] {
                summary { b { (visible(table.transcript)) } " · " (setting(&table.setting)) " · " (table.rows.len()) " items" }
                (one(page, *at, table))
            }
        }
    }))
}

fn one(page: Page<'_, '_>, detail: usize, items: &ItemTable<'_>) -> Markup {
    let first_seed = items.cells.first().map(|(_, seed)| *seed);
    let has_seeds = items.cells.iter().any(|(_, seed)| Some(*seed) != first_seed);
    let label = format!("Items of {}: {}", items.transcript, setting(&items.setting));
    let table = html! {
        table class="sortable filtered" {
            caption { "Fates, as in " code { "items.csv" } "." }
            thead {
                tr {
                    th scope="col" { "Item" }
                    th scope="col" { "Category" }
                    th scope="col" { "Said at" }
                    @for (label, seed) in &items.cells {
                        th scope="col" {
                            (strategy(page.model, *label))
                            @if has_seeds { span class="unit" { "seed " (seed) } }
                        }
                    }
                }
            }
            tbody { @for row in &items.rows { (row_of(page, detail, items, row)) } }
        }
    };
    scroll_fit(&label, &table)
}

fn row_of(page: Page<'_, '_>, detail: usize, items: &ItemTable<'_>, row: &ItemRow<'_>) -> Markup {
    let known = page.model.details[detail].annotations.iter().find(|known| known.item == row.item.item);
    html! {
        tr {
            th scope="row" {
                @if let Some(known) = known { (visible(&known.text)) small { code { (visible(&row.item.item)) } } }
                @else { (visible(&row.item.item)) }
                @if row.item.critical { span class="tag bad" { "critical" } }
            }
            td { (visible(&row.item.category)) }
            td { (said_at(page, detail, known)) }
            @for (fate, cell) in row.fates.iter().zip(&items.cell_indices) { (field(*fate, *cell)) }
        }
    }
}

/// The class, the sign and the words of a fate.
pub(super) fn look(fate: &str) -> (&'static str, &'static str, &str) {
    match fate {
        "kept" => ("kept", "●", "kept"),
        "partly" => ("partly", "◐", "partly"),
        "lost" => ("lost", "○", "lost"),
        "wrong" => ("wrong", "✕", "wrong"),
        "in_tail" => ("in_tail", "▪", "in tail"),
        "superseded" => ("in_tail", "↷", "replaced"),
        "off_path" => ("in_tail", "▫", "off the path"),
        other => ("unknown", "?", other),
    }
}

fn field(item: Option<&ItemRecord>, cell: usize) -> Markup {
    let Some(item) = item else {
        return html! { td class="void" { abbr title="void: the cell does not know this item" { "–" } } };
    };
    let (class, sign, words) = look(&item.fate);
    let is_lost = matches!(class, "lost" | "wrong" | "partly");
    html! {
        td class={ "fate " (class) } {
            span aria-hidden="true" { (sign) }
            @if is_lost { a href={ "#" (Page::cell(cell)) } { (visible(words)) } } @else { (visible(words)) }
        }
    }
}
