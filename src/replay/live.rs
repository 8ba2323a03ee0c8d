//! The live context of a replay: the view that stages see, with the reference counts that only meters see.

use super::pairing::{Pairing, orphans};
use super::{EstimateTable, ReplayInput};
use crate::engine::edit::Rewrite;
use crate::engine::estimate::Estimator;
use crate::engine::view::{ContextView, Item, Source, Track};
use crate::transcript::{Block, Content, EntryIdx, Message, Text, Tokens, ToolResult, sent_parts};

/// What stands for the missing result of a call, as agents send it to a provider that insists on one.
const NO_RESULT: &str = "No result provided";

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
    /// Leading items that are as they were in the request before.
    stable: usize,
    /// Tokens that the first changed item still shares with what stood there.
    shared: Tokens,
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
            stable: 0,
            shared: Tokens(0),
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

    /// How many messages the request has.
    pub fn sent_messages(&self) -> u64 {
        self.sent_count
    }

    /// Reference tokens of the longest common prefix with the request before.
    pub fn reused_tokens(&self) -> Tokens {
        self.head_tokens() + self.reference.range(0..self.stable) + self.shared
    }

    /// From now on the context is compared with this request.
    pub(super) fn mark_request(&mut self) {
        self.stable = self.view.len();
        self.shared = Tokens(0);
    }

    /// Appends a record. A message that would leave calls open is preceded by results that say so.
    pub(super) fn append(&mut self, idx: EntryIdx) {
        let item = Item::entry(self.input.transcript, idx);
        let message = item.message(self.input.transcript);
        if message.is_some_and(|message| !matches!(message, Message::ToolResult(_))) {
            self.close_open_calls();
        }
        let sent = message.is_some_and(|message| self.pairing.read(message));
        let reference = if sent { self.input.reference.entry(idx) } else { Tokens(0) };
        self.push(item, self.estimates.entry(idx), reference, sent);
    }

    /// Answers the calls that nothing answered. No agent stores these results, so they are worth nothing to an estimator.
    pub(super) fn close_open_calls(&mut self) {
        for call_id in self.pairing.take_open() {
            let content = Content { blocks: vec![Block::Text(Text::from(NO_RESULT))], plain: false };
            let result =
                ToolResult { call_id, tool: "".into(), content, is_error: true, details: None, nested_calls: None };
            let message = Message::ToolResult(Box::new(result));
            let reference = self.input.reference.message(&message);
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
        let common = self.view.items().iter().zip(&items).take_while(|(a, b)| a.same(b)).count();
        self.diverge(common, items.get(common));
        let was_closed = self.pairing.is_closed();
        let mut pairing = Pairing::default();
        let (mut counted, mut reference, mut sent) = (Vec::with_capacity(items.len()), Vec::new(), Vec::new());
        let mut orphaned = 0;
        let mut before = self.view.items().iter().zip(&self.sent).peekable();
        for item in items {
            let message = item.message(self.input.transcript);
            let goes = message.is_some_and(|message| pairing.read(message));
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
        debug_assert!(!was_closed || orphans(self.sent()) == 0, "a request would hold an orphan");
        Replaced { items, reference, orphaned }
    }

    /// Gives some messages another content. Nothing moves, and calls and results stay pairs, so that only what follows
    /// the first of them is counted again.
    pub(super) fn rewrite(&mut self, rewrites: Vec<Rewrite>, estimator: &dyn Estimator) {
        // In order; of several for one item the last.
        let mut rewrites = rewrites;
        rewrites.reverse();
        rewrites.sort_by_key(|rewrite| rewrite.at);
        rewrites.dedup_by_key(|rewrite| rewrite.at);
        let changed = rewrites.into_iter().map(|Rewrite { at, message }| {
            let item = match self.view.items()[at].origin() {
                Some(idx) => Item::changed(idx, message),
                None => Item::made(message),
            };
            let (estimate, reference) = self.count(&item, estimator);
            (at, item, estimate, if self.sent[at] { reference } else { Tokens(0) })
        });
        let changed: Vec<_> = changed.collect();
        if let Some((first, item, ..)) = changed.first() {
            self.diverge(*first, Some(item));
        }
        self.reference.change(&changed.iter().map(|&(at, .., reference)| (at, reference)).collect::<Vec<_>>());
        self.view.rewrite(changed.into_iter().map(|(at, item, estimate, _)| (at, item, estimate)).collect());
        debug_assert!(!self.pairing.is_closed() || orphans(self.sent()) == 0, "a request would hold an orphan");
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

    /// Estimate and reference count of an item.
    fn count(&self, item: &Item, estimator: &dyn Estimator) -> (Tokens, Tokens) {
        match &item.source {
            Source::Entry(idx) => (self.estimates.entry(*idx), self.input.reference.entry(*idx)),
            source => item.message(self.input.transcript).map_or_else(Default::default, |message| {
                // The only results that are made close open calls; see there.
                let stored = !matches!((source, message), (Source::Made(_), Message::ToolResult(_)));
                let estimate = if stored { estimator.message(message) } else { Tokens(0) };
                (estimate, self.made_tokens(message))
            }),
        }
    }

    /// Reference count of a made message, through the cache where it is one text.
    fn made_tokens(&self, message: &Message) -> Tokens {
        let mut tokens = Tokens(0);
        sent_parts(message, |part| {
            tokens = tokens
                + match part {
                    crate::transcript::Part::Text(text) => self.input.counts.count(&text),
                    crate::transcript::Part::Image(_) => crate::tokens::IMAGE_TOKENS,
                };
        });
        tokens
    }

    /// From the item at `common` on the context is another; `new` will stand there.
    fn diverge(&mut self, common: usize, new: Option<&Item>) {
        if common >= self.stable {
            return;
        }
        self.shared = match (self.view.items().get(common), new) {
            (Some(a), Some(b)) => self.common_tokens(a, b),
            _ => Tokens(0),
        };
        self.stable = common;
    }

    /// Common prefix of two messages of the same role, in tokens.
    fn common_tokens(&self, a: &Item, b: &Item) -> Tokens {
        if a.kind != b.kind {
            return Tokens(0);
        }
        let transcript = self.input.transcript;
        let text = |item: &Item| item.message(transcript).map(sent_text).unwrap_or_default();
        self.input.counts.common_prefix(&text(a), &text(b))
    }
}

/// All that is sent of a message as text.
fn sent_text(message: &Message) -> String {
    let mut text = String::new();
    sent_parts(message, |part| {
        if let crate::transcript::Part::Text(part) = part {
            text.push_str(&part);
        }
    });
    text
}
