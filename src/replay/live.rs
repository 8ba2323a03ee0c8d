//! The live context of a replay: the view that stages see, with the reference counts that only meters see.

use std::cell::Cell;
use std::ops::Range;

use super::outline::{CallId, Facts, MadeIds};
use super::pairing::{Pairing, is_stand_in, orphans, stand_in};
use super::prefix::{Earlier, common};
use super::{EstimateTable, ReplayInput};
use crate::engine::edit::Rewrite;
use crate::engine::estimate::Estimator;
use crate::engine::view::{ContextView, Item, Source, Track};
use crate::tokens::IMAGE_TOKENS;
use crate::transcript::{EntryIdx, Message, Part, Tokens, sent_parts};

/// A context that gave way to another.
pub(super) struct Replaced {
    /// Its items.
    pub(super) items: Vec<Item>,
    /// Their reference counts.
    pub(super) reference: Track,
    /// Results that it had sent, whose calls are gone from the new one, which leaves them out.
    pub(super) orphaned: u64,
}

/// The live context.
#[derive(Debug)]
pub struct Live<'a> {
    view: ContextView<'a>,
    reference: Track,
    sent: Vec<bool>,
    sent_count: u64,
    pairing: Pairing,
    made_ids: MadeIds,
    /// The request before, with which the next one is compared.
    earlier: Earlier,
    /// What both share behind the leading items, once nothing that is appended can change it.
    shared: Cell<Option<Tokens>>,
    estimates: &'a EstimateTable,
    input: ReplayInput<'a>,
}

impl<'a> Live<'a> {
    pub(super) fn new(input: ReplayInput<'a>) -> Self {
        Self {
            view: ContextView::new(input.transcript, input.estimates.head()),
            reference: Track::default(),
            sent: Vec::new(),
            sent_count: 0,
            pairing: Pairing::default(),
            made_ids: MadeIds::default(),
            earlier: Earlier::None,
            shared: Cell::new(None),
            estimates: input.estimates,
            input,
        }
    }

