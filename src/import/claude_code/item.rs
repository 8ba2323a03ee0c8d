//! An entry that is being put together, often from several lines, and the order of the finished ones.

use std::borrow::Cow;

use super::index::Index;
use super::row::Piece;
use crate::import::FindingKind;
use crate::import::anthropic::usage::Counts;
use crate::import::extra::{Extras, TooDeep};
use crate::import::names::Names;
use crate::transcript::{Block, Content, Entry, EntryIdx, EntryKind, JsonText, Message, Reply, StopReason};

/// A fault: its line, its kind, and what was done.
pub(super) type Fault = (usize, FindingKind, String);

/// Where and when a record was written.
pub(super) struct Head<'a> {
    pub(super) line: usize,
    pub(super) uuid: Option<Cow<'a, str>>,
    pub(super) timestamp: Option<Cow<'a, str>>,
}

impl Head<'_> {
    /// The head of the entry number `nth`, from 0, of a record of which several are made.
    pub(super) fn part(&self, nth: usize) -> Self {
        let mut part = Self { line: self.line, uuid: self.uuid.clone(), timestamp: self.timestamp.clone() };
        if let (1.., Some(uuid)) = (nth, &self.uuid) {
            part.uuid = Some(format!("{uuid}.{nth}").into());
        }
        part
    }

    /// An item of one line that hangs nowhere yet.
    pub(super) fn item(self, kind: EntryKind, extra: Extras) -> Item {
        let Self { line, uuid, timestamp } = self;
        Item {
            line,
            id: uuid.map(Into::into),
            timestamp: timestamp.map(Into::into),
            kind,
            extra: Extra::Open(Box::new(extra)),
            lines: 1,
            parent: None,
            on_path: false,
            answers: None,
            result_before: None,
            last_result: None,
            place: None,
            told: false,
            ending: None,
        }
    }
}

/// Counts of a reply and the word for its end, which come in pieces.
#[derive(Default)]
pub(super) struct Ending {
    counts: Option<Counts>,
    stop: Option<StopReason>,
}

/// The fields without a place in the model: open while further lines may bring some, for little memory sealed.
enum Extra {
    Open(Box<Extras>),
    Sealed(Option<JsonText>),
}

impl Extra {
    /// Lets `add` put further fields to them; sealed ones are opened for it.
    fn more(&mut self, add: impl FnOnce(&mut Extras)) {
        match self {
            Self::Open(extras) => add(extras),
            Self::Sealed(json) => {
                let mut extras = Extras::parse(json.as_ref());
                add(&mut extras);
                *self = Self::Open(Box::new(extras));
            }
        }
    }
}

/// An entry in the making.
pub(super) struct Item {
    pub(super) line: usize,
    /// The uuid of its first record.
    pub(super) id: Option<Box<str>>,
    timestamp: Option<Box<str>>,
    pub(super) kind: EntryKind,
    extra: Extra,
    /// Lines of which it was made.
    lines: u32,
    pub(super) parent: Option<Index>,
    /// It lies between the root and the place of the next item.
    pub(super) on_path: bool,
    /// The reply that holds the call, if this is its result, and the result there before this one.
    pub(super) answers: Option<Index>,
    pub(super) result_before: Option<Index>,
    /// The last result of this reply's calls.
    pub(super) last_result: Option<Index>,
    /// Its place among the entries. A second result of one call has none.
    place: Option<Index>,
    /// The end of this reply is what its blocks tell, not what a record said.
    told: bool,
    /// Of a reply of which further pieces may come.
    pub(super) ending: Option<Box<Ending>>,
}

impl Item {
    /// A reply of its first piece.
    pub(super) fn reply(piece: Piece, names: &mut Names) -> (EntryKind, Ending) {
        let error = piece.synthetic.then(|| piece.text());
        let reply = Reply {
            api: names.shared("anthropic-messages"),
            provider: names.shared("anthropic"),
            model: names.shared(&piece.model),
            stop: if error.is_some() { StopReason::Error } else { StopReason::Stop },
            usage: None,
            error,
        };
        let content = Content { blocks: piece.blocks, plain: false };
        let ending = Ending { counts: piece.counts, stop: piece.stop };
        (EntryKind::Message(Message::Assistant(content, Box::new(reply))), ending)
    }

    /// Puts a further piece of the same reply to it: its blocks, and its counts, which are newer.
    pub(super) fn add_piece(&mut self, head: Head<'_>, piece: Piece, extra: &Extras) {
        let mut ending = self.ending.take().unwrap_or_else(|| Box::new(self.reopened()));
        match (&mut ending.counts, piece.counts) {
            (Some(counts), Some(later)) => counts.update(later),
            (counts, later) => *counts = later.or(*counts),
        }
        ending.stop = piece.stop.or(ending.stop.take());
        self.ending = Some(ending);
        if let EntryKind::Message(Message::Assistant(content, _)) = &mut self.kind {
            content.blocks.extend(piece.blocks);
        }
        self.add_line(head, extra);
    }

