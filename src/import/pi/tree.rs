//! Collects the records of a file and ties them into a tree.

use std::collections::{HashMap, HashSet};

use super::entry::{self, Read};
use super::links;
use super::record::{Kind, Record};
use super::slot::{Sink, Slot};
use super::surrogates;
use crate::import::{Finding, FindingKind, ImportError, Imported, LineCounts};
use crate::transcript::{Entry, EntryIdx, EntryKind, JsonText, Meta, Transcript};

/// Newest version of the format that this reader knows.
const VERSION: u32 = 3;

/// An entry whose links are still names.
struct Draft {
    entry: Entry,
    id: Option<Box<str>>,
    parent: ParentName,
    /// `firstKeptEntryIndex`.
    first_kept_index: Option<u64>,
}

/// The parent as the record names it.
enum ParentName {
    /// `null`.
    Root,
    /// The field is missing.
    Missing,
    Named(Box<str>),
}

/// Collects records and findings.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) counts: LineCounts,
    /// Whether any line may hold escaped surrogates.
    surrogates: bool,
    header: Option<Meta>,
    drafts: Vec<Draft>,
    /// File objects in order, as version-1 indices count them: the header is none of the entries.
    objects: Vec<Option<usize>>,
    findings: Vec<Finding>,
}

impl Builder {
    /// A builder for a file in which `surrogates` may be escaped.
    pub(super) fn new(surrogates: bool) -> Self {
        Self { surrogates, ..Self::default() }
    }

    /// Notes a fault on the lines `at.0` to `at.1`.
    pub(super) fn fault(&mut self, at: (usize, usize), offset: Option<usize>, kind: FindingKind, message: String) {
        self.findings.push(Finding { line: at.0, last_line: at.1, offset, kind, message });
    }

    fn drain(&mut self, at: (usize, usize), sink: &mut Sink) {
        for (kind, message) in std::mem::take(&mut sink.faults) {
            self.fault(at, None, kind, message);
        }
    }

    /// Takes a record; `raw` is its JSON text.
    pub(super) fn push(&mut self, at: (usize, usize), raw: &str, mut record: Record<'_>) {
        if self.surrogates {
            let lone = surrogates::lone(raw);
            if lone > 0 {
                let fault = format!("{lone} lone surrogates: U+FFFD in texts, as spelled in JSON arguments");
                self.fault(at, None, FindingKind::LoneSurrogate, fault);
            }
        }
        match &record.kind {
            Slot::Good(Kind::Session) => self.push_header(at, record),
            Slot::Good(Kind::Unknown(kind)) if self.header.is_none() && record.id.is_missing() => {
                let fault = format!("a record of unknown type `{kind}` without an id before the header; left out");
                self.fault(at, None, FindingKind::UnknownKind, fault);
                self.counts.left_out += 1;
                self.objects.push(None);
            }
            _ => {
                let read = entry::read(&mut record, raw);
                self.push_entry(at, record, read);
            }
        }
    }

    fn push_header(&mut self, at: (usize, usize), mut record: Record<'_>) {
        if self.header.is_some() {
            self.fault(at, None, FindingKind::ExtraHeader, "a second header; left out".to_owned());
            self.counts.left_out += 1;
            self.objects.push(None);
            return;
        }
        if !self.objects.is_empty() {
            let fault = format!("the header is not the first record; {} before it", self.objects.len());
            self.fault(at, None, FindingKind::LateHeader, fault);
        }
        let mut meta = entry::header(&mut record);
        self.drain(at, &mut record.sink);
        if let Some(version) = meta.version.filter(|version| !(1..=VERSION).contains(version)) {
            let fault = format!("version {version}; read as version {VERSION}, the newest known");
            self.fault(at, None, FindingKind::UnknownVersion, fault);
        }
        meta.extra = record.sink.extra.render_fields("").and_then(JsonText::new);
        self.header = Some(meta);
        self.objects.push(None);
    }

