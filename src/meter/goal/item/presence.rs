//! Which entries say what of which items: found once per transcript, in one pass, and shared by all cells.

use std::collections::BTreeSet;

use super::ItemSet;
use super::matcher::{Matcher, Said};
use crate::meter::goal::text::{MadeText, normalise, whole_text};
use crate::replay::Item;
use crate::transcript::{EntryIdx, Transcript};

/// What every entry says of the items.
#[derive(Clone, Debug, Default)]
pub struct Presence {
    matcher: Matcher,
    /// By entry: the items of which it says something.
    said: Vec<Vec<(u32, Said)>>,
    /// Bytes of the lines of every entry, for extracts that are made of lines.
    lines: LineHits,
}

/// The lines that say something of an item.
#[derive(Clone, Debug, Default)]
pub(super) struct LineHits {
    /// By item and slot: the lines with a spelling of it, as entry, line and bytes.
    pub(super) slots: Vec<Vec<Vec<Line>>>,
    /// By entry: bytes of its text.
    pub(super) bytes: Vec<u64>,
}

/// A line of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    pub(super) entry: EntryIdx,
    pub(super) number: u32,
    pub(super) bytes: u32,
}

impl Presence {
    /// Searches every entry once.
    pub fn new(transcript: &Transcript, items: &ItemSet) -> Self {
        if items.items.is_empty() {
            return Self::default();
        }
        let mut matcher = Matcher::new(items);
        let slots = items.items.iter().map(|item| vec![Vec::new(); item.must.len()]).collect();
        let mut lines = LineHits { slots, bytes: Vec::with_capacity(transcript.entries.len()) };
        let mut said = Vec::with_capacity(transcript.entries.len());
        for index in 0..transcript.entries.len() {
            let entry = EntryIdx(index);
            let item = Item::entry(transcript, entry);
            let text = item.message(transcript).map(whole_text).unwrap_or_default();
            lines.bytes.push(text.len() as u64);
            let found = matcher.recorded(&normalise(&text));
            if found.iter().any(|(_, said)| said.part) {
                lines.add(&matcher, entry, &text);
            }
            said.push(found);
        }
        let sources: BTreeSet<EntryIdx> = items.items.iter().flat_map(|item| item.source.iter().copied()).collect();
        for entry in sources {
            if let Some(message) = Item::entry(transcript, entry).message(transcript) {
                matcher.learn_source(&MadeText::new(&whole_text(message)), |item| {
                    items.items[item].source.contains(&entry)
                });
            }
        }
        Self { matcher, said, lines }
    }

    /// What an entry says.
    pub(super) fn entry(&self, idx: EntryIdx) -> &[(u32, Said)] {
        self.said.get(idx.0).map_or(&[], Vec::as_slice)
    }

    /// What a text of a strategy says.
    pub(super) fn made(&self, text: &MadeText) -> Vec<(u32, Said)> {
        self.matcher.made(text)
    }

    pub(super) fn lines(&self) -> &LineHits {
        &self.lines
    }
}

impl LineHits {
    fn add(&mut self, matcher: &Matcher, entry: EntryIdx, text: &str) {
        for (number, line) in text.lines().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let bytes = u32::try_from(line.len() + 1).unwrap_or(u32::MAX);
            for (item, slot) in matcher.slots_of(&normalise(line)) {
                self.slots[item][slot].push(Line { entry, number, bytes });
            }
        }
    }
}
