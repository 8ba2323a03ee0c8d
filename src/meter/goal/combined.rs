//! The combination of the parts that need no model, and the vetoes outside of it.

use serde::{Deserialize, Serialize};

use super::faith::FABRICATION_VETO;
use crate::measure::Measure;
use crate::meter::{Measures, number};

/// Weights of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Of `goal_loss`.
    pub items: f64,
    /// Of `future_loss`, whose scale ends at 2.
    pub future: f64,
}

impl Default for Weights {
    /// 0.6 and 0.4.
    fn default() -> Self {
        Self { items: 0.6, future: 0.4 }
    }
}

fn find<'m>(measures: &'m Measures, name: &str) -> Option<&'m Measure> {
    measures.iter().find(|(one, _)| *one == name).map(|(_, measure)| measure)
}

fn value(measures: &Measures, name: &str) -> Option<f64> {
    find(measures, name)?.value()
}

fn part(measures: &Measures, name: &str) -> Result<f64, String> {
    match find(measures, name) {
        Some(Measure::Value(value)) => Ok(*value),
        Some(Measure::Void(reason)) => Err(format!("{name} is void: {reason}")),
        None => Err(format!("{name} was not measured")),
    }
}

/// Weights of items, future use and probes in `goal_full_loss`.
const FULL: [(&str, f64); 3] = [("goal_loss", 0.45), ("future_loss", 0.25), ("probe_loss", 0.30)];

/// `goal_full_loss`, where probes were asked. A part enters with at most 1: the scale of `future_loss` ends at 2.
pub fn with_probes(measures: &Measures) -> Measures {
    let parts = FULL.into_iter().map(|(name, weight)| Ok(weight * part(measures, name)?.clamp(0.0, 1.0)));
    let sum: Result<f64, String> = parts.sum();
    vec![("goal_full_loss", sum.map_or_else(Measure::void, Measure::from))]
}

/// `goal_offline_loss` and `vetoes_count`, from the measures of the parts. A missing part is never filled with 0: the
/// combination is void, and the part that is there keeps its own name.
pub fn combined(measures: &Measures, weights: Weights) -> Measures {
    let part = |name: &str| part(measures, name);
    let sum = weights.items + weights.future;
    let both = part("goal_loss").and_then(|items| Ok((items, part("future_loss")?)));
    let loss = both.map(|(items, future)| (weights.items * items + weights.future * future) / sum);
    let counts = ["critical_lost_count", "inverted_constraints_count"].map(|name| value(measures, name));
    let fabricates = value(measures, "fabrication_ratio").map(|ratio| f64::from(u8::from(ratio > FABRICATION_VETO)));
    let known: Vec<f64> = counts
        .into_iter()
        .map(|count| count.map(|count| f64::from(u8::from(count > 0.0))))
        .chain([fabricates])
        .flatten()
        .collect();
    let vetoes = if known.is_empty() {
        Measure::void("no veto could be judged")
    } else {
        Measure::Value(known.iter().sum::<f64>().max(number(0)))
    };
    vec![("goal_offline_loss", loss.map_or_else(Measure::void, Measure::from)), ("vetoes_count", vetoes)]
}

#[cfg(test)]
mod tests {
    use super::{Weights, combined, with_probes};
    use crate::measure::Measure;

    #[test]
    fn probes_are_the_third_part() {
        let mut parts = vec![("goal_loss", Measure::Value(0.4)), ("future_loss", Measure::Value(1.5))];
        assert_eq!(with_probes(&parts)[0].1, Measure::void("probe_loss was not measured"));
        parts.push(("probe_loss", Measure::Value(0.5)));
        // 0.45 · 0.4 + 0.25 · 1 + 0.30 · 0.5 = 0.18 + 0.25 + 0.15.
        let loss = with_probes(&parts)[0].1.value().unwrap();
        assert!((loss - 0.58).abs() < 1e-12, "{loss}");
    }

    #[test]
    fn the_parts_are_weighted_and_a_missing_one_is_not_filled() {
        let parts = vec![
            ("goal_loss", Measure::Value(0.5)),
            ("future_loss", Measure::Value(1.0)),
            ("critical_lost_count", Measure::Value(3.0)),
            ("fabrication_ratio", Measure::Value(0.03)),
        ];
        // 0.6 · 0.5 + 0.4 · 1.0 = 0.7; critical items and fabrication are a veto each.
        let both = combined(&parts, Weights::default());
        assert_eq!(both, [("goal_offline_loss", Measure::Value(0.7)), ("vetoes_count", Measure::Value(2.0))]);
        let void = vec![("goal_loss", Measure::Value(0.5)), ("future_loss", Measure::void("few"))];
        let one = combined(&void, Weights::default());
        assert_eq!(one[0].1, Measure::void("future_loss is void: few"));
        assert_eq!(one[1].1, Measure::void("no veto could be judged"));
    }
}
