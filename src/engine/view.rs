//! The live context: what a request would hold now. Stages see this, and nothing later.

use std::ops::Range;
use std::sync::Arc;

use crate::transcript::{EntryIdx, EntryKind, JsonText, Message, Role, Text, Tokens, Transcript};

/// What an item of the context is, to a stage that looks at roles only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A message.
    Message(Role),
    /// The place of a compaction: what stands before it was there when it happened.
    Boundary,
    /// A record that yields no message.
    Hidden,
}

impl Kind {
    /// Whether it is a message of this role.
    pub fn is(self, role: Role) -> bool {
        self == Self::Message(role)
    }
}

/// Where the message of an item comes from. Recorded text is never copied.
#[derive(Clone, Debug)]
pub enum Source {
    /// A record of the transcript.
    Entry(EntryIdx),
    /// A recorded message, shortened or masked in place.
    Changed(EntryIdx, Arc<Message>),
    /// A message that a strategy made: a summary or a recovery.
    Made(Arc<Message>),
    /// A recorded message that is left out from here on.
    Omitted(EntryIdx),
    /// Nothing: a boundary.
    Nothing,
}

/// One item of the context.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where its message comes from.
    pub source: Source,
    /// What it is.
    pub kind: Kind,
}

impl Item {
    /// The item of a record.
    pub fn entry(transcript: &Transcript, idx: EntryIdx) -> Self {
        match &transcript.entry(idx).kind {
            EntryKind::Message(message) => Self { source: Source::Entry(idx), kind: Kind::Message(message.role()) },
            EntryKind::BranchSummary(branch) if !branch.summary.is_empty() => {
                let message = Arc::new(Message::BranchSummary(branch.summary.clone()));
                Self { source: Source::Changed(idx, message), kind: Kind::Message(Role::BranchSummary) }
            }
            _ => Self { source: Source::Entry(idx), kind: Kind::Hidden },
        }
    }

    /// An item with a message of the strategy's own.
    pub fn made(message: Message) -> Self {
        let kind = Kind::Message(message.role());
        Self { source: Source::Made(Arc::new(message)), kind }
    }

    /// A recorded item with another message in its place.
    pub fn changed(idx: EntryIdx, message: Message) -> Self {
        let kind = Kind::Message(message.role());
        Self { source: Source::Changed(idx, Arc::new(message)), kind }
    }

    /// A recorded item that is left out.
    pub fn omitted(idx: EntryIdx) -> Self {
        Self { source: Source::Omitted(idx), kind: Kind::Hidden }
    }

    /// The mark of a compaction.
    pub fn boundary() -> Self {
        Self { source: Source::Nothing, kind: Kind::Boundary }
    }

    /// The record it comes from.
    pub fn origin(&self) -> Option<EntryIdx> {
        match self.source {
            Source::Entry(idx) | Source::Changed(idx, _) | Source::Omitted(idx) => Some(idx),
            Source::Made(_) | Source::Nothing => None,
        }
    }

    /// Its message.
    pub fn message<'v>(&'v self, transcript: &'v Transcript) -> Option<&'v Message> {
        match &self.source {
            Source::Entry(idx) => match &transcript.entry(*idx).kind {
                EntryKind::Message(message) => Some(message),
                _ => None,
            },
            Source::Changed(_, message) | Source::Made(message) => Some(message),
            Source::Omitted(_) | Source::Nothing => None,
        }
    }

    /// Whether both hold the same message, without reading text.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.source, &other.source) {
            (Source::Entry(a), Source::Entry(b)) | (Source::Omitted(a), Source::Omitted(b)) => a == b,
            (Source::Changed(_, a) | Source::Made(a), Source::Changed(_, b) | Source::Made(b)) => Arc::ptr_eq(a, b),
            (Source::Nothing, Source::Nothing) => true,
            _ => false,
        }
    }
}

/// Counts of the items of a context, with their prefix sums.
#[derive(Clone, Debug)]
pub struct Track {
    sums: Vec<u64>,
}

impl Default for Track {
    fn default() -> Self {
        Self { sums: vec![0] }
    }
}

impl Track {
    /// Adds the count of the next item.
    pub fn push(&mut self, count: Tokens) {
        self.sums.push(self.total().0 + count.0);
    }

