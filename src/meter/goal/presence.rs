//! Which entries hold which spellings: found once per transcript and shared by all cells.

use memchr::memmem;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::ItemSet;
use super::items::normalise;
use crate::replay::Item;
use crate::transcript::{EntryIdx, Message, Part, Transcript, sent_parts};

/// For every spelling of every item, the entries that hold it, in order.
#[derive(Clone, Debug, Default)]
pub struct Presence {
    /// By item, slot and spelling.
    must: Vec<Vec<Vec<Vec<EntryIdx>>>>,
}

/// The normalised text of a message, as it is sent.
pub(super) fn normalised(message: &Message) -> String {
    let mut texts = Vec::new();
    sent_parts(message, |part| {
        if let Part::Text(text) = part {
            texts.push(normalise(&text));
        }
    });
    texts.join(" ")
}

impl Presence {
    /// Looks for every spelling in every entry.
    pub fn new(transcript: &Transcript, items: &ItemSet) -> Self {
        let text = |index: usize| {
            let item = Item::entry(transcript, EntryIdx(index));
            item.message(transcript).map(normalised).unwrap_or_default()
        };
        let texts: Vec<String> = (0..transcript.entries.len()).map(text).collect();
        let holders = |spelling: &String| {
            let finder = memmem::Finder::new(spelling);
            let hits = texts.par_iter().enumerate().filter(|(_, text)| finder.find(text.as_bytes()).is_some());
            hits.map(|(index, _)| EntryIdx(index)).collect()
        };
        let slots = |slot: &Vec<String>| slot.iter().map(holders).collect();
        Self { must: items.items.iter().map(|item| item.must.iter().map(slots).collect()).collect() }
    }

    /// The entries that hold a spelling.
    pub(super) fn holders(&self, item: usize, slot: usize, spelling: usize) -> &[EntryIdx] {
        &self.must[item][slot][spelling]
    }
}
