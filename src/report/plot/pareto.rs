//! A cost against goal-loss.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::super::ReportError;
use super::super::model::{ParetoPanel, ParetoPoint};
use super::super::number::short;
use super::super::palette::Style;
use super::super::text::shortened;
use super::svg::{FRONT, GRID, INK, finish};
use super::{Area, Figure, axes, failed, marker, text, text_width};

const SIZE: (u32, u32) = (960, 620);
const RADIUS: i32 = 14;
/// Longest label, in characters.
const LABEL: usize = 28;

/// Draws a panel. `labels` are the names of the strategies.
pub(crate) fn pareto(panel: &ParetoPanel<'_>, labels: &[String], id: &str) -> Result<String, ReportError> {
    let name = |point: &ParetoPoint| labels.get(point.label).map_or("?", String::as_str);
    let front: Vec<&str> = panel.points.iter().filter(|point| point.in_set).map(name).collect();
    let figure = Figure {
        id,
        title: format!("{} against goal-loss", panel.axis.head),
        about: format!("{} strategies; in the Pareto set: {}", panel.points.len(), front.join(", ")),
        size: SIZE,
    };
    let mut raw = String::new();
    {
        let area = SVGBackend::with_string(&mut raw, SIZE).into_drawing_area();
        draw(&area, panel, &name)?;
        area.present().map_err(failed)?;
    }
    Ok(finish(&raw, &figure))
}

fn draw<'a>(
    area: &Area<'_>,
    panel: &ParetoPanel<'_>,
    name: &impl Fn(&ParetoPoint) -> &'a str,
) -> Result<(), ReportError> {
    let highest = |of: fn(&ParetoPoint) -> f64| panel.points.iter().map(of).fold(0.0, f64::max);
    let is_usd = panel.axis.measure.ends_with("_usd");
    let right = (highest(|point| point.cost) * 1.15).max(if is_usd { 1e-6 } else { 1.0 });
    let top = (highest(|point| point.goal_loss) * 1.15).max(0.1);
    let mut chart = ChartBuilder::on(area)
        .margin_top(20)
        .margin_right(30)
        .x_label_area_size(86)
        .y_label_area_size(118)
        .build_cartesian_2d(0.0..right, panel.points.iter().map(|point| point.goal_loss).fold(0.0, f64::min)..top)
        .map_err(failed)?;
    axes!(
        chart,
        panel.axis.title,
        "Goal-loss (mean score)",
        &|cost: &f64| tick(*cost, is_usd, right),
        &|loss: &f64| format!("{loss:.2}")
    )?;
    let place = |kept: f64, loss: f64| chart.plotting_area().map_coordinate(&(kept, loss));
    let stairs: Vec<(i32, i32)> = stairs(&panel.points).into_iter().map(|(kept, loss)| place(kept, loss)).collect();
    let mut taken: Vec<Frame> = stairs.windows(2).map(|ends| Frame::along(ends[0], ends[1])).collect();
    area.draw(&PathElement::new(stairs, FRONT.stroke_width(4))).map_err(failed)?;
    let centres: Vec<(i32, i32)> = panel.points.iter().map(|point| place(point.cost, point.goal_loss)).collect();
    for (point, &centre) in panel.points.iter().zip(&centres) {
        let radius = if point.in_set { RADIUS } else { RADIUS - 4 };
        marker(area, Style::of(point.label), centre, radius)?;
    }
    taken.extend(centres.iter().map(|&centre| Frame::around(centre, RADIUS, RADIUS)));
    for (point, &centre) in panel.points.iter().zip(&centres) {
        label(area, &shortened(name(point), LABEL), centre, &mut taken)?;
    }
    Ok(())
}

/// A cost at the axis; dollars with as many decimals as tell the ticks apart.
fn tick(cost: f64, is_usd: bool, right: f64) -> String {
    match right {
        _ if !is_usd => short(cost),
        right if right >= 10.0 => format!("${cost:.0}"),
        right if right >= 0.1 => format!("${cost:.2}"),
        _ => format!("${cost:.4}"),
    }
}

