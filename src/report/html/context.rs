//! Context size over requests, one plot per transcript and setting.

use maud::{Markup, PreEscaped, html};

use super::super::model::ContextPanel;
use super::super::number::{Format, count};
use super::super::plot;
use super::super::text::visible;
use super::cell::{changes, dash, datum, how_to, scroll, setting, strategy};
use super::pareto::labels;
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};

pub(super) const SECTION: Section = Section { id: "context", title: "Context over requests", render };

fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    let indices: Vec<usize> = page.details().flat_map(|(_, detail)| detail.contexts.iter().copied()).collect();
    if indices.is_empty() {
        return Ok(Body::Absent(if model.contexts.is_empty() {
            "the run has no request"
        } else {
            "each transcript has a page of its own, see Transcripts"
        }));
    }
    let labels = labels(model);
    let mut panels = Vec::new();
    for index in indices {
        let panel = &model.contexts[index];
        let drawing = plot::context(panel, &labels, &format!("context-{index}"))?;
        panels.push(html! { figure { (PreEscaped(drawing)) (caption(panel)) (numbers(model, panel)) } });
    }
    let how = html! {
        "Each line is one strategy. A line that falls straight down is a compaction; the marker sits at the height from \
         which it fell. A cross is a request that did not fit the window, which is a \
         step where the session goes on with a model of another size. Up to its first compaction a line is what the \
         recorded agent saw; after it, it is counterfactual."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        ul class="legend" { @for label in 0..model.labels.len() { li { (strategy(model, label)) } } }
        div class="panels" { @for panel in &panels { (panel) } }
    }))
}

fn caption(panel: &ContextPanel<'_>) -> Markup {
    let windows = plot::Windows { steps: &panel.windows, peak: panel.peak_tokens() };
    html! {
        figcaption {
            b { (visible(panel.transcript)) } " · " (setting(&panel.setting))
            (changes(&panel.setting, &panel.windows)) (windows.hidden())
        }
    }
}

/// Rows of the table below a plot. `requests.csv` has all of them.
const ROWS: usize = 400;

fn numbers(model: &ReportModel, panel: &ContextPanel<'_>) -> Markup {
    let rows = panel.rows();
    let table = html! {
        table {
            caption { "Reference tokens of each request. Estimates, reuse and compactions are in " code { "requests.csv" } " and " code { "compactions.csv" } "." }
            thead { tr {
                th scope="col" class="num" { "Request" }
                @for line in &panel.lines {
                    th scope="col" class="num" data-cell=(visible(&model.cells[line.cell].record.cell)) { (visible(&model.labels[line.label])) }
                }
            } }
            tbody {
                @for (request, sizes) in rows.iter().take(ROWS) {
                    tr {
                        th scope="row" class="num" { (request) }
                        @for size in sizes {
                            td class="num" { @match size { Some(size) => (datum(size, "reference_tokens", &Format::Whole.write(*size))), None => (dash(&["no such request"])) } }
                        }
                    }
                }
            }
        }
    };
    let label = format!("Context of {}: {}", panel.transcript, setting(&panel.setting));
    html! {
        details {
            summary { "The numbers of this plot" }
            (scroll(&label, &table))
            @if rows.len() > ROWS { p class="soft" { "The first " (ROWS) " of " (count(rows.len() as u64)) " requests." } }
        }
    }
}
