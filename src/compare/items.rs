//! Annotated items that were kept and are now lost.

use std::collections::BTreeMap;

use serde::Serialize;

use super::pair::Pair;
use crate::results::ItemRecord;

/// An item that the base kept and the head lost, in at least two of three repetitions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LostItem {
    /// Strategy of the head.
    pub strategy: String,
    /// The model.
    pub model: String,
    /// Its window.
    pub window_tokens: u64,
    /// The transcript.
    pub transcript: String,
    /// Id of the item.
    pub item: String,
    /// Its category.
    pub category: String,
    /// Losing it is a veto.
    pub critical: bool,
    /// The item in words.
    pub text: String,
    /// Lines of the transcript that state it.
    pub lines: Vec<u64>,
    /// Its fate in the base.
    pub base_fate: String,
    /// Its fate in the head.
    pub head_fate: String,
    /// Repetitions (seeds and replicates) in which it is newly lost.
    pub lost_in: usize,
    /// Repetitions.
    pub repetitions: usize,
}

fn is_lost(item: &ItemRecord) -> bool {
    matches!(item.fate.as_str(), "lost" | "wrong")
}

/// The repetitions of one item in one strategy and setting.
#[derive(Default)]
struct Seen<'r> {
    repetitions: usize,
    lost: Vec<(&'r ItemRecord, &'r ItemRecord)>,
    regained: usize,
}

/// At least two of three: the share at which a loss is no accident of one draw.
fn in_most(count: usize, of: usize) -> bool {
    count > 0 && 3 * count >= 2 * of
}

/// The items newly lost, critical ones first, and the number of items regained.
pub(super) fn changed(pairs: &[Pair<'_>]) -> (Vec<LostItem>, usize) {
    let mut all: BTreeMap<(&str, &str, u64, &str, &str), Seen<'_>> = BTreeMap::new();
    for pair in pairs {
        let old: BTreeMap<&str, &ItemRecord> = pair.base.items.iter().map(|item| (item.item.as_str(), item)).collect();
        for new in &pair.head.items {
            let Some(old) = old.get(new.item.as_str()) else { continue };
            let head = pair.head;
            let key = (
                head.strategy.as_str(),
                head.model.as_str(),
                head.window_tokens,
                head.transcript.as_str(),
                new.item.as_str(),
            );
            let seen = all.entry(key).or_default();
            seen.repetitions += 1;
            match (is_lost(old), is_lost(new)) {
                (false, true) => seen.lost.push((old, new)),
                (true, false) => seen.regained += 1,
                _ => {}
            }
        }
    }
    let regained = all.values().filter(|seen| in_most(seen.regained, seen.repetitions)).count();
    let mut lost: Vec<LostItem> = Vec::new();
    for ((strategy, model, window_tokens, transcript, _), seen) in &all {
        let Some((old, new)) = seen.lost.first().filter(|_| in_most(seen.lost.len(), seen.repetitions)) else {
            continue;
        };
        lost.push(LostItem {
            strategy: (*strategy).to_owned(),
            model: (*model).to_owned(),
            window_tokens: *window_tokens,
            transcript: (*transcript).to_owned(),
            item: new.item.clone(),
            category: new.category.clone(),
            critical: new.critical,
            text: new.text.clone(),
            lines: new.source_lines.clone(),
            base_fate: old.fate.clone(),
            head_fate: new.fate.clone(),
            lost_in: seen.lost.len(),
            repetitions: seen.repetitions,
        });
    }
    lost.sort_by_key(|item| !item.critical);
    (lost, regained)
}

#[cfg(test)]
mod tests {
    use super::in_most;

    #[test]
    fn two_of_three_are_most() {
        assert!(in_most(1, 1) && in_most(2, 3) && in_most(2, 2) && in_most(3, 4));
        assert!(!in_most(0, 0) && !in_most(1, 3) && !in_most(1, 2) && !in_most(2, 4));
    }
}
