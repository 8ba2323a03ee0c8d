//! One conversation of a file: the main one, or that of a sub-agent.
//!
//! The parent links of the records are not the order of the context: each block of a reply is a record and the parent of
//! its own result, so that parallel calls look like branches. The order of the file is the order of the context; only a
//! message of the person on a record that was answered before is a new branch.

use super::index::{ByKey, Index, Key, Keys};
use super::item::{Fault, Head, Item};
use super::row::{Body, Boundary, Piece, Row, Speaker};
use crate::import::FindingKind;
use crate::import::anthropic::content::Parts;
use crate::import::extra::Extras;
use crate::import::names::Names;
use crate::transcript::{Block, Compaction, Content, Custom, EntryKind, Message, Text, ToolResult};

/// What a record is for the search of branches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A message of the person, or a reply.
    Says,
    Other,
}

/// A record with a uuid.
struct Record {
    parent: Option<Index>,
    depth: u32,
    class: Class,
    /// The item it went into.
    item: Index,
}

/// A call, and its answer.
struct Call {
    /// The reply that holds it, and the block there.
    reply: Index,
    block: Index,
    /// The item of its result.
    result: Option<Index>,
}

/// Where a record goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hang {
    /// A root of the tree.
    Root,
    /// Below a record of this chain.
    Below(usize),
    /// A root that is the parent of a record of this chain, which was written before it.
    Before(usize),
    /// Behind the last one.
    Next,
}

/// A conversation that is being read.
#[derive(Default)]
pub(super) struct Chain {
    pub(super) sidechain: bool,
    pub(super) agent: Option<Box<str>>,
    /// First and last session id.
    pub(super) sessions: Option<(Box<str>, Box<str>)>,
    pub(super) items: Vec<Item>,
    records: Vec<Record>,
    /// Items from the root to the place of the next one; results are not among them.
    path: Vec<Index>,
    keys: Keys,
    /// The item that a message id belongs to.
    replies: ByKey<Index>,
    calls: ByKey<Call>,
    last_reply: Option<Index>,
    names: Names,
    /// A compaction whose summary has not come yet.
    summary_of: Option<usize>,
    pub(super) faults: Vec<Fault>,
}

impl Chain {
    /// Whether its last record is of `session`.
    pub(super) fn is_in(&self, session: &str) -> bool {
        self.sessions.as_ref().is_some_and(|(_, last)| **last == *session)
    }

    /// Whether any record of the tree is in it.
    pub(super) fn has_records(&self) -> bool {
        !self.records.is_empty()
    }

    fn fault(&mut self, line: usize, kind: FindingKind, message: impl Into<String>) {
        self.faults.push((line, kind, message.into()));
    }

    /// Takes a record; returns its number among the records of the chain, if it has a uuid.
    pub(super) fn add(&mut self, line: usize, row: Row<'_>, place: Hang) -> Option<usize> {
        let Row { uuid, session, timestamp, body, extra, .. } = row;
        match (&mut self.sessions, session) {
            (_, None) => {}
            (Some((_, last)), Some(session)) if **last == *session => {}
            (Some((_, last)), Some(session)) => *last = session.into(),
            (none, Some(session)) => *none = Some((session.as_ref().into(), session.into())),
        }
        let person = matches!(&body, Body::User(parts, speaker)
            if parts.results.is_empty() && *speaker != Speaker::Summary);
        let says = person || matches!(&body, Body::Reply(_));
        // A result finds its place by its call.
        let results_only = matches!(&body, Body::User(parts, _)
            if parts.content.blocks.is_empty() && !parts.results.is_empty());
        if !results_only {
            self.seek(place, person);
        }
        let head = Head { line, uuid: uuid.clone(), timestamp };
        let item = match body {
            Body::User(parts, Speaker::Summary) => self.summary(head, &parts.content, extra),
            Body::User(parts, speaker) => self.user(&head, *parts, speaker, extra),
            Body::Reply(piece) => self.reply(head, *piece, extra),
            Body::Boundary(boundary) => self.boundary(head, *boundary, extra),
            Body::Injected(custom) => self.append(head, EntryKind::Message(Message::Custom(custom)), extra),
            Body::Note { kind, raw } => self.append(head, EntryKind::Note { kind, raw }, extra),
        };
        if let Hang::Before(child) = place {
            self.put_before(Index::new(item), self.records[child].item);
        }
        uuid?;
        let parent = if let Hang::Below(parent) = place { Some(Index::new(parent)) } else { None };
        let depth = parent.map_or(0, |parent| self.records[parent.get()].depth + 1);
        let class = if says { Class::Says } else { Class::Other };
        self.records.push(Record { parent, depth, class, item: Index::new(item) });
        Some(self.records.len() - 1)
    }

