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

    /// Whether an item was put back by a recovery action.
    pub(crate) fn holds(&self, item: &Item) -> bool {
        self.0.iter().any(|one| one.same(item))
    }
}

/// Follows a context from look to look, so that a look costs what has changed since the one before. A strategy that changes
/// messages in place and never cuts has a context as long as its session, and changes it before every request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    layout: Option<u64>,
    len: usize,
    changed: Vec<usize>,
}

impl Places {
    /// These items have another message since.
    pub(crate) fn note(&mut self, changed: &[usize]) {
        self.changed.extend_from_slice(changed);
    }

    /// The items that are not as they were at the last look, in order; `None` when items have moved, or at the first look.
    pub(crate) fn look(&mut self, live: &Live<'_>) -> Option<Vec<usize>> {
        let (layout, len) = (live.view().layout(), live.view().len());
        let mut changed = std::mem::take(&mut self.changed);
        let known = std::mem::replace(&mut self.len, len);
        if self.layout.replace(layout) != Some(layout) {
            return None;
        }
        changed.retain(|&at| at < known);
        changed.sort_unstable();
        changed.dedup();
        changed.extend(known..len);
        Some(changed)
    }
}

/// The items of a context as they were at the last look, each with whether it was sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mirror {
    places: Places,
    items: Vec<(Item, bool)>,
}

impl Mirror {
    /// These items have another message since.
    pub(crate) fn note(&mut self, changed: &[usize]) {
        self.places.note(changed);
    }

    /// Looks at a context.
    pub(crate) fn look(&mut self, live: &Live<'_>) {
        let places = self.places.look(live).unwrap_or_else(|| {
            self.items.clear();
            (0..live.view().len()).collect()
        });
        for at in places {
            let item = (live.view().items()[at].clone(), live.is_sent(at));
            match self.items.get_mut(at) {
                Some(old) => *old = item,
                None => self.items.push(item),
            }
        }
    }

    /// All items.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().map(|(item, _)| item)
    }

    /// Those that were sent.
    pub(crate) fn sent(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|(_, sent)| *sent).map(|(item, _)| item)
    }
}

/// The recorded messages that a context holds whole. It has the size of that context, however long the session is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Whole(Vec<EntryIdx>);

impl Whole {
    /// Of these entries, in any order.
    pub(crate) fn new(mut entries: Vec<EntryIdx>) -> Self {
        entries.sort_unstable();
        Self(entries)
    }

    /// Whether an entry is among them.
    pub(crate) fn holds(&self, idx: EntryIdx) -> bool {
        self.0.binary_search(&idx).is_ok()
    }
}

impl Seen {
    /// Looks at a context.
    pub(crate) fn new(live: &Live<'_>, recovered: &Recovered) -> Self {
        Self::of(live.view().items().iter(), live.view().transcript(), recovered)
    }

    /// Looks at the items of a context.
    pub(crate) fn of<'i>(
        items: impl Iterator<Item = &'i Item>,
        transcript: &Transcript,
        recovered: &Recovered,
    ) -> Self {
        let mut seen = Self::default();
        for item in items {
            match &item.source {
                Source::Entry(idx) => seen.entries.push(*idx),
                Source::Made(message) => {
                    let text = whole_text(message);
                    seen.made_bytes += text.len() as u64;
                    if recovered.holds(item) {
                        seen.recovered.push(text.into_owned());
                    } else {
                        seen.made.push(stated(&text).into_owned());
                    }
                }
                Source::Changed(_, message) => {
                    let text = whole_text(message);
                    seen.made_bytes += text.len() as u64;
                    seen.made.push(text.into_owned());
                }
                Source::Omitted(_) | Source::Nothing => {}
            }
            seen.newest = seen.newest.max(item.origin());
        }
        debug_assert!(seen.entries.iter().all(|idx| idx.0 < transcript.entries.len()));
        seen
    }
}
