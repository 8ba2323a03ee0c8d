//! What lies behind the cells of a run: what was said, what had to survive, and what each kind of content was estimated at. A
//! reader of the report follows a loss, or an error, to them.

use serde::{Deserialize, Serialize};

/// The longest text of a message that is recorded, in code points; the rest is counted.
pub const RECORDED_CHARS: usize = 2_000;

/// A message of a transcript's path, as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// Name of the transcript.
    pub transcript: String,
    /// Its line in the file.
    pub line: u64,
    /// Who speaks, such as `user` or `tool_result`.
    pub role: String,
    /// Code points of the whole message.
    pub chars: u64,
    /// Its text, at most [`RECORDED_CHARS`] code points.
    pub text: String,
}

/// An annotated item of a transcript: what had to survive, and how it is recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnotationRecord {
    /// Name of the transcript.
    pub transcript: String,
    /// The item's id.
    pub item: String,
    /// The item in words.
    pub text: String,
    /// Lines of the file that state it.
    pub lines: Vec<u64>,
    /// Slots, each a list of spellings of which one must be there; lower case, white space as one space.
    pub must: Vec<Vec<String>>,
    /// Spellings that show it wrong or stale.
    pub must_not: Vec<String>,
}

/// The messages of a transcript that are mostly of one class of content, as one estimator counts them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassRecord {
    /// Name of the transcript.
    pub transcript: String,
    /// Its lineage.
    pub lineage: String,
    /// The estimator.
    pub estimator: String,
    /// The class, such as `code`.
    pub class: String,
    /// Messages of the path that are sent and mostly of this class.
    pub messages: u64,
    /// Their reference count.
    pub reference_tokens: u64,
    /// Their estimate. Estimators that are anchored to usage count so what came after the last one.
    pub estimate_tokens: u64,
}

/// All that lies behind a run; empty in runs recorded before there were any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The messages, transcript by transcript, in the order of the path.
    pub messages: Vec<MessageRecord>,
    /// The annotated items, transcript by transcript.
    pub annotations: Vec<AnnotationRecord>,
    /// The estimates by class of content: by transcript, then estimator, then class.
    pub classes: Vec<ClassRecord>,
}
