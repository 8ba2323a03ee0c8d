//! What was wrong in a file, and what was done about it.

use crate::transcript::Transcript;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// There is no header.
    MissingHeader,
    /// The header is not on the first line.
    LateHeader,
    /// The header names a version this reader does not know.
    UnknownVersion,
    /// A second header.
    ExtraHeader,
    /// A line is not valid JSON.
    MalformedLine,
    /// The last line ends in the middle of a record.
    TruncatedLine,
    /// A line holds bytes that are not UTF-8.
    InvalidUtf8,
    /// A record was spread over several lines by raw line breaks.
    RawNewline,
    /// NUL bytes around or instead of a record.
    NulPadding,
    /// Several records on one line.
    GluedRecords,
    /// A lone surrogate became U+FFFD.
    LoneSurrogate,
    /// An id occurs twice.
    DuplicateId,
    /// An entry names a parent that is not in the file.
    MissingParent,
    /// An entry is its own parent, or parents form a cycle.
    ParentCycle,
    /// An entry has no id.
    MissingId,
    /// An entry or block of a kind this reader does not know.
    UnknownKind,
    /// A compaction or an edit names an entry that is not in the file.
    MissingTarget,
    /// A field is missing or has the wrong type.
    BadField,
    /// A result does not follow its call. Only [`super::pairs()`] finds it.
    OrphanResult,
    /// A call has no result before the next message. Only [`super::pairs()`] finds it.
    UnansweredCall,
}

impl FindingKind {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::MissingHeader,
        Self::LateHeader,
        Self::UnknownVersion,
        Self::ExtraHeader,
        Self::MalformedLine,
        Self::TruncatedLine,
        Self::InvalidUtf8,
        Self::RawNewline,
        Self::NulPadding,
        Self::GluedRecords,
        Self::LoneSurrogate,
        Self::DuplicateId,
        Self::MissingParent,
        Self::ParentCycle,
        Self::MissingId,
        Self::UnknownKind,
        Self::MissingTarget,
        Self::BadField,
        Self::OrphanResult,
        Self::UnansweredCall,
    ];

    /// The word for it in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::MissingHeader => "missing-header",
            Self::LateHeader => "late-header",
            Self::UnknownVersion => "unknown-version",
            Self::ExtraHeader => "extra-header",
            Self::MalformedLine => "malformed-line",
            Self::TruncatedLine => "truncated-line",
            Self::InvalidUtf8 => "invalid-utf8",
            Self::RawNewline => "raw-newline",
            Self::NulPadding => "nul-padding",
            Self::GluedRecords => "glued-records",
            Self::LoneSurrogate => "lone-surrogate",
            Self::DuplicateId => "duplicate-id",
            Self::MissingParent => "missing-parent",
            Self::ParentCycle => "parent-cycle",
            Self::MissingId => "missing-id",
            Self::UnknownKind => "unknown-kind",
            Self::MissingTarget => "missing-target",
            Self::BadField => "bad-field",
            Self::OrphanResult => "orphan-result",
            Self::UnansweredCall => "unanswered-call",
        }
    }
}

/// A fault, where it is, and what was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// The last line it touches: `line` again, except for a record that was spread over several.
    pub last_line: usize,
    /// Byte offset in the file, where one is known.
    pub offset: Option<usize>,
    /// Column in bytes, from 1, where it is known. A byte order mark at the start of the file is no column.
    pub column: Option<usize>,
    /// What kind of fault.
    pub kind: FindingKind,
    /// What was found and what was done.
    pub message: String,
}

/// The lines of a file that is in memory, by which offsets become lines and columns.
pub(super) struct Lines {
    /// Offset of the first byte of each.
    starts: Vec<usize>,
    size: usize,
}

impl Lines {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let rest = memchr::memchr_iter(b'\n', bytes).map(|feed| feed + 1);
        Self { starts: std::iter::once(mark).chain(rest).collect(), size: bytes.len() }
    }

    /// Line and column, in bytes, both from 1. `None` behind the end.
    pub(super) fn place(&self, offset: usize) -> Option<(usize, usize)> {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        (offset <= self.size).then(|| (line, offset.saturating_sub(self.starts[line - 1]) + 1))
    }

    /// Turns places that are bytes into lines and columns. Without a byte there is no place.
    pub(super) fn of_entries(&self, places: &mut Vec<(usize, usize)>, in_file: impl Fn(usize) -> usize) {
        for place in places.iter_mut().filter(|place| place.0 == 0) {
            *place = self.place(in_file(place.1)).unwrap_or_default();
        }
        if places.iter().any(|place| place.0 == 0) {
            places.clear();
        }
    }

    /// Gives findings of records on lines their columns. An offset that is not on the line was that of a later record.
    pub(super) fn columns(&self, findings: &mut [Finding]) {
        for finding in findings.iter_mut().filter(|finding| finding.column.is_none() && finding.line > 0) {
            match finding.offset.and_then(|offset| self.place(offset)) {
                Some((line, column)) if (finding.line..=finding.last_line).contains(&line) => {
                    finding.column = Some(column);
                }
                _ => (finding.offset, finding.column) = (None, None),
            }
        }
    }
}

