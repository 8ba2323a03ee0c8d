//! A measured number, or the reason why there is none.

use serde::{Deserialize, Serialize};

/// A number, or void with a reason. Void never becomes a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The number, in the unit of its [`MeasureDef`].
    Value(f64),
    /// Why there is none.
    Void(String),
}

impl Measure {
    /// The number, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Void(_) => None,
        }
    }

    /// Void, for this reason.
    pub fn void(reason: impl Into<String>) -> Self {
        Self::Void(reason.into())
    }
}

impl From<f64> for Measure {
    /// A number that is not finite is void: it is no measurement.
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Value(value) } else { Self::void("the number is not finite") }
    }
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither: a description.
    Neutral,
}

/// What a measure means. The manifest of a run carries the definitions of all its measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasureDef {
    /// Name, with its unit as the last part where it has one: `invalidated_tokens`.
    pub name: String,
    /// Unit: `tokens`, `ratio`, `count`, `score`, …
    pub unit: String,
    /// Which way is better.
    pub direction: Direction,
    /// One line for people.
    pub about: String,
    /// Raised when the same inputs give another number than before: values of different versions are not compared.
    #[serde(default = "first_version")]
    pub version: u32,
}

fn first_version() -> u32 {
    1
}
