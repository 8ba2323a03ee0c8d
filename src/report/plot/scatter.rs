//! Estimate against truth.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::super::ReportError;
use super::super::number::short;
use super::super::palette::Style;
use super::svg::{GRID, INK, WINDOW, finish, mark_colour};
use super::{Figure, axes, failed, text};

const SIZE: (u32, u32) = (760, 620);
/// More points than this only make the page heavy; every n-th is drawn.
const DRAWN: usize = 400;

/// Draws pairs of truth and estimate, and the line on which they are equal.
pub(crate) fn scatter(id: &str, title: &str, arm: usize, pairs: &[(f64, f64)]) -> Result<String, ReportError> {
    let figure = Figure {
        id,
        title: title.to_owned(),
        about: format!("{} requests; the dashed line is a right estimate", pairs.len()),
        size: SIZE,
    };
    let mut raw = String::new();
    {
        let area = SVGBackend::with_string(&mut raw, SIZE).into_drawing_area();
        draw(&area, arm, pairs)?;
        area.present().map_err(failed)?;
    }
    Ok(finish(&raw, &figure))
}

fn draw(area: &super::Area<'_>, arm: usize, pairs: &[(f64, f64)]) -> Result<(), ReportError> {
    let top = pairs.iter().map(|(truth, estimate)| truth.max(*estimate)).fold(1.0, f64::max) * 1.05;
    let mut chart = ChartBuilder::on(area)
        .margin_top(14)
        .margin_right(34)
        .x_label_area_size(86)
        .y_label_area_size(118)
        .build_cartesian_2d(0.0..top, 0.0..top)
        .map_err(failed)?;
    axes!(chart, "Truth (tokens)", "Estimate (tokens)", &|tokens: &f64| short(*tokens), &|tokens: &f64| short(
        *tokens
    ))?;
    let place = |x: f64, y: f64| chart.plotting_area().map_coordinate(&(x, y));
    area.draw(&PathElement::new(vec![place(0.0, 0.0), place(top, top)], WINDOW.stroke_width(3))).map_err(failed)?;
    let colour = mark_colour(Style::of(arm).colour);
    for (truth, estimate) in pairs.iter().step_by(pairs.len().div_ceil(DRAWN).max(1)) {
        area.draw(&Circle::new(place(*truth, *estimate), 5, colour.filled())).map_err(failed)?;
    }
    Ok(())
}
