//! Every measure of the run for every strategy, with what it means: nothing that was measured is hidden.

use maud::{Markup, html};

use super::super::model::{Setting, StrategyRow, is_additive};
use super::super::number::{Format, unit_label};
use super::super::text::visible;
use super::cell::{dash, datum, scroll, setting, strategy};
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};
use crate::results::{Direction, MeasureDef};

pub(super) const SECTION: Section = Section { id: "measures", title: "Measures", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.measures.is_empty() {
        return Ok(Body::Absent("the run defines no measure"));
    }
    Ok(Body::Shown(html! {
        (meanings(model))
        @for setting in model.settings() { (values(model, &setting)) }
    }))
}

fn meanings(model: &ReportModel) -> Markup {
    let table = html! {
        table class="sortable filtered" {
            caption { b { "What each measure means." } " Ratios are shown as percentages here and as fractions in the CSV files." }
            thead {
                tr {
                    th scope="col" { "Measure" }
                    th scope="col" { "Unit" }
                    th scope="col" { "Better" }
                    th scope="col" { "Adds up" }
                    th scope="col" { "Meaning" }
                }
            }
            tbody {
                @for def in &model.measures {
                    tr {
                        th scope="row" { code { (visible(&def.name)) } }
                        td { (visible(&def.unit)) }
                        td {
                            @match def.direction {
                                Direction::Lower => "↓ less",
                                Direction::Higher => "↑ more",
                                Direction::Neutral => "neither",
                            }
                        }
                        td { @if is_additive(def) { "yes" } @else { "no" } }
                        td { (visible(&def.about)) }
                    }
                }
            }
        }
    };
    scroll("Measures", &table)
}

fn values(model: &ReportModel, now: &Setting<'_>) -> Markup {
    let rows: Vec<(usize, &StrategyRow<'_>)> =
        model.strategies.iter().enumerate().filter(|(_, row)| row.setting == *now).collect();
    let table = html! {
        table class="sortable filtered" data-csv="strategies.csv" {
            caption { b { "Every measure, mean over lineages." } " " (setting(now)) ". Intervals and counts are in " code { "estimates.csv" } "." }
            thead {
                tr {
                    th scope="col" { "Measure" }
                    @for (_, row) in &rows { th scope="col" class="num" { (strategy(model, row.label)) } }
                }
            }
            tbody { @for def in &model.measures { (value_row(def, &rows)) } }
        }
    };
    html! {
        details {
            summary { "Every measure for every strategy: " (setting(now)) }
            (scroll(&format!("Every measure: {}", setting(now)), &table))
        }
    }
}

fn value_row(def: &MeasureDef, rows: &[(usize, &StrategyRow<'_>)]) -> Markup {
    let format = Format::mean_of(def);
    html! {
        tr {
            th scope="row" { code { (visible(&def.name)) } span class="unit" { (visible(unit_label(def))) } }
            @for (at, row) in rows {
                @match row.measures.get(&def.name).and_then(|value| Some((value, value.value?))) {
                    Some((_, value)) => td class="num" data-row=(at) { (datum(value, &def.name, &format.write(value))) },
                    None => td class="num void" {
                        (dash(row.measures.get(&def.name).map_or(&[][..], |value| &value.reasons)))
                    },
                }
            }
        }
    }
}
