//! The context as one estimator sees it, kept beside the replay's own.

use std::collections::HashMap;
use std::sync::Arc;

use super::observe::Subject;
use crate::engine::estimate::Estimate;
use crate::engine::view::{ContextView, Item, Source};
use crate::replay::EstimateTable;
use crate::transcript::{EntryIdx, Message, Tokens, Transcript};

/// Estimates of messages that a recorded compaction made, so that each is asked for once.
type Made = Vec<(Arc<Message>, Tokens)>;

/// A subject's own view of the context. Only what is new is counted.
pub(super) struct Shadow<'a> {
    subject: &'a Subject,
    table: Arc<EstimateTable>,
    view: ContextView<'a>,
    /// Whether [`crate::engine::estimate::Estimator::context`] counts the head of an unanchored context.
    counts_head: bool,
    made: Made,
    layout: u64,
    head: Tokens,
}

impl<'a> Shadow<'a> {
    /// An empty context after a head of `head` tokens; `table` is what the subject says of every entry.
    pub(super) fn new(
        subject: &'a Subject,
        transcript: &'a Transcript,
        head: Tokens,
        table: Arc<EstimateTable>,
    ) -> Self {
        let probe = ContextView::new(transcript, Some(Tokens(1)));
        let counts_head = subject.estimator.context(&probe).tokens == Tokens(1);
        let view = ContextView::new(transcript, Some(head));
        Self { subject, table, view, counts_head, made: Vec::new(), layout: 0, head }
    }

    fn count(&mut self, item: &Item) -> Tokens {
        let message = match &item.source {
            Source::Entry(idx) => return self.table.entry(*idx),
            Source::Changed(_, message) | Source::Made(message) => message,
            Source::Omitted(_) | Source::Nothing => return Tokens(0),
        };
        if let Some((_, known)) = self.made.iter().find(|(known, _)| Arc::ptr_eq(known, message)) {
            return *known;
        }
        let tokens = self.subject.estimator.message(message);
        self.made.push((Arc::clone(message), tokens));
        tokens
    }

    /// Follows the context of the replay. `reported` is the usage of replies.
    pub(super) fn follow(&mut self, live: &ContextView<'_>, reported: &HashMap<EntryIdx, Tokens>) {
        if live.layout() != self.layout {
            self.layout = live.layout();
            self.view = ContextView::new(self.view.transcript(), self.view.head());
        }
        for item in &live.items()[self.view.len()..] {
            let tokens = self.count(item);
            self.view.push(item.clone(), tokens);
            if let Some(&usage) = item.origin().and_then(|idx| reported.get(&idx)) {
                self.view.anchor_last(usage);
            }
        }
    }

    /// The estimate of the whole context, the head counted as everybody counts it.
    pub(super) fn estimate(&self) -> Estimate {
        let estimate = self.subject.estimator.context(&self.view);
        match estimate.anchored {
            None if !self.counts_head => Estimate { tokens: estimate.tokens + self.head, ..estimate },
            _ => estimate,
        }
    }

    /// What this subject says of an entry.
    pub(super) fn table(&self) -> &EstimateTable {
        &self.table
    }

    /// The estimates of the items.
    pub(super) fn view(&self) -> &ContextView<'a> {
        &self.view
    }
}