    /// The item a record went into.
    pub(super) fn item_of(&self, record: usize) -> usize {
        self.records[record].item.get()
    }

    /// Moves the place of the next item, where a record starts a new branch or goes on with an old one.
    fn seek(&mut self, place: Hang, person: bool) {
        match place {
            Hang::Next | Hang::Before(_) => {}
            Hang::Root => {
                let said = |item: &Index| matches!(self.items[item.get()].kind, EntryKind::Message(_));
                if person && self.path.iter().any(said) {
                    self.path.iter().for_each(|item| self.items[item.get()].on_path = false);
                    self.path.clear();
                }
            }
            Hang::Below(record) => {
                let item = self.records[record].item;
                // Results hang beside the path, below their reply.
                let base = self.items[item.get()].answers.unwrap_or(item);
                if !self.items[base.get()].on_path || (person && self.was_answered(record)) {
                    self.go_back_to(base);
                }
            }
        }
    }

    /// Whether the last record descends from `ancestor` by way of a reply or of a message of the person.
    fn was_answered(&self, ancestor: usize) -> bool {
        let base = self.records[ancestor].item;
        let Some(mut at) = self.records.len().checked_sub(1) else { return false };
        let mut answered = false;
        while self.records[at].depth > self.records[ancestor].depth {
            let record = &self.records[at];
            // Blocks of one reply are records of their own.
            answered |= record.class == Class::Says && record.item != base;
            let Some(parent) = record.parent else { return false };
            at = parent.get();
        }
        at == ancestor && answered
    }

    /// Makes `item` the end of the path.
    fn go_back_to(&mut self, item: Index) {
        let mut branch = Vec::new();
        let mut at = Some(item);
        while let Some(below) = at.filter(|at| !self.items[at.get()].on_path) {
            branch.push(below);
            at = self.items[below.get()].parent;
        }
        while self.path.last().copied() != at {
            let Some(left) = self.path.pop() else { break };
            self.items[left.get()].on_path = false;
        }
        for item in branch.into_iter().rev() {
            self.items[item.get()].on_path = true;
            self.path.push(item);
        }
    }

    /// Puts an item at the end of the path.
    fn append(&mut self, head: Head<'_>, kind: EntryKind, extra: Extras) -> usize {
        let parent = self.path.last().copied();
        let grows = matches!(kind, EntryKind::Message(Message::Assistant(..)) | EntryKind::Compaction(_));
        let mut item = head.item(kind, extra);
        item.parent = parent;
        item.on_path = true;
        if !grows {
            item.seal(&mut self.faults);
        }
        let at = self.items.len();
        self.items.push(item);
        self.path.push(Index::new(at));
        at
    }

    /// Makes the last item of the path its first one, if the first one is its child.
    fn put_before(&mut self, item: Index, child: Index) {
        if self.path.len() > 1 && self.path.first() == Some(&child) && self.path.last() == Some(&item) {
            self.path.rotate_right(1);
            self.items[item.get()].parent = None;
            self.items[child.get()].parent = Some(item);
        }
    }

    /// The results of a record, then what else it says: providers want them in this order. Each is an entry of its
    /// own; the first has the uuid as its id, the others the uuid and a number.
    fn user(&mut self, head: &Head<'_>, parts: Parts, speaker: Speaker, mut extra: Extras) -> usize {
        let Parts { content, results } = parts;
        let mut made = 0;
        let mut last = None;
        for result in results {
            last = Some(self.result(head.part(made), result, std::mem::take(&mut extra)));
            made += 1;
        }
        match last {
            Some(last) if content.blocks.is_empty() => last,
            _ => {
                let message = match speaker {
                    Speaker::Agent => Message::Custom(Box::new(Custom {
                        kind: "meta".into(),
                        content,
                        display: false,
                        details: None,
                    })),
                    _ => Message::User(content),
                };
                self.append(head.part(made), EntryKind::Message(message), extra)
            }
        }
    }

