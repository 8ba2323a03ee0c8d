//! What a replay asks of every entry, read from the transcript once.
//!
//! Without it a request would look at messages only to learn who speaks and which calls are open. Those lie all over the
//! memory, and sessions that outgrow the caches would cost more per message than short ones.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::engine::view::Kind;
use crate::transcript::{Block, EntryIdx, EntryKind, Message, StopReason, Transcript, Usage, is_sent};

/// A tool call, by the order in which ids were first seen. Equal ids are one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallId(u32);

/// Ids of calls, numbered.
#[derive(Clone, Debug, Default)]
pub(super) struct CallIds {
    ids: Vec<Box<str>>,
    numbers: HashMap<Box<str>, CallId>,
}

impl CallIds {
    /// The number of `id`, which may be a new one.
    pub(super) fn number(&mut self, id: &str) -> CallId {
        if let Some(&known) = self.numbers.get(id) {
            return known;
        }
        let new = CallId(u32::try_from(self.ids.len()).unwrap_or(u32::MAX));
        self.ids.push(id.into());
        self.numbers.insert(id.into(), new);
        new
    }

    fn id(&self, call: CallId) -> Option<&str> {
        self.ids.get(call.0 as usize).map(|id| &**id)
    }
}

/// Ids of a replay: those of the transcript, and those that only strategies have made.
#[derive(Clone, Debug, Default)]
pub(super) struct MadeIds(CallIds);

impl MadeIds {
    /// The number of `id`.
    pub(super) fn number(&mut self, outline: &Outline, id: &str) -> CallId {
        let known = outline.ids.numbers.get(id).copied();
        known.unwrap_or_else(|| CallId(self.0.number(id).0 + outline.made_from()))
    }

    /// The text of a number.
    pub(super) fn id<'i>(&'i self, outline: &'i Outline, call: CallId) -> &'i str {
        let made = || self.0.id(CallId(call.0.checked_sub(outline.made_from())?));
        outline.ids.id(call).or_else(made).unwrap_or_default()
    }
}

/// What of a message matters to the pairing of calls and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts<'o> {
    /// It goes to the provider, if it is no result without a call.
    pub(super) sent: bool,
    pub(super) says: Says<'o>,
}

/// What a message does to the open calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Says<'o> {
    /// A reply opens these.
    Calls(Cow<'o, [CallId]>),
    /// A result closes this one.
    Result(CallId),
    /// Nothing.
    Other,
}

impl Facts<'_> {
    /// Reads a message; `number` numbers ids.
    pub(super) fn of(message: &Message, mut number: impl FnMut(&str) -> CallId) -> Facts<'static> {
        let says = match message {
            Message::Assistant(content, _) => {
                let calls = content.blocks.iter().filter_map(|block| match block {
                    Block::ToolCall(call) => Some(number(&call.id)),
                    _ => None,
                });
                Says::Calls(calls.collect())
            }
            Message::ToolResult(result) => Says::Result(number(&result.call_id)),
            _ => Says::Other,
        };
        Facts { sent: is_sent(message), says }
    }
}

/// What the loop does with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A request was made for it.
    Reply(Reply),
    /// A recorded compaction.
    Compaction,
    /// A recorded change of an earlier message.
    ContextEdit,
    /// It is only appended.
    Append,
}

/// A recorded reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// It failed or was stopped.
    pub(super) failed: bool,
    /// The turn goes on after it.
    pub(super) goes_on: bool,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    step: Step,
    kind: Kind,
    /// A message that is made of the record, not the record's own.
    derived: bool,
    sent: bool,
    result: Option<CallId>,
    /// The model that it puts in force, by its place in the names.
    model: Option<u32>,
    /// Where its calls end; they begin where those of the row before end.
    calls_end: u32,
}

/// What a replay asks of every entry of a transcript. Made once, shared by all cells.
#[derive(Clone, Debug)]
pub struct Outline {
    rows: Vec<Row>,
    calls: Vec<CallId>,
    ids: CallIds,
    usage: Vec<Option<Usage>>,
    /// Names of models, each once.
    models: Vec<Box<str>>,
}

