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
    /// Column in characters, from 1, where the offset is known.
    pub column: Option<usize>,
    /// What kind of fault.
    pub kind: FindingKind,
    /// What was found and what was done.
    pub message: String,
}

/// Gives every finding whose offset is known its column: a finding is made where only the offset is at hand. `bytes`
/// begin with a line, at the offset `begin` of the file.
pub(super) fn locate(bytes: &[u8], begin: usize, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.column.is_none()) {
        let offset = finding.offset.and_then(|offset| offset.checked_sub(begin));
        let Some(before) = offset.and_then(|offset| bytes.get(..offset)) else { continue };
        let start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
        let mark = if begin + start == 0 && before.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        finding.column = Some(bytecount::num_chars(&before[start + mark..]) + 1);
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
}

#[cfg(test)]
mod tests {
    use super::{Finding, FindingKind, locate};

    #[test]
    fn a_column_counts_characters_from_one() {
        let at = |bytes: &[u8], offset| {
            let kind = FindingKind::InvalidUtf8;
            let mut all =
                [Finding { line: 1, last_line: 1, offset: Some(offset), column: None, kind, message: String::new() }];
            locate(bytes, 0, &mut all);
            all[0].column
        };
        assert_eq!((at(b"abc", 0), at(b"abc", 2)), (Some(1), Some(3)));
        // One character of three bytes before it, on the second line.
        assert_eq!(at("a\n界x".as_bytes(), 5), Some(2));
        assert_eq!(at(b"\xEF\xBB\xBFab", 4), Some(2), "a mark is no column");
        assert_eq!(at(b"abc", 9), None);
    }

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<&str> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FindingKind::ALL.len());
    }
}
