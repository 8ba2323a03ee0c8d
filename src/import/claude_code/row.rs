//! One line of a session: what it says, before its place in the session is known.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::attachment;
use super::message::{MessageRead, Role};
use super::steady::{Steady, SteadyFields, steady};
use crate::import::FindingKind;
use crate::import::anthropic::content::Parts;
use crate::import::anthropic::usage::{Counts, stop_reason};
use crate::import::extra::Extras;
use crate::import::object::{Fields, Rest, json_text};
use crate::import::place::{Fault, Spot};
use crate::import::slot::{Scalar, Sink, Slot};
use crate::transcript::json::read::{Raw, Read, Reader};
use crate::transcript::{Block, Custom, JsonText, Reply, StopReason, joined_text};

/// Records that never reach the model.
const BOOKKEEPING: &[&str] = &[
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "progress",
    "custom-title",
    "mode",
    "last-prompt",
    "system",
];

/// The parent as the record names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ParentName<'a> {
    /// `null`.
    Root,
    /// No field: the record is outside of the tree.
    Missing,
    Named(Cow<'a, str>),
}

/// Who speaks in a record of type `user`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Speaker {
    Person,
    /// A note of the agent to the model.
    Agent,
    /// The summary after a compaction.
    Summary,
}

/// A piece of a reply.
pub(super) struct Piece {
    pub(super) message_id: Box<str>,
    pub(super) model: Box<str>,
    pub(super) blocks: Vec<Block>,
    pub(super) counts: Option<Counts>,
    pub(super) stop: Option<StopReason>,
    /// The agent's own text in the place of a reply: no request was made.
    pub(super) synthetic: bool,
}

/// `compact_boundary`.
pub(super) struct Boundary {
    pub(super) tokens_before: Option<u64>,
    /// The record before it, which is not its parent.
    pub(super) logical_parent: Option<Box<str>>,
    /// First record that was kept.
    pub(super) first_kept: Option<Box<str>>,
    pub(super) details: Option<JsonText>,
}

/// What a record says.
pub(super) enum Body {
    User(Box<Parts>, Speaker),
    Reply(Box<Piece>),
    Boundary(Box<Boundary>),
    Injected(Box<Custom>),
    Note { kind: Box<str>, raw: JsonText },
}

/// A record, read.
pub(super) struct Row<'a> {
    pub(super) uuid: Option<Cow<'a, str>>,
    pub(super) parent: ParentName<'a>,
    pub(super) session: Option<Cow<'a, str>>,
    pub(super) agent: Option<Cow<'a, str>>,
    pub(super) sidechain: bool,
    pub(super) timestamp: Option<Cow<'a, str>>,
    pub(super) body: Body,
    /// Equal for two records of the same message at the same time.
    pub(super) copy_key: Option<u64>,
    pub(super) extra: Extras,
    pub(super) faults: Vec<Fault>,
    /// The type is one that this reader knows.
    pub(super) known: bool,
}

/// What a record is for the reader.
enum Kind {
    User,
    Assistant,
    System,
    Attachment,
    Other(Box<str>),
}

impl Kind {
    fn word(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Attachment => "attachment",
            Self::Other(word) => word,
        }
    }
}

impl Scalar for Kind {
    fn text(text: &str) -> Option<Self> {
        Some(match text {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "system" => Self::System,
            "attachment" => Self::Attachment,
            other => Self::Other(other.into()),
        })
    }
}

/// A record as it is read. Nothing of it depends on the records before.
#[derive(Default)]
pub(super) struct RowFields<'a> {
    kind: Slot<Kind>,
    parent: Slot<Cow<'a, str>>,
    uuid: Slot<Cow<'a, str>>,
    session: Slot<Cow<'a, str>>,
    agent: Slot<Cow<'a, str>>,
    timestamp: Slot<Cow<'a, str>>,
    sidechain: Slot<bool>,
    message: Option<MessageRead<'a>>,
    steady: SteadyFields<'a>,
    rest: Rest<'a>,
}

impl<'a> Fields<'a> for RowFields<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "type" => self.kind = Slot::read(reader)?,
            "parentUuid" => self.parent = Slot::borrowed(reader)?,
            "uuid" => self.uuid = Slot::borrowed(reader)?,
            "sessionId" => self.session = Slot::borrowed(reader)?,
            "agentId" => self.agent = Slot::borrowed(reader)?,
            "timestamp" => self.timestamp = Slot::borrowed(reader)?,
            "isSidechain" => self.sidechain = Slot::read(reader)?,
            // Most records name their type after the message.
            "message" => MessageRead::read(&mut self.message, reader)?,
            other => match steady(other) {
                Some(place) => self.steady.put(place, reader.raw()?),
                None => self.rest.field(key, reader)?,
            },
        }
        Ok(())
    }
}

