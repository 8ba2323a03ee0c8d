//! The line of the context window: a step where the session goes on with a model of another size.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::super::ReportError;
use super::super::model::WindowStep;
use super::super::number::{real, short};
use super::svg::WINDOW;
use super::{Area, failed, text, text_width};

/// A window higher than the highest context by more than this would flatten the lines; it is named instead.
const SHOWN: f64 = 1.7;

/// The windows over the requests of a plot.
#[derive(Clone, Copy)]
pub(crate) struct Windows<'w> {
    /// In order.
    pub(crate) steps: &'w [WindowStep<'w>],
    /// The highest context of the plot, in tokens.
    pub(crate) peak: f64,
}

/// A window, from one place to another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    from: f64,
    to: f64,
    tokens: f64,
}

impl Windows<'_> {
    fn shows(self, tokens: f64) -> bool {
        tokens <= self.peak * SHOWN
    }

    /// The highest that a plot with these windows shows, in tokens.
    pub(super) fn top(self) -> f64 {
        let all = self.steps.iter().map(|step| real(step.tokens));
        all.filter(|tokens| self.shows(*tokens)).fold(self.peak, f64::max)
    }

    /// What of the windows lies above the plot, in words; nothing where all are drawn.
    pub(crate) fn hidden(self) -> &'static str {
        match self.steps.iter().filter(|step| !self.shows(real(step.tokens))).count() {
            0 => "",
            hidden if hidden == self.steps.len() => ", above the plot",
            _ => ", in part above the plot",
        }
    }

    /// The windows between two places. A request reaches half a step to each side.
    fn pieces(self, start: f64, end: f64) -> Vec<Piece> {
        let place = |at: usize| self.steps.get(at).map_or(end, |step| (real(step.request) - 0.5).min(end));
        let piece = |(at, step): (usize, &WindowStep<'_>)| Piece {
            from: if at == 0 { start } else { place(at) },
            to: place(at + 1),
            tokens: real(step.tokens),
        };
        self.steps.iter().enumerate().map(piece).filter(|piece| piece.from < piece.to).collect()
    }

    /// The lines to draw, in requests and tokens. One that leaves the plot goes up to its `ceiling`.
    fn lines(self, pieces: &[Piece], ceiling: f64) -> Vec<Vec<(f64, f64)>> {
        let mut lines: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
        for (at, piece) in pieces.iter().enumerate() {
            let line = lines.last_mut().filter(|_| self.shows(piece.tokens));
            let Some(line) = line else {
                // The window before this one may have been drawn.
                if let Some(before) = lines.last_mut().filter(|line| !line.is_empty()) {
                    before.push((piece.from, ceiling));
                    lines.push(Vec::new());
                }
                continue;
            };
            if at > 0 && line.is_empty() {
                line.push((piece.from, ceiling));
            }
            line.extend([(piece.from, piece.tokens), (piece.to, piece.tokens)]);
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    /// Draws them from one place to another, each with its size where there is room for it.
    pub(super) fn draw(
        self,
        area: &Area<'_>,
        (start, end): (f64, f64),
        ceiling: f64,
        place: impl Fn(f64, f64) -> (i32, i32),
    ) -> Result<(), ReportError> {
        let pieces = self.pieces(start, end);
        for line in self.lines(&pieces, ceiling) {
            let points: Vec<(i32, i32)> = line.into_iter().map(|(request, tokens)| place(request, tokens)).collect();
            area.draw(&PathElement::new(points, WINDOW.stroke_width(3))).map_err(failed)?;
        }
        for piece in pieces.iter().filter(|piece| self.shows(piece.tokens)) {
            let label = format!("window {}", short(piece.tokens));
            let (left, right, height) = (place(piece.from, 0.0).0, place(piece.to, 0.0).0, place(0.0, piece.tokens).1);
            // Beside a short piece the words would lie on what is drawn before it; the caption has its size.
            if pieces.len() > 1 && right - left < text_width(&label) {
                continue;
            }
            area.draw_text(&label, &text(HPos::Right, VPos::Bottom), (right, height - 4)).map_err(failed)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [(u64, u64); 3] = [(1, 1_000), (3, 100), (5, 120)];

    fn steps(all: &[(u64, u64)]) -> Vec<WindowStep<'static>> {
        all.iter().map(|&(request, tokens)| WindowStep { request, model: "m", tokens }).collect()
    }

    #[test]
    fn one_window_is_one_line() {
        let steps = steps(&[(1, 100)]);
        let windows = Windows { steps: &steps, peak: 60.0 };
        let pieces = windows.pieces(0.0, 9.5);
        assert_eq!(windows.lines(&pieces, 110.0), [[(0.0, 100.0), (9.5, 100.0)]]);
        assert!((windows.top() - 100.0).abs() < 1e-9);
        assert_eq!(windows.hidden(), "");
        let low = Windows { peak: 50.0, ..windows };
        assert_eq!((low.lines(&pieces, 55.0).len(), low.hidden()), (0, ", above the plot"));
    }

    #[test]
    fn a_change_is_a_step_before_its_request() {
        let steps = steps(&STEPS);
        let windows = Windows { steps: &steps, peak: 900.0 };
        let lines = windows.lines(&windows.pieces(0.0, 6.5), 1_100.0);
        let expected =
            [(0.0, 1_000.0), (2.5, 1_000.0), (2.5, 100.0), (4.5, 100.0), (4.5, 120.0), (6.5, 120.0)].to_vec();
        assert_eq!(lines, [expected]);
    }

    #[test]
    fn a_window_above_the_plot_is_left_out_and_the_step_comes_from_above() {
        let steps = steps(&[(1, 100), (3, 1_000), (5, 120)]);
        let windows = Windows { steps: &steps, peak: 90.0 };
        let lines = windows.lines(&windows.pieces(0.5, 6.5), 130.0);
        let (first, last) = ([(0.5, 100.0), (2.5, 100.0), (2.5, 130.0)], [(4.5, 130.0), (4.5, 120.0), (6.5, 120.0)]);
        assert_eq!(lines, [first.to_vec(), last.to_vec()]);
        assert!((windows.top() - 120.0).abs() < 1e-9);
        assert_eq!(windows.hidden(), ", in part above the plot");
    }

    #[test]
    fn a_change_behind_the_plot_is_not_in_it() {
        let steps = steps(&STEPS);
        let windows = Windows { steps: &steps, peak: 900.0 };
        assert_eq!(windows.pieces(0.5, 2.5).len(), 1);
    }
}
