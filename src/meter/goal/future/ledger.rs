//! What is known at a moment, by entity: marks with the number of a cut, so that a new cut forgets everything at once.

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

/// Marks by entity.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    cut: u32,
    known: Vec<u32>,
    /// Named by a text of the strategy.
    named: Vec<u32>,
    /// Follows from a name there, as a folder from a path.
    derived: Vec<u32>,
    used: Vec<u32>,
    counts: (u64, u64),
}

impl Ledger {
    pub(super) fn new(entities: usize) -> Self {
        let none = vec![0; entities];
        Self { cut: 0, known: none.clone(), named: none.clone(), derived: none.clone(), used: none, counts: (0, 0) }
    }

    /// A new cut: nothing is known.
    pub(super) fn start(&mut self) {
        self.cut += 1;
    }

    pub(super) fn learn(&mut self, id: EntityId) {
        self.known[id.0 as usize] = self.cut;
    }

    pub(super) fn knows(&self, id: EntityId) -> bool {
        self.cut > 0 && self.known[id.0 as usize] == self.cut
    }

    /// A text of the strategy names it.
    pub(super) fn make(&mut self, id: EntityId) {
        let mark = &mut self.named[id.0 as usize];
        self.counts.0 += u64::from(*mark != self.cut);
        *mark = self.cut;
    }

    pub(super) fn derive(&mut self, id: EntityId) {
        self.derived[id.0 as usize] = self.cut;
    }

    pub(super) fn made(&self, id: EntityId) -> bool {
        self.named[id.0 as usize] == self.cut || self.derived[id.0 as usize] == self.cut
    }

    /// The agent acts on it: what was named is no longer unused.
    pub(super) fn use_made(&mut self, id: EntityId) {
        let at = id.0 as usize;
        if self.cut > 0 && self.named[at] == self.cut && self.used[at] != self.cut {
            self.used[at] = self.cut;
            self.counts.1 += 1;
        }
    }

    /// Names in texts of the strategy, over all cuts, and how many of them were used before the next cut.
    pub(super) fn made_and_used(&self) -> (u64, u64) {
        self.counts
    }
}
