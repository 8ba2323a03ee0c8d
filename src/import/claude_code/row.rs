//! One line of a session: what it says, before its place in the session is known.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::attachment;
use crate::import::anthropic::content::{Parts, parts};
use crate::import::anthropic::usage::{Counts, stop_reason};
use crate::import::extra::{Extras, quoted};
use crate::import::object::{Rest, json_text};
use crate::import::slot::{Sink, Slot};
use crate::import::{FindingKind, object};
use crate::transcript::{Block, Custom, JsonText, StopReason, joined_text};

/// Place of a message's blocks and usage, for extras.
const CONTENT: &str = "message.content";
const USAGE: &str = "message.usage";

/// The model name of texts that the agent itself put in the place of a reply.
const SYNTHETIC: &str = "<synthetic>";

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
pub(super) enum ParentName {
    /// `null`.
    Root,
    /// No field: the record is outside of the tree.
    Missing,
    Named(Box<str>),
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
pub(super) struct Row {
    pub(super) uuid: Option<Box<str>>,
    pub(super) parent: ParentName,
    pub(super) session: Option<Box<str>>,
    pub(super) agent: Option<Box<str>>,
    pub(super) sidechain: bool,
    pub(super) timestamp: Option<Box<str>>,
    pub(super) body: Body,
    /// Equal for two records of the same message at the same time.
    pub(super) copy_key: Option<u64>,
    pub(super) extra: Extras,
    pub(super) faults: Vec<(FindingKind, String)>,
    /// The type is one that this reader knows.
    pub(super) known: bool,
}

/// Fields that hardly ever change from line to line. Their first values go to the header, later ones are kept where
/// they change.
const STEADY: &[&str] = &["cwd", "version", "gitBranch", "userType", "entrypoint", "slug", "permissionMode"];

/// The last values of the steady fields.
#[derive(Default)]
pub(super) struct Steady {
    pub(super) first: Vec<(Box<str>, Box<str>)>,
    last: Vec<(Box<str>, Box<str>)>,
}

impl Steady {
    /// Takes the steady fields out of `rest` and keeps those that changed.
    fn take(&mut self, rest: &mut Rest<'_>, sink: &mut Sink) {
        for &name in STEADY {
            let Some(raw) = rest.take(name) else { continue };
            match self.last.iter_mut().find(|(key, _)| **key == *name) {
                Some((_, last)) if **last == *raw => {}
                Some((_, last)) => {
                    *last = (&*raw).into();
                    sink.extra.add("", name, &raw);
                }
                None => {
                    self.first.push((name.into(), (&*raw).into()));
                    self.last.push((name.into(), (&*raw).into()));
                }
            }
        }
    }
}

/// Reads the record `raw`, which is the object `rest`. `None` when it cannot even be kept as a note.
pub(super) fn read(raw: &str, mut rest: Rest<'_>, steady: &mut Steady) -> Option<Row> {
    let mut sink = Sink::default();
    let kind: Box<str> = rest.scalar("type").optional(&mut sink, "type").unwrap_or_default();
    let parent = match rest.scalar("parentUuid") {
        Slot::Good(parent) => ParentName::Named(parent),
        Slot::Null => ParentName::Root,
        Slot::Missing | Slot::Wrong => ParentName::Missing,
    };
    let mut name = |name: &str| rest.scalar::<Box<str>>(name).optional(&mut sink, name);
    let (uuid, session, agent) = (name("uuid"), name("sessionId"), name("agentId"));
    let timestamp = name("timestamp");
    let sidechain = rest.scalar("isSidechain").optional(&mut sink, "isSidechain").unwrap_or_default();
    let mut copy_key = None;
    let body = match &*kind {
        "user" | "assistant" => match rest.take("message") {
            Some(message) => {
                copy_key = timestamp.as_ref().map(|time| copy_of(time, &message, sidechain, agent.as_deref()));
                message_body(&kind, &message, &mut rest, &mut sink)
            }
            None => None,
        },
        "system" => boundary(&mut rest, &mut sink),
        "attachment" => attachment::read(&mut rest, &mut sink),
        _ => None,
    };
    let known = BOOKKEEPING.contains(&&*kind) || matches!(&*kind, "user" | "assistant" | "attachment");
    let body = match body {
        Some(body) => {
            steady.take(&mut rest, &mut sink);
            rest.flush(&mut sink, "");
            body
        }
        None => note(raw, &kind, rest, known, &mut sink)?,
    };
    let Sink { faults, extra } = sink;
    Some(Row { uuid, parent, session, agent, sidechain, timestamp, body, copy_key, extra, faults, known })
}

/// A number that a re-appended copy of a record shares with it, even where it was given another uuid.
fn copy_of(time: &str, message: &str, sidechain: bool, agent: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (time, message, sidechain, agent).hash(&mut hasher);
    hasher.finish()
}

fn note(raw: &str, kind: &str, mut rest: Rest<'_>, known: bool, sink: &mut Sink) -> Option<Body> {
    // Its fields are in the record that is kept.
    sink.extra = Extras::default();
    let mut word = kind.to_owned();
    if let Slot::Good(subtype) = rest.scalar::<Box<str>>("subtype") {
        word = format!("{kind}.{subtype}");
        if &*subtype == "microcompact_boundary" {
            let fault = "old tool results were cleared here; the clearing is not followed";
            sink.faults.push((FindingKind::UnknownKind, fault.to_owned()));
        }
    }
    if !known {
        let fault = format!("a record of unknown type `{kind}`; kept as a note");
        sink.faults.push((FindingKind::UnknownKind, fault));
    } else if matches!(kind, "user" | "assistant") && sink.faults.is_empty() {
        sink.bad("`message` is missing or not an object; the record is kept as a note");
    }
    Some(Body::Note { kind: word.into(), raw: object::json_text(raw.into(), sink, "record")? })
}

fn message_body(kind: &str, raw: &str, rest: &mut Rest<'_>, sink: &mut Sink) -> Option<Body> {
    let mut message = Rest::of(raw)?;
    let role = message.scalar::<Box<str>>("role").optional(sink, "message.role");
    if role.as_deref().is_some_and(|role| role != kind) {
        sink.bad(format!("`message.role` is not `{kind}`, the type of the record, which is the one believed"));
    }
    let mut parts = parts(message.take("content"), CONTENT, sink);
    let body = if kind == "user" {
        ui_data(&mut parts, rest, sink);
        Body::User(Box::new(parts), speaker(rest, sink))
    } else {
        if !parts.results.is_empty() {
            sink.bad("tool results in a reply; left out");
        }
        Body::Reply(Box::new(piece(&mut message, parts, rest, sink)))
    };
    message.flush(sink, "message");
    Some(body)
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

fn piece(message: &mut Rest<'_>, parts: Parts, rest: &mut Rest<'_>, sink: &mut Sink) -> Piece {
    let model: Box<str> = message.scalar("model").optional(sink, "message.model").unwrap_or_default();
    let failed = rest.scalar("isApiErrorMessage").optional(sink, "isApiErrorMessage").unwrap_or_default();
    let word = message.scalar::<Box<str>>("stop_reason").optional(sink, "message.stop_reason");
    let counts = message.take("usage").filter(|raw| raw.trim() != "null");
    let synthetic = failed || &*model == SYNTHETIC;
    for (name, usual) in [("type", "\"message\""), ("stop_sequence", "null")] {
        if let Some(raw) = message.take(name).filter(|raw| raw.trim() != usual) {
            sink.extra.add("message", name, &raw);
        }
    }
    if synthetic && let Some(word) = &word {
        sink.extra.add("message", "stop_reason", &quoted(word));
    }
    Piece {
        message_id: message.scalar("id").optional(sink, "message.id").unwrap_or_default(),
        model,
        blocks: parts.content.blocks,
        counts: counts.and_then(|raw| Counts::read(&raw, USAGE, sink)),
        stop: stop_reason(word.as_deref()),
        synthetic,
    }
}

impl Piece {
    /// Its calls: id and tool.
    pub(super) fn calls(&self) -> impl Iterator<Item = (Box<str>, Box<str>)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some((call.id.clone(), call.name.as_str().into())),
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
    let subtype: Slot<Box<str>> = rest.scalar("subtype");
    match subtype {
        Slot::Good(subtype) if &*subtype == "compact_boundary" => {}
        Slot::Good(subtype) => {
            rest.0.push(("subtype".into(), quoted(&subtype).into()));
            return None;
        }
        _ => return None,
    }
    let details = rest.take("compactMetadata");
    let mut metadata = details.as_deref().and_then(Rest::of).unwrap_or_default();
    let segment = metadata.take("preservedSegment");
    let first_kept = segment
        .as_deref()
        .and_then(Rest::of)
        .and_then(|mut segment| segment.scalar::<Box<str>>("headUuid").optional(sink, "preservedSegment.headUuid"));
    Some(Body::Boundary(Box::new(Boundary {
        tokens_before: metadata.scalar("preTokens").optional(sink, "compactMetadata.preTokens"),
        logical_parent: rest.scalar("logicalParentUuid").optional(sink, "logicalParentUuid"),
        first_kept,
        details: details.and_then(|raw| json_text(raw, sink, "compactMetadata")),
    })))
}
