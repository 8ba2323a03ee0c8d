//! A record to what the model calls an entry.

use super::content;
use super::message::{custom, text, usage};
use super::record::{Kind, Record};
use crate::import::FindingKind;
use crate::import::object::Rest;
use crate::import::place::Spot;
use crate::import::slot::{Sink, Slot};
use crate::transcript::json::read::{Raw, Reader};
use crate::transcript::{BranchSummary, Compaction, Content, ContextEdit, EntryKind, JsonText, Message, Meta};

/// The place of the record itself, for extras.
const RECORD: &str = "";

/// An entry's content, its message's time, and the `firstKeptEntryIndex` of a version-1 compaction.
pub(super) struct Read {
    pub(super) kind: EntryKind,
    pub(super) time: Option<i64>,
    pub(super) first_kept_index: Option<u64>,
}

impl Read {
    fn of(kind: EntryKind) -> Self {
        Self { kind, time: None, first_kept_index: None }
    }
}

/// Reads `record`, whose JSON text is `raw`. `None` when not even a note could be made of it.
pub(super) fn read(record: &mut Record<'_>, raw: &str) -> Option<Read> {
    let mut rest = std::mem::take(&mut record.rest);
    let sink = &mut record.sink;
    let read = match std::mem::take(&mut record.kind) {
        Slot::Good(Kind::Message) => match record.message.take() {
            Some((message, time)) => Read { time, ..Read::of(EntryKind::Message(message)) },
            None => return note("message", raw, sink),
        },
        Slot::Good(Kind::ModelChange) => Read::of(EntryKind::ModelChange {
            provider: rest.scalar("provider").required(sink, "provider"),
            model: rest.scalar("modelId").required(sink, "modelId"),
        }),
        Slot::Good(Kind::ThinkingLevelChange) => {
            let level = rest.scalar("thinkingLevel").required(sink, "thinkingLevel");
            Read::of(EntryKind::ThinkingLevelChange(level))
        }
        Slot::Good(Kind::Compaction) => compaction(&mut rest, sink),
        Slot::Good(Kind::BranchSummary) => Read::of(EntryKind::BranchSummary(Box::new(BranchSummary {
            from: rest.scalar("fromId").required(sink, "fromId"),
            summary: text(&mut rest, "summary", sink),
            details: rest.json("details", sink),
            from_hook: from_hook(&mut rest, sink),
        }))),
        Slot::Good(Kind::CustomMessage) => {
            let body = body(rest.take("content"), "content", sink);
            Read::of(EntryKind::Message(Message::Custom(Box::new(custom(&mut rest, body, sink)))))
        }
        Slot::Good(Kind::ContextEdit) => context_edit(&mut rest, sink),
        Slot::Good(Kind::Note(kind)) => return note(&kind, raw, sink),
        Slot::Good(Kind::Unknown(kind)) => {
            let fault = format!("an entry of unknown type `{kind}`; kept as a note");
            sink.fault(Spot::default(), FindingKind::UnknownKind, fault);
            return note(&kind, raw, sink);
        }
        Slot::Good(Kind::Session) | Slot::Missing | Slot::Null | Slot::Wrong(_) => {
            sink.bad("`type` is missing; the record is kept as a note");
            return note("", raw, sink);
        }
    };
    rest.flush(sink, RECORD);
    Some(read)
}

/// A record that never reaches the model. What its fields held is in `raw`, so extras are dropped.
fn note(kind: &str, raw: &str, sink: &mut Sink) -> Option<Read> {
    sink.extra.clear();
    let json = JsonText::new(raw);
    if json.is_none() {
        sink.bad("the record could not be measured as JSON and was left out");
    }
    Some(Read::of(EntryKind::Note { kind: kind.into(), raw: json? }))
}

fn from_hook(rest: &mut Rest<'_>, sink: &mut Sink) -> bool {
    rest.scalar("fromHook").optional(sink, "fromHook").unwrap_or_default()
}

fn compaction(rest: &mut Rest<'_>, sink: &mut Sink) -> Read {
    let first_kept_index = rest.scalar("firstKeptEntryIndex").optional(sink, "firstKeptEntryIndex");
    let compaction = Compaction {
        summary: text(rest, "summary", sink),
        first_kept: rest.scalar("firstKeptEntryId").optional(sink, "firstKeptEntryId"),
        tokens_before: Some(rest.scalar("tokensBefore").required(sink, "tokensBefore")),
        details: rest.json("details", sink),
        from_hook: from_hook(rest, sink),
        usage: usage(rest, sink, "usage"),
        system: rest.json("systemMessage", sink),
        replacement: Vec::new(),
    };
    Read { first_kept_index, ..Read::of(EntryKind::Compaction(Box::new(compaction))) }
}

/// Reads the content whose JSON text is `raw`.
fn body(raw: Option<Raw<'_>>, place: &str, sink: &mut Sink) -> Content {
    let raw = raw.map_or("null", Raw::text);
    content::read(&mut Reader::new(raw), sink, place).unwrap_or(Slot::Wrong(Spot::of(raw))).required(sink, place)
}

/// `replacement` is `null` (leave the target out) or `{content}`.
fn context_edit(rest: &mut Rest<'_>, sink: &mut Sink) -> Read {
    let target = rest.scalar("targetId").required(sink, "targetId");
    let raw = rest.take("replacement");
    if raw.is_none() {
        sink.bad("`replacement` is missing; read as null, which leaves the target out");
    }
    let replacement = raw.filter(|raw| raw.text() != "null").map(|raw| {
        let Some(mut fields) = Rest::of(raw.text()) else {
            sink.bad_at(Spot::of(raw.text()), "`replacement` is not an object; read as empty content");
            return Content::default();
        };
        let body = body(fields.take("content"), "replacement.content", sink);
        fields.flush(sink, "replacement");
        body
    });
    Read::of(EntryKind::ContextEdit(Box::new(ContextEdit { target, replacement })))
}

/// The header. Version 1 has no `version`, names the parent session `branchedFrom`, and carries the first model and
/// thinking level, which Pi does not use when it loads the file: they are kept as extras.
pub(super) fn header(record: &mut Record<'_>) -> Meta {
    let mut rest = std::mem::take(&mut record.rest);
    let sink = &mut record.sink;
    let version = rest.scalar::<u64>("version").optional(sink, "version");
    let parent = rest.scalar("parentSession").optional(sink, "parentSession");
    let branched = if parent.is_none() { rest.scalar("branchedFrom").optional(sink, "branchedFrom") } else { None };
    let meta = Meta {
        id: std::mem::take(&mut record.id).required(sink, "session id"),
        version: version.map(|version| u32::try_from(version).unwrap_or(u32::MAX)),
        timestamp: std::mem::take(&mut record.timestamp).optional(sink, "timestamp"),
        cwd: rest.scalar("cwd").optional(sink, "cwd"),
        parent_session: parent.or(branched),
        extra: None,
    };
    if let Slot::Good(id) = std::mem::take(&mut record.parent) {
        sink.extra.add_text(RECORD, "parentId", &id);
    }
    rest.flush(sink, RECORD);
    meta
}
