//! The reader.

use std::collections::{HashMap, HashSet};

use super::block::some_json;
use super::entry::{EntryRecord, FileRecord};
use super::record::boxed;
use super::{FORMAT, VERSION};
use crate::import::document::beginning;
use crate::import::pi::links::cut_cycles;
use crate::import::place::{Place, Report};
use crate::import::rows::{self, Rows};
use crate::import::source::Source;
use crate::import::value::Value;
use crate::import::{Confidence, FindingKind, ImportError, Imported, surrogates};
use crate::transcript::json::read::Reader;
use crate::transcript::{Entry, EntryIdx, EntryKind, JsonText, Transcript};

/// Lines looked at to tell the format.
const LINES: usize = 20;

/// Sure of the format's name in one of the first records.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    let named = |line: &str| Value::unchecked(line, 0).object().text("format").as_deref() == Some(FORMAT);
    if beginning(head).lines().take(LINES).any(named) { Confidence::Sure } else { Confidence::No }
}

/// Reads a file.
///
/// # Errors
/// When the file is empty, is not text, or holds no entry and no header.
pub fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    read_from(&mut Source::bytes(bytes))
}

/// [`read`] of a file that is not in memory.
pub(in crate::import) fn read_from(source: &mut Source<'_>) -> Result<Imported, ImportError> {
    let mut file = File::default();
    rows::read(source, &mut file)?;
    file.finish()
}

/// A line.
enum Line<'l> {
    Header(Box<FileRecord<'l>>),
    Entry(Box<EntryRecord<'l>>),
    /// An object that is no entry: its type, and why.
    Odd(Box<str>, String),
}

#[derive(Default)]
struct File {
    transcript: Transcript,
    header: bool,
    /// Position of the entry with an index of the file.
    positions: HashMap<usize, usize>,
    /// Index of the parent of each entry.
    parents: Vec<Option<usize>>,
    /// Index of the last entry.
    last: Option<usize>,
    ids: HashSet<Box<str>>,
    /// Line and column of each entry in this file: its own line may be one of the file that was converted.
    places: Vec<(usize, usize)>,
    report: Report,
}

impl Rows for File {
    const BEGINS: &'static [&'static str] = &["{\"type\":"];

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    type Record<'l> = Line<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Line<'l>, String> {
        let object = rows::object(text, reader)?.object();
        let kind = object.text("type").unwrap_or_default();
        if kind == "transcript" {
            return serde_json::from_str(text).map(Line::Header).map_err(|error| error.to_string());
        }
        // A record with fields of other types is not lost: it is kept as a note.
        let entry = serde_json::from_str(text).or_else(|error| mended(text).ok_or(error));
        Ok(entry.map_or_else(|error| Line::Odd(kind.into(), error.to_string()), Line::Entry))
    }

    fn take(&mut self, at: Place, text: &str, line: Line<'_>) {
        match line {
            Line::Header(file) => self.file(at, *file),
            Line::Entry(record) => self.entry(at, *record, text),
            Line::Odd(kind, reason) => self.odd(at, &kind, text, &reason),
        }
    }
}

/// The entry in `text`, its lone surrogates read as U+FFFD: serde refuses them in texts. `None` when that does not help.
fn mended(text: &str) -> Option<Box<EntryRecord<'static>>> {
    (surrogates::lone(text) > 0).then(|| serde_json::from_str(&surrogates::mended(text)).ok()).flatten()
}

impl File {
    fn file(&mut self, at: Place, file: FileRecord<'_>) {
        if self.header {
            self.report.counts.left_out += 1;
            return self.report.fault(at, FindingKind::ExtraHeader, "a second header; left out".to_owned());
        }
        if !self.parents.is_empty() {
            let fault = format!("the header is not the first record; {} before it", self.parents.len());
            self.report.fault(at, FindingKind::LateHeader, fault);
        }
        if file.version > VERSION {
            let fault = format!("version {}; read as version {VERSION}, the newest known", file.version);
            self.report.fault(at, FindingKind::UnknownVersion, fault);
        }
        self.header = true;
        self.transcript.meta = file.meta.into();
        self.transcript.head = file.head.into();
    }