/// Gives each finding of a file to the session of its line: the one with an entry there, or else the one with the last
/// entry before it.
pub(super) fn share(findings: Vec<Finding>, sessions: &mut [Imported]) {
    let lines_of = |(at, one): (usize, &Imported)| -> Vec<_> {
        one.transcript.entries.iter().map(|entry| (entry.line, at)).collect()
    };
    let mut lines: Vec<(usize, usize)> = sessions.iter().enumerate().flat_map(lines_of).collect();
    lines.sort_unstable();
    lines.dedup();
    // Of several with an entry on the line it is the first; of several before it, the last; the first, where there is none.
    let owner = |line: usize| {
        let on = lines.partition_point(|&(at, _)| at < line);
        let found = lines.get(on).filter(|&&(at, _)| at == line).or_else(|| lines[..on].last());
        found.map_or(0, |&(_, session)| session)
    };
    for finding in findings {
        if let Some(session) = sessions.get_mut(owner(finding.line)) {
            session.findings.push(finding);
        }
    }
    for session in sessions {
        session.findings.sort_by_key(|finding| (finding.line, finding.column));
    }
}

/// How many lines a file has and how many gave nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Physical lines.
    pub total: usize,
    /// Lines of white space only.
    pub blank: usize,
    /// Lines from which nothing went into the transcript; each has a finding.
    pub left_out: usize,
}

/// A transcript and what was wrong with its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// All that could be read.
    pub transcript: Transcript,
    /// Every fault, in the order of the file.
    pub findings: Vec<Finding>,
    /// Lines read and left out.
    pub lines: LineCounts,
    /// Its name within the file, where a file holds several.
    pub part: Option<Box<str>>,
    /// Line and column of each entry, in a file that was read whole or whose entries have lines of another file; else empty. In one document an entry's own line is the
    /// ordinal of its message. An importer that is still reading has zero and the byte instead.
    pub places: Vec<(usize, usize)>,
}

#[cfg(test)]
mod tests {
    use super::{Finding, FindingKind, Imported, Lines, share};
    use crate::transcript::{Entry, EntryKind};

    fn finding(line: usize, offset: Option<usize>) -> Finding {
        let kind = FindingKind::InvalidUtf8;
        Finding { line, last_line: line, offset, column: None, kind, message: String::new() }
    }

    #[test]
    fn a_column_counts_bytes_from_one() {
        let at = |bytes: &[u8], offset| Lines::of(bytes).place(offset);
        assert_eq!((at(b"abc", 0), at(b"abc", 2)), (Some((1, 1)), Some((1, 3))));
        // One character of three bytes before it, on the second line.
        assert_eq!(at("a\n界x".as_bytes(), 5), Some((2, 4)));
        assert_eq!(at(b"\xEF\xBB\xBFab", 4), Some((1, 2)), "a mark is no column");
        assert_eq!((at(b"abc", 3), at(b"abc", 9)), (Some((1, 4)), None));
    }

    #[test]
    fn an_offset_on_another_line_is_not_that_of_the_finding() {
        let mut all = [finding(2, Some(3)), finding(1, Some(3)), finding(0, None)];
        Lines::of(b"a\nbc").columns(&mut all);
        assert_eq!(all.map(|one| (one.offset, one.column)), [(Some(3), Some(2)), (None, None), (None, None)]);
    }

    #[test]
    fn a_finding_goes_to_the_session_of_its_line() {
        let session = |lines: &[usize]| {
            let mut one = Imported::default();
            one.transcript.entries = lines
                .iter()
                .map(|&line| Entry {
                    id: "e".into(),
                    parent: None,
                    line,
                    timestamp: None,
                    message_time_ms: None,
                    kind: EntryKind::ThinkingLevelChange("off".into()),
                    extra: None,
                })
                .collect();
            one
        };
        let mut all = [session(&[1, 5]), session(&[3, 8])];
        share([9, 4, 5, 2, 0, 6].map(|line| finding(line, None)).into(), &mut all);
        let lines = all.map(|one| one.findings.iter().map(|finding| finding.line).collect::<Vec<_>>());
        assert_eq!(lines, [vec![0, 2, 5, 6], vec![4, 9]]);
        let mut late = [session(&[4]), session(&[3])];
        share(vec![finding(2, None)], &mut late);
        assert_eq!(late.map(|one| one.findings.len()), [1, 0], "before all entries");
        let mut twins = [session(&[2]), session(&[2])];
        share(vec![finding(2, None), finding(3, None)], &mut twins);
        assert_eq!(twins.map(|one| one.findings[0].line), [2, 3]);
    }

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<&str> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FindingKind::ALL.len());
    }
}
