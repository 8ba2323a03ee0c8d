//! From what is said to the fate of every item.

use super::matcher::Said;
use super::{Category, Fate, GoalItem, ItemFate, ItemSet, Presence};
use crate::meter::goal::seen::{Seen, Whole};
use crate::meter::goal::text::MadeText;
use crate::transcript::EntryIdx;

/// What a context says of every item.
#[derive(Clone, Debug)]
pub(super) struct Marks {
    /// In whole recorded messages.
    recorded: Vec<Said>,
    /// In texts of the strategy's own.
    made: Vec<Said>,
}

impl Marks {
    /// Nothing said.
    fn none(items: &ItemSet) -> Self {
        let none = vec![Said::default(); items.items.len()];
        Self { recorded: none.clone(), made: none }
    }

    /// What recorded entries say.
    pub(super) fn of_entries(items: &ItemSet, presence: &Presence, entries: impl Iterator<Item = EntryIdx>) -> Self {
        let mut marks = Self::none(items);
        for idx in entries {
            for &(item, said) in presence.entry(idx) {
                marks.recorded[item as usize].add(said);
            }
        }
        marks
    }

    /// Adds what a text of the strategy says.
    pub(super) fn add_made(&mut self, presence: &Presence, text: &str) {
        for (item, said) in presence.made(&MadeText::new(text)) {
            self.made[item as usize].add(said);
        }
    }

    /// What a context says, without and with what recovery put back; `None` when it put nothing back.
    pub(super) fn of_seen(items: &ItemSet, presence: &Presence, seen: &Seen) -> (Self, Option<Self>) {
        let mut closed = Self::of_entries(items, presence, seen.entries.iter().copied());
        seen.made.iter().for_each(|text| closed.add_made(presence, text));
        let mut open = (!seen.recovered.is_empty()).then(|| closed.clone());
        if let Some(marks) = &mut open {
            seen.recovered.iter().for_each(|text| marks.add_made(presence, text));
        }
        (closed, open)
    }
}

/// The moment of a cut, as far as fates depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment<'c> {
    /// The newest entry that a request has held.
    pub(super) now: Option<EntryIdx>,
    /// What is in the context whole.
    pub(super) whole: &'c Whole,
    /// By entry, whether it is on the replayed path; empty when all are.
    pub(super) on_path: &'c [bool],
}

impl Moment<'_> {
    fn on_path(&self, idx: EntryIdx) -> bool {
        self.on_path.get(idx.0).copied().unwrap_or(self.on_path.is_empty())
    }

    fn said(&self, source: &[EntryIdx]) -> bool {
        source.iter().any(|&idx| self.on_path(idx) && Some(idx) <= self.now)
    }

    /// Why an item is not scored here, if it is not.
    fn unscored(&self, item: &GoalItem, items: &ItemSet) -> Option<Fate> {
        if !item.source.iter().any(|&idx| self.on_path(idx)) {
            return Some(Fate::OffPath);
        }
        if item.superseded_by.is_some_and(|newer| self.said(&items.items[newer].source)) {
            return Some(Fate::Superseded);
        }
        let in_tail = !self.said(&item.source) || item.source.iter().any(|&idx| self.whole.holds(idx));
        in_tail.then_some(Fate::InTail)
    }

    fn is_done(&self, item: &GoalItem) -> bool {
        item.done_at.is_some_and(|done| Some(done) <= self.now)
    }
}

/// The fate of every item.
pub(super) fn fates(items: &ItemSet, marks: &Marks, moment: Moment<'_>) -> ItemFate {
    // The value that an item replaces, stated as current, makes what stands for the item stale.
    let mut stale = vec![false; items.items.len()];
    for (old, said) in items.items.iter().zip(&marks.made) {
        if let Some(newer) = old.superseded_by.filter(|_| said.current) {
            stale[newer] = true;
        }
    }
    let one = |(index, item): (usize, &GoalItem)| {
        moment.unscored(item, items).unwrap_or_else(|| {
            judge(item, marks.recorded[index], marks.made[index], stale[index], moment.is_done(item))
        })
    };
    items.items.iter().enumerate().map(one).collect()
}

fn judge(item: &GoalItem, recorded: Said, made: Said, stale: bool, is_done: bool) -> Fate {
    let misplaced = item.category == Category::Progress
        && item.done_at.is_some()
        && if is_done { made.open && !made.done } else { made.done && !made.open };
    // A statement that is only there to be denied; beside an honest one a negation may belong to something else.
    let turned = made.denied || made.negated && !made.whole && !recorded.whole;
    if made.wrong || stale || misplaced || turned {
        Fate::Wrong
    } else if recorded.whole || made.whole {
        Fate::Kept
    } else if recorded.part || made.part {
        Fate::Partly
    } else {
        Fate::Lost
    }
}
