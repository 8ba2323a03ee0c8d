//! Where estimates fail: the error of each estimator by class of content.

use maud::{Markup, PreEscaped, html};

use super::super::comparison::plus;
use super::super::model::ClassError;
use super::super::number::{Format, count};
use super::super::palette::Style;
use super::super::plot::{self, Dot, DotRow};
use super::super::text::{one_line, visible};
use super::cell::{dash, datum, how_to, names, scroll, tokens};
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};

pub(super) const SECTION: Section = Section { id: "classes", title: "Estimator error by content class", render };

/// The axis reaches as far as the errors do in whole steps, of which there are three on a side, but no further than 90 %.
const STEP: f64 = 0.1;
const WIDEST: f64 = 0.9;

fn reach(widest: f64) -> f64 {
    let steps = (widest / (3.0 * STEP)).ceil().max(1.0);
    (steps * 3.0 * STEP).min(WIDEST)
}

fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    let errors = &model.classes;
    if errors.rows.is_empty() {
        return Ok(Body::Absent("the run did not record estimates by class"));
    }
    let rows: Vec<DotRow> = errors.classes.iter().map(|class| dot_row(model, class)).collect();
    let widest = errors.rows.iter().filter_map(|row| row.error).fold(0.0, |widest: f64, error| widest.max(error.abs()));
    let axis = reach(widest);
    let title = "Estimator error by content class (% of the reference count)";
    let drawing = plot::dots("classes-plot", title, &rows, (-axis, axis), &|value| {
        format!("{} %", plus(value, Format::Whole.write(value * 100.0)))
    })?;
    let how = html! {
        "Every message that is sent, by the class that most of it is of. A dot is an estimator, in the order of the list: how far its \
         estimate lies from the exact count, on the mean over lineages; left of 0 it is too low, so that a context is larger than \
         believed. "
        @if errors.rows.iter().any(|row| row.error.is_some() && row.interval.is_ok()) { "A bar is its 95 % interval. " }
        "An estimator that is anchored to usage estimates only what came after the last usage: its error over whole \
         requests is in the strategy table."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        ul class="legend" { @for at in 0..errors.estimators.len() { (legend(model, at)) } }
        figure class="wide exact" { (PreEscaped(drawing)) figcaption { (title) } }
        (table(model))
    }))
}

/// An estimator with its mark, and the strategies that ask it.
fn legend(model: &ReportModel, at: usize) -> Markup {
    let name = model.classes.estimators[at];
    let mut asked: Vec<usize> =
        model.cells.iter().filter(|cell| cell.record.estimator == name).map(|cell| cell.label).collect();
    asked.sort_unstable();
    asked.dedup();
    html! {
        li {
            (PreEscaped(plot::swatch(Style::neutral(at)))) code { (visible(name)) }
            @if !asked.is_empty() { " (" (names(model, asked)) ")" }
        }
    }
}

fn dot_row(model: &ReportModel, class: &str) -> DotRow {
    let dot = |row: &ClassError<'_>| {
        let interval = row.interval.as_ref().ok().map(|interval| (interval.low, interval.high));
        Some(Dot { style: Style::neutral(row.estimator), at: row.error?, interval })
    };
    let dots = model.classes.rows.iter().filter(|row| row.class == class).filter_map(dot).collect();
    DotRow { label: one_line(class), dots }
}

fn table(model: &ReportModel) -> Markup {
    let table = html! {
        table class="sortable filtered" data-csv="classes.csv" {
            caption { b { "The numbers of the plot." } " The class with most tokens first." }
            thead { tr {
                th scope="col" { "Class" }
                th scope="col" { "Estimator" }
                th scope="col" class="num" { "Error" span class="unit" { "mean, %" } }
                th scope="col" class="num" { "95 % interval" span class="unit" { "or least … greatest, %" } }
                th scope="col" class="num" { "Messages" span class="unit" { "count" } }
                th scope="col" class="num" { "Reference" span class="unit" { "tokens" } }
                th scope="col" class="num" { "Estimate" span class="unit" { "tokens" } }
                th scope="col" class="num" { "Lineages" span class="unit" { "count" } }
            } }
            tbody { @for (at, row) in model.classes.rows.iter().enumerate() { (one(model, at, row)) } }
        }
    };
    scroll("Estimator error by content class", &table)
}

fn one(model: &ReportModel, at: usize, row: &ClassError<'_>) -> Markup {
    let percent = |value: f64, column: &str| datum(value, column, &Format::SignedPercent.write(value));
    html! {
        tr data-row=(at) {
            th scope="row" { (visible(row.class)) }
            td { (PreEscaped(plot::swatch(Style::neutral(row.estimator)))) (visible(model.classes.estimators[row.estimator])) }
            @match row.error {
                Some(error) => td class="num" { (percent(error, "error")) },
                None => td class="num void" { (dash(&["nothing to compare with"])) },
            }
            @match (&row.interval, row.range) {
                (Ok(interval), _) => td class="num" { "[" (percent(interval.low, "low")) ", " (percent(interval.high, "high")) "]" },
                (Err(reason), Some((least, greatest))) => td class="num" title={ "no interval: " (visible(reason)) } {
                    (percent(least, "least")) " … " (percent(greatest, "greatest"))
                },
                (Err(reason), None) => td class="num void" { (dash(&[reason.as_str()])) },
            }
            (tokens(row.messages, "messages"))
            (tokens(row.reference_tokens, "reference_tokens"))
            (tokens(row.estimate_tokens, "estimate_tokens"))
            td class="num" { (datum(row.lineages, "lineages", &count(row.lineages as u64))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reach;

    #[test]
    fn the_axis_has_whole_steps() {
        for (widest, reaches) in [(0.0, 0.3), (0.2, 0.3), (0.54, 0.6), (5.0, 0.9)] {
            assert!((reach(widest) - reaches).abs() < 1e-9, "{widest}");
        }
    }
}
