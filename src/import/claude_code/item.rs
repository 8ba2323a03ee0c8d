//! An entry that is being put together, often from several lines, and the order of the finished ones.

use std::borrow::Cow;

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
            nth_result: 0,
            results: Vec::new(),
            // A second result of one call is in nobody's list: it goes last, and out.
            place: usize::MAX,
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
    /// Takes the fields out, sealed or not.
    fn take(&mut self) -> Extras {
        match std::mem::replace(self, Self::Sealed(None)) {
            Self::Open(extras) => *extras,
            Self::Sealed(json) => Extras::parse(json.as_ref()),
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
    lines: usize,
    pub(super) parent: Option<usize>,
    /// It lies between the root and the place of the next item.
    pub(super) on_path: bool,
    /// The reply that holds the call, if this is its result, and its number among the results there.
    pub(super) answers: Option<usize>,
    pub(super) nth_result: usize,
    /// Results of this reply's calls.
    pub(super) results: Vec<usize>,
    /// Its place among the entries.
    place: usize,
    /// Of a reply.
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
        let ending = self.ending.get_or_insert_default();
        match (&mut ending.counts, piece.counts) {
            (Some(counts), Some(later)) => counts.update(later),
            (counts, later) => *counts = later.or(*counts),
        }
        ending.stop = piece.stop.or(ending.stop.take());
        if let EntryKind::Message(Message::Assistant(content, _)) = &mut self.kind {
            content.blocks.extend(piece.blocks);
        }
        self.add_line(head, extra);
    }

    /// Notes a further line, from which the fields that differ from the first line's are kept below `lines` and its
    /// number, from 1.
    pub(super) fn add_line(&mut self, head: Head<'_>, extra: &Extras) {
        let place = format!("lines.{}", self.lines);
        let mut extras = self.extra.take();
        for (key, value) in [("uuid", head.uuid), ("timestamp", head.timestamp)] {
            if let Some(value) = value {
                extras.add_text(&place, key, &value);
            }
        }
        extras.append_below(&place, extra);
        self.extra = Extra::Open(Box::new(extras));
        self.lines += 1;
    }

    /// Seals the extras: most likely no further line comes. What cannot be kept is a fault.
    pub(super) fn seal(&mut self, faults: &mut Vec<Fault>) {
        let Extra::Open(extras) = &mut self.extra else { return };
        let json = std::mem::take(&mut **extras).json().unwrap_or_else(|TooDeep| {
            let fault = "`extra` could not be measured as JSON and was left out".to_owned();
            faults.push((self.line, FindingKind::BadField, fault));
            None
        });
        self.extra = Extra::Sealed(json);
    }

    /// Usage and the end of a reply, once all of its pieces are there.
    fn close(&mut self) {
        let EntryKind::Message(Message::Assistant(content, reply)) = &mut self.kind else { return };
        content.blocks.shrink_to_fit();
        if reply.stop == StopReason::Error {
            return;
        }
        let ending = self.ending.take().unwrap_or_default();
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
        Some(Entry { id, parent: parent.map(EntryIdx), line, timestamp, message_time_ms: None, kind, extra })
    }
}

/// The entries of the items, in the order of the file but with each result behind its call, and the place of each item
/// among them.
pub(super) fn entries(mut items: Vec<Item>, faults: &mut Vec<Fault>) -> Vec<Entry> {
    let mut order = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        if item.answers.is_none() {
            order.push(at);
            order.extend(&item.results);
        }
    }
    let kept = order.len();
    order.into_iter().enumerate().for_each(|(to, at)| items[at].place = to);
    for at in 0..items.len() {
        items[at].parent = parent(&items, at).map(|parent| items[parent].place);
        items[at].close();
        items[at].seal(faults);
    }
    // Each item becomes its entry where it lies: a long session has no room for both lists.
    items.sort_unstable_by_key(|item| item.place);
    items.truncate(kept);
    items.into_iter().enumerate().filter_map(|(ordinal, item)| item.entry(ordinal)).collect()
}

/// The item before: of results their reply or the result before, of others the last result of a reply.
fn parent(items: &[Item], at: usize) -> Option<usize> {
    let Some(reply) = items[at].answers else {
        let parent = items[at].parent?;
        return Some(items[parent].results.last().copied().unwrap_or(parent));
    };
    let before = items[at].nth_result.checked_sub(1);
    Some(before.map_or(reply, |before| items[reply].results[before]))
}