    /// Notes a further line, from which the fields that differ from the first line's are kept below `lines` and its
    /// number, from 1.
    pub(super) fn add_line(&mut self, head: Head<'_>, extra: &Extras) {
        let place = format!("lines.{}", self.lines);
        self.extra.more(|extras| {
            for (key, value) in [("uuid", head.uuid), ("timestamp", head.timestamp)] {
                if let Some(value) = value {
                    extras.add_text(&place, key, &value);
                }
            }
            extras.append_below(&place, extra);
        });
        self.lines += 1;
    }

    /// The ending of a reply that was closed too early.
    fn reopened(&self) -> Ending {
        let EntryKind::Message(Message::Assistant(_, reply)) = &self.kind else { return Ending::default() };
        let stop = (!self.told).then(|| reply.stop.clone());
        Ending { counts: reply.usage.map(Counts::from), stop }
    }

    /// Seals the extras and closes the reply: most likely no further line comes. What cannot be kept is a fault.
    pub(super) fn seal(&mut self, faults: &mut Vec<Fault>) {
        if self.ending.as_ref().and_then(|ending| ending.counts?.usage()).is_some() {
            self.close();
        }
        let Extra::Open(extras) = &mut self.extra else { return };
        let json = std::mem::take(&mut **extras).json().unwrap_or_else(|TooDeep| {
            let fault = "`extra` could not be measured as JSON and was left out".to_owned();
            faults.push((self.line, FindingKind::BadField, fault));
            None
        });
        self.extra = Extra::Sealed(json);
    }

    /// Usage and the end of a reply, of its pieces so far.
    fn close(&mut self) {
        let EntryKind::Message(Message::Assistant(content, reply)) = &mut self.kind else { return };
        content.blocks.shrink_to_fit();
        if reply.stop == StopReason::Error {
            return;
        }
        let Some(ending) = self.ending.take() else { return };
        self.told = ending.stop.is_none();
        reply.usage = ending.counts.and_then(Counts::usage);
        let calls = content.blocks.iter().any(|block| matches!(block, Block::ToolCall(_)));
        // Most versions do not record the end: then the blocks tell.
        let told = if calls { StopReason::ToolUse } else { StopReason::Stop };
        reply.stop = ending.stop.unwrap_or(told);
    }

    /// The entry number `ordinal` that a sealed item becomes; its parent is the place of an entry by now.
    fn entry(self, ordinal: usize) -> Option<Entry> {
        let Self { line, id, timestamp, kind, extra: Extra::Sealed(extra), parent, .. } = self else { return None };
        let id = id.unwrap_or_else(|| format!("line-{line}.{ordinal}").into());
        let parent = parent.map(|parent| EntryIdx(parent.get()));
        Some(Entry { id, parent, line, timestamp, message_time_ms: None, kind, extra })
    }
}

/// The entries of the items, in the order of the file but with each result behind its call, and the place of each item
/// among them.
pub(super) fn entries(mut items: Vec<Item>, faults: &mut Vec<Fault>) -> Vec<Entry> {
    let mut order = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        if item.answers.is_none() {
            order.push(Index::new(at));
            let first = order.len();
            order.extend(std::iter::successors(item.last_result, |at| items[at.get()].result_before));
            order[first..].reverse();
        }
    }
    let kept = order.len();
    order.into_iter().enumerate().for_each(|(to, at)| items[at.get()].place = Some(Index::new(to)));
    for at in 0..items.len() {
        items[at].parent = parent(&items, at).and_then(|parent| items[parent.get()].place);
        items[at].close();
        items[at].seal(faults);
    }
    // Each item becomes its entry where it lies: a long session has no room for both lists.
    items.sort_unstable_by_key(|item| item.place.map_or(usize::MAX, Index::get));
    items.truncate(kept);
    items.into_iter().enumerate().filter_map(|(ordinal, item)| item.entry(ordinal)).collect()
}

/// The item before: of results their reply or the result before, of others the last result of a reply.
fn parent(items: &[Item], at: usize) -> Option<Index> {
    let Item { answers: Some(reply), result_before, .. } = &items[at] else {
        let parent = items[at].parent?;
        return Some(items[parent.get()].last_result.unwrap_or(parent));
    };
    Some(result_before.unwrap_or(*reply))
}
