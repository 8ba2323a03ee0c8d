//! What can be set on the mock.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How the mock fails, on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// It does not.
    #[default]
    None,
    /// About one request in this many fails. Which ones is decided by their text, not by a counter: with a counter,
    /// the order in which threads happen to ask would change the results.
    OneIn(u32),
    /// A prompt of more characters than this is refused as too long.
    OverflowAbove(u64),
    /// Every answer breaks off in the middle, as at an output limit.
    Truncated,
}

/// Settings of the mock.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MockKnobs {
    /// Share of the extracted lines that it forgets, 0 to 1. Which ones is decided by the seed and the line; a line that is
    /// lost at one rate is lost at every higher one.
    pub loss_rate: f64,
    /// Scales the number of lines under each heading; more than 0, at most 100.
    pub verbosity: f64,
    /// How it fails.
    pub failure: Failure,
}

impl Default for MockKnobs {
    fn default() -> Self {
        Self { loss_rate: 0.0, verbosity: 1.0, failure: Failure::None }
    }
}

/// A setting out of its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum KnobError {
    /// Loss rate.
    #[error("mock: `loss_rate` is {0}\nhint: it is a share, from 0 (nothing is lost) to 1 (everything is)")]
    LossRate(f64),
    /// Verbosity.
    #[error("mock: `verbosity` is {0}\nhint: it is a factor above 0, at most 100; 1 is the default")]
    Verbosity(f64),
    /// One in none.
    #[error("mock: `failure` is one in 0 requests\nhint: give 1 or more, or `none`")]
    OneInZero,
}

impl MockKnobs {
    pub(super) fn check(self) -> Result<Self, KnobError> {
        // Written so that NaN is out of range.
        if !(0.0..=1.0).contains(&self.loss_rate) {
            return Err(KnobError::LossRate(self.loss_rate));
        }
        if !(self.verbosity > 0.0 && self.verbosity <= 100.0) {
            return Err(KnobError::Verbosity(self.verbosity));
        }
        if self.failure == Failure::OneIn(0) {
            return Err(KnobError::OneInZero);
        }
        Ok(self)
    }
}

impl fmt::Display for MockKnobs {
    /// The mock's name: `mock`, or `mock(loss=0.2)` with the settings that are not the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut set = Vec::new();
        if self.loss_rate > 0.0 {
            set.push(format!("loss={}", self.loss_rate));
        }
        if (self.verbosity - 1.0).abs() > f64::EPSILON {
            set.push(format!("verbosity={}", self.verbosity));
        }
        match self.failure {
            Failure::None => {}
            Failure::OneIn(n) => set.push(format!("fails=1/{n}")),
            Failure::OverflowAbove(chars) => set.push(format!("overflow>{chars}")),
            Failure::Truncated => set.push("truncated".to_owned()),
        }
        if set.is_empty() { f.write_str("mock") } else { write!(f, "mock({})", set.join(", ")) }
    }
}
