//! Records of the file.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::block::{BlockRecord, blocks, content, is_false, raw, some_json};
use super::record::{HeadRecord, MessageRecord, boxed};
use super::usage::UsageRecord;
use crate::transcript::{BranchSummary, Compaction, ContextEdit, Entry, EntryKind, JsonText, Meta, Text};

/// The first record.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct FileRecord<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(default)]
    pub(super) format: Cow<'a, str>,
    #[serde(default)]
    pub(super) version: u32,
    #[serde(default)]
    pub(super) meta: MetaRecord<'a>,
    #[serde(default)]
    pub(super) head: HeadRecord<'a>,
}

#[derive(Default, Serialize, Deserialize)]
pub(super) struct MetaRecord<'a> {
    id: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<Cow<'a, RawValue>>,
}

impl<'a> From<&'a Meta> for MetaRecord<'a> {
    fn from(meta: &'a Meta) -> Self {
        Self {
            id: (&*meta.id).into(),
            version: meta.version,
            timestamp: meta.timestamp.as_deref().map(Into::into),
            cwd: meta.cwd.as_deref().map(Into::into),
            parent_session: meta.parent_session.as_deref().map(Into::into),
            extra: meta.extra.as_ref().map(raw),
        }
    }
}

impl From<MetaRecord<'_>> for Meta {
    fn from(record: MetaRecord<'_>) -> Self {
        Self {
            id: boxed(record.id),
            version: record.version,
            timestamp: record.timestamp.map(boxed),
            cwd: record.cwd.map(boxed),
            parent_session: record.parent_session.map(boxed),
            extra: some_json(record.extra.as_ref()),
        }
    }
}

/// An entry. Which fields it has depends on `type`.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct EntryRecord<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Cow<'a, str>,
    pub(super) index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<usize>,
    #[serde(default)]
    pub(super) on_path: bool,
    pub(super) id: Cow<'a, str>,
    #[serde(default)]
    pub(super) line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timestamp: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<SizeRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_change: Option<ModelRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compaction: Option<CompactionRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<BranchRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<EditRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<NoteRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra: Option<Cow<'a, RawValue>>,
}

/// What of a message reaches a model.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct SizeRecord {
    pub(super) utf16: usize,
    pub(super) chars: usize,
    pub(super) bytes: usize,
    pub(super) images: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct ModelRecord<'a> {
    provider: Cow<'a, str>,
    model: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
struct CompactionRecord<'a> {
    summary: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_kept: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_before: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Cow<'a, RawValue>>,
    #[serde(default, skip_serializing_if = "is_false")]
    from_hook: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Cow<'a, RawValue>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replacement: Vec<MessageRecord<'a>>,
}

#[derive(Serialize, Deserialize)]
struct BranchRecord<'a> {
    from: Cow<'a, str>,
    summary: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Cow<'a, RawValue>>,
    #[serde(default, skip_serializing_if = "is_false")]
    from_hook: bool,
}

#[derive(Serialize, Deserialize)]
struct EditRecord<'a> {
    target: Cow<'a, str>,
    /// Nothing leaves the message out.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Vec<BlockRecord<'a>>>,
    #[serde(default, skip_serializing_if = "is_false")]
    plain: bool,
}

#[derive(Serialize, Deserialize)]
struct NoteRecord<'a> {
    kind: Cow<'a, str>,
    raw: Cow<'a, RawValue>,
}

impl<'a> From<&'a Entry> for EntryRecord<'a> {
    /// Without index, parent, path and size.
    fn from(entry: &'a Entry) -> Self {
        let mut record = Self {
            id: (&*entry.id).into(),
            line: entry.line,
            timestamp: entry.timestamp.as_deref().map(Into::into),
            time_ms: entry.message_time_ms,
            extra: entry.extra.as_ref().map(raw),
            ..Self::default()
        };
        record.fill(&entry.kind);
        record
    }
}

