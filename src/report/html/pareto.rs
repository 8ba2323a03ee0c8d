//! What a strategy costs against what it loses: plots, and the numbers of each.

use maud::{Markup, PreEscaped, html};

use super::super::model::{ParetoPanel, ParetoPoint};
use super::super::number::{Format, count, unit_label};
use super::super::plot;
use super::super::text::{one_line, visible};
use super::cell::{dash, datum, how_to, mock_tag, names, scroll, setting, strategy};
use super::section::{Body, Page, Section};
use super::strategies::prices;
use super::{ReportError, ReportModel};

pub(super) const SECTION: Section = Section { id: "pareto", title: "Cost against loss", render };

/// The names of the strategies as a drawing may hold them.
pub(super) fn labels(model: &ReportModel) -> Vec<String> {
    model.labels.iter().map(|label| one_line(label)).collect()
}

fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.pareto.is_empty() {
        return Ok(Body::Absent("no strategy has both a goal-loss and a cost"));
    }
    let labels = labels(model);
    let (mut panels, mut first_row) = (Vec::new(), 0);
    for (index, panel) in model.pareto.iter().enumerate() {
        let drawing = plot::pareto(panel, &labels, &format!("pareto-{index}"))?;
        panels.push(html! {
            div class="beside" {
                figure { (PreEscaped(drawing)) figcaption {
                    (setting(&panel.setting)) " · left: " (panel.axis.left)
                    @if panel.axis.measure.ends_with("_usd") { (prices(model, &panel.setting)) }
                } }
                div { (points(model, panel, first_row)) }
            }
        });
        first_row += panel.points.len();
    }
    let how = html! {
        "A point is a strategy. Left is cheaper, low is less forgotten, so the lower left corner is best. The dotted stairs \
         join the Pareto set: no other strategy is at least as good in both and better in one. Means are over the cells that \
         have both numbers; a strategy that has them for fewer lineages than others is drawn and not compared. Whether a gap may be chance stands in the verdict."
    };
    Ok(Body::Shown(html! { (how_to(&how)) @for panel in &panels { (panel) } }))
}

fn points(model: &ReportModel, panel: &ParetoPanel<'_>, first_row: usize) -> Markup {
    let unit = model.definition(panel.axis.measure).map_or("", unit_label);
    let table = html! {
        table class="sortable" data-csv="pareto.csv" {
            caption { b { "The numbers of the plot." } }
            thead {
                tr {
                    th scope="col" { "Strategy" }
                    th scope="col" class="num" { (panel.axis.head) span class="unit" { "mean, " (visible(unit)) } }
                    th scope="col" class="num" { "Goal-loss" span class="unit" { "mean, score" } }
                    th scope="col" class="num" { "Cells" span class="unit" { "with both" } }
                    @if panel.axis.measure.ends_with("_usd") {
                        th scope="col" class="num" { "Per dollar" span class="unit" { "1 − goal-loss" } }
                    }
                    th scope="col" { "Pareto set" }
                }
            }
            tbody {
                @for (at, point) in panel.points.iter().enumerate() { (point_row(model, panel, point, first_row + at)) }
            }
        }
    };
    html! {
        (scroll(&format!("{} and goal-loss: {}", panel.axis.head, setting(&panel.setting)), &table))
        @if !panel.absent.is_empty() {
            p class="soft" { "Without a point, because no cell has both numbers: " (names(model, panel.absent.iter().copied())) "." }
        }
    }
}

fn point_row(model: &ReportModel, panel: &ParetoPanel<'_>, point: &ParetoPoint, row: usize) -> Markup {
    let is_mock =
        model.strategies.iter().any(|row| row.label == point.label && row.setting == panel.setting && row.mock);
    let format = model.definition(panel.axis.measure).map_or(Format::Score, Format::of);
    html! {
        tr data-row=(row) {
            th scope="row" { (strategy(model, point.label)) @if is_mock { (mock_tag()) } }
            td class="num" { (datum(point.cost, "cost", &format.write(point.cost))) }
            td class="num" { (datum(point.goal_loss, "goal_loss", &Format::Score.write(point.goal_loss))) }
            td class="num" {
                (datum(point.n, "cells", &count(point.n as u64))) " of " (count((point.n + point.left_out) as u64))
            }
            @if panel.axis.measure.ends_with("_usd") {
                @match panel.kept_per_usd(point) {
                    Some(kept) => td class="num" { (datum(kept, "kept_per_usd", &Format::Score.write(kept))) },
                    None => td class="num void" { (dash(&["nothing was paid"])) },
                }
            }
            td {
                @if point.in_set { "◆ yes" } @else if point.is_comparable { "no" }
                @else { (dash(&["it has both numbers for fewer lineages than others, so it is not compared"])) }
            }
        }
    }
}