impl<'a> RowFields<'a> {
    /// The record that is all of `text`, or why there is none.
    pub(super) fn read(text: &'a str, reader: &mut Reader<'a>) -> Result<Self, String> {
        reader.start(text);
        let mut fields = Self::default();
        let read = reader.object(|reader, key| fields.field(key, reader)).and_then(|()| reader.end());
        read.map_err(|_| reader.fault())?;
        Ok(fields)
    }

    /// The record, which is spelled `raw`. `None` when it cannot even be kept as a note.
    pub(super) fn finish(self, raw: &str, known_values: &mut Steady) -> Option<Row<'a>> {
        let mut sink = Sink::default();
        let Self { kind, parent, uuid, session, agent, timestamp, sidechain, message, steady, mut rest } = self;
        let kind = kind.optional(&mut sink, "type").unwrap_or(Kind::Other("".into()));
        let parent = match parent {
            Slot::Good(parent) => ParentName::Named(parent),
            Slot::Null => ParentName::Root,
            Slot::Missing | Slot::Wrong(_) => ParentName::Missing,
        };
        let uuid = uuid.optional(&mut sink, "uuid");
        let session = session.optional(&mut sink, "sessionId");
        let agent = agent.optional(&mut sink, "agentId");
        let timestamp = timestamp.optional(&mut sink, "timestamp");
        let sidechain = sidechain.optional(&mut sink, "isSidechain").unwrap_or_default();
        let mut copy_key = None;
        let body = match &kind {
            Kind::User | Kind::Assistant => message.map(|message| {
                copy_key = timestamp.as_ref().map(|time| copy_of(time, message.raw, sidechain, agent.as_deref()));
                message_body(&kind, message, &mut rest, &mut sink)
            }),
            Kind::System => boundary(&mut rest, &mut sink),
            Kind::Attachment => attachment::read(&mut rest, &mut sink),
            Kind::Other(_) => None,
        };
        let known = !matches!(&kind, Kind::Other(word) if !BOOKKEEPING.contains(&&**word));
        let body = match body {
            Some(body) => {
                known_values.take(steady, &mut sink);
                rest.flush(&mut sink, "");
                body
            }
            None => note(raw, &kind, rest, known, &mut sink)?,
        };
        let Sink { faults, extra, .. } = sink;
        Some(Row { uuid, parent, session, agent, sidechain, timestamp, body, copy_key, extra, faults, known })
    }
}

/// A number that a re-appended copy of a record shares with it, even where it was given another uuid.
fn copy_of(time: &str, message: &str, sidechain: bool, agent: Option<&str>) -> u64 {
    let mut hasher = FxHasher::default();
    (time, message, message.len(), sidechain, agent).hash(&mut hasher);
    hasher.finish()
}

fn note(raw: &str, kind: &Kind, mut rest: Rest<'_>, known: bool, sink: &mut Sink) -> Option<Body> {
    // Its fields are in the record that is kept.
    sink.extra = Extras::default();
    let mut word = kind.word().to_owned();
    if let Slot::Good(subtype) = rest.scalar::<Box<str>>("subtype") {
        word = format!("{}.{subtype}", kind.word());
        if &*subtype == "microcompact_boundary" {
            let fault = "old tool results were cleared here; the clearing is not followed";
            sink.fault(Spot::default(), FindingKind::UnknownKind, fault);
        }
    }
    if !known {
        let fault = format!("a record of unknown type `{}`; kept as a note", kind.word());
        sink.fault(Spot::default(), FindingKind::UnknownKind, fault);
    } else if matches!(kind, Kind::User | Kind::Assistant) && sink.faults.is_empty() {
        sink.bad("`message` is missing or not an object; the record is kept as a note");
    }
    Some(Body::Note { kind: word.into(), raw: json_text(Raw::of(raw), sink, "record")? })
}