    fn push_entry(&mut self, at: (usize, usize), mut record: Record<'_>, read: Option<Read>) {
        let id = std::mem::take(&mut record.id).optional(&mut record.sink, "id");
        let timestamp = std::mem::take(&mut record.timestamp).optional(&mut record.sink, "timestamp");
        let parent = match std::mem::take(&mut record.parent) {
            Slot::Good(parent) => ParentName::Named(parent),
            Slot::Null => ParentName::Root,
            Slot::Missing | Slot::Wrong => ParentName::Missing,
        };
        let extra = std::mem::take(&mut record.sink.extra).render();
        let extra = extra.and_then(|extra| {
            let json = JsonText::new(extra);
            if json.is_none() {
                record.sink.bad("additional fields could not be measured as JSON and were left out");
            }
            json
        });
        self.drain(at, &mut record.sink);
        let Some(Read { kind, time, first_kept_index }) = read else {
            self.counts.left_out += 1;
            self.objects.push(None);
            return;
        };
        let entry = Entry { id: "".into(), parent: None, line: at.0, timestamp, message_time_ms: time, kind, extra };
        self.objects.push(Some(self.drafts.len()));
        self.drafts.push(Draft { entry, id, parent, first_kept_index });
    }

    /// The transcript with all links.
    pub(super) fn finish(mut self) -> Result<Imported, ImportError> {
        if self.header.is_none() {
            self.without_header()?;
        }
        let meta = self.header.take().unwrap_or_default();
        let drafts = std::mem::take(&mut self.drafts);
        let has_ids = drafts.iter().any(|draft| draft.id.is_some());
        let entries = if meta.version.unwrap_or(1) <= 1 && !has_ids {
            self.link_version_1(drafts)
        } else {
            if meta.version.is_none() && !meta.id.is_empty() {
                let fault = "the header has no version, yet entries have ids: read as version 3 (Pi would renumber)";
                self.fault((1, 1), None, FindingKind::UnknownVersion, fault.to_owned());
            }
            self.link_by_id(drafts)
        };
        self.findings.sort_by_key(|finding| finding.line);
        let transcript = Transcript { meta, entries, ..Transcript::default() };
        Ok(Imported { transcript, findings: self.findings, lines: self.counts })
    }

    /// A file without a header is read if anything in it is an entry that Pi knows.
    fn without_header(&mut self) -> Result<(), ImportError> {
        let known = self.drafts.iter().any(|draft| !matches!(draft.entry.kind, EntryKind::Note { .. }));
        if !known {
            let (line, found) = self.findings.first().map_or((1, String::new()), |f| (f.line, f.message.clone()));
            let found = if found.is_empty() { "no entry of a Pi session".to_owned() } else { found };
            return Err(ImportError::NoRecord { line, expected: "the header of a Pi session", found });
        }
        let fault = "no header (an object with type `session`): version, folder and time are unknown".to_owned();
        self.fault((0, 0), None, FindingKind::MissingHeader, fault);
        Ok(())
    }

    /// Version 1 has no ids: the order is the only structure. Pi gives random ids when it loads such a file; here an
    /// id is the entry's ordinal in hexadecimal, so that two readings agree.
    fn link_version_1(&mut self, drafts: Vec<Draft>) -> Vec<Entry> {
        let count = drafts.len();
        let objects = std::mem::take(&mut self.objects);
        let mut entries = Vec::with_capacity(count);
        for (ordinal, mut draft) in drafts.into_iter().enumerate() {
            draft.entry.id = hex_id(ordinal);
            draft.entry.parent = ordinal.checked_sub(1).map(EntryIdx);
            if let (EntryKind::Compaction(compaction), Some(index)) = (&mut draft.entry.kind, draft.first_kept_index) {
                // The index counts the objects of the file, so 0 is the header, which is no entry: nothing was kept.
                let object = usize::try_from(index).ok().and_then(|index| objects.get(index));
                match object {
                    Some(Some(kept)) => compaction.first_kept = Some(hex_id(*kept)),
                    Some(None) => {}
                    None => {
                        let fault = format!("`firstKeptEntryIndex` {index} is beyond the file: nothing was kept");
                        let line = draft.entry.line;
                        self.fault((line, line), None, FindingKind::MissingTarget, fault);
                    }
                }
            }
            entries.push(draft.entry);
        }
        self.relink_notes(&mut entries, &HashSet::from_iter(0..count));
        entries
    }