    /// What stages see.
    pub fn view(&self) -> &ContextView<'a> {
        &self.view
    }

    /// For the driver, which anchors usage.
    pub(super) fn view_mut(&mut self) -> &mut ContextView<'a> {
        &mut self.view
    }

    /// Reference counts of the items; what is not sent counts nothing.
    pub fn reference(&self) -> &Track {
        &self.reference
    }

    /// Reference count of the whole request: the head, where it is known, and what is sent.
    pub fn request_tokens(&self) -> Tokens {
        self.head_tokens() + self.reference.total()
    }

    /// Reference count of the head; nothing when it is unknown.
    pub fn head_tokens(&self) -> Tokens {
        self.input.reference.head().unwrap_or_default()
    }

    /// The messages of the request.
    pub fn sent(&self) -> impl Iterator<Item = &Message> {
        let messages = (0..self.view.len()).filter(|&index| self.sent[index]);
        messages.filter_map(|index| self.view.message(index))
    }

    /// Whether the item of this place is sent.
    pub fn is_sent(&self, index: usize) -> bool {
        self.sent[index]
    }

    /// Leading items that are those of the request before, and are sent as they were then.
    pub fn unchanged_items(&self) -> usize {
        match &self.earlier {
            Earlier::None => 0,
            Earlier::Leading(items) | Earlier::Apart(items, _) => *items,
        }
    }

    /// How many messages the request has.
    pub fn sent_messages(&self) -> u64 {
        self.sent_count
    }

    /// Reference tokens of the longest common prefix with the request before; nothing for the first request.
    pub fn reused_tokens(&self) -> Tokens {
        let shared = match &self.earlier {
            Earlier::None => return Tokens(0),
            Earlier::Leading(items) => self.reference.range(0..*items),
            Earlier::Apart(leading, items) => self.reference.range(0..*leading) + self.common_with(*leading, items),
        };
        self.head_tokens() + shared
    }

    /// Tokens that the context from `start` on shares with `earlier`, message by message. Several events of one compaction
    /// ask for it.
    fn common_with(&self, start: usize, earlier: &[Item]) -> Tokens {
        if let Some(shared) = self.shared.get() {
            return shared;
        }
        let mut shared = Tokens(0);
        let mut now = (start..self.view.len()).filter(|&index| self.sent[index]);
        for old in earlier {
            // What comes next may be the same again.
            let Some(index) = now.next() else { return shared };
            let new = &self.view.items()[index];
            if new.same(old) {
                shared = shared + self.reference.at(index);
                continue;
            }
            let transcript = self.input.transcript;
            let (Some(old), Some(new)) = (old.message(transcript), new.message(transcript)) else { break };
            let (tokens, whole) = common(self.input.counts, old, new);
            shared = shared + tokens;
            if !whole {
                break;
            }
        }
        self.shared.set(Some(shared));
        shared
    }

    /// From now on the context is compared with this request.
    pub(super) fn mark_request(&mut self) {
        self.earlier = Earlier::Leading(self.view.len());
    }

    /// Keeps aside what the request before held from the item `at` on: those items are about to change.
    fn set_earlier_apart(&mut self, at: usize) {
        self.shared.set(None);
        let sent = |range: Range<usize>| {
            let items = self.view.items()[range.clone()].iter().zip(&self.sent[range]);
            items.filter(|(_, sent)| **sent).map(|(item, _)| item.clone()).collect::<Vec<_>>()
        };
        match &mut self.earlier {
            Earlier::Leading(len) => self.earlier = Earlier::Apart(at.min(*len), sent(at.min(*len)..*len)),
            Earlier::Apart(leading, items) if at < *leading => {
                items.splice(0..0, sent(at..*leading));
                *leading = at;
            }
            Earlier::None | Earlier::Apart(..) => {}
        }
    }

    /// Appends a record. A message that would leave calls open is preceded by results that say so.
    pub(super) fn append(&mut self, idx: EntryIdx) {
        let outline = self.input.outline;
        let (item, facts) = match outline.kind(idx) {
            Some(kind) => (Item { source: Source::Entry(idx), kind }, outline.facts(idx)),
            None => {
                let item = Item::entry(self.input.transcript, idx);
                let facts = self.facts(&item);
                (item, facts)
            }
        };
        if facts.as_ref().is_some_and(Pairing::closes) {
            self.close_open_calls();
        }
        let sent = facts.is_some_and(|facts| self.pairing.read(&facts));
        let reference = if sent { self.input.reference.entry(idx) } else { Tokens(0) };
        self.push(item, self.estimates.entry(idx), reference, sent);
    }

    /// What of an item matters to the pairing.
    fn facts(&mut self, item: &Item) -> Option<Facts<'a>> {
        let (outline, transcript) = (self.input.outline, self.input.transcript);
        if let Source::Entry(idx) = item.source {
            return outline.facts(idx);
        }
        let made = &mut self.made_ids;
        item.message(transcript).map(|message| Facts::of(message, |id| made.number(outline, id)))
    }

    fn stand_in(&self, call: CallId) -> Message {
        stand_in(self.made_ids.id(self.input.outline, call))
    }

    /// Answers the calls that nothing answered.
    pub(super) fn close_open_calls(&mut self) {
        for call in self.pairing.take_open() {
            let message = self.stand_in(call);
            let reference = self.made_tokens(&message);
            self.push(Item::made(message), Tokens(0), reference, true);
        }
    }

    fn push(&mut self, item: Item, estimate: Tokens, reference: Tokens, sent: bool) {
        self.view.push(item, estimate);
        self.reference.push(reference);
        self.sent.push(sent);
        self.sent_count += u64::from(sent);
    }

    /// Replaces the context. Returns what it was.
    pub(super) fn replace(&mut self, items: Vec<Item>, estimator: &dyn Estimator) -> Replaced {
        self.set_earlier_apart(self.view.items().iter().zip(&items).take_while(|(a, b)| a.same(b)).count());
        let mut pairing = Pairing::default();
        let (mut counted, mut reference, mut sent) = (Vec::with_capacity(items.len()), Vec::new(), Vec::new());
        let mut orphaned = 0;
        let facts: Vec<_> = items.iter().map(|item| self.facts(item)).collect();
        let mut before = self.view.items().iter().zip(&self.sent).peekable();
        for (item, facts) in items.into_iter().zip(facts) {
            if facts.as_ref().is_some_and(Pairing::closes) {
                // A change can take the result of a call away.
                for call in pairing.take_open() {
                    let stand_in = self.stand_in(call);
                    reference.push(self.made_tokens(&stand_in));
                    sent.push(true);
                    counted.push((Item::made(stand_in), Tokens(0)));
                }
            }
            let goes = facts.is_some_and(|facts| pairing.read(&facts));
            // Kept items stand in their old order, so one walk finds what each was before.
            let found = Self::find_before(&mut before, &item);
            orphaned += u64::from(found == Some(true) && !goes);
            let (estimate, tokens) = self.count(&item, estimator);
            reference.push(if goes { tokens } else { Tokens(0) });
            sent.push(goes);
            counted.push((item, estimate));
        }
        let items = self.view.replace(counted);
        let mut counts = Track::default();
        counts.rebuild(reference);
        let reference = std::mem::replace(&mut self.reference, counts);
        self.sent_count = sent.iter().filter(|&&sent| sent).count() as u64;
        self.sent = sent;
        self.pairing = pairing;
        debug_assert!(!self.pairing.is_closed() || orphans(self.sent()) == 0, "a request would hold an orphan");
        Replaced { items, reference, orphaned }
    }

    /// Gives some messages another content. Nothing moves, and calls and results stay pairs, so that only what follows
    /// the first of them is counted again. Returns the places that changed, in order.
    pub(super) fn rewrite(&mut self, mut rewrites: Vec<Rewrite>, estimator: &dyn Estimator) -> Vec<usize> {
        // In order; of several for one item the last.
        rewrites.reverse();
        rewrites.sort_by_key(|rewrite| rewrite.at);
        rewrites.dedup_by_key(|rewrite| rewrite.at);
        let places: Vec<usize> = rewrites.iter().map(|rewrite| rewrite.at).collect();
        let Some(&first) = places.first() else { return places };
        self.set_earlier_apart(first);
        let changed = rewrites.into_iter().map(|Rewrite { at, message }| {
            let item = match self.view.items()[at].origin() {
                Some(idx) => Item::changed(idx, message),
                None => Item::made(message),
            };
            let (estimate, reference) = self.count(&item, estimator);
            (at, item, estimate, if self.sent[at] { reference } else { Tokens(0) })
        });
        let changed: Vec<_> = changed.collect();
        self.reference.change(&changed.iter().map(|&(at, .., reference)| (at, reference)).collect::<Vec<_>>());
        self.view.rewrite(changed.into_iter().map(|(at, item, estimate, _)| (at, item, estimate)).collect());
        debug_assert!(!self.pairing.is_closed() || orphans(self.sent()) == 0, "a request would hold an orphan");
        places
    }

    /// Whether an item was sent before; `None` when it was not there.
    fn find_before<'i>(
        before: &mut std::iter::Peekable<impl Iterator<Item = (&'i Item, &'i bool)> + Clone>,
        item: &Item,
    ) -> Option<bool> {
        item.origin()?;
        let mut ahead = before.clone();
        let found = ahead.find(|(old, _)| old.origin() == item.origin())?;
        *before = ahead;
        Some(*found.1)
    }

    /// Estimate and reference count of an item. No agent stores the results that stand in for missing ones, so they are
    /// worth nothing to an estimator.
    fn count(&self, item: &Item, estimator: &dyn Estimator) -> (Tokens, Tokens) {
        match &item.source {
            Source::Entry(idx) => (self.estimates.entry(*idx), self.input.reference.entry(*idx)),
            Source::Made(message) if is_stand_in(message) => (Tokens(0), self.made_tokens(message)),
            _ => item
                .message(self.input.transcript)
                .map_or_else(Default::default, |message| (estimator.message(message), self.made_tokens(message))),
        }
    }

    /// Reference count of a made message, through the cache where it is one text.
    fn made_tokens(&self, message: &Message) -> Tokens {
        let mut tokens = Tokens(0);
        sent_parts(message, |part| {
            tokens = tokens
                + match part {
                    Part::Text(text) => self.input.counts.count(&text),
                    Part::Image(_) => IMAGE_TOKENS,
                };
        });
        tokens
    }
}
