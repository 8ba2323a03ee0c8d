//! Goal-loss by category and strategy, shaded. The numbers carry it; the shade only helps the eye.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::super::model::{CATEGORIES, Setting, StrategyRow};
use super::cell::{aggregate, datum, head, how_to, partial, scroll_fit, setting, spread};
use super::section::{Body, Page, Section};
use super::strategies::row_head;
use super::{ReportError, ReportModel};

pub(super) const SECTION: Section = Section { id: "heat", title: "What is forgotten", render };

/// Steps of the shade.
const STEPS: f64 = 10.0;

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    let carried: BTreeSet<&str> =
        model.cells.iter().flat_map(|cell| cell.record.measures.keys().map(String::as_str)).collect();
    let shown: Vec<(&str, &str)> = CATEGORIES.into_iter().filter(|(name, _)| carried.contains(name)).collect();
    if shown.is_empty() {
        return Ok(Body::Absent("goal-loss was not measured by category"));
    }
    let how = html! {
        "A row is a strategy, a column a category of annotated items. 0: all of them are still in the context at the end, \
         1: all are lost. The darker, the more is lost. Survival of text is an upper bound of what an agent remembers."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        @for setting in model.settings() { (table(model, &setting, &shown)) }
    }))
}

fn table(model: &ReportModel, now: &Setting<'_>, shown: &[(&str, &str)]) -> Markup {
    let label = format!("Goal-loss by category: {}", setting(now));
    let table = html! {
        table class="sortable" data-csv="strategies.csv" {
            caption { b { "Goal-loss by category of the annotated items." } " " (setting(now)) }
            thead {
                tr {
                    th scope="col" { "Strategy" }
                    @for (name, title) in shown { (head(model.definition(name), title, "")) }
                }
            }
            tbody {
                @for (at, row) in model.strategies.iter().enumerate().filter(|(_, row)| row.setting == *now) {
                    tr data-row=(at) {
                        (row_head(model, row))
                        @for (name, _) in shown { (heat(model, row, name)) }
                    }
                }
            }
        }
    };
    scroll_fit(&label, &table)
}

fn heat(model: &ReportModel, row: &StrategyRow<'_>, name: &str) -> Markup {
    let value = row.measures.get(name);
    let Some((aggregated, loss)) = value.and_then(|value| Some((value, value.value?))) else {
        return aggregate(model, name, value, "");
    };
    let step = (loss.clamp(0.0, 1.0) * STEPS).round();
    html! {
        td class={ "num heat h" (step) } {
            (datum(loss, name, &aggregated.format.write(loss)))
            (spread(name, aggregated))
            (partial(model, aggregated))
        }
    }
}