/// The front as stairs: between two of its strategies, nothing better than the left one is known.
fn stairs(points: &[ParetoPoint]) -> Vec<(f64, f64)> {
    let mut front: Vec<(f64, f64)> =
        points.iter().filter(|point| point.in_set).map(|point| (point.cost, point.goal_loss)).collect();
    front.sort_by(|left, right| left.0.total_cmp(&right.0));
    let mut stairs = Vec::new();
    let mut height = None;
    for (kept, loss) in front {
        stairs.extend(height.map(|before| (kept, before)));
        stairs.push((kept, loss));
        height = Some(loss);
    }
    stairs
}

/// A rectangle that a marker or a label takes.
#[derive(Clone, Copy)]
struct Frame {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Frame {
    fn around((x, y): (i32, i32), half_width: i32, half_height: i32) -> Self {
        Self { left: x - half_width, top: y - half_height, right: x + half_width, bottom: y + half_height }
    }

    /// A horizontal or vertical line.
    fn along((x, y): (i32, i32), (to_x, to_y): (i32, i32)) -> Self {
        Self { left: x.min(to_x) - 3, top: y.min(to_y) - 3, right: x.max(to_x) + 3, bottom: y.max(to_y) + 3 }
    }

    fn overlap(&self, other: &Self) -> i32 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0) * height.max(0)
    }

    /// How much of it lies outside the plot.
    fn outside(&self) -> i32 {
        let (width, height) = (SIZE.0.cast_signed(), SIZE.1.cast_signed());
        let beyond = [118 - self.left, self.right - width, -self.top, self.bottom - (height - 86)];
        beyond.into_iter().map(|excess| excess.max(0) * 100).sum()
    }
}

/// Writes a label where it hides least: right, left, above or below its marker, then farther off.
fn label(area: &Area<'_>, name: &str, (x, y): (i32, i32), taken: &mut Vec<Frame>) -> Result<(), ReportError> {
    let (half, step) = (text_width(name) / 2 + 4, 15);
    let side = half + RADIUS + 6;
    let places = [(side, 0), (-side, 0), (0, -34), (0, 34), (side, -28), (side, 28), (-side, -28), (-side, 28)];
    let frames = places.map(|(dx, dy)| Frame::around((x + dx, y + dy), half, step));
    let cost = |frame: &Frame| frame.outside() + taken.iter().map(|other| frame.overlap(other)).sum::<i32>();
    let Some(best) = frames.into_iter().min_by_key(cost) else { return Ok(()) };
    taken.push(best);
    let centre = (i32::midpoint(best.left, best.right), i32::midpoint(best.top, best.bottom));
    area.draw_text(name, &text(HPos::Center, VPos::Center), centre).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stairs_go_right_then_down() {
        let point = |cost, goal_loss, in_set| ParetoPoint {
            label: 0,
            cost,
            goal_loss,
            n: 1,
            left_out: 0,
            lineages: 1,
            is_comparable: true,
            in_set,
        };
        let points = [point(40.0, 0.1, true), point(10.0, 0.9, true), point(50.0, 0.8, false)];
        assert_eq!(stairs(&points), [(10.0, 0.9), (40.0, 0.9), (40.0, 0.1)]);
    }

    #[test]
    fn dollars_have_decimals() {
        assert_eq!(
            [tick(0.2, true, 1.0), tick(0.001, true, 0.01), tick(20.0, true, 99.0)],
            ["$0.20", "$0.0010", "$20"]
        );
        assert_eq!(tick(20_000.0, false, 1.0), "20k");
    }

    #[test]
    fn frames_overlap_by_area() {
        let frame = Frame::around((200, 200), 10, 5);
        assert_eq!(frame.overlap(&Frame::around((210, 200), 10, 5)), 100);
        assert_eq!(frame.overlap(&Frame::around((300, 200), 10, 5)), 0);
        assert_eq!(frame.outside(), 0);
        assert_eq!(Frame::around((100, 200), 10, 5).outside(), 2800);
    }
}
