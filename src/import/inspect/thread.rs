//! A line of model calls in which each goes on from one before.

use std::collections::HashSet;

use super::attachments::Attachments;
use super::content::{self, Output};
use crate::import::chain::{Chain, Stamp};
use crate::import::value::{Object, Value};
use crate::transcript::{Compaction, EntryIdx, EntryKind};

/// A message of a context: its digest, and its entry unless it is the system prompt of the head.
type Known = (u64, Option<usize>);

/// A line of calls.
#[derive(Debug, Default)]
pub(super) struct Thread {
    pub(super) chain: Chain,
    /// The context after the last call, its reply included.
    context: Vec<Known>,
    /// Ids that entries have taken.
    ids: HashSet<Box<str>>,
}

/// The input of a call: messages with their digests.
pub(super) type Input<'a> = Vec<(u64, Value<'a>)>;

impl Thread {
    /// How many messages of `input` are those of the context, from the start, without the prompt of the head: agents of
    /// the same kind share that.
    pub(super) fn shared(&self, input: &Input<'_>) -> usize {
        let prefix = self.prefix(input);
        self.context[..prefix].iter().filter(|(_, entry)| entry.is_some()).count()
    }

    /// How many messages of `input` the context has anywhere.
    pub(super) fn overlap(&self, input: &Input<'_>) -> usize {
        input.iter().filter(|(key, _)| self.entry_of(*key).is_some()).count()
    }

    /// How many messages at the end of the context the messages `keys` hold in one run, and where that run ends.
    pub(super) fn meets(&self, keys: &[u64]) -> (usize, usize) {
        let run = |end: usize| {
            let pairs = self.context.iter().rev().zip(keys[..end].iter().rev());
            pairs.take_while(|((known, _), key)| known == *key).count()
        };
        (0..=keys.len())
            .map(|end| (run(end), end))
            .max_by_key(|&(length, end)| (length, usize::MAX - end))
            .unwrap_or_default()
    }

    fn holds(&self, key: u64) -> bool {
        self.context.iter().any(|(known, _)| *known == key)
    }

    fn prefix(&self, input: &Input<'_>) -> usize {
        self.context.iter().zip(input).take_while(|((known, _), (key, _))| known == key).count()
    }

    fn entry_of(&self, key: u64) -> Option<usize> {
        self.context.iter().find(|(known, _)| *known == key)?.1
    }

    /// Appends what `input` adds. Where it leaves the context, a branch begins.
    pub(super) fn extend(&mut self, input: &Input<'_>, attachments: &Attachments<'_>) {
        let prefix = self.prefix(input);
        if prefix < self.context.len() {
            self.chain.tip = self.context[..prefix].iter().rev().find_map(|(_, entry)| *entry);
        }
        self.context.truncate(prefix);
        for (key, message) in &input[prefix..] {
            let entry = self.push(*message, attachments, Stamp::default(), Output::default());
            self.context.push((*key, entry));
        }
    }

    /// Appends a compaction, and the messages of `input` that are new after it.
    pub(super) fn compact(&mut self, input: &Input<'_>, event: Value<'_>, attachments: &Attachments<'_>) {
        let fields = event.object();
        let prefix = self.prefix(input);
        let known: Vec<Option<usize>> = input.iter().map(|(key, _)| self.entry_of(*key)).collect();
        let summary = (prefix..input.len()).find(|&at| known[at].is_none());
        let from = summary.map_or(prefix, |at| at + 1);
        let kept = known.iter().skip(from).find_map(|entry| *entry);
        let message = |entry: &Option<usize>| match &self.chain.transcript.entries[(*entry)?].kind {
            EntryKind::Message(message) => Some(message.clone()),
            _ => None,
        };
        let compaction = Compaction {
            summary: summary.map(|at| content::text(input[at].1, attachments)).unwrap_or_default(),
            first_kept: kept.map(|at| self.chain.transcript.entry(EntryIdx(at)).id.clone()),
            tokens_before: fields.u64("tokens_before"),
            details: event.json(),
            replacement: known[..prefix].iter().filter_map(message).collect(),
            ..Compaction::default()
        };
        let line = self.chain.transcript.entries.len() + 1;
        let stamp = stamp(&fields);
        let at = self.chain.push(line, stamp, EntryKind::Compaction(Box::new(compaction)));
        let mut context = Vec::with_capacity(input.len());
        for (index, (key, message)) in input.iter().enumerate() {
            let entry = match known[index] {
                Some(entry) => Some(entry),
                None if Some(index) == summary => Some(at),
                // The prompt of the head has no entry.
                None if self.holds(*key) => None,
                None => self.push(*message, attachments, Stamp::default(), Output::default()),
            };
            context.push((*key, entry));
        }
        self.context = context;
    }

    /// Appends the reply of a call.
    pub(super) fn reply(
        &mut self,
        key: u64,
        message: Value<'_>,
        attachments: &Attachments<'_>,
        time: Stamp,
        output: Output,
    ) {
        let entry = self.push(message, attachments, time, output);
        self.context.push((key, entry));
    }

    /// Appends messages that came after the last call.
    pub(super) fn append(&mut self, key: u64, message: Value<'_>, attachments: &Attachments<'_>) {
        let entry = self.push(message, attachments, Stamp::default(), Output::default());
        self.context.push((key, entry));
    }

    /// Appends a message under its own id, unless that is taken: a branch repeats messages.
    fn push(
        &mut self,
        message: Value<'_>,
        attachments: &Attachments<'_>,
        time: Stamp,
        output: Output,
    ) -> Option<usize> {
        let id = message.object().boxed("id").filter(|id| !self.ids.contains(id));
        let entry = content::push(&mut self.chain, Stamp { id: id.clone(), ..time }, message, attachments, output);
        self.ids.extend(id);
        entry
    }
}

/// The time of an event.
pub(super) fn stamp(event: &Object<'_>) -> Stamp {
    Stamp { id: None, timestamp: event.boxed("timestamp") }
}