    /// Items counted.
    pub fn len(&self) -> usize {
        self.sums.len() - 1
    }

    /// Whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Count of one item.
    pub fn at(&self, index: usize) -> Tokens {
        self.range(index..index + 1)
    }

    /// Count of a range of items.
    pub fn range(&self, range: Range<usize>) -> Tokens {
        Tokens(self.sums[range.end] - self.sums[range.start])
    }

    /// Count of everything.
    pub fn total(&self) -> Tokens {
        Tokens(self.sums[self.sums.len() - 1])
    }

    /// The last item, of those in `range`, from which the rest of the range counts at least `tokens`; a binary search.
    pub fn reaches_from(&self, range: Range<usize>, tokens: Tokens) -> Option<usize> {
        let end = self.sums[range.end];
        let within = &self.sums[range.start..range.end];
        // Sums never fall, so the starts whose rest is large enough come first.
        let enough = within.partition_point(|&sum| end - sum >= tokens.0);
        enough.checked_sub(1).map(|last| range.start + last)
    }

    /// Changes the count of some items, given in order. Costs an addition for each item after the first of them.
    pub fn change(&mut self, counts: &[(usize, Tokens)]) {
        // What all sums from here on grow by; it may be negative.
        let mut grown = 0_u64;
        for (place, &(at, Tokens(new))) in counts.iter().enumerate() {
            let end = counts.get(place + 1).map_or(self.sums.len(), |&(next, _)| next + 1);
            let old = self.sums[at + 1].wrapping_sub(self.sums[at].wrapping_sub(grown));
            grown = grown.wrapping_add(new).wrapping_sub(old);
            self.sums[at + 1..end].iter_mut().for_each(|sum| *sum = sum.wrapping_add(grown));
        }
    }

    /// Replaces all counts.
    pub fn rebuild(&mut self, counts: impl IntoIterator<Item = Tokens>) {
        self.sums.truncate(1);
        for count in counts {
            self.push(count);
        }
    }
}

/// Usage that the provider reported for a reply that is in the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The item of the reply.
    pub at: usize,
    /// Prompt and reply together.
    pub usage: Tokens,
}

/// The newest compaction, as later ones see it.
#[derive(Clone, Debug)]
pub struct LastSummary {
    /// The summary, without the words around it.
    pub text: Text,
    /// File lists, or an extension's data.
    pub details: Option<JsonText>,
    /// It came from an extension.
    pub from_hook: bool,
}

/// The context before the next request.
#[derive(Clone, Debug)]
pub struct ContextView<'a> {
    /// The session, up to now; stages reach only what the items name.
    transcript: &'a Transcript,
    items: Vec<Item>,
    estimates: Track,
    /// Items that are messages, and the newest boundary: asked for with every request, so never searched for.
    messages: usize,
    boundary: Option<usize>,
    layout: u64,
    anchor: Option<Anchor>,
    last: Option<LastSummary>,
    head: Option<Tokens>,
}

impl<'a> ContextView<'a> {
    /// An empty context. `head` is the estimate of system prompt and tool schemas, where they are known.
    pub fn new(transcript: &'a Transcript, head: Option<Tokens>) -> Self {
        Self {
            transcript,
            items: Vec::new(),
            estimates: Track::default(),
            messages: 0,
            boundary: None,
            layout: 0,
            anchor: None,
            last: None,
            head,
        }
    }

    /// Appends an item with its estimate.
    pub fn push(&mut self, item: Item, estimate: Tokens) {
        match item.kind {
            Kind::Message(_) => self.messages += 1,
            Kind::Boundary => self.boundary = Some(self.items.len()),
            Kind::Hidden => {}
        }
        self.items.push(item);
        self.estimates.push(estimate);
    }

    /// Replaces the whole context, as a compaction does, and gives the items that stood there. An anchor stays where
    /// its reply stays.
    pub fn replace(&mut self, items: Vec<(Item, Tokens)>) -> Vec<Item> {
        let before = std::mem::replace(&mut self.items, Vec::with_capacity(items.len()));
        (self.estimates, self.messages, self.boundary) = (Track::default(), 0, None);
        self.layout += 1;
        for (item, estimate) in items {
            self.push(item, estimate);
        }
        self.anchor = self.anchor.and_then(|Anchor { at, usage }| {
            let at = self.items.iter().rposition(|other| other.same(&before[at]))?;
            Some(Anchor { at, usage })
        });
        before
    }

