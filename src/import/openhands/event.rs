//! Events, of either generation, to entries.

use std::collections::{HashMap, HashSet};

use super::usage::Usages;
use super::{action, observation, sdk};
use crate::import::chain::{Chain, Stamp};
use crate::import::value::{Object, Value};
use crate::import::{FindingKind, Imported};
use crate::transcript::{Block, Compaction, Content, EntryIdx, EntryKind, Message, Reply, StopReason, System, Text};

/// Whether a record is an event: one of the SDK names its class, an older one its source and what happened.
pub(super) fn is(value: Value<'_>) -> bool {
    let fields = value.object();
    sdk::is(&fields) || fields.has("source") && (fields.has("args") || fields.has("extras"))
}

/// The events that a condensation takes out of the context.
#[derive(Debug, Default)]
pub(super) struct Forgotten {
    pub(super) ids: Vec<Box<str>>,
    /// The ids are the first and the last of a range.
    pub(super) is_range: bool,
}

/// Collects the events of a session.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) chain: Chain,
    pub(super) usage: Usages,
    /// The line of the last event.
    pub(super) line: usize,
    /// The reply of each response id so far.
    replies: HashMap<Box<str>, usize>,
    /// The entry of each message so far, by the place of its event among all.
    order: Vec<(usize, usize)>,
    /// Place of each event among all, by its id.
    places: HashMap<Box<str>, usize>,
    /// Places of the events that condensations took out.
    forgotten: HashSet<usize>,
    /// The call that an action without a call of its own became, by the action's id; and the last such.
    pub(super) made_calls: HashMap<Box<str>, Box<str>>,
    pub(super) last_made_call: Option<Box<str>>,
}

impl Events {
    /// Takes an event.
    pub(super) fn take(&mut self, line: usize, value: Value<'_>) {
        self.line = line;
        self.chain.here = Some(value.at());
        let fields = value.object();
        let place = self.places.len();
        let id = fields.word("id");
        if id.as_deref().is_some_and(|id| self.chain.is_copy(line, id, value)) {
            return;
        }
        self.places.insert(id.clone().unwrap_or_else(|| format!("event {place}").into()), place);
        let before = self.chain.transcript.entries.len();
        if sdk::is(&fields) {
            sdk::take(self, line, value, &fields);
        } else if fields.get("observation").is_some() {
            observation::take(self, line, value, &fields);
        } else if fields.get("action").is_some() {
            action::take(self, line, value, &fields);
        } else {
            self.unknown(line, "none", value);
        }
        self.order.extend((before..self.chain.transcript.entries.len()).map(|entry| (place, entry)));
        if self.chain.transcript.meta.timestamp.is_none() {
            self.chain.transcript.meta.timestamp = fields.boxed("timestamp");
        }
    }

    /// Id and time of an event.
    pub(super) fn stamp(fields: &Object<'_>) -> Stamp {
        Stamp { id: fields.word("id"), timestamp: fields.boxed("timestamp") }
    }

    /// Keeps an event that never reaches the model.
    pub(super) fn note(&mut self, line: usize, kind: &str, value: Value<'_>) {
        self.chain.note(line, Self::stamp(&value.object()), kind, value);
    }

    /// Keeps an event of a kind this reader does not know.
    pub(super) fn unknown(&mut self, line: usize, kind: &str, value: Value<'_>) {
        let fault = format!("an event of unknown kind `{kind}`; kept as a note");
        self.chain.fault(line, FindingKind::UnknownKind, fault);
        self.note(line, kind, value);
    }

    /// Appends a message.
    pub(super) fn message(&mut self, line: usize, stamp: Stamp, message: Message) {
        self.chain.push(line, stamp, EntryKind::Message(message));
    }

    /// The system prompt: the head's, before all messages.
    pub(super) fn system(&mut self, line: usize, stamp: Stamp, prompt: Text) {
        if self.chain.transcript.head.system.is_none() && self.order.is_empty() {
            self.chain.transcript.head.system = Some(prompt);
        } else {
            let message =
                Message::System(Box::new(System { content: prompt, sections: Vec::new(), tools_added: None }));
            self.message(line, stamp, message);
        }
    }

    /// The reply with this response id, if there is one.
    pub(super) fn reply_of(&mut self, response: &str) -> Option<&mut Content> {
        let at = *self.replies.get(response).filter(|_| !response.is_empty())?;
        match &mut self.chain.transcript.entries.get_mut(at)?.kind {
            EntryKind::Message(Message::Assistant(content, _)) => Some(content),
            _ => None,
        }
    }

    /// Appends a reply. `usage` is what its own record says; the metrics and running sums come first.
    pub(super) fn reply(&mut self, line: usize, stamp: Stamp, response: &str, content: Content, mut reply: Reply) {
        let calls = content.blocks.iter().any(|block| matches!(block, Block::ToolCall(_)));
        let from_metrics = self.usage.take_response(response, &mut self.chain, line);
        let waiting = self.usage.take_pending(&mut self.chain, line);
        reply.usage = from_metrics.or(waiting).or(reply.usage);
        if calls && reply.stop == StopReason::Stop {
            reply.stop = StopReason::ToolUse;
        }
        if reply.model.is_empty() {
            reply.model = (&*self.usage.model).into();
        }
        let at = self.chain.push(line, stamp, EntryKind::Message(Message::Assistant(content, Box::new(reply))));
        self.replies.insert(response.into(), at);
    }

    /// Appends a call to the reply of the same response: calls that were made together.
    pub(super) fn add_call(&mut self, response: &str, call: Block) {
        self.chain.know(&call);
        if let Some(content) = self.reply_of(response) {
            content.blocks.push(call);
            content.plain = false;
        }
    }

    /// Appends a compaction. What comes after the last forgotten event was kept, and so were earlier events that are
    /// not forgotten: they precede the summary.
    pub(super) fn condensation(&mut self, line: usize, stamp: Stamp, forgotten: &Forgotten, fields: &Object<'_>) {
        let places: Vec<usize> = forgotten.ids.iter().filter_map(|id| self.places.get(id).copied()).collect();
        let last = places.iter().copied().max();
        match (places.iter().copied().min(), last) {
            (Some(from), Some(to)) if forgotten.is_range => self.forgotten.extend(from..=to),
            _ => self.forgotten.extend(places),
        }
        let after = self.order.iter().find(|(place, _)| last.is_some_and(|last| *place > last));
        let before = self.order.iter().filter(|(place, _)| last.is_some_and(|last| *place < last));
        let kept_before = before.filter(|(place, _)| !self.forgotten.contains(place));
        let message = |&(_, entry): &(usize, usize)| match &self.chain.transcript.entry(EntryIdx(entry)).kind {
            EntryKind::Message(message) => Some(message.clone()),
            _ => None,
        };
        let compaction = Compaction {
            summary: Text::new(fields.boxed("summary").unwrap_or_default()),
            first_kept: after.map(|(_, entry)| self.chain.transcript.entry(EntryIdx(*entry)).id.clone()),
            replacement: kept_before.filter_map(message).collect(),
            ..Compaction::default()
        };
        self.chain.push(line, stamp, EntryKind::Compaction(Box::new(compaction)));
    }

    /// The session.
    pub(super) fn finish(mut self, part: Option<Box<str>>) -> Imported {
        self.usage.unclaimed(&mut self.chain);
        self.usage.unclaimed_responses(&mut self.chain, self.line);
        self.chain.finish(part)
    }
}

/// A reply of which no more is known.
pub(super) fn bare_reply(stop: StopReason) -> Reply {
    Reply { api: "".into(), provider: "".into(), model: "".into(), stop, usage: None, error: None }
}
