//! What Pi's format has no place for: kept in fields called `cutpoint`, which Pi passes over, and put back by the reader.
//!
//! - Header: system prompt and tool schemas (`head`), in the form of [`crate::import::neutral`].
//! - Compaction: the messages of the new context, where the source writes them out (`replacement`), and whether the size
//!   before is not known (`sizeUnknown`), which Pi would read as zero.
//! - Entry: the time of a record that is no message (`timeMs`), and fields that would be taken for Pi's own (`extra`).
//! - Records of other formats that never reach the model are `custom` entries of type `cutpoint.note`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::import::Imported;
use crate::import::extra::{Extras, quoted};
use crate::import::neutral::{HeadRecord, MessageRecord, one_line};
use crate::import::object::Rest;
use crate::transcript::{Block, Compaction, Entry, EntryKind, Head, JsonText, Message, Transcript, Usage};

/// The field.
pub(super) const FIELD: &str = "cutpoint";
/// The type of a `custom` entry that holds another format's record.
pub(super) const NOTE: &str = "cutpoint.note";

/// Types of records that never reach the model and that Pi knows, so that they need no wrapping.
const NATIVE_NOTES: &[&str] = &["custom", "label", "session_info", "usage"];
/// Fields of Pi's records and messages: one of another format with such a name must not be written among them.
const TAKEN: &[&str] = &[
    "type",
    "id",
    "parentId",
    "timestamp",
    "message",
    "role",
    "content",
    "usage",
    "model",
    "provider",
    "api",
    "stopReason",
    "errorMessage",
    "toolCallId",
    "toolName",
    "isError",
    "details",
    "summary",
    "display",
    "text",
    "thinking",
    "name",
    "arguments",
    "data",
    "mimeType",
    "input",
    "output",
    "cost",
    "sections",
    FIELD,
];

/// Fields of the header that Pi reads.
const HEADER: &[&str] =
    &["type", "version", "id", "timestamp", "cwd", "parentSession", "branchedFrom", "parentId", FIELD];

/// The field of the header.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct OfHeader<'a> {
    #[serde(borrow)]
    head: HeadRecord<'a>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    extra: Option<&'a RawValue>,
}

/// The field of an entry.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OfEntry<'a> {
    #[serde(borrow, skip_serializing_if = "Vec::is_empty")]
    replacement: Vec<MessageRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size_unknown: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<i64>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    extra: Option<&'a RawValue>,
}

/// The data of a `custom` entry that holds another format's record.
#[derive(Serialize, Deserialize)]
struct OfNote<'a> {
    kind: String,
    #[serde(borrow)]
    raw: &'a RawValue,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    extra: Option<&'a RawValue>,
    #[serde(rename = "timeMs", default, skip_serializing_if = "Option::is_none")]
    time_ms: Option<i64>,
}

/// The field of the header, if this transcript needs any: it tells the reader to look for the others.
pub(super) fn of_header(transcript: &Transcript) -> Option<String> {
    let headless = transcript.head == Head::default();
    let plain = |entry: &Entry| of_entry(entry).is_none() && wrapped(entry).is_none();
    let extra = transcript.meta.extra.as_ref().filter(|extra| header_collides(extra)).map(one_line);
    if headless && extra.is_none() && transcript.entries.iter().all(plain) {
        return None;
    }
    let extra = extra.as_deref().and_then(|raw| serde_json::from_str(raw).ok());
    serde_json::to_string(&OfHeader { head: (&transcript.head).into(), extra }).ok()
}

/// Whether fields of the header without a place in the model would be taken for Pi's own.
pub(super) fn header_collides(extra: &JsonText) -> bool {
    Rest::of(extra.as_str()).is_none_or(|fields| fields.iter().any(|(key, _)| HEADER.contains(&key)))
}

