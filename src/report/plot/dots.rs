//! Rows of dots with intervals: a forest plot, and anything else that has a number per row and arm.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::super::ReportError;
use super::super::palette::Style;
use super::super::text::shortened;
use super::svg::{GRID, INK, finish};
use super::{Figure, failed, marker, text};

/// Units of the drawing per dot, and between rows.
const LANE: u32 = 24;
const GAP: u32 = 26;
const WIDTH: u32 = 1_100;
const LEFT: i32 = 260;
/// Longest label, in characters.
const LABEL: usize = 19;

/// One number with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    /// Colour and marker.
    pub(crate) style: Style,
    /// The number.
    pub(crate) at: f64,
    /// Bounds, where there are some.
    pub(crate) interval: Option<(f64, f64)>,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DotRow {
    /// What it is about.
    pub(crate) label: String,
    /// Its dots, one below the other.
    pub(crate) dots: Vec<Dot>,
}

/// Draws rows of dots on one axis; what lies outside of `range` is drawn at its end. `axis` writes a value.
pub(crate) fn dots(
    id: &str,
    title: &str,
    rows: &[DotRow],
    range: (f64, f64),
    axis: &dyn Fn(f64) -> String,
) -> Result<String, ReportError> {
    let height = rows.iter().map(|row| GAP + LANE * u32::try_from(row.dots.len()).unwrap_or(0)).sum::<u32>() + 70;
    let figure = Figure {
        id,
        title: title.to_owned(),
        about: rows.iter().map(|row| row.label.as_str()).collect::<Vec<_>>().join(", "),
        size: (WIDTH, height),
    };
    let mut raw = String::new();
    {
        let area = SVGBackend::with_string(&mut raw, (WIDTH, height)).into_drawing_area();
        draw(&area, rows, range, axis, height.cast_signed())?;
        area.present().map_err(failed)?;
    }
    Ok(finish(&raw, &figure))
}

fn draw(
    area: &super::Area<'_>,
    rows: &[DotRow],
    (low, high): (f64, f64),
    axis: &dyn Fn(f64) -> String,
    height: i32,
) -> Result<(), ReportError> {
    let right = WIDTH.cast_signed() - 40;
    #[expect(clippy::cast_possible_truncation, reason = "a place on the drawing")]
    let place = |value: f64| {
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        LEFT + (share * f64::from(right - LEFT)).round() as i32
    };
    let bottom = height - 60;
    for tick in 0..=6 {
        let value = low + (high - low) * f64::from(tick) / 6.0;
        let x = place(value);
        area.draw(&PathElement::new(vec![(x, 6), (x, bottom)], GRID.stroke_width(2))).map_err(failed)?;
        area.draw_text(&axis(value), &text(HPos::Center, VPos::Top), (x, bottom + 10)).map_err(failed)?;
    }
    if low < 0.0 && high > 0.0 {
        let zero = vec![(place(0.0), 6), (place(0.0), bottom)];
        area.draw(&PathElement::new(zero, INK.stroke_width(3))).map_err(failed)?;
    }
    let mut y = 6;
    for row in rows {
        let lanes = LANE.cast_signed() * i32::try_from(row.dots.len()).unwrap_or(0);
        let middle = (LEFT - 20, y + i32::midpoint(GAP.cast_signed(), lanes));
        area.draw_text(&shortened(&row.label, LABEL), &text(HPos::Right, VPos::Center), middle).map_err(failed)?;
        y += GAP.cast_signed() / 2;
        for dot in &row.dots {
            let centre = y + LANE.cast_signed() / 2;
            if let Some((from, to)) = dot.interval {
                let ends = vec![(place(from), centre), (place(to), centre)];
                area.draw(&PathElement::new(ends, INK.stroke_width(3))).map_err(failed)?;
            }
            marker(area, dot.style, (place(dot.at), centre), 10)?;
            y += LANE.cast_signed();
        }
        y += GAP.cast_signed() / 2;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Dot, DotRow, Style, dots};

    #[test]
    fn a_dot_outside_of_the_axis_is_drawn_at_its_end() {
        let row = |at| {
            let dot = Dot { style: Style::of(0), at, interval: None };
            vec![DotRow { label: "prose".to_owned(), dots: vec![dot] }]
        };
        let draw = |at| dots("d", "Errors", &row(at), (-1.0, 1.0), &|value| format!("{value:.1}")).unwrap();
        assert_eq!(draw(7.0), draw(1.0));
        assert_ne!(draw(0.5), draw(1.0));
        assert!(draw(0.5).contains("prose"));
    }
}