fn message_body(kind: &Kind, message: MessageRead<'_>, rest: &mut Rest<'_>, sink: &mut Sink) -> Body {
    let reply = matches!(kind, Kind::Assistant);
    let spot = Spot::of(message.raw);
    let mut message = message.of(reply, sink);
    let role = std::mem::take(&mut message.role).optional(sink, "message.role");
    if role.is_some_and(|role| role != if reply { Role::Assistant } else { Role::User }) {
        let kind = kind.word();
        sink.bad_at(spot, format!("`message.role` is not `{kind}`, the type of the record, which is the one believed"));
    }
    let mut parts = message.parts(sink);
    let body = if reply {
        if !parts.results.is_empty() {
            sink.bad_at(spot, "tool results in a reply; left out");
        }
        Body::Reply(Box::new(piece(&mut message, parts, rest, sink)))
    } else {
        ui_data(&mut parts, rest, sink);
        Body::User(Box::new(parts), speaker(rest, sink))
    };
    message.rest.flush(sink, "message");
    body
}

/// `toolUseResult` is the result once more, for the user interface.
fn ui_data(parts: &mut Parts, rest: &mut Rest<'_>, sink: &mut Sink) {
    if let [result] = parts.results.as_mut_slice()
        && let Some(raw) = rest.take("toolUseResult")
    {
        result.details = json_text(raw, sink, "toolUseResult");
    }
}

fn speaker(rest: &mut Rest<'_>, sink: &mut Sink) -> Speaker {
    let mut flag = |name: &str| rest.scalar(name).optional(sink, name).unwrap_or_default();
    match (flag("isCompactSummary"), flag("isMeta")) {
        (true, _) => Speaker::Summary,
        (false, true) => Speaker::Agent,
        (false, false) => Speaker::Person,
    }
}

fn piece(message: &mut MessageRead<'_>, parts: Parts, rest: &mut Rest<'_>, sink: &mut Sink) -> Piece {
    let counts = message.counts(sink);
    let message = &mut message.rest;
    let model: Box<str> = message.scalar("model").optional(sink, "message.model").unwrap_or_default();
    let failed = rest.scalar("isApiErrorMessage").optional(sink, "isApiErrorMessage").unwrap_or_default();
    let word = message.word("stop_reason").optional(sink, "message.stop_reason");
    let synthetic = failed || Reply::is_the_agent(&model);
    for (name, usual) in [("type", "\"message\""), ("stop_sequence", "null")] {
        if let Some(raw) = message.take(name).filter(|raw| raw.text() != usual) {
            sink.extra.add("message", name, raw);
        }
    }
    if synthetic && let Some(word) = &word {
        sink.extra.add_text("message", "stop_reason", word);
    }
    Piece {
        message_id: message.scalar("id").optional(sink, "message.id").unwrap_or_default(),
        model,
        blocks: parts.content.blocks,
        counts,
        stop: stop_reason(word.as_deref()),
        synthetic,
    }
}

impl Piece {
    /// Its calls: number of the block, and id.
    pub(super) fn calls(&self) -> impl Iterator<Item = (usize, &str)> {
        self.blocks.iter().enumerate().filter_map(|(at, block)| match block {
            Block::ToolCall(call) => Some((at, &*call.id)),
            _ => None,
        })
    }

    /// The text, which of a synthetic reply is the error.
    pub(super) fn text(&self) -> Box<str> {
        let content = crate::transcript::Content { blocks: self.blocks.clone(), plain: false };
        joined_text(&content).into()
    }
}

/// A `compact_boundary`; other system records are bookkeeping.
fn boundary(rest: &mut Rest<'_>, sink: &mut Sink) -> Option<Body> {
    if rest.get("subtype").is_none_or(|subtype| subtype.text() != "\"compact_boundary\"") {
        return None;
    }
    rest.take("subtype");
    let details = rest.take("compactMetadata");
    let mut metadata = details.and_then(|raw| Rest::of(raw.text())).unwrap_or_default();
    let segment = metadata.take("preservedSegment");
    let first_kept = segment
        .and_then(|raw| Rest::of(raw.text()))
        .and_then(|mut segment| segment.scalar::<Box<str>>("headUuid").optional(sink, "preservedSegment.headUuid"));
    Some(Body::Boundary(Box::new(Boundary {
        tokens_before: metadata.scalar("preTokens").optional(sink, "compactMetadata.preTokens"),
        logical_parent: rest.scalar("logicalParentUuid").optional(sink, "logicalParentUuid"),
        first_kept,
        details: details.and_then(|raw| json_text(raw, sink, "compactMetadata")),
    })))
}