/// What of an entry is kept in fields that Pi passes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct Aside {
    /// The whole entry: a record of another format that never reaches the model.
    pub note: bool,
    /// The messages after a compaction, where the source writes them out.
    pub replacement: bool,
    /// That the size before a compaction is not known.
    pub size_unknown: bool,
    /// The message time of an entry that is no message.
    pub time: bool,
    /// Fields that Pi would take for its own.
    pub fields: bool,
}

/// What of `entry` Pi's format has no place for.
pub fn aside(entry: &Entry) -> Aside {
    if let EntryKind::Note { .. } = &entry.kind {
        return Aside { note: wrapped(entry).is_some(), ..Aside::default() };
    }
    let compaction = if let EntryKind::Compaction(compaction) = &entry.kind { Some(&**compaction) } else { None };
    let is_message = matches!(entry.kind, EntryKind::Message(_));
    Aside {
        note: false,
        replacement: compaction.is_some_and(|one| !one.replacement.is_empty()),
        size_unknown: compaction.is_some_and(|one| one.tokens_before.is_none()),
        time: entry.message_time_ms.is_some() && !is_message,
        fields: collides(entry),
    }
}

/// The field of an entry, if it needs one.
pub(super) fn of_entry(entry: &Entry) -> Option<String> {
    let aside = aside(entry);
    if aside == Aside::default() || aside.note {
        return None;
    }
    let replacement = match &entry.kind {
        EntryKind::Compaction(compaction) => compaction.replacement.iter().map(Into::into).collect(),
        _ => Vec::new(),
    };
    let extra = entry.extra.as_ref().filter(|_| aside.fields).map(one_line);
    let field = OfEntry {
        replacement,
        size_unknown: aside.size_unknown.then_some(true),
        time_ms: entry.message_time_ms.filter(|_| aside.time),
        extra: extra.as_deref().and_then(|raw| serde_json::from_str(raw).ok()),
    };
    serde_json::to_string(&field).ok()
}

/// Whether the fields without a place in the model cannot be written among Pi's own: they would be taken for those, or
/// belong to an object that Pi's record does not have.
pub(super) fn collides(entry: &Entry) -> bool {
    let Some(extra) = &entry.extra else { return false };
    let Some(places) = Rest::of(extra.as_str()) else { return true };
    places.iter().any(|(place, fields)| {
        let taken = |fields: Rest<'_>| fields.iter().any(|(key, _)| TAKEN.contains(&key));
        !has_place(&entry.kind, place) || Rest::of(fields.text()).is_none_or(taken)
    })
}

/// Whether Pi's record of an entry has an object at `place`.
fn has_place(kind: &EntryKind, place: &str) -> bool {
    let priced = |usage: Option<&Usage>, place: &str| match place {
        "usage" => usage.is_some(),
        "usage.cost" => usage.is_some_and(|usage| usage.cost.is_some()),
        _ => false,
    };
    match (kind, place) {
        (EntryKind::Note { .. }, _) => false,
        (_, "") => true,
        (EntryKind::Message(message), place) => {
            let Some(inner) = place.strip_prefix("message") else { return false };
            let inner = inner.strip_prefix('.').unwrap_or(inner);
            let system = matches!(message, Message::System(_));
            inner.is_empty()
                || system && inner == "sections"
                || priced(message.reply().and_then(|reply| reply.usage.as_ref()), inner)
                || is_block(message.blocks(), inner)
        }
        (EntryKind::Compaction(compaction), place) => priced(compaction.usage.as_ref(), place),
        (EntryKind::ContextEdit(edit), place) => {
            let blocks = edit.replacement.as_ref().map_or(&[][..], |content| &content.blocks);
            let inner = place.strip_prefix("replacement.").unwrap_or_default();
            edit.replacement.is_some() && (place == "replacement" || is_block(blocks, inner))
        }
        _ => false,
    }
}

/// Whether `place` is that of a block that is written as an object of its own fields.
fn is_block(blocks: &[Block], place: &str) -> bool {
    let at = place.strip_prefix("content.").and_then(|at| at.parse::<usize>().ok());
    at.and_then(|at| blocks.get(at)).is_some_and(|block| !matches!(block, Block::Other(_)))
}

