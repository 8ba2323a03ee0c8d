//! Goal-loss: which annotated items are still visible after the dropped part is gone.
//!
//! Survival of text is an upper bound of what an agent remembers: what is not there cannot be recalled, what is there
//! may still be overlooked.

mod artifact;
mod audit;
mod claims;
mod combined;
mod copied;
mod draft;
pub mod entity;
mod faith;
mod future;
mod item;
pub mod probe;
mod reach;
mod seen;
mod shape;
mod stems;
mod text;
mod words;

pub use artifact::Artifacts;
pub use audit::{Audit, AuditedCut, AuditedFact};
pub use claims::Claims;
pub use combined::{Weights, combined, with_probes};
pub use draft::draft;
pub use entity::EntityIndex;
pub use faith::{FABRICATION_VETO, Fabrication, Faith};
pub use future::{Frequencies, Future, FutureInput, KindUse, Second};
pub use item::{
    Agreement, Category, Doubt, Fate, Goal, GoalItem, ItemFate, ItemSet, ItemsError, Lifetime, Presence, Score,
    agreement, doubts,
};
pub use reach::Reach;
pub use shape::Shape;

/// The text of an entry in which spellings are searched.
pub fn searched_text(transcript: &crate::transcript::Transcript, idx: crate::transcript::EntryIdx) -> String {
    let item = crate::replay::Item::entry(transcript, idx);
    item.message(transcript).map(text::whole_text).unwrap_or_default().into_owned()
}

/// A text in the form in which spellings are compared: lower case, every run of white space one space.
pub fn normalise(text: &str) -> String {
    text::normalise(text)
}

/// A text of a strategy's own without its headings, but for those that carry a value themselves.
pub fn without_headings(text: &str) -> String {
    text::without_headings(text)
}

use super::Def;
use crate::measure::Direction::{Higher, Lower, Neutral};

