//! What one compaction did to the annotated items.

use std::ops::Range;

use super::TranscriptDetail;
use super::evidence::{Searched, places};
use crate::results::{AnnotationRecord, CompactionRecord, ItemRecord};

/// An item after a compaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<'run> {
    /// Its id.
    pub item: &'run str,
    /// Its record in the cell: category, weight, critical.
    pub record: Option<&'run ItemRecord>,
    /// What it says and where; `None` in runs that did not record it.
    pub annotation: Option<&'run AnnotationRecord>,
    /// Its fate after this compaction.
    pub fate: &'run str,
    /// Its fate after the compaction before; `None` at the first one.
    pub before: Option<&'run str>,
    /// Where the summary says it.
    pub evidence: Vec<Range<usize>>,
}

impl Outcome<'_> {
    /// It was known before this compaction, and is not any more.
    pub fn is_newly_lost(&self) -> bool {
        let is_lost = |fate: &str| matches!(fate, "lost" | "wrong");
        is_lost(self.fate) && !self.before.is_some_and(is_lost)
    }
}

/// The outcomes of a compaction, the losses first, then in the order of the annotations.
pub(in super::super) fn outcomes<'run>(
    detail: &TranscriptDetail<'run>,
    items: &'run [ItemRecord],
    compaction: &'run CompactionRecord,
    before: Option<&'run CompactionRecord>,
) -> Vec<Outcome<'run>> {
    let searched = Searched::new(compaction.summary.as_deref().unwrap_or_default());
    let one = |(item, fate): (&'run String, &'run String)| {
        let annotation = detail.annotations.iter().find(|annotation| annotation.item == *item);
        let spellings: Vec<&String> = match annotation {
            Some(known) if fate == "wrong" => known.must_not.iter().collect(),
            Some(known) => known.must.iter().flatten().collect(),
            None => Vec::new(),
        };
        Outcome {
            item,
            record: items.iter().find(|record| record.item == *item),
            annotation,
            fate,
            before: before.and_then(|before| before.fates.get(item)).map(String::as_str),
            evidence: places(&searched, spellings.into_iter()),
        }
    };
    let mut outcomes: Vec<Outcome<'run>> = compaction.fates.iter().map(one).collect();
    let place = |outcome: &Outcome<'_>| items.iter().position(|record| record.item == outcome.item);
    outcomes.sort_by_key(|outcome| (rank(outcome), place(outcome)));
    outcomes
}

fn rank(outcome: &Outcome<'_>) -> u8 {
    match (outcome.fate, outcome.is_newly_lost()) {
        (_, true) => 0,
        ("lost" | "wrong", _) => 1,
        ("partly", _) => 2,
        ("kept", _) => 3,
        _ => 4,
    }
}
