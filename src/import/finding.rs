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

/// A fault, where it is, and what was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// The last line it touches: `line` again, except for a record that was spread over several.
    pub last_line: usize,
    /// Byte offset in the file, where one is known.
    pub offset: Option<usize>,
    /// What kind of fault.
    pub kind: FindingKind,
    /// What was found and what was done.
    pub message: String,
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
