//! A measure and how much worse it may become.

use std::str::FromStr;

/// How much worse a measure may become.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margin {
    /// In the unit of the measure.
    Absolute(f64),
    /// As a share of the mean of the base.
    Share(f64),
}

/// A measure that decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Name of the measure.
    pub measure: String,
    /// The margin.
    pub margin: Margin,
}

/// A gate that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no gate; `goal_loss=0.02` allows 0.02 more, `invalidated_tokens=5%` a twentieth")]
pub struct GateError(pub String);

impl FromStr for Margin {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        let margin = match text.strip_suffix('%') {
            Some(percent) => number(percent).map(|percent| Self::Share(percent / 100.0)),
            None => number(text).map(Self::Absolute),
        };
        margin.ok_or_else(|| GateError(text.to_owned()))
    }
}

impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        let wrong = || GateError(text.to_owned());
        let (measure, margin) = text.split_once('=').ok_or_else(wrong)?;
        let margin = margin.parse().map_err(|_| wrong())?;
        let measure = measure.trim().to_owned();
        if measure.is_empty() { Err(wrong()) } else { Ok(Self { measure, margin }) }
    }
}

impl Margin {
    /// In the unit of the measure, given the mean of the base.
    pub fn absolute(self, base_mean: f64) -> f64 {
        match self {
            Self::Absolute(margin) => margin,
            Self::Share(share) => share * base_mean.abs(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read() {
        let gate = |text: &str| text.parse::<Gate>();
        let of = |measure: &str, margin| Ok(Gate { measure: measure.to_owned(), margin });
        assert_eq!(gate("goal_loss=0.02"), of("goal_loss", Margin::Absolute(0.02)));
        assert_eq!(gate("prompt_tokens=5%"), of("prompt_tokens", Margin::Share(0.05)));
        for wrong in ["goal_loss", "=1", "goal_loss=", "goal_loss=-1", "goal_loss=NaN", "goal_loss=x%"] {
            assert_eq!(gate(wrong), Err(GateError(wrong.to_owned())));
        }
        assert!((Margin::Share(0.05).absolute(-200.0) - 10.0).abs() < 1e-12);
    }
}
