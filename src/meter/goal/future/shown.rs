//! What the context showed when it was looked at last, entity by entity: a look costs what has changed since the one before.

use super::super::entity::{EntityId, EntityIndex};
use super::super::seen::{Places, Recovered};
use super::super::text::{stated, whole_text};
use super::ledger::Ledger;
use crate::replay::{Item, Live, Source};
use crate::transcript::{EntryIdx, Message};

/// What an item shows.
#[derive(Clone, Debug)]
enum Part {
    Nothing,
    /// A recorded message, whole.
    Whole(EntryIdx),
    /// A text of the strategy's own: what it names, each once, and its bytes.
    Made(Box<[EntityId]>, u64),
}

/// The context, as far as the future asks about it.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    places: Places,
    parts: Vec<Part>,
    /// By entry, whether the context held it whole.
    whole: Vec<bool>,
    /// Bytes of the whole messages.
    pub(super) visible: u64,
    /// Bytes of the texts of the strategy's own.
    pub(super) made: u64,
    /// The newest record.
    pub(super) newest: Option<EntryIdx>,
    /// Items that were looked at: the work so far.
    pub(super) looked: u64,
}

/// What is needed to look at a context.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look<'l> {
    pub(super) live: &'l Live<'l>,
    pub(super) index: &'l EntityIndex,
    pub(super) recovered: &'l Recovered,
}

impl Shown {
    /// Nothing, of a session of so many entries.
    pub(super) fn new(entries: usize) -> Self {
        Self {
            places: Places::default(),
            parts: Vec::new(),
            whole: vec![false; entries],
            visible: 0,
            made: 0,
            newest: None,
            looked: 0,
        }
    }

    /// Whether the context held an entry whole.
    pub(super) fn holds(&self, idx: EntryIdx) -> bool {
        self.whole.get(idx.0).copied().unwrap_or(false)
    }

    /// Some items have another message.
    pub(super) fn changed(&mut self, places: &[usize]) {
        self.places.note(places);
    }

    /// Looks at a context, and tells the ledger what it shows now.
    pub(super) fn look(&mut self, look: Look<'_>, ledger: &mut Ledger) {
        let items = look.live.view().items();
        let places = self.places.look(look.live).unwrap_or_else(|| {
            for part in std::mem::take(&mut self.parts) {
                self.hide(&part, look.index, ledger);
            }
            self.newest = None;
            (0..items.len()).collect()
        });
        self.looked += places.len() as u64;
        for at in places {
            if let Some(old) = self.parts.get_mut(at) {
                let old = std::mem::replace(old, Part::Nothing);
                self.hide(&old, look.index, ledger);
            } else {
                self.parts.push(Part::Nothing);
            }
            self.parts[at] = self.show(&items[at], look, ledger);
        }
    }

    fn show(&mut self, item: &Item, look: Look<'_>, ledger: &mut Ledger) -> Part {
        self.newest = self.newest.max(item.origin());
        match &item.source {
            Source::Entry(idx) => {
                self.whole[idx.0] = true;
                if let Some(says) = look.index.says(*idx) {
                    self.visible += says.bytes;
                    says.entities.iter().for_each(|&id| ledger.show(id, look.index.above(id)));
                }
                Part::Whole(*idx)
            }
            Source::Made(message) => self.text(message, look.recovered.holds(item), look.index, ledger),
            Source::Changed(_, message) => self.text(message, true, look.index, ledger),
            Source::Omitted(_) | Source::Nothing => Part::Nothing,
        }
    }

    /// A text of the strategy's own; one that is no summary is taken as it stands.
    fn text(&mut self, message: &Message, as_it_stands: bool, index: &EntityIndex, ledger: &mut Ledger) -> Part {
        let text = whole_text(message);
        let bytes = text.len() as u64;
        self.made += bytes;
        let text = if as_it_stands { text } else { stated(&text).into_owned().into() };
        let mut named = Vec::new();
        index.extract(&text, |found| named.extend(index.find(found.kind, &found.key)));
        named.sort_unstable();
        named.dedup();
        named.iter().for_each(|&id| ledger.name(id, index.above(id)));
        Part::Made(named.into(), bytes)
    }

    fn hide(&mut self, part: &Part, index: &EntityIndex, ledger: &mut Ledger) {
        match part {
            Part::Nothing => {}
            Part::Whole(idx) => {
                self.whole[idx.0] = false;
                if let Some(says) = index.says(*idx) {
                    self.visible -= says.bytes;
                    says.entities.iter().for_each(|&id| ledger.hide(id, index.above(id)));
                }
            }
            Part::Made(named, bytes) => {
                self.made -= bytes;
                named.iter().for_each(|&id| ledger.unname(id, index.above(id)));
            }
        }
    }
}
