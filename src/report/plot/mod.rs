//! Plots as SVG that takes its colours from the page, so that one file serves the light and the dark theme.
//!
//! Plotters draws on whole units and without fonts. A plot is therefore drawn at two units a pixel, its text sizes are
//! guessed, and the colours that plotters writes are place-holders that [`svg`] replaces.

mod cache;
mod context;
mod dots;
mod pareto;
mod scatter;
mod stack;
mod svg;
mod window;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub use cache::{BreakEvenLine, break_even, cache_requests, cache_sweep};
pub(super) use cache::{break_even_figure, cache_sweep_figure};
pub(super) use context::context;
pub(super) use dots::{Dot, DotRow, dots};
pub(super) use pareto::pareto;
pub(super) use scatter::scatter;
pub(super) use stack::{BANDS, stack};
pub(super) use svg::{band, swatch};
pub(super) use window::Windows;

use super::ReportError;
use super::palette::{Style, outline};
use svg::{INK, mark_colour};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Height of the text of axes and labels, in units of the plot.
const TEXT: f64 = 25.0;

/// Plotters divides a font size by this when it writes SVG.
const PLOTTERS_FONT_SCALE: f64 = 1.24;

/// What a plot is, for those who do not see it, and the size it is drawn at.
pub(super) struct Figure<'a> {
    /// An id that is unique on the page.
    pub(super) id: &'a str,
    /// One line.
    pub(super) title: String,
    /// What can be seen in it.
    pub(super) about: String,
    /// Width and height, in units.
    pub(super) size: (u32, u32),
}

fn text(horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let style = TextStyle::from(("sans-serif", TEXT * PLOTTERS_FONT_SCALE).into_font());
    style.color(&INK).pos(Pos::new(horizontal, vertical))
}

/// Width of a text, in units. Measured on the usual sans-serif faces: a character takes about 0.55 of the height.
#[expect(clippy::cast_possible_truncation, reason = "a label is far shorter than 2^31 units")]
fn text_width(label: &str) -> i32 {
    (super::number::real(super::text::width(label) as u64) * TEXT * 0.55) as i32
}

fn failed(error: impl std::fmt::Display) -> ReportError {
    ReportError::Plot(error.to_string())
}

/// A marker with its centre at this place of the drawing.
fn marker(area: &Area<'_>, style: Style, centre: (i32, i32), radius: i32) -> Result<(), ReportError> {
    let corners: Vec<(i32, i32)> =
        outline(style.marker, radius).into_iter().map(|(x, y)| (centre.0 + x, centre.1 + y)).collect();
    area.draw(&Polygon::new(corners, mark_colour(style.colour).filled())).map_err(failed)
}

/// A cross, for what failed.
fn cross(area: &Area<'_>, (x, y): (i32, i32), radius: i32) -> Result<(), ReportError> {
    for (from, to) in [((-1, -1), (1, 1)), ((-1, 1), (1, -1))] {
        let corner = |(dx, dy): (i32, i32)| (x + dx * radius, y + dy * radius);
        area.draw(&PathElement::new(vec![corner(from), corner(to)], INK.stroke_width(4))).map_err(failed)?;
    }
    Ok(())
}

/// Axes with titles, and horizontal grid lines.
macro_rules! axes {
    ($chart:expr, $x:expr, $y:expr, $x_label:expr, $y_label:expr) => {
        $chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID.stroke_width(2))
            .axis_style(INK.stroke_width(2))
            .label_style(text(HPos::Left, VPos::Top))
            .axis_desc_style(text(HPos::Left, VPos::Top))
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter($x_label)
            .y_label_formatter($y_label)
            .x_desc($x)
            .y_desc($y)
            .draw()
            .map_err(failed)
    };
}
use axes;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_width_counts_wide_characters_twice() {
        assert_eq!(text_width("pi"), 27);
        assert_eq!(text_width("压"), 27);
    }
}
