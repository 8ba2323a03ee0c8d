//! Where each id stands first: a sorted list, which takes a third of the memory of a map of a long session.

use std::hash::{BuildHasher, RandomState};

use crate::transcript::Entry;

/// The entries that have an id, by half of its hash, those of one half in the order of the file.
pub(super) struct Ids {
    hasher: RandomState,
    /// Half a hash above the place of an entry: no memory holds 2³² entries.
    sorted: Vec<u64>,
}

/// The bits of a place.
const PLACE: u64 = u32::MAX as u64;

/// The place in a word of the list.
fn place(word: u64) -> usize {
    usize::try_from(word & PLACE).unwrap_or(usize::MAX)
}

impl Ids {
    /// Those of `entries`, but for the `nameless` ones, whose places are given in order.
    pub(super) fn new(entries: &[Entry], nameless: &[usize]) -> Self {
        let hasher = RandomState::new();
        let mut nameless = nameless.iter().peekable();
        let mut sorted = Vec::with_capacity(entries.len() - nameless.len());
        for (at, entry) in entries.iter().enumerate() {
            if nameless.next_if_eq(&&at).is_none() {
                sorted.push(hasher.hash_one(&*entry.id) & !PLACE | at as u64 & PLACE);
            }
        }
        sorted.sort_unstable();
        Self { hasher, sorted }
    }

    /// The places of ids with the half of the hash that `name` has.
    fn like(&self, name: &str) -> impl DoubleEndedIterator<Item = usize> {
        let half = self.hasher.hash_one(name) & !PLACE;
        let from = self.sorted.partition_point(|&word| word < half);
        let to = from + self.sorted[from..].partition_point(|&word| word <= half | PLACE);
        self.sorted[from..to].iter().map(|&word| place(word))
    }

    /// The first entry whose id is `name`.
    pub(super) fn first(&self, entries: &[Entry], name: &str) -> Option<usize> {
        self.like(name).find(|&at| *entries[at].id == *name)
    }

    /// The last entry whose id is `name`.
    pub(super) fn last(&self, entries: &[Entry], name: &str) -> Option<usize> {
        self.like(name).rfind(|&at| *entries[at].id == *name)
    }

    /// The entries whose id stands at an earlier one already, and that one, in the order of the file.
    pub(super) fn twins(&self, entries: &[Entry]) -> Vec<(usize, usize)> {
        let mut twins = Vec::new();
        for same in self.sorted.chunk_by(|a, b| a & !PLACE == b & !PLACE).filter(|same| same.len() > 1) {
            for (nth, &word) in same.iter().enumerate() {
                let at = place(word);
                let mut earlier = same[..nth].iter().map(|&word| place(word));
                twins.extend(earlier.find(|&one| entries[one].id == entries[at].id).map(|one| (at, one)));
            }
        }
        twins.sort_unstable();
        twins
    }
}

#[cfg(test)]
mod tests {
    use super::Ids;
    use crate::transcript::{Entry, EntryKind};

    #[test]
    fn first_last_and_twins() {
        let entry = |id: &str| Entry {
            id: id.into(),
            parent: None,
            line: 1,
            timestamp: None,
            message_time_ms: None,
            kind: EntryKind::ThinkingLevelChange("off".into()),
            extra: None,
        };
        // The one at 2 has no id, though its text is that of an id.
        let entries: Vec<Entry> = ["a", "b", "", "a", "", "c", "a"].map(entry).into();
        let ids = Ids::new(&entries, &[2]);
        assert_eq!((ids.first(&entries, "a"), ids.last(&entries, "a")), (Some(0), Some(6)));
        assert_eq!((ids.first(&entries, ""), ids.last(&entries, "")), (Some(4), Some(4)));
        assert_eq!((ids.first(&entries, "d"), ids.last(&entries, "d")), (None, None));
        assert_eq!(ids.twins(&entries), [(3, 0), (6, 0)]);
    }
}