    /// Gives some items another message of the same role, in order of their places, with its estimate. What is anchored
    /// to one of them is forgotten.
    pub fn rewrite(&mut self, items: Vec<(usize, Item, Tokens)>) {
        self.estimates.change(&items.iter().map(|&(at, _, estimate)| (at, estimate)).collect::<Vec<_>>());
        for (at, item, _) in items {
            debug_assert_eq!(self.items[at].kind, item.kind, "a rewrite keeps the role");
            self.anchor = self.anchor.filter(|anchor| anchor.at != at);
            self.items[at] = item;
        }
    }

    /// Takes the reported usage of the last item.
    pub fn anchor_last(&mut self, usage: Tokens) {
        if let Some(at) = self.items.len().checked_sub(1) {
            self.anchor = Some(Anchor { at, usage });
        }
    }

    /// Earlier usage says nothing any more.
    pub fn forget_anchor(&mut self) {
        self.anchor = None;
    }

    /// Remembers the newest compaction.
    pub fn set_last_summary(&mut self, last: LastSummary) {
        self.last = Some(last);
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All items.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// What an item is.
    pub fn kind(&self, index: usize) -> Kind {
        self.items[index].kind
    }

    /// The message of an item.
    pub fn message(&self, index: usize) -> Option<&Message> {
        self.items[index].message(self.transcript)
    }

    /// The messages of a range.
    pub fn messages(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = &Message> {
        self.items[range].iter().filter_map(|item| item.message(self.transcript))
    }

    /// The estimates of the items.
    pub fn estimates(&self) -> &Track {
        &self.estimates
    }

    /// The newest reply whose usage is known.
    pub fn anchor(&self) -> Option<Anchor> {
        self.anchor
    }

    /// Place of the newest compaction.
    pub fn boundary(&self) -> Option<usize> {
        self.boundary
    }

    /// Number of items that are messages.
    pub fn message_count(&self) -> usize {
        self.messages
    }

    /// Grows whenever items move to other places: what a stage remembers by place holds while it stays.
    pub fn layout(&self) -> u64 {
        self.layout
    }

    /// The newest compaction.
    pub fn last_summary(&self) -> Option<&LastSummary> {
        self.last.as_ref()
    }

    /// Estimate of system prompt and tool schemas; `None` when they are unknown.
    pub fn head(&self) -> Option<Tokens> {
        self.head
    }

    /// The session behind the context. Only for building items of records that are already in it.
    pub fn transcript(&self) -> &'a Transcript {
        self.transcript
    }
}

#[cfg(test)]
mod tests {
    use super::{Tokens, Track};

    fn track(counts: &[u64]) -> Track {
        let mut track = Track::default();
        track.rebuild(counts.iter().map(|&count| Tokens(count)));
        track
    }

    #[test]
    fn the_rest_reaches_the_budget_at_the_item_that_crosses_it() {
        // From the end: 2, 2+5 = 7, 7+0 = 7, 7+3 = 10. An item worth nothing never crosses.
        let track = track(&[3, 0, 5, 2]);
        assert_eq!(track.reaches_from(0..4, Tokens(2)), Some(3));
        assert_eq!(track.reaches_from(0..4, Tokens(7)), Some(2));
        assert_eq!(track.reaches_from(0..4, Tokens(8)), Some(0));
        assert_eq!(track.reaches_from(0..4, Tokens(11)), None);
        assert_eq!(track.reaches_from(1..4, Tokens(8)), None);
        assert_eq!(track.range(0..3), Tokens(8));
    }

    #[test]
    fn a_changed_count_moves_the_sums_behind_it() {
        let mut changed = track(&[3, 0, 5, 2]);
        changed.change(&[(1, Tokens(4)), (2, Tokens(1))]);
        assert_eq!(changed.sums, [0, 3, 7, 8, 10]);
        changed.change(&[]);
        changed.change(&[(3, Tokens(0))]);
        assert_eq!(changed.sums, [0, 3, 7, 8, 8]);
    }
}