impl<'a> EntryRecord<'a> {
    fn fill(&mut self, kind: &'a EntryKind) {
        self.kind = Cow::Borrowed(match kind {
            EntryKind::Message(message) => {
                self.message = Some(message.into());
                "message"
            }
            EntryKind::ModelChange { provider, model } => {
                self.model_change = Some(ModelRecord { provider: (&**provider).into(), model: (&**model).into() });
                "model_change"
            }
            EntryKind::ThinkingLevelChange(level) => {
                self.level = Some((&**level).into());
                "thinking_level_change"
            }
            EntryKind::Compaction(compaction) => {
                self.compaction = Some(compaction_record(compaction));
                "compaction"
            }
            EntryKind::BranchSummary(branch) => {
                let BranchSummary { from, summary, details, from_hook } = &**branch;
                self.branch = Some(BranchRecord {
                    from: (&**from).into(),
                    summary: summary.as_str().into(),
                    details: details.as_ref().map(raw),
                    from_hook: *from_hook,
                });
                "branch_summary"
            }
            EntryKind::ContextEdit(edit) => {
                self.edit = Some(EditRecord {
                    target: (&*edit.target).into(),
                    content: edit.replacement.as_ref().map(blocks),
                    plain: edit.replacement.as_ref().is_some_and(|content| content.plain),
                });
                "context_edit"
            }
            EntryKind::Note { kind, raw: json } => {
                self.note = Some(NoteRecord { kind: (&**kind).into(), raw: raw(json) });
                "note"
            }
        });
    }

    /// What the entry records; `None` for a type nobody knows, or without the fields of its type.
    pub(super) fn entry_kind(&mut self) -> Option<EntryKind> {
        Some(match &*self.kind {
            "message" => EntryKind::Message(self.message.take()?.message()?),
            "model_change" => {
                let ModelRecord { provider, model } = self.model_change.take()?;
                EntryKind::ModelChange { provider: boxed(provider), model: boxed(model) }
            }
            "thinking_level_change" => EntryKind::ThinkingLevelChange(boxed(self.level.take()?)),
            "compaction" => EntryKind::Compaction(Box::new(compaction(self.compaction.take()?)?)),
            "branch_summary" => {
                let BranchRecord { from, summary, details, from_hook } = self.branch.take()?;
                EntryKind::BranchSummary(Box::new(BranchSummary {
                    from: boxed(from),
                    summary: Text::new(summary.into_owned()),
                    details: some_json(details.as_ref()),
                    from_hook,
                }))
            }
            "context_edit" => {
                let EditRecord { target, content: body, plain } = self.edit.take()?;
                let replacement = body.map(|body| content(body, plain));
                EntryKind::ContextEdit(Box::new(ContextEdit { target: boxed(target), replacement }))
            }
            "note" => {
                let NoteRecord { kind, raw } = self.note.take()?;
                EntryKind::Note { kind: boxed(kind), raw: JsonText::new(raw.get())? }
            }
            _ => return None,
        })
    }
}

fn compaction_record(compaction: &Compaction) -> CompactionRecord<'_> {
    CompactionRecord {
        summary: compaction.summary.as_str().into(),
        first_kept: compaction.first_kept.as_deref().map(Into::into),
        tokens_before: compaction.tokens_before,
        details: compaction.details.as_ref().map(raw),
        from_hook: compaction.from_hook,
        usage: compaction.usage.as_ref().map(Into::into),
        system: compaction.system.as_ref().map(raw),
        replacement: compaction.replacement.iter().map(Into::into).collect(),
    }
}

fn compaction(record: CompactionRecord<'_>) -> Option<Compaction> {
    Some(Compaction {
        summary: Text::new(record.summary.into_owned()),
        first_kept: record.first_kept.map(boxed),
        tokens_before: record.tokens_before,
        details: some_json(record.details.as_ref()),
        from_hook: record.from_hook,
        usage: record.usage.map(Into::into),
        system: some_json(record.system.as_ref()),
        replacement: record.replacement.into_iter().map(MessageRecord::message).collect::<Option<_>>()?,
    })
}
