//! A comparison of two runs for people and machines: terminal, Markdown, `JUnit` XML. JSON is the comparison itself.

mod junit;
mod markdown;
mod terminal;

use crate::compare::{Comparison, Judged, LostItem};
use crate::results::{Direction, MeasureDef};

use super::number::Format;
use super::text::one_line;

/// The forms of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonForm {
    /// Plain text, at most 80 columns wide.
    Terminal,
    /// For the comment of a pull request.
    Markdown,
    /// For programs: every number.
    Json,
    /// For CI systems that show test results.
    Junit,
}

impl ComparisonForm {
    /// The whole text, with a line break at its end. Text of transcripts is made safe to show.
    pub fn render(self, comparison: &Comparison) -> String {
        match self {
            Self::Terminal => terminal::render(comparison),
            Self::Markdown => markdown::render(comparison),
            // The type holds plain values only, so this cannot fail; an empty text would show it.
            Self::Json => serde_json::to_string_pretty(comparison).unwrap_or_default() + "\n",
            Self::Junit => junit::render(comparison),
        }
    }
}

pub(super) const MOCK: &str = "Summaries were written by a mock: this says nothing about a real model.";

/// A number in the unit of a gate.
fn number(gate: &Judged, value: f64) -> String {
    format(&gate.measure, &gate.unit, value)
}

/// How a mean of a measure is written, and what stands behind it.
pub(super) fn form(measure: &str, unit: &str) -> (Format, &'static str) {
    let def = MeasureDef {
        name: measure.to_owned(),
        unit: unit.to_owned(),
        direction: Direction::Neutral,
        about: String::new(),
        version: 1,
    };
    let form = Format::mean_of(&def);
    (form, if matches!(form, Format::Percent | Format::SignedPercent) { "%" } else { "" })
}

/// A number in a unit.
fn format(measure: &str, unit: &str, value: f64) -> String {
    let (form, sign) = form(measure, unit);
    form.write(value) + sign
}

/// The same with its sign.
fn signed(gate: &Judged, value: f64) -> String {
    plus(value, number(gate, value))
}

/// A plus before what is above 0 as it is shown.
pub(super) fn plus(value: f64, text: String) -> String {
    let is_above = value > 0.0 && !text.starts_with('+') && text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    if is_above { format!("+{text}") } else { text }
}

/// `pi`, or `pi → mine` when two strategies are compared, with the model.
pub(super) fn title(gate: &Judged) -> String {
    let strategies = if gate.strategy == gate.head_strategy {
        one_line(&gate.strategy)
    } else {
        format!("{} → {}", one_line(&gate.strategy), one_line(&gate.head_strategy))
    };
    format!("{strategies} · {}", one_line(&gate.model))
}

/// Mean difference with its interval: `+0.180 [+0.090, +0.270]`.
fn difference(gate: &Judged) -> Option<String> {
    let difference = gate.difference.as_ref()?;
    let mean = signed(gate, difference.mean);
    Some(match difference.interval {
        Some([low, high]) => format!("{mean} [{}, {}]", signed(gate, low), signed(gate, high)),
        None => format!("{mean} [no interval]"),
    })
}

/// `line 14`, `lines 14, 20`.
fn lines(item: &LostItem) -> String {
    let all: Vec<String> = item.lines.iter().map(u64::to_string).collect();
    match all.as_slice() {
        [] => "line unknown".to_owned(),
        [one] => format!("line {one}"),
        _ => format!("lines {}", all.join(", ")),
    }
}