    /// Versions 2 and 3. Of several entries with the same id the first one is meant.
    fn link_by_id(&mut self, drafts: Vec<Draft>) -> Vec<Entry> {
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(drafts.len());
        for (at, draft) in drafts.iter().enumerate() {
            let Some(id) = &draft.id else { continue };
            let earlier = *first.entry(id).or_insert(at);
            if earlier != at {
                let (line, before) = (draft.entry.line, drafts[earlier].entry.line);
                let fault = format!("id `{id}` occurs already on line {before}; references to it mean that one");
                self.fault((line, line), None, FindingKind::DuplicateId, fault);
            }
        }
        let mut changed = HashSet::new();
        let mut parents = Vec::with_capacity(drafts.len());
        let mut ids: Vec<Option<Box<str>>> = Vec::with_capacity(drafts.len());
        for (at, draft) in drafts.iter().enumerate() {
            let parent = self.parent(at, draft, &first);
            if matches!((&draft.parent, parent), (ParentName::Named(_), None) | (ParentName::Missing, Some(_))) {
                changed.insert(at);
            }
            parents.push(parent);
            ids.push(self.invented_id(at, draft, &first));
            self.check_target(draft, &first);
        }
        let lines: Vec<usize> = drafts.iter().map(|draft| draft.entry.line).collect();
        for (at, how) in links::cut_cycles(&mut parents) {
            self.fault((lines[at], lines[at]), None, FindingKind::ParentCycle, how);
            changed.insert(at);
        }
        changed.extend(ids.iter().enumerate().filter(|(_, id)| id.is_some()).map(|(at, _)| at));
        let mut entries: Vec<Entry> = drafts
            .into_iter()
            .zip(parents.into_iter().zip(ids))
            .map(|(draft, (parent, invented))| Entry {
                id: draft.id.or(invented).unwrap_or_default(),
                parent: parent.map(EntryIdx),
                ..draft.entry
            })
            .collect();
        self.relink_notes(&mut entries, &changed);
        entries
    }

    /// The position of the parent. An entry without an id follows the one before it, as in version 1.
    fn parent(&mut self, at: usize, draft: &Draft, first: &HashMap<&str, usize>) -> Option<usize> {
        let line = draft.entry.line;
        match &draft.parent {
            ParentName::Root => None,
            ParentName::Missing if draft.id.is_none() => at.checked_sub(1),
            ParentName::Missing => {
                let fault = "`parentId` is missing; read as null: a root".to_owned();
                self.fault((line, line), None, FindingKind::BadField, fault);
                None
            }
            ParentName::Named(name) => {
                let parent = first.get(&**name).copied();
                if parent.is_none() {
                    let fault = format!("parent `{name}` is not in the file; the entry is read as a root");
                    self.fault((line, line), None, FindingKind::MissingParent, fault);
                }
                parent
            }
        }
    }

    /// An id for an entry that has none: its ordinal, or the next number that is free.
    fn invented_id(&mut self, at: usize, draft: &Draft, first: &HashMap<&str, usize>) -> Option<Box<str>> {
        if draft.id.is_some() {
            return None;
        }
        let line = draft.entry.line;
        // Numbers from 0xF0000000 on keep clear of ids that count up from zero.
        let id = (0xF000_0000 + at..).map(hex_id).find(|id| !first.contains_key(&**id))?;
        let fault = format!("the entry has no id; it gets `{id}`");
        self.fault((line, line), None, FindingKind::MissingId, fault);
        Some(id)
    }

    /// Reports a compaction or an edit whose target is not in the file.
    fn check_target(&mut self, draft: &Draft, first: &HashMap<&str, usize>) {
        let (target, effect) = match &draft.entry.kind {
            EntryKind::Compaction(compaction) => match &compaction.first_kept {
                Some(target) => (target, "nothing was kept"),
                None => return,
            },
            EntryKind::ContextEdit(edit) => (&edit.target, "the edit changes nothing"),
            _ => return,
        };
        if !first.contains_key(&**target) {
            let line = draft.entry.line;
            let fault = format!("entry `{target}` is not in the file: {effect}");
            self.fault((line, line), None, FindingKind::MissingTarget, fault);
        }
    }

    /// Notes hold their whole record, so their links must say what the tree says.
    fn relink_notes(&mut self, entries: &mut [Entry], changed: &HashSet<usize>) {
        for at in 0..entries.len() {
            let EntryKind::Note { raw, .. } = &entries[at].kind else { continue };
            if !changed.contains(&at) {
                continue;
            }
            let parent = entries[at].parent.map(|parent| &*entries[parent.0].id);
            let json = links::relinked(raw.as_str(), &entries[at].id, parent).and_then(JsonText::new);
            if let (Some(json), EntryKind::Note { raw, .. }) = (json, &mut entries[at].kind) {
                *raw = json;
            }
        }
    }
}

/// An id as Pi makes them, eight hexadecimal digits.
fn hex_id(number: usize) -> Box<str> {
    format!("{number:08x}").into()
}