/// Whether a record that never reaches the model is of Pi's form, with its type and links.
fn is_native(kind: &str, raw: &JsonText) -> bool {
    let Some(mut rest) = Rest::of(raw.as_str()) else { return false };
    let linked = NATIVE_NOTES.contains(&kind) || rest.has("id") && rest.has("parentId");
    linked && rest.take("type").is_some_and(|own| own.text() == quoted(kind))
}

/// The data of a `custom` entry for a record of another format.
pub(super) fn wrapped(entry: &Entry) -> Option<String> {
    let EntryKind::Note { kind, raw } = &entry.kind else { return None };
    if is_native(kind, raw) && entry.extra.is_none() && entry.message_time_ms.is_none() {
        return None;
    }
    let raw = one_line(raw);
    let extra = entry.extra.as_ref().map(one_line);
    let note = OfNote {
        kind: kind.to_string(),
        raw: serde_json::from_str(&raw).ok()?,
        extra: extra.as_deref().and_then(|raw| serde_json::from_str(raw).ok()),
        time_ms: entry.message_time_ms,
    };
    serde_json::to_string(&note).ok()
}

/// Puts back what the writer kept in its own fields.
pub(super) fn restore(imported: &mut Imported) {
    let transcript = &mut imported.transcript;
    let Some(mut header) = transcript.meta.extra.as_ref().and_then(|extra| Rest::of(extra.as_str())) else { return };
    let Some(field) = header.take(FIELD) else { return };
    let own = serde_json::from_str::<OfHeader<'_>>(field.text()).unwrap_or_default();
    transcript.head = own.head.into();
    let rest: Vec<String> = header.iter().map(|(key, raw)| format!("{}:{}", quoted(key), raw.text())).collect();
    let kept = own.extra.map(|extra| extra.get().to_owned());
    let rest = kept.or_else(|| (!rest.is_empty()).then(|| format!("{{{}}}", rest.join(","))));
    transcript.meta.extra = rest.and_then(JsonText::new);
    transcript.entries.iter_mut().for_each(restore_entry);
}

fn restore_entry(entry: &mut Entry) {
    if let EntryKind::Note { raw, .. } = &entry.kind {
        if let Some(note) = unwrapped(raw) {
            (entry.kind, entry.extra, entry.message_time_ms) = note;
        }
        return;
    }
    let mut extras = Extras::parse(entry.extra.as_ref());
    let Some(field) = extras.take("", FIELD) else { return };
    entry.extra = extras.json().ok().flatten();
    let Ok(OfEntry { replacement, size_unknown, time_ms, extra }) = serde_json::from_str(&field) else { return };
    if let EntryKind::Compaction(compaction) = &mut entry.kind {
        let Compaction { replacement: messages, tokens_before, .. } = &mut **compaction;
        *messages = replacement.into_iter().filter_map(MessageRecord::message).collect();
        if size_unknown == Some(true) {
            *tokens_before = None;
        }
    }
    entry.message_time_ms = time_ms.or(entry.message_time_ms);
    if let Some(extra) = extra {
        entry.extra = JsonText::new(extra.get());
    }
}

/// The record of another format that a `custom` entry holds, with its own fields and time.
fn unwrapped(raw: &JsonText) -> Option<(EntryKind, Option<JsonText>, Option<i64>)> {
    let mut rest = Rest::of(raw.as_str())?;
    if rest.take("customType")?.text() != quoted(NOTE) {
        return None;
    }
    let data = rest.take("data")?;
    let OfNote { kind, raw, extra, time_ms } = serde_json::from_str(data.text()).ok()?;
    let note = EntryKind::Note { kind: kind.into(), raw: JsonText::new(raw.get())? };
    Some((note, extra.and_then(|extra| JsonText::new(extra.get())), time_ms))
}