pub(super) const DEFS: &[Def] = &[
    Def(
        "goal_loss",
        "score",
        Lower,
        "share of the annotated items lost at the last cut, weighted by category: 0 nothing, 1 everything",
    ),
    Def("goal_loss_goal", "score", Lower, "loss among goals and success criteria"),
    Def("goal_loss_constraint", "score", Lower, "loss among constraints and rules of the person"),
    Def("goal_loss_decision", "score", Lower, "loss among decisions and rejected options"),
    Def("goal_loss_artifact", "score", Lower, "loss among files and what was done to them"),
    Def("goal_loss_progress", "score", Lower, "loss among done and open steps"),
    Def("goal_loss_value", "score", Lower, "loss among exact values"),
    Def("goal_loss_error", "score", Lower, "loss among error messages"),
    Def(
        "goal_loss_with_recovery",
        "score",
        Lower,
        "goal_loss, when what recovery put back is read, and what it leaves within reach is fetched",
    ),
    Def("recovery_price_tokens", "tokens", Lower, "tokens that fetching every lost item would cost"),
    Def(
        "goal_loss_full_history",
        "score",
        Lower,
        "control: the same items in the whole history; above 0, annotations are at fault",
    ),
    Def("goal_loss_nothing_kept", "score", Lower, "control: only the kept tail, nothing in place of the dropped part"),
    Def(
        "goal_loss_random_extract",
        "score",
        Lower,
        "control: expected loss of random lines of the dropped part, in the bytes that the strategy used",
    ),
    Def(
        "goal_loss_oracle_extract",
        "score",
        Lower,
        "control: loss of the best lines of the dropped part, chosen greedily, in the same bytes",
    ),
    Def("goal_loss_hidden_items", "score", Lower, "loss among the fifth of the items that nobody tunes on"),
    Def("critical_lost_count", "count", Lower, "critical items that are lost or wrong at the last cut"),
    Def("inverted_constraints_count", "count", Lower, "constraints that the summary turns round: a veto"),
    Def(
        "future_loss",
        "score",
        Lower,
        "loss of what the recorded continuation acts on and only the dropped part knew: 0 the best extract of the size, 1 a random one, 2 the worst",
    ),
    Def("future_recall", "ratio", Higher, "share of those facts, by value, that the strategy kept"),
    Def(
        "future_recall_random",
        "ratio",
        Neutral,
        "control: the share that random lines of the dropped part would keep, in the same bytes",
    ),
    Def("future_recall_best", "ratio", Neutral, "control: the share that the best lines would keep, in the same bytes"),
    Def("future_facts_count", "count", Neutral, "facts that the continuation needed and only the dropped part knew"),
    Def(
        "future_loss_second",
        "score",
        Lower,
        "future_loss by a second extractor, which shares no rule with the first: where both disagree, trust neither",
    ),
    Def("future_recall_second", "ratio", Higher, "future_recall by the second extractor, which knows no kinds"),
    Def("future_facts_second_count", "count", Neutral, "facts by the second extractor"),
    Def(
        "dead_end_facts_count",
        "count",
        Neutral,
        "dropped facts that were used in edits alone which were taken back later: they are not demanded",
    ),
    Def(
        "kept_unused_ratio",
        "ratio",
        Lower,
        "share of the names in summaries that the agent does not use before the next cut",
    ),
    Def(
        "refetched_facts_count",
        "count",
        Lower,
        "dropped facts that the recorded agent used after a tool had shown them again",
    ),
    Def("refetch_calls_count", "count", Lower, "tool results that showed them"),
    Def("refetch_tokens", "tokens", Lower, "reference tokens of those results"),
    Def(
        "reissued_calls_count",
        "count",
        Lower,
        "calls made again, to the letter, after their first answer was dropped",
    ),
    Def(
        "fabricated_count",
        "count",
        Lower,
        "identifiers of summaries that stand nowhere in their source; an earlier summary is none",
    ),
    Def(
        "fabrication_ratio",
        "ratio",
        Lower,
        "share of the identifiers of summaries that are fabricated; above 0.02 a veto",
    ),
    Def(
        "foreseen_count",
        "count",
        Lower,
        "fabricated identifiers that the session says later: planned names, or a leak of the future",
    ),
    Def(
        "unsupported_rules_count",
        "count",
        Lower,
        "rules in summaries of whose words no message says half: judged by words alone",
    ),
    Def(
        "copied_ratio",
        "ratio",
        Neutral,
        "share of the words of summaries in runs of eight that the dropped part holds too",
    ),
    Def(
        "summary_entity_ratio",
        "ratio",
        Neutral,
        "share of the bytes of summaries that are names and values; an anchor list has a high one",
    ),
    Def("summary_to_dropped_ratio", "ratio", Lower, "tokens of summaries and what was put back, for a token dropped"),
    Def("not_compressing_count", "count", Lower, "compactions that put in at least as many tokens as they dropped"),
    Def(
        "kept_most_count",
        "count",
        Lower,
        "compactions after which at least 95 % of the context is still there: next to nothing was compacted",
    ),
    Def("artifact_f1", "score", Higher, "F1 of (file, read or changed) of the last summary against the dropped calls"),
    Def("artifact_precision", "ratio", Higher, "share of the claims about files that are right"),
    Def("artifact_recall", "ratio", Higher, "share of the touched files that are claimed right"),
    Def("artifact_named_ratio", "ratio", Higher, "share of the touched files that are named at all"),
    Def(
        "template_filled_ratio",
        "ratio",
        Higher,
        "share of the headings asked for that are there, with something under them",
    ),
    Def("template_in_order_ratio", "ratio", Higher, "share of the answers with their headings in order"),
    Def(
        "goal_offline_loss",
        "score",
        Lower,
        "0.6 goal_loss + 0.4 future_loss, no model asked; the weights are the experiment's. Void without both",
    ),
    Def(
        "goal_full_loss",
        "score",
        Lower,
        "0.45 goal_loss + 0.25 future_loss (at most 1) + 0.30 probe_loss, where probes were asked. Void without all three",
    ),
    Def(
        "vetoes_count",
        "count",
        Lower,
        "vetoes outside of the mean: critical items lost, fabrication above 2 %, constraints turned round",
    ),
];
