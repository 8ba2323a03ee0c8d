//! What can be seen after a cut: recorded entries that are whole, and the texts of the strategy's own.

use super::text::{stated, whole_text};
use crate::replay::{CompactionEvent, Item, Live, Source};
use crate::transcript::{EntryIdx, Transcript};

/// What a context shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// Recorded messages, whole, in order of the context.
    pub(crate) entries: Vec<EntryIdx>,
    /// What summaries state, and recorded messages that were shortened or masked.
    pub(crate) made: Vec<String>,
    /// What recovery actions put back.
    pub(crate) recovered: Vec<String>,
    /// The newest record of the context.
    pub(crate) newest: Option<EntryIdx>,
    /// Bytes of everything that is not recorded.
    pub(crate) made_bytes: u64,
}

/// Tells messages of recovery actions from summaries: both are made, and both may stay for several cuts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recovered(Vec<Item>);

impl Recovered {
    /// Remembers what a compaction put back, and forgets what its context no longer holds.
    pub(crate) fn note(&mut self, event: &CompactionEvent<'_, '_>) {
        let items = event.after.view().items();
        // The items before the kept tail are the summary's messages, then those of the recovery actions.
        let summaries = event.made_items.saturating_sub(event.recovered_items);
        let old = std::mem::take(&mut self.0);
        let kept = &items[event.made_items.min(items.len())..];
        self.0.extend(old.into_iter().filter(|one| kept.iter().any(|item| item.same(one))));
        self.0.extend(items[summaries..event.made_items].iter().cloned());
    }

    fn holds(&self, item: &Item) -> bool {
        self.0.iter().any(|one| one.same(item))
    }
}

impl Seen {
    /// Looks at a context.
    pub(crate) fn new(live: &Live<'_>, recovered: &Recovered) -> Self {
        Self::of(live.view().items(), live.view().transcript(), recovered)
    }

    /// Looks at the items of a context.
    pub(crate) fn of(items: &[Item], transcript: &Transcript, recovered: &Recovered) -> Self {
        let mut seen = Self::default();
        for item in items {
            match &item.source {
                Source::Entry(idx) => seen.entries.push(*idx),
                Source::Made(message) => {
                    let text = whole_text(message);
                    seen.made_bytes += text.len() as u64;
                    if recovered.holds(item) {
                        seen.recovered.push(text);
                    } else {
                        seen.made.push(stated(&text).into_owned());
                    }
                }
                Source::Changed(_, message) => {
                    let text = whole_text(message);
                    seen.made_bytes += text.len() as u64;
                    seen.made.push(text);
                }
                Source::Omitted(_) | Source::Nothing => {}
            }
            seen.newest = seen.newest.max(item.origin());
        }
        debug_assert!(seen.entries.iter().all(|idx| idx.0 < transcript.entries.len()));
        seen
    }
}