    /// A result goes behind its call, whatever stands between them in the file: a request holds them so.
    fn result(&mut self, head: Head<'_>, mut result: ToolResult, extra: Extras) -> usize {
        let line = head.line;
        let key = self.keys.of(&result.call_id);
        let Some(&Call { reply, block, result: before }) = self.calls.get(&key) else {
            let fault = format!("call `{}`, which this answers, is not in the file", result.call_id);
            self.fault(line, FindingKind::MissingTarget, fault);
            return self.append(head, EntryKind::Message(Message::ToolResult(Box::new(result))), extra);
        };
        if let Some(Block::ToolCall(call)) = self.blocks(reply).get(block.get()) {
            let tool = call.name.clone();
            result.tool = self.names.shared(tool.as_str());
        }
        let late = self.last_reply != Some(reply) && self.items[reply.get()].on_path;
        let name = &result.call_id;
        let fault = match before.map(|before| self.items[before.get()].line) {
            Some(before) => {
                let fault = format!("call `{name}` has its result on line {before} already; this one is left out");
                Some((FindingKind::DuplicateId, fault))
            }
            None if late => {
                let fault = format!("the result of call `{name}` comes after a later reply; put behind its call");
                Some((FindingKind::BadField, fault))
            }
            None => None,
        };
        let mut item = head.item(EntryKind::Message(Message::ToolResult(Box::new(result))), extra);
        item.answers = Some(reply);
        item.seal(&mut self.faults);
        let at = self.items.len();
        if let Some((kind, fault)) = fault {
            self.fault(line, kind, fault);
        }
        if before.is_none() {
            self.calls.entry(key).and_modify(|call| call.result = Some(Index::new(at)));
            item.result_before = self.items[reply.get()].last_result.replace(Index::new(at));
        }
        self.items.push(item);
        at
    }

    /// A piece of a reply: the first one makes the item, the others are put to it.
    fn reply(&mut self, head: Head<'_>, mut piece: Piece, mut extra: Extras) -> usize {
        let id = std::mem::take(&mut piece.message_id);
        self.names.share_calls(&mut piece.blocks);
        let key = self.keys.of(&id);
        let known = self.replies.get(&key).copied().filter(|_| !id.is_empty());
        let blocks_before = known.map_or(0, |item| self.blocks(item).len());
        let calls: Vec<(Key, usize)> =
            piece.calls().map(|(at, call)| (self.keys.of(call), blocks_before + at)).collect();
        let item = if let Some(item) = known {
            self.items[item.get()].add_piece(head, piece, &extra);
            item
        } else {
            if !id.is_empty() {
                extra.add_text("message", "id", &id);
            }
            let (kind, ending) = Item::reply(piece, &mut self.names);
            let item = Index::new(self.append(head, kind, extra));
            self.items[item.get()].ending = Some(Box::new(ending));
            self.replies.insert(key, item);
            if let Some(before) = self.last_reply.replace(item) {
                self.items[before.get()].seal(&mut self.faults);
            }
            item
        };
        for (call, block) in calls {
            self.calls.entry(call).or_insert(Call { reply: item, block: Index::new(block), result: None });
        }
        item.get()
    }

    /// The blocks of a reply.
    fn blocks(&self, reply: Index) -> &[Block] {
        if let EntryKind::Message(message) = &self.items[reply.get()].kind { message.blocks() } else { &[] }
    }

    fn boundary(&mut self, head: Head<'_>, boundary: Boundary, extra: Extras) -> usize {
        self.missing_summary();
        let compaction = Compaction {
            first_kept: boundary.first_kept,
            tokens_before: boundary.tokens_before,
            details: boundary.details,
            ..Compaction::default()
        };
        let item = self.append(head, EntryKind::Compaction(Box::new(compaction)), extra);
        self.summary_of = Some(item);
        item
    }

    /// The summary of the last boundary. Old versions wrote it without a boundary.
    fn summary(&mut self, head: Head<'_>, content: &Content, extra: Extras) -> usize {
        let summary = Text::new(crate::transcript::joined_text(content).into_owned());
        if let Some(item) = self.summary_of.take() {
            if let EntryKind::Compaction(compaction) = &mut self.items[item].kind {
                compaction.summary = summary;
            }
            self.items[item].add_line(head, &extra);
            return item;
        }
        let compaction = Compaction { summary, ..Compaction::default() };
        self.append(head, EntryKind::Compaction(Box::new(compaction)), extra)
    }

    /// The items and the faults; what was only for reading is forgotten before the items become entries.
    pub(super) fn into_items(self) -> (Vec<Item>, Vec<Fault>) {
        let Self { items, faults, .. } = self;
        (items, faults)
    }

    /// Reports a boundary without a summary.
    pub(super) fn missing_summary(&mut self) {
        if let Some(item) = self.summary_of.take() {
            let line = self.items[item].line;
            self.fault(line, FindingKind::MissingTarget, "no summary follows the boundary; read as empty");
        }
    }
}
