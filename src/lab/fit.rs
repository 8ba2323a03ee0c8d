//! Coefficients of the calibrated estimator, by least absolute deviations.
//!
//! Iteratively reweighted least squares (Schlossmacher 1973): each round solves the normal equations with weights 1 / |residual|.
//! A coefficient below zero has no meaning; it is fixed at zero and the rest is fitted again. Sums are taken in the order of
//! the messages, so equal input gives equal bits.

use super::observe::Observed;
use crate::engine::estimate::calibrated::Coefficients;
use crate::stats::real;
use crate::transcript::class::{ContentClass, message_parts};
use crate::transcript::{EntryKind, Text, Transcript};

/// One coefficient per message, one per class.
const N: usize = 1 + ContentClass::ALL.len();
/// Rounds of reweighting; the residuals change by less than a token long before.
const ROUNDS: usize = 60;
/// Residuals below half a token weigh as half a token: counts are whole.
const LEAST_RESIDUAL: f64 = 0.5;

/// A fit, and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The coefficients.
    pub coefficients: Coefficients,
    /// Messages that they were fitted on.
    pub messages: u64,
    /// Mean absolute deviation on those, in tokens per message.
    pub deviation_tokens: f64,
}

/// Nothing can be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{messages} messages to fit on; {N} coefficients need more than that")]
pub struct FitError {
    /// Messages there were.
    pub messages: u64,
}

/// A message: units by class (with 1 in the first place), and its true tokens.
type Point = ([f64; N], f64);

/// Fits on the messages of sessions that were observed. A class without a message keeps its flat rate.
///
/// # Errors
/// When there are fewer messages than coefficients.
pub fn fit<'t>(sessions: impl IntoIterator<Item = (&'t Transcript, &'t Observed)>) -> Result<Fit, FitError> {
    let points: Vec<Point> =
        sessions.into_iter().flat_map(|(transcript, observed)| points(transcript, observed)).collect();
    if points.len() <= N {
        return Err(FitError { messages: points.len() as u64 });
    }
    let mut active: [bool; N] = std::array::from_fn(|at| points.iter().any(|(units, _)| units[at] > 0.0));
    let mut found = [0.0; N];
    // Every pass fixes at least one coefficient at zero, so this ends.
    for _ in 0..N {
        found = least_absolute(&points, &active);
        let negative: Vec<usize> = (0..N).filter(|&at| active[at] && found[at] < 0.0).collect();
        if negative.is_empty() {
            break;
        }
        for at in negative {
            (active[at], found[at]) = (false, 0.0);
        }
    }
    let mut coefficients = Coefficients { message: found[0], ..Coefficients::FLAT };
    for (at, &class) in ContentClass::ALL.iter().enumerate() {
        if points.iter().any(|(units, _)| units[at + 1] > 0.0) {
            *coefficients.of_mut(class) = found[at + 1].max(0.0);
        }
    }
    let deviation: f64 = points.iter().map(|(units, truth)| (dot(units, &found) - truth).abs()).sum();
    Ok(Fit { coefficients, messages: points.len() as u64, deviation_tokens: deviation / real(points.len()) })
}

fn points<'t>(transcript: &'t Transcript, observed: &'t Observed) -> impl Iterator<Item = Point> + 't {
    observed.messages.iter().filter_map(|row| {
        let EntryKind::Message(message) = &transcript.entry(row.entry).kind else { return None };
        let mut units = [0.0; N];
        units[0] = 1.0;
        message_parts(message, |class, _, text| {
            units[class as usize + 1] += text.map_or(1.0, |text| real(Text::new(text).utf16_len()));
        });
        Some((units, super::error::number(row.truth)))
    })
}

fn dot(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn least_absolute(points: &[Point], active: &[bool; N]) -> [f64; N] {
    let mut found = [0.0; N];
    for round in 0..ROUNDS {
        let mut matrix = [[0.0; N]; N];
        let mut right = [0.0; N];
        for (units, truth) in points {
            let weight = if round == 0 { 1.0 } else { 1.0 / (dot(units, &found) - truth).abs().max(LEAST_RESIDUAL) };
            for row in (0..N).filter(|&row| active[row] && units[row] > 0.0) {
                right[row] += weight * units[row] * truth;
                for column in (0..N).filter(|&column| active[column]) {
                    matrix[row][column] += weight * units[row] * units[column];
                }
            }
        }
        for (at, active) in active.iter().enumerate() {
            if !active {
                matrix[at][at] = 1.0;
            }
        }
        found = solve(matrix, right);
    }
    found
}

/// Gaussian elimination with the largest pivot. A coefficient that nothing determines is zero.
fn solve(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for at in 0..N {
        let pivot = (at..N).max_by(|&a, &b| matrix[a][at].abs().total_cmp(&matrix[b][at].abs())).unwrap_or(at);
        matrix.swap(at, pivot);
        right.swap(at, pivot);
        if matrix[at][at].abs() < 1e-9 {
            continue;
        }
        for row in at + 1..N {
            let factor = matrix[row][at] / matrix[at][at];
            let pivot_row = matrix[at];
            for (cell, above) in matrix[row].iter_mut().zip(pivot_row).skip(at) {
                *cell -= factor * above;
            }
            right[row] -= factor * right[at];
        }
    }
    let mut found = [0.0; N];
    for at in (0..N).rev() {
        let known: f64 = (at + 1..N).map(|column| matrix[at][column] * found[column]).sum();
        let pivot = matrix[at][at];
        found[at] = if pivot.abs() < 1e-9 { 0.0 } else { (right[at] - known) / pivot };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{N, Point, least_absolute};

    /// Messages of two classes: 2 tokens each, 0.25 per unit of the first, 0.7 of the second.
    fn points() -> Vec<Point> {
        let point = |prose: f64, cjk: f64| {
            let mut units = [0.0; N];
            (units[0], units[1], units[6]) = (1.0, prose, cjk);
            (units, 2.0 + 0.25 * prose + 0.7 * cjk)
        };
        (1..40).map(|at| point(f64::from(at * 17 % 101), f64::from(at * 29 % 53))).collect()
    }

    #[test]
    fn outliers_do_not_move_a_fit_of_absolute_deviations() {
        let mut active = [false; N];
        (active[0], active[1], active[6]) = (true, true, true);
        let mut points = points();
        points[3].1 += 10_000.0;
        points[20].1 += 4_000.0;
        let found = least_absolute(&points, &active);
        for (at, expected) in [(0, 2.0), (1, 0.25), (6, 0.7)] {
            assert!((found[at] - expected).abs() < 0.05, "{found:?}");
        }
        assert_eq!(found.map(f64::to_bits), least_absolute(&points, &active).map(f64::to_bits));
    }
}