    fn entry(&mut self, at: Place, mut record: EntryRecord<'_>, text: &str) {
        let Some(kind) = record.entry_kind() else {
            let kind = record.kind.clone().into_owned();
            return self.odd(at, &kind, text, "an entry of unknown type, or without the fields of its type");
        };
        let line = if record.line == 0 { at.line() } else { record.line };
        let entry = Entry {
            id: boxed(record.id),
            parent: None,
            line,
            timestamp: record.timestamp.map(boxed),
            message_time_ms: record.time_ms,
            kind,
            extra: some_json(record.extra.as_ref()),
        };
        self.push(at, record.index, record.parent, entry);
    }

    /// Keeps a record that cannot be read as a note behind the entry before it.
    fn odd(&mut self, at: Place, kind: &str, text: &str, reason: &str) {
        self.report.fault(at, FindingKind::UnknownKind, format!("{reason}; kept as a note"));
        let Some(raw) = JsonText::new(text) else {
            self.report.counts.left_out += 1;
            return self.report.fault(at, FindingKind::BadField, "not even a note could be made of it".to_owned());
        };
        let object = Value::unchecked(text, 0).object();
        let number = |name| object.u64(name).and_then(|number| usize::try_from(number).ok());
        let id = object.boxed("id").unwrap_or_else(|| format!("line-{}", at.line()).into());
        let kind = EntryKind::Note { kind: kind.into(), raw };
        let entry =
            Entry { id, parent: None, line: at.line(), timestamp: None, message_time_ms: None, kind, extra: None };
        let index = number("index").unwrap_or(usize::MAX - at.line());
        let parent = number("parent").or(self.last);
        self.push(at, index, parent, entry);
    }

    fn push(&mut self, at: Place, index: usize, parent: Option<usize>, entry: Entry) {
        let position = self.parents.len();
        if *self.positions.entry(index).or_insert(position) != position {
            let fault = format!("index {index} occurs already; parents with that number mean the first");
            self.report.fault(at, FindingKind::DuplicateId, fault);
        }
        if !self.ids.insert(entry.id.clone()) {
            let fault = format!("id `{}` occurs already; references to it mean the first", entry.id);
            self.report.fault(at, FindingKind::DuplicateId, fault);
        }
        self.last = Some(index);
        self.parents.push(parent);
        self.places.push((at.line(), at.column));
        self.transcript.entries.push(entry);
    }

    /// The transcript with its links.
    fn finish(mut self) -> Result<Imported, ImportError> {
        if !self.header && self.transcript.entries.is_empty() {
            let first = self.report.findings.first();
            let (line, found) = first.map_or((1, "no record"), |first| (first.line.max(1), &first.message));
            let found = found.to_owned();
            return Err(ImportError::NoRecord { line, expected: "a record of type `transcript`", found });
        }
        if !self.header {
            let fault = "no record of type `transcript`: head, folder and time are unknown".to_owned();
            self.report.late(0, FindingKind::MissingHeader, fault);
        }
        self.link();
        let Report { counts: lines, mut findings, .. } = self.report;
        findings.sort_by_key(|finding| finding.line);
        Ok(Imported { transcript: self.transcript, findings, lines, places: self.places, part: None })
    }

    fn link(&mut self) {
        let mut parents: Vec<Option<usize>> = Vec::with_capacity(self.parents.len());
        for (position, parent) in std::mem::take(&mut self.parents).into_iter().enumerate() {
            let known = parent.and_then(|index| self.positions.get(&index).copied());
            if let (Some(index), None) = (parent, known) {
                let line = self.places[position].0;
                let fault = format!("parent {index} is not in the file; the entry is read as a root");
                self.report.late(line, FindingKind::MissingParent, fault);
            }
            parents.push(known);
        }
        for (position, length) in cut_cycles(&mut parents) {
            let line = self.places[position].0;
            let fault = format!("parents form a cycle of {length}; this entry, the first of them, is read as a root");
            self.report.late(line, FindingKind::ParentCycle, fault);
        }
        for (entry, parent) in self.transcript.entries.iter_mut().zip(parents) {
            entry.parent = parent.map(EntryIdx);
        }
    }
}
