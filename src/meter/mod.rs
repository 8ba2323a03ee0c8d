//! Observers of a replay that measure. They may know the future and the annotations; nothing of theirs flows back.

pub mod cache;
mod estimation;
pub mod goal;
mod model_id;
pub mod price;
mod structure;

pub use cache::Cache;
pub use estimation::Estimation;
pub use structure::Structure;

use crate::measure::{Direction, Measure, MeasureDef};
use crate::replay::ReplayEvent;

/// Named measures, in the order of the meter.
pub type Measures = Vec<(&'static str, Measure)>;

/// An observer of a replay.
pub trait Meter {
    /// Sees the next event.
    fn observe(&mut self, event: &ReplayEvent<'_, '_>);

    /// What was measured.
    fn finish(self: Box<Self>) -> Measures;
}

/// A measure's meaning, as its meter states it.
struct Def(&'static str, &'static str, Direction, &'static str);

/// Versions of the measures whose numbers changed since they first appeared; every other one is of version 1.
const VERSIONS: &[(&str, u32)] = &[
    // Tools are offered through the protocol, no longer in words, and with no argument from after the cut.
    ("next_action_agreement", 3),
    ("next_action_tool_agreement", 3),
    ("next_action_full_agreement", 3),
    ("next_action_unparsed_count", 2),
    // A summary call has the price of its own prompt.
    ("cost_usd", 2),
    ("cost_summary_usd", 2),
    ("cost_over_none_usd", 2),
    ("cost_over_oracle_usd", 2),
    ("cache_break_even_requests", 2),
    ("cache_break_even_riding_requests", 2),
    // An answer or an item is not said by a longer name or another number, an old value beside the new one is not stated, and
    // another line is another sentence.
    ("probe_effect_retention", 3),
    ("probe_loss", 3),
    ("probe_recovery_gain", 3),
    ("probe_full_accuracy", 3),
    ("probe_view_accuracy", 3),
    ("probe_empty_accuracy", 3),
    ("probe_search_accuracy", 3),
    ("probe_asked_count", 3),
    ("probe_kept_count", 3),
    ("probe_false_recall_ratio", 3),
    ("probe_stale_count", 3),
    ("probe_unparsed_ratio", 3),
    ("goal_loss", 3),
    ("goal_loss_goal", 3),
    ("goal_loss_constraint", 3),
    ("goal_loss_decision", 3),
    ("goal_loss_artifact", 3),
    ("goal_loss_progress", 3),
    ("goal_loss_value", 3),
    ("goal_loss_error", 3),
    ("goal_loss_with_recovery", 3),
    ("goal_loss_full_history", 3),
    ("goal_loss_nothing_kept", 3),
    ("goal_loss_random_extract", 3),
    ("goal_loss_oracle_extract", 3),
    ("goal_loss_hidden_items", 3),
    ("critical_lost_count", 3),
    ("inverted_constraints_count", 3),
    ("goal_offline_loss", 3),
    ("goal_full_loss", 3),
    // A name of a branch that was left is no source, and of what another file holds nothing is known.
    ("fabricated_count", 2),
    ("fabrication_ratio", 2),
    ("foreseen_count", 2),
    ("unsupported_rules_count", 2),
    ("not_compressing_count", 2),
    ("kept_most_count", 2),
    ("summary_entity_ratio", 2),
    // Each reason once.
    ("stuck_count", 2),
];

/// What every measure means, in the order in which the meters give them.
pub fn definitions() -> Vec<MeasureDef> {
    let all = [structure::DEFS, estimation::DEFS, cache::DEFS, cache::ledger::DEFS, goal::DEFS, goal::probe::DEFS];
    let define = |&Def(name, unit, direction, about): &Def| MeasureDef {
        name: name.to_owned(),
        unit: unit.to_owned(),
        direction,
        about: about.to_owned(),
        version: VERSIONS.iter().find(|(known, _)| *known == name).map_or(1, |(_, version)| *version),
    };
    all.into_iter().flatten().map(define).collect()
}

/// The mean of `count` numbers, or why there is none.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn mean(sum: f64, count: u64, none: &str) -> Measure {
    if count == 0 { Measure::void(none) } else { Measure::from(sum / count as f64) }
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_counted_otherwise_is_of_another_version_than_the_rest() {
        let version = |name: &str| super::definitions().iter().find(|def| def.name == name).map(|def| def.version);
        let said = ["goal_", "probe_", "critical_", "inverted_"];
        let items = |name: &str| said.iter().any(|begin| name.starts_with(begin));
        assert!(super::definitions().iter().filter(|def| items(&def.name)).all(|def| def.version == 3));
        for name in [
            "cost_usd",
            "cost_summary_usd",
            "cost_over_none_usd",
            "cost_over_oracle_usd",
            "cache_break_even_requests",
            "cache_break_even_riding_requests",
        ] {
            assert_eq!(version(name), Some(2), "{name}");
        }
        // It reads the old prompt at the tier of that, as before.
        assert_eq!(version("cost_summary_riding_usd"), Some(1));
        let is_defined = |(name, _): &(&str, u32)| version(name).is_some();
        assert!(super::VERSIONS.iter().all(is_defined), "a version of no measure");
    }

    #[test]
    fn no_measure_has_two_meanings() {
        let mut names: Vec<String> = super::definitions().into_iter().map(|def| def.name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
