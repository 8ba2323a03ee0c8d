//! The prompt of each request, stacked by how the cache served it.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::super::ReportError;
use super::super::model::{Stack, StackPoint};
use super::super::number::{Format, count, real, short};
use super::svg::{FRONT, GRID, INK, area_colour, finish};
use super::{Area, Figure, Windows, axes, failed, text};

const SIZE: (u32, u32) = (960, 460);
/// Beyond so many requests, the largest of every few is drawn.
const DRAWN: usize = 400;
/// Colours of what is read, written and neither, as indices of the palette.
pub(crate) const BANDS: [(usize, &str); 3] = [(0, "read from the cache"), (1, "written to it"), (2, "uncached")];

/// Draws one cell. `name` says whose it is; the windows, and the largest prompt beside them, are those of all plots of the
/// transcript, so that they can be compared.
pub(crate) fn stack(stack: &Stack, name: &str, windows: Windows<'_>, id: &str) -> Result<String, ReportError> {
    let figure = Figure { id, title: format!("Prompt by request: {name}"), about: about(stack), size: SIZE };
    let mut raw = String::new();
    {
        let area = SVGBackend::with_string(&mut raw, SIZE).into_drawing_area();
        draw(&area, stack, windows)?;
        area.present().map_err(failed)?;
    }
    Ok(finish(&raw, &figure))
}

fn about(stack: &Stack) -> String {
    let total: u64 = stack.points.iter().map(StackPoint::prompt).sum();
    let share = |of: fn(&StackPoint) -> u64| {
        let part: u64 = stack.points.iter().map(of).sum();
        Format::Percent.write(real(part) / real(total.max(1)))
    };
    let at: Vec<String> = stack.compactions.iter().map(|request| count(*request)).collect();
    format!(
        "{} requests, peak {} tokens; {} % read from the cache, {} % written, {} % neither; compactions before request: {}",
        stack.points.len(),
        short(real(stack.peak_tokens())),
        share(|point| point.read),
        share(|point| point.write),
        share(|point| point.plain),
        if at.is_empty() { "none".to_owned() } else { at.join(", ") }
    )
}

fn draw(area: &Area<'_>, stack: &Stack, windows: Windows<'_>) -> Result<(), ReportError> {
    let ceiling = (windows.top() * 1.05).max(1.0);
    let last = stack.points.last().map_or(1.0, |point| real(point.request));
    let mut chart = ChartBuilder::on(area)
        .margin_top(34)
        .margin_right(26)
        .x_label_area_size(86)
        .y_label_area_size(118)
        .build_cartesian_2d(0.5..last + 0.5, 0.0..ceiling)
        .map_err(failed)?;
    axes!(chart, "Request", "Prompt (tokens)", &|request: &f64| super::context::whole(*request), &|tokens: &f64| {
        short(*tokens)
    })?;
    let place = |request: f64, tokens: f64| chart.plotting_area().map_coordinate(&(request, tokens));
    let points = thinned(&stack.points);
    for (colour, height) in layers(&points) {
        let outline =
            steps(&points, height).into_iter().map(|(request, tokens)| place(request, tokens)).collect::<Vec<_>>();
        area.draw(&Polygon::new(outline, area_colour(colour).filled())).map_err(failed)?;
    }
    windows.draw(area, (0.5, last + 0.5), ceiling, place)?;
    let marks = stack.compactions.iter().map(|request| place(real(*request) - 0.5, 0.0).0);
    for x in marks {
        let (head, foot) = (place(1.0, ceiling).1, place(1.0, 0.0).1);
        area.draw(&PathElement::new(vec![(x, head), (x, foot)], FRONT.stroke_width(4))).map_err(failed)?;
        let tip = vec![(x - 11, head - 20), (x + 11, head - 20), (x, head)];
        area.draw(&Polygon::new(tip, INK.filled())).map_err(failed)?;
    }
    Ok(())
}

type Height = fn(&StackPoint) -> u64;

/// The areas from back to front, each down to the axis: the next one covers its lower part. One that adds nothing is left out.
fn layers(points: &[StackPoint]) -> Vec<(usize, Height)> {
    let all: [(usize, Height, Height); 3] = [
        (BANDS[2].0, StackPoint::prompt, |point| point.plain),
        (BANDS[1].0, |point| point.read + point.write, |point| point.write),
        (BANDS[0].0, |point| point.read, |point| point.read),
    ];
    all.into_iter()
        .filter(|(_, _, own)| points.iter().any(|point| own(point) > 0))
        .map(|(colour, height, _)| (colour, height))
        .collect()
}

/// An outline with a step as wide as a request.
fn steps(points: &[StackPoint], height: Height) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let mut outline = vec![(real(first.request) - 0.5, 0.0)];
    for (at, point) in points.iter().enumerate() {
        let tokens = real(height(point));
        let until = points.get(at + 1).map_or(real(point.request) + 0.5, |next| real(next.request) - 0.5);
        outline.push((real(point.request) - 0.5, tokens));
        outline.push((until, tokens));
    }
    outline.push((real(last.request) + 0.5, 0.0));
    outline
}

/// Of every few requests the one with the largest prompt.
fn thinned(points: &[StackPoint]) -> Vec<StackPoint> {
    let each = points.len().div_ceil(DRAWN).max(1);
    points.chunks(each).filter_map(|few| few.iter().copied().max_by_key(StackPoint::prompt)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(request: u64, read: u64, write: u64, plain: u64) -> StackPoint {
        StackPoint { request, read, write, plain }
    }

    #[test]
    fn a_request_is_a_step_and_nothing_is_no_area() {
        let points = [point(1, 0, 10, 0), point(2, 10, 5, 0)];
        assert_eq!(
            steps(&points, StackPoint::prompt),
            [(0.5, 0.0), (0.5, 10.0), (1.5, 10.0), (1.5, 15.0), (2.5, 15.0), (2.5, 0.0)]
        );
        // Nothing is uncached, so that only what is written and, over it, what is read is drawn.
        assert_eq!(layers(&points).iter().map(|layer| layer.0).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(layers(&[point(1, 0, 0, 4)]).len(), 1);
    }

    #[test]
    fn of_many_requests_the_largest_are_drawn() {
        let points: Vec<StackPoint> = (1..=1_000).map(|at| point(at, if at == 500 { 99 } else { 1 }, 0, 0)).collect();
        let drawn = thinned(&points);
        assert_eq!(drawn.len(), 334);
        assert!(drawn.iter().any(|point| point.read == 99));
        let cell = Stack { points, compactions: vec![500] };
        assert!(
            about(&cell).contains("100.0 % read") && about(&cell).ends_with("before request: 500"),
            "{}",
            about(&cell)
        );
    }
}
