//! Collects the records of a file.

use std::borrow::Cow;

use super::entry::{self, Read};
use super::record::{Kind, Record};
use crate::import::extra::TooDeep;
use crate::import::names::Names;
use crate::import::place::{Fault, Place, Report};
use crate::import::slot::Slot;
use crate::import::{FindingKind, ImportError, Imported};
use crate::transcript::{Entry, EntryIdx, EntryKind, JsonText, Meta, Transcript};

/// Newest version of the format that this reader knows.
const VERSION: u32 = 3;

/// The parent as the record names it.
pub(super) enum ParentName {
    /// `null`.
    Root,
    /// The field is missing.
    Missing,
    Named(Box<str>),
}

/// Collects records and findings.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) report: Report,
    header: Option<Meta>,
    /// Those whose record names the entry before as its parent are linked, the others not yet.
    pub(super) entries: Vec<Entry>,
    /// The entries that are not linked, and their parents, in the order of the file.
    pub(super) open: Vec<(usize, ParentName)>,
    /// The entries without an id, in the order of the file.
    pub(super) nameless: Vec<usize>,
    /// Compactions and their `firstKeptEntryIndex`.
    pub(super) first_kept: Vec<(usize, u64)>,
    /// Numbers of the objects of the file that are no entries, as version-1 indices count them: the header is one.
    others: Vec<usize>,
    names: Names,
}

impl Builder {
    /// Takes a record; `raw` is its JSON text.
    pub(super) fn push(&mut self, at: Place, raw: &str, mut record: Record<'_>) {
        match &record.kind {
            Slot::Good(Kind::Session) => self.push_header(at, raw, record),
            Slot::Good(Kind::Unknown(kind)) if self.header.is_none() && record.id.is_missing() => {
                let fault = format!("a record of unknown type `{kind}` without an id before the header; left out");
                self.report.fault(at, FindingKind::UnknownKind, fault);
                self.report.counts.left_out += 1;
                self.no_entry();
            }
            _ => {
                let read = entry::read(&mut record, raw);
                self.push_entry(at, raw, record, read);
            }
        }
    }

    fn push_header(&mut self, at: Place, raw: &str, mut record: Record<'_>) {
        if self.header.is_some() {
            self.report.fault(at, FindingKind::ExtraHeader, "a second header; left out".to_owned());
            self.report.counts.left_out += 1;
            self.no_entry();
            return;
        }
        if self.objects() > 0 {
            let fault = format!("the header is not the first record; {} before it", self.objects());
            self.report.fault(at, FindingKind::LateHeader, fault);
        }
        let mut meta = entry::header(&mut record);
        self.report.faults_in(at, raw, std::mem::take(&mut record.sink.faults));
        if let Some(version) = meta.version.filter(|version| !(1..=VERSION).contains(version)) {
            let fault = format!("version {version}; read as version {VERSION}, the newest known");
            self.report.fault(at, FindingKind::UnknownVersion, fault);
        }
        meta.extra = record.sink.extra.render_fields("").and_then(JsonText::new);
        self.header = Some(meta);
        self.no_entry();
    }

    fn push_entry(&mut self, at: Place, raw: &str, mut record: Record<'_>, read: Option<Read>) {
        let id = std::mem::take(&mut record.id).optional(&mut record.sink, "id");
        let timestamp = std::mem::take(&mut record.timestamp).optional(&mut record.sink, "timestamp");
        let extra = std::mem::take(&mut record.sink.extra).json().unwrap_or_else(|TooDeep| {
            record.sink.bad("additional fields could not be measured as JSON and were left out");
            None
        });
        self.report.faults_in(at, raw, std::mem::take(&mut record.sink.faults));
        let Some(Read { mut kind, time, first_kept_index }) = read else {
            self.report.counts.left_out += 1;
            self.no_entry();
            return;
        };
        if let EntryKind::Message(message) = &mut kind {
            self.names.share(message);
        }
        let number = self.entries.len();
        if let Slot::Wrong(spot) = record.parent {
            let message = "`parentId` has the wrong type; read as null: a root".to_owned();
            self.report.fault_in(at, raw, Fault { kind: FindingKind::BadField, message, spot });
        }
        let parent = self.parent_or_open(record.parent);
        if id.is_none() {
            self.nameless.push(number);
        }
        self.first_kept.extend(first_kept_index.map(|index| (number, index)));
        let id = id.unwrap_or_default();
        self.entries.push(Entry { id, parent, line: at.line(), timestamp, message_time_ms: time, kind, extra });
    }

    /// The entry before the next one, if that is its parent. Any other parent stays open.
    fn parent_or_open(&mut self, name: Slot<Cow<'_, str>>) -> Option<EntryIdx> {
        let number = self.entries.len();
        let before = number.checked_sub(1).filter(|before| self.nameless.last() != Some(before));
        let parent = match name {
            Slot::Good(name) => {
                let follows = |&before: &usize| *self.entries[before].id == *name;
                if let Some(before) = before.filter(follows) {
                    return Some(EntryIdx(before));
                }
                ParentName::Named(name.into())
            }
            Slot::Null | Slot::Wrong(_) => ParentName::Root,
            Slot::Missing => ParentName::Missing,
        };
        self.open.push((number, parent));
        None
    }

    /// How many objects of the file there were.
    pub(super) fn objects(&self) -> usize {
        self.entries.len() + self.others.len()
    }

    /// Counts an object that is no entry.
    fn no_entry(&mut self) {
        self.others.push(self.objects());
    }

    /// The entry that the object `number` of the file is. `None`: it is none.
    pub(super) fn entry_of(&self, number: usize) -> Option<usize> {
        let before = self.others.partition_point(|&other| other < number);
        (self.others.get(before) != Some(&number)).then(|| number - before)
    }

    /// The transcript with all links.
    pub(super) fn finish(mut self) -> Result<Imported, ImportError> {
        if self.header.is_none() {
            self.without_header()?;
        }
        let meta = self.header.take().unwrap_or_default();
        let has_ids = self.nameless.len() < self.entries.len();
        if meta.version.unwrap_or(1) <= 1 && !has_ids {
            self.link_version_1();
        } else {
            if meta.version.is_none() && !meta.id.is_empty() {
                let fault = "the header has no version, yet entries have ids: read as version 3 (Pi would renumber)";
                self.report.late(1, FindingKind::UnknownVersion, fault);
            }
            self.link_by_id();
        }
        let Report { counts: lines, mut findings, .. } = self.report;
        findings.sort_by_key(|finding| finding.line);
        self.entries.shrink_to_fit();
        let transcript = Transcript { meta, entries: self.entries, ..Transcript::default() };
        Ok(Imported { transcript, findings, lines, ..Imported::default() })
    }

    /// A file without a header is read if anything in it is an entry that Pi knows.
    fn without_header(&mut self) -> Result<(), ImportError> {
        let known = self.entries.iter().any(|entry| !matches!(entry.kind, EntryKind::Note { .. }));
        if !known {
            let (line, found) =
                self.report.findings.first().map_or((1, String::new()), |f| (f.line, f.message.clone()));
            let found = if found.is_empty() { "no entry of a Pi session".to_owned() } else { found };
            return Err(ImportError::NoRecord { line, expected: "the header of a Pi session", found });
        }
        let fault = "no header (an object with type `session`): version, folder and time are unknown".to_owned();
        self.report.late(0, FindingKind::MissingHeader, fault);
        Ok(())
    }
}
