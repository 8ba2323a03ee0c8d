//! What is known at a moment, by entity. What the context shows is counted, item by item; what was learned since the last
//! cut has marks with its number, so that a new cut forgets all of it at once.

use super::super::entity::{EntityId, Kind};

/// What was needed of one kind, and what of it was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindUse {
    /// The kind.
    pub kind: Kind,
    /// Facts that were needed.
    pub needed: u64,
    /// Of those, the ones that stood in what the strategy put in place of the dropped part.
    pub kept: u64,
}

/// The kinds that were needed, in their order.
pub(super) fn by_kind(needed: impl Iterator<Item = (Kind, bool)>) -> Vec<KindUse> {
    let mut all = Kind::ALL.map(|kind| KindUse { kind, needed: 0, kept: 0 });
    for (kind, kept) in needed {
        all[kind as usize].needed += 1;
        all[kind as usize].kept += u64::from(kept);
    }
    all.into_iter().filter(|one| one.needed > 0).collect()
}

/// Counts and marks by entity.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    cut: u32,
    /// Whole messages that show it.
    shown: Vec<u32>,
    /// Texts of the strategy that name it.
    named: Vec<u32>,
    /// Names there from which it follows, as a folder from a path.
    derived: Vec<u32>,
    /// Entities that are named.
    names: u64,
    known: Vec<u32>,
    used: Vec<u32>,
    counts: (u64, u64),
}

impl Ledger {
    pub(super) fn new(entities: usize) -> Self {
        let none = vec![0; entities];
        let (shown, named, derived, known) = (none.clone(), none.clone(), none.clone(), none.clone());
        Self { cut: 0, shown, named, derived, names: 0, known, used: none, counts: (0, 0) }
    }

    /// A new cut: only what the context shows is known.
    pub(super) fn start(&mut self) {
        self.cut += 1;
        self.counts.0 += self.names;
    }

    /// A message shows it, and what is above it.
    pub(super) fn show(&mut self, id: EntityId, above: &[EntityId]) {
        [id].iter().chain(above).for_each(|id| self.shown[id.0 as usize] += 1);
    }

    /// That message is gone.
    pub(super) fn hide(&mut self, id: EntityId, above: &[EntityId]) {
        [id].iter().chain(above).for_each(|id| self.shown[id.0 as usize] -= 1);
    }

    /// A text of the strategy names it.
    pub(super) fn name(&mut self, id: EntityId, above: &[EntityId]) {
        let texts = &mut self.named[id.0 as usize];
        *texts += 1;
        self.names += u64::from(*texts == 1);
        above.iter().for_each(|id| self.derived[id.0 as usize] += 1);
    }

    /// That text is gone.
    pub(super) fn unname(&mut self, id: EntityId, above: &[EntityId]) {
        let texts = &mut self.named[id.0 as usize];
        *texts -= 1;
        self.names -= u64::from(*texts == 0);
        above.iter().for_each(|id| self.derived[id.0 as usize] -= 1);
    }

    pub(super) fn learn(&mut self, id: EntityId) {
        self.known[id.0 as usize] = self.cut;
    }

    pub(super) fn knows(&self, id: EntityId) -> bool {
        let at = id.0 as usize;
        self.cut > 0 && (self.known[at] == self.cut || self.shown[at] > 0)
    }

    pub(super) fn made(&self, id: EntityId) -> bool {
        self.named[id.0 as usize] > 0 || self.derived[id.0 as usize] > 0
    }

    /// The agent acts on it: what was named is no longer unused.
    pub(super) fn use_made(&mut self, id: EntityId) {
        let at = id.0 as usize;
        if self.cut > 0 && self.named[at] > 0 && self.used[at] != self.cut {
            self.used[at] = self.cut;
            self.counts.1 += 1;
        }
    }

    /// Names in texts of the strategy, over all cuts, and how many of them were used before the next cut.
    pub(super) fn made_and_used(&self) -> (u64, u64) {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::{EntityId, Ledger};

    #[test]
    fn what_the_context_shows_stays_known_and_what_was_learned_does_not() {
        let [path, folder, word] = [EntityId(0), EntityId(1), EntityId(2)];
        let mut ledger = Ledger::new(3);
        ledger.show(path, &[folder]);
        ledger.show(path, &[folder]);
        assert!(!ledger.knows(path), "before the first cut nothing is asked");
        ledger.start();
        ledger.learn(word);
        assert!(ledger.knows(path) && ledger.knows(folder) && ledger.knows(word));
        ledger.hide(path, &[folder]);
        ledger.start();
        assert!(ledger.knows(path) && ledger.knows(folder) && !ledger.knows(word), "one of two messages is left");
        ledger.hide(path, &[folder]);
        assert!(!ledger.knows(path) && !ledger.knows(folder));
    }

    #[test]
    fn a_name_counts_once_a_cut_however_many_texts_say_it() {
        let [path, folder] = [EntityId(0), EntityId(1)];
        let mut ledger = Ledger::new(2);
        ledger.name(path, &[folder]);
        ledger.name(path, &[folder]);
        ledger.start();
        ledger.use_made(path);
        ledger.use_made(path);
        ledger.use_made(folder);
        assert!(ledger.made(path) && ledger.made(folder));
        // One name, used; then one name, not used; then none.
        ledger.unname(path, &[folder]);
        ledger.start();
        ledger.unname(path, &[folder]);
        ledger.start();
        assert_eq!(ledger.made_and_used(), (2, 1));
        assert!(!ledger.made(path) && !ledger.made(folder));
    }
}
