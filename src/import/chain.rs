//! A session whose entries follow one another. Most formats have no tree.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::place::Report;
use super::spelling::digest;
use super::value::{Object, Value};
use super::{Finding, FindingKind, Imported};
use crate::transcript::{Block, Content, Entry, EntryIdx, EntryKind, Message, ToolCall, ToolResult, Transcript};

/// What is known of an entry besides its content.
#[derive(Clone, Debug, Default)]
pub(super) struct Stamp {
    /// The file's own id.
    pub(super) id: Option<Box<str>>,
    /// Its time, as written.
    pub(super) timestamp: Option<Box<str>>,
}

impl Stamp {
    /// A time in seconds since 1970, as text.
    pub(super) fn at_seconds(seconds: Option<f64>) -> Self {
        Self { id: None, timestamp: seconds.and_then(time) }
    }
}

/// `seconds` since 1970 in the form of RFC 3339, to the millisecond.
#[expect(clippy::cast_possible_truncation, reason = "a time out of range is refused")]
fn time(seconds: f64) -> Option<Box<str>> {
    let time = jiff::Timestamp::from_millisecond((seconds * 1000.0).round() as i64).ok()?;
    Some(format!("{time:.3}").into())
}

/// Collects entries, each the child of the one before, and findings.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// Meta data, head and entries.
    pub(super) transcript: Transcript,
    /// Faults and lines so far.
    pub(super) report: Report,
    /// Byte offset of the value that is being read.
    pub(super) here: Option<usize>,
    /// That of each entry; none once one is not known.
    places: Vec<(usize, usize)>,
    /// The entry that the next one follows; setting it back begins a branch.
    pub(super) tip: Option<usize>,
    ids: HashSet<Box<str>>,
    /// Records that may come twice: the id of each and a digest of its spelling.
    records: HashSet<(Box<str>, u64)>,
    /// The tool of each call so far, by the call's id.
    tools: HashMap<Box<str>, Arc<str>>,
}

impl Chain {
    /// Notes a fault of the value that is being read, on one line; 0 for the file as a whole.
    pub(super) fn fault(&mut self, line: usize, kind: FindingKind, message: impl Into<String>) {
        self.report.findings.push(Finding {
            line,
            last_line: line,
            offset: self.here.filter(|_| line > 0),
            column: None,
            kind,
            message: message.into(),
        });
    }

    /// Notes a fault of `value`.
    pub(super) fn fault_of(&mut self, value: Value<'_>, line: usize, kind: FindingKind, message: impl Into<String>) {
        let here = self.here.replace(value.at());
        self.fault(line, kind, message);
        self.here = here;
    }

    /// The count under `name` of `fields`. What stands there and is none is left out, with a finding.
    pub(super) fn count(&mut self, fields: &Object<'_>, name: &str, line: usize) -> Option<u64> {
        let value = fields.get(name)?;
        let count = value.u64();
        if count.is_none() {
            self.fault_of(value, line, FindingKind::BadField, format!("`{name}` is no count and was left out"));
        }
        count
    }

    /// Appends an entry and returns its position. Without an id of its own, or with one that is taken, an entry gets
    /// its ordinal in hexadecimal.
    pub(super) fn push(&mut self, line: usize, stamp: Stamp, kind: EntryKind) -> usize {
        let at = self.transcript.entries.len();
        if let Some(here) = self.here.filter(|_| self.places.len() == at) {
            self.places.push((0, here));
        }
        let id = self.own_id(line, stamp.id).unwrap_or_else(|| self.invented_id(at));
        if let EntryKind::Message(message) = &kind {
            for block in message.blocks() {
                self.know(block);
            }
        }
        self.transcript.entries.push(Entry {
            id,
            parent: self.tip.replace(at).map(EntryIdx),
            line,
            timestamp: stamp.timestamp,
            message_time_ms: None,
            kind,
            extra: None,
        });
        at
    }

    /// Whether the record `id` was read before, spelled alike: written twice it is one record. That is reported.
    pub(super) fn is_copy(&mut self, line: usize, id: &str, record: Value<'_>) -> bool {
        let copy = !self.records.insert((id.into(), digest(record.raw())));
        if copy {
            self.report.counts.left_out += 1;
            let message = format!("record `{id}` is the same as one before; left out");
            self.fault_of(record, line, FindingKind::DuplicateId, message);
        }
        copy
    }

    fn own_id(&mut self, line: usize, id: Option<Box<str>>) -> Option<Box<str>> {
        let id = id.filter(|id| !id.is_empty())?;
        if self.ids.insert(id.clone()) {
            return Some(id);
        }
        self.fault(line, FindingKind::DuplicateId, format!("id `{id}` occurs already; the entry gets another"));
        None
    }

    fn invented_id(&mut self, ordinal: usize) -> Box<str> {
        let mut number = ordinal;
        loop {
            let id: Box<str> = format!("{number:08x}").into();
            if self.ids.insert(id.clone()) {
                return id;
            }
            // Numbers from 0xF0000000 on keep clear of ids that count up from zero.
            number = number.max(0xF000_0000) + 1;
        }
    }

    /// Remembers the tool of a call.
    pub(super) fn know(&mut self, block: &Block) {
        if let Block::ToolCall(ToolCall { id, name, .. }) = block {
            self.tools.insert(id.clone(), name.as_str().into());
        }
    }

    /// Whether a call of this id was made.
    pub(super) fn knows(&self, call: &str) -> bool {
        self.tools.contains_key(call)
    }

    /// Appends a record that never reaches the model.
    pub(super) fn note(&mut self, line: usize, stamp: Stamp, kind: &str, raw: Value<'_>) {
        if let Some(raw) = raw.json() {
            self.push(line, stamp, EntryKind::Note { kind: kind.into(), raw });
        } else {
            self.fault(line, FindingKind::BadField, "the record could not be measured as JSON and was left out");
            self.report.counts.left_out += 1;
        }
    }

    /// Appends the answer to a tool call. `tool` is what the record says, where it says so.
    pub(super) fn result(&mut self, line: usize, stamp: Stamp, answer: Answer) {
        let Answer { call_id, tool, content, is_error } = answer;
        let known = self.tools.get(&call_id).cloned();
        if known.is_none() {
            let message = format!("an answer to the call `{call_id}`, which is not in the file before it");
            self.fault(line, FindingKind::MissingTarget, message);
        }
        let tool = tool.map(Arc::from).or(known).unwrap_or_default();
        let result = ToolResult { call_id, tool, content, is_error, details: None, nested_calls: None };
        self.push(line, stamp, EntryKind::Message(Message::ToolResult(Box::new(result))));
    }

    /// The session, under the name `part` where the file holds several.
    pub(super) fn finish(self, part: Option<Box<str>>) -> Imported {
        let Report { counts: lines, mut findings, .. } = self.report;
        findings.sort_by_key(|finding| finding.line);
        let whole = self.places.len() == self.transcript.entries.len();
        let places = if whole { self.places } else { Vec::new() };
        Imported { transcript: self.transcript, findings, lines, part, places }
    }
}

/// The answer to a tool call.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The call.
    pub(super) call_id: Box<str>,
    /// The tool, where the answer names it.
    pub(super) tool: Option<Box<str>>,
    /// What the model is shown.
    pub(super) content: Content,
    /// The tool failed.
    pub(super) is_error: bool,
}
