//! The prompt of each request, stacked by how the simulated cache served it; one plot per cell.

use maud::{Markup, PreEscaped, html};

use super::super::model::{Setting, Stack, TranscriptDetail};
use super::super::number::{count, real};
use super::super::plot;
use super::super::text::{one_line, visible};
use super::cell::{changes, how_to, mock_tag, scroll_fit, setting, strategy};
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};

pub(super) const SECTION: Section = Section { id: "cache", title: "Prompt cache over requests", render };

/// Rows of the table below a plot. `requests.csv` has all of them.
const ROWS: usize = 400;

fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    let mut groups = Vec::new();
    for (_, detail) in page.details() {
        for setting in settings(model, detail) {
            groups.push(group(model, detail, setting, groups.is_empty())?);
        }
    }
    if groups.is_empty() {
        return Ok(Body::Absent(if model.stacks.iter().all(Option::is_none) {
            "no prompt cache was simulated"
        } else {
            "each transcript has a page of its own, see Transcripts"
        }));
    }
    let how = html! {
        "A column is a request, as high as its prompt: the lowest part is read from the cache, the next written to it, the rest \
         is neither. A dashed line with ▼ is a compaction: after it the prompt is lower, but more of it must be written again. \
         Tall written columns anywhere else are breaks of the cache, whose reasons are in " code { "requests.csv" } "."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        ul class="legend" {
            @for (colour, words) in plot::BANDS { li { (PreEscaped(plot::band(colour))) (words) } }
        }
        @for group in &groups { (group) }
    }))
}

/// The settings of a transcript that have a simulated cache, in the order of the grid.
fn settings<'run>(model: &ReportModel<'run>, detail: &TranscriptDetail<'run>) -> Vec<Setting<'run>> {
    let mut settings = Vec::new();
    for &cell in detail.cells.iter().filter(|&&cell| model.stacks[cell].is_some()) {
        let setting = model.histories[cell].setting;
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    settings
}

fn group(
    model: &ReportModel,
    detail: &TranscriptDetail<'_>,
    now: Setting<'_>,
    is_first: bool,
) -> Result<Markup, ReportError> {
    let own = detail.cells.iter().filter(|&&cell| model.histories[cell].setting == now);
    let cells: Vec<(usize, &Stack)> = own.filter_map(|&cell| Some((cell, model.stacks[cell].as_ref()?))).collect();
    let peak = cells.iter().map(|(_, stack)| stack.peak_tokens()).max().unwrap_or(0);
    let steps = cells.first().map_or(&[][..], |(cell, _)| &model.histories[*cell].windows);
    let windows = plot::Windows { steps, peak: real(peak) };
    let mut panels = Vec::new();
    for (cell, stack) in &cells {
        panels.push(panel(model, *cell, stack, windows)?);
    }
    Ok(html! {
        details open[is_first] {
            summary { b { (visible(detail.name)) } " · " (setting(&now)) (changes(&now, steps)) (windows.hidden()) " · " (cells.len()) @if cells.len() == 1 { " cell" } @else { " cells" } }
            div class="panels inside" { @for panel in &panels { (panel) } }
        }
    })
}

fn panel(model: &ReportModel, cell: usize, stack: &Stack, windows: plot::Windows<'_>) -> Result<Markup, ReportError> {
    let record = model.cells[cell].record;
    let name = format!("{} on {}", one_line(&model.labels[model.cells[cell].label]), one_line(&record.transcript));
    let drawing = plot::stack(stack, &name, windows, &format!("cache-{cell}"))?;
    Ok(html! {
        figure {
            (PreEscaped(drawing))
            figcaption {
                b { (strategy(model, model.cells[cell].label)) } " · cache " (visible(&record.cache)) ", seed " (record.seed)
                @if record.replicate > 0 { ", replicate " (record.replicate) }
                @if record.mock { (mock_tag()) }
            }
            (numbers(stack, &record.cell, &name))
        }
    })
}

/// The numbers of a plot, as they stand in `requests.csv`.
fn numbers(stack: &Stack, cell: &str, name: &str) -> Markup {
    let table = html! {
        table class="exact" data-cell=(visible(cell)) {
            caption { "Tokens of each request, as in " code { "requests.csv" } "." }
            thead { tr {
                th scope="col" { "Request" }
                th scope="col" { "Read" }
                th scope="col" { "Written" }
                th scope="col" { "Uncached" }
            } }
            tbody {
                @for point in stack.points.iter().take(ROWS) {
                    tr { th scope="row" { (point.request) } td { (count(point.read)) } td { (count(point.write)) } td { (count(point.plain)) } }
                }
            }
        }
    };
    html! {
        details {
            summary { "The numbers of this plot" }
            (scroll_fit(&format!("Prompt by request: {name}"), &table))
            @if stack.points.len() > ROWS { p class="soft" { "The first " (ROWS) " of " (count(stack.points.len() as u64)) " requests." } }
        }
    }
}
