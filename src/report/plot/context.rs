//! Context size over requests.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::super::ReportError;
use super::super::model::{ContextLine, ContextPanel, Point};
use super::super::number::{counted, short};
use super::super::palette::Style;
use super::super::text::visible;
use super::svg::{GRID, INK, finish, line_colour};
use super::{Area, Figure, Windows, axes, cross, failed, marker, text};

const SIZE: (u32, u32) = (960, 580);
/// Beyond so many points per line, only those that can be seen are drawn.
const DRAWN_POINTS: usize = 1200;

/// Draws a panel. `labels` are the names of the strategies.
pub(crate) fn context(panel: &ContextPanel<'_>, labels: &[String], id: &str) -> Result<String, ReportError> {
    let figure = figure(panel, labels, id);
    let mut raw = String::new();
    {
        let area = SVGBackend::with_string(&mut raw, SIZE).into_drawing_area();
        draw(&area, panel)?;
        area.present().map_err(failed)?;
    }
    Ok(finish(&raw, &figure))
}

fn figure<'a>(panel: &ContextPanel<'_>, labels: &[String], id: &'a str) -> Figure<'a> {
    let lines = panel.lines.iter().map(|line| {
        let name = labels.get(line.label).map_or("?", String::as_str);
        let peak = line.points.iter().map(|point| point.tokens).fold(0.0, f64::max);
        let compactions = counted(line.compactions.len(), "compaction");
        format!("{name}: {compactions}, peak {} tokens", short(peak))
    });
    Figure {
        id,
        title: format!("Context size over requests: {}", visible(panel.transcript)),
        about: lines.collect::<Vec<_>>().join("; "),
        size: SIZE,
    }
}

fn draw(area: &Area<'_>, panel: &ContextPanel<'_>) -> Result<(), ReportError> {
    let windows = Windows { steps: &panel.windows, peak: panel.peak_tokens() };
    let (ceiling, end) = ((windows.top() * 1.1).max(1.0), panel.last_request() + 0.5);
    let mut chart = ChartBuilder::on(area)
        .margin_top(14)
        .margin_right(26)
        .x_label_area_size(86)
        .y_label_area_size(118)
        .build_cartesian_2d(0.0..end, 0.0..ceiling)
        .map_err(failed)?;
    axes!(chart, "Request", "Context (reference tokens)", &|request: &f64| whole(*request), &|tokens: &f64| short(
        *tokens
    ))?;
    let place = |point: &Point| chart.plotting_area().map_coordinate(&(point.request, point.tokens));
    windows.draw(area, (0.0, end), ceiling, |request, tokens| place(&Point { request, tokens }))?;
    for line in &panel.lines {
        let points = thinned(line.points.iter().map(place));
        area.draw(&PathElement::new(points, line_colour(line.label).stroke_width(4))).map_err(failed)?;
    }
    // Strategies often compact at the same place: each later marker is smaller, so that it hides no earlier one.
    for (line, radius) in panel.lines.iter().zip([15, 12, 10].into_iter().chain(std::iter::repeat(8))) {
        marks(area, line, radius, place)?;
    }
    Ok(())
}

fn marks(
    area: &Area<'_>,
    line: &ContextLine,
    radius: i32,
    place: impl Fn(&Point) -> (i32, i32),
) -> Result<(), ReportError> {
    for point in &line.compactions {
        marker(area, Style::of(line.label), place(point), radius)?;
    }
    line.overflows.iter().try_for_each(|point| cross(area, place(point), 11))
}

/// Requests are whole; plotters may put a tick between two.
pub(super) fn whole(request: f64) -> String {
    if (request - request.round()).abs() < 1e-9 { format!("{request:.0}") } else { String::new() }
}

/// Per column of the drawing, the first, the highest, the lowest and the last point: the picture stays the same.
fn thinned(points: impl Iterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
    let points: Vec<(i32, i32)> = points.collect();
    if points.len() <= DRAWN_POINTS {
        return points;
    }
    let mut kept = Vec::new();
    for column in points.chunk_by(|left, right| left.0 == right.0) {
        let mut indices = vec![0, column.len() - 1];
        indices.extend((0..column.len()).min_by_key(|&index| column[index].1));
        indices.extend((0..column.len()).max_by_key(|&index| column[index].1));
        indices.sort_unstable();
        indices.dedup();
        kept.extend(indices.into_iter().map(|index| column[index]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_picture() {
        let points = (0..3000).map(|index| (index / 1000, if index == 1500 { 99 } else { index % 7 }));
        let kept = thinned(points);
        assert!(kept.len() <= 12);
        assert!(kept.contains(&(1, 99)));
        assert_eq!((kept[0], kept[kept.len() - 1]), ((0, 0), (2, 2999 % 7)));
    }

    #[test]
    fn ticks_between_requests_have_no_label() {
        assert_eq!(whole(2.0), "2");
        assert_eq!(whole(2.5), "");
    }
}