impl Outline {
    /// Reads every entry once.
    pub fn new(transcript: &Transcript) -> Self {
        let mut outline = Self {
            rows: Vec::new(),
            calls: Vec::new(),
            ids: CallIds::default(),
            usage: Vec::new(),
            models: Vec::new(),
        };
        let mut models = HashMap::new();
        for entry in &transcript.entries {
            let model = entry.kind.model().map(|name| outline.model_number(name, &mut models));
            outline.push(&entry.kind, model);
        }
        outline
    }

    fn push(&mut self, entry: &EntryKind, model: Option<u32>) {
        let mut row = Row {
            step: Step::Append,
            kind: Kind::Hidden,
            derived: false,
            sent: false,
            result: None,
            model,
            calls_end: 0,
        };
        let mut usage = None;
        match entry {
            EntryKind::Message(message) => {
                let facts = Facts::of(message, |id| self.ids.number(id));
                (row.kind, row.sent) = (Kind::Message(message.role()), facts.sent);
                let mut calls = false;
                match facts.says {
                    Says::Calls(ids) => {
                        calls = !ids.is_empty();
                        self.calls.extend_from_slice(&ids);
                    }
                    Says::Result(call) => row.result = Some(call),
                    Says::Other => {}
                }
                if let Some(reply) = message.reply() {
                    let failed = reply.failed();
                    let goes_on = (calls && !failed) || reply.stop == StopReason::ToolUse;
                    row.step = Step::Reply(Reply { failed, goes_on });
                    usage = reply.usage;
                }
            }
            EntryKind::BranchSummary(branch) => row.derived = !branch.summary.is_empty(),
            EntryKind::Compaction(_) => row.step = Step::Compaction,
            EntryKind::ContextEdit(_) => row.step = Step::ContextEdit,
            _ => {}
        }
        row.calls_end = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        self.rows.push(row);
        self.usage.push(usage);
    }

    /// The place of a name among the models, which are all in `known`.
    fn model_number<'t>(&mut self, name: &'t str, known: &mut HashMap<&'t str, u32>) -> u32 {
        *known.entry(name).or_insert_with(|| {
            self.models.push(name.into());
            u32::try_from(self.models.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// The model that is in force from an entry on, as far as the entry says.
    pub(super) fn model(&self, idx: EntryIdx) -> Option<&str> {
        self.models.get(self.rows[idx.0].model? as usize).map(|name| &**name)
    }

    fn made_from(&self) -> u32 {
        u32::try_from(self.ids.ids.len()).unwrap_or(u32::MAX)
    }

    /// What the loop does with an entry.
    pub(super) fn step(&self, idx: EntryIdx) -> Step {
        self.rows[idx.0].step
    }

    /// Recorded usage of a reply.
    pub(super) fn usage(&self, idx: EntryIdx) -> Option<Usage> {
        self.usage[idx.0]
    }

    /// What the item of an entry is; `None` when its message is not the record's own.
    pub(super) fn kind(&self, idx: EntryIdx) -> Option<Kind> {
        let row = &self.rows[idx.0];
        (!row.derived).then_some(row.kind)
    }

    /// The facts of a recorded message; `None` for records that are none.
    pub(super) fn facts(&self, idx: EntryIdx) -> Option<Facts<'_>> {
        let row = &self.rows[idx.0];
        let Kind::Message(role) = row.kind else { return None };
        let says = match row.result {
            Some(call) => Says::Result(call),
            None if role == crate::transcript::Role::Assistant => {
                let start = idx.0.checked_sub(1).map_or(0, |before| self.rows[before].calls_end);
                Says::Calls(Cow::Borrowed(&self.calls[start as usize..row.calls_end as usize]))
            }
            None => Says::Other,
        };
        Some(Facts { sent: row.sent, says })
    }
}
