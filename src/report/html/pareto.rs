//! The plots, with what is needed to read them.

use maud::{Markup, PreEscaped, html};

use super::super::model::{ContextPanel, ParetoPanel, ParetoPoint};
use super::super::number::{Format, count};
use super::super::plot;
use super::super::text::{one_line, visible};
use super::cell::{mock_tag, scroll, setting, strategy};
use super::{ReportError, ReportModel};

/// The names of the strategies as a drawing may hold them.
fn labels(model: &ReportModel) -> Vec<String> {
    model.labels.iter().map(|label| one_line(label)).collect()
}

pub(super) fn contexts(model: &ReportModel) -> Result<Option<Markup>, ReportError> {
    if model.contexts.is_empty() {
        return Ok(None);
    }
    let labels = labels(model);
    let mut panels = Vec::new();
    for (index, panel) in model.contexts.iter().enumerate() {
        let drawing = plot::context(panel, &labels, &format!("context-{index}"))?;
        panels.push(html! { figure { (PreEscaped(drawing)) (caption(panel)) } });
    }
    Ok(Some(html! {
        p {
            "How to read it: each line is one strategy on one transcript. A line that falls straight down is a compaction; \
             the marker sits at the height from which it fell. A cross is a request that did not fit the window. The \
             numbers are in " code { "requests.csv" } " and " code { "compactions.csv" } "."
        }
        ul class="legend" { @for label in 0..model.labels.len() { li { (strategy(model, label)) } } }
        div class="panels" { @for panel in &panels { (panel) } }
    }))
}

fn caption(panel: &ContextPanel<'_>) -> Markup {
    html! {
        figcaption {
            b { (visible(panel.transcript)) } " · " (setting(&panel.setting))
            @if !plot::shows_window(panel) { ", above the plot" }
        }
    }
}

pub(super) fn pareto(model: &ReportModel) -> Result<Option<Markup>, ReportError> {
    if model.pareto.is_empty() {
        return Ok(None);
    }
    let labels = labels(model);
    let mut panels = Vec::new();
    for (index, panel) in model.pareto.iter().enumerate() {
        let drawing = plot::pareto(panel, &labels, &format!("pareto-{index}"))?;
        panels.push(html! {
            div class="beside" {
                figure { (PreEscaped(drawing)) figcaption { (setting(&panel.setting)) } }
                div { (points(model, panel)) }
            }
        });
    }
    Ok(Some(html! {
        p {
            "How to read it: left is a smaller context after a compaction, low is less forgotten, so the lower left corner is \
             best. The dotted stairs join the Pareto set: no other strategy is at least as good in both and better in one. \
             Means are over the cells that have both numbers; they carry no intervals yet, so a small gap may be chance."
        }
        @for panel in &panels { (panel) }
    }))
}

fn points(model: &ReportModel, panel: &ParetoPanel<'_>) -> Markup {
    let table = html! {
        table {
            caption { b { "The numbers of the plot." } }
            thead {
                tr {
                    th scope="col" { "Strategy" }
                    th scope="col" class="num" { "Kept" span class="unit" { "mean, tokens" } }
                    th scope="col" class="num" { "Goal-loss" span class="unit" { "mean, score" } }
                    th scope="col" class="num" { "Cells" span class="unit" { "with both" } }
                    th scope="col" { "Pareto set" }
                }
            }
            tbody { @for point in &panel.points { (point_row(model, panel, point)) } }
        }
    };
    html! {
        (scroll("Kept tokens and goal-loss", &table))
        @if !panel.absent.is_empty() {
            p class="soft" {
                "Without a point, because no cell has both numbers: "
                @for (index, label) in panel.absent.iter().enumerate() {
                    @if index > 0 { ", " }
                    (visible(&model.labels[*label]))
                }
                "."
            }
        }
    }
}

fn point_row(model: &ReportModel, panel: &ParetoPanel<'_>, point: &ParetoPoint) -> Markup {
    let is_mock =
        model.strategies.iter().any(|row| row.label == point.label && row.setting == panel.setting && row.mock);
    html! {
        tr {
            th scope="row" { (strategy(model, point.label)) @if is_mock { (mock_tag()) } }
            td class="num" { (Format::Whole.write(point.kept_tokens)) }
            td class="num" { (Format::Score.write(point.goal_loss)) }
            td class="num" { (count(point.n as u64)) " of " (count((point.n + point.left_out) as u64)) }
            td { @if point.in_set { "◆ yes" } @else { "no" } }
        }
    }
}
