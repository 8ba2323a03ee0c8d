//! One record of a session.

use super::{Content, JsonText, Message, Text, Usage};

/// Position of an entry in its transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryIdx(pub usize);

/// One record of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The file's id, or one made from the ordinal where the format has none.
    pub id: Box<str>,
    /// The entry this one follows; `None` for a root.
    pub parent: Option<EntryIdx>,
    /// Line in the file, from 1.
    pub line: usize,
    /// The entry's own time stamp, as written.
    pub timestamp: Option<Box<str>>,
    /// The message's time in milliseconds, which for a reply is the start of its request.
    pub message_time_ms: Option<i64>,
    /// What it records.
    pub kind: EntryKind,
    /// Fields of the record that the model has no place for, so that writing loses nothing: a JSON object from the
    /// place of the object that held them (`message`, `message.content.0`; the record itself is the empty string) to
    /// an object of those fields. No estimator or meter reads it.
    pub extra: Option<JsonText>,
}

/// What an entry records.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryKind {
    /// A message of the context.
    Message(Message),
    /// From here on another model.
    ModelChange {
        /// The provider.
        provider: Box<str>,
        /// The model.
        model: Box<str>,
    },
    /// From here on another thinking level.
    ThinkingLevelChange(Box<str>),
    /// A compaction that really happened.
    Compaction(Box<Compaction>),
    /// A summary of a branch that was left.
    BranchSummary(Box<BranchSummary>),
    /// A change of an earlier message, valid from here on.
    ContextEdit(Box<ContextEdit>),
    /// A record that never reaches the model; kept as it was written.
    Note {
        /// The format's word for it, such as `label`.
        kind: Box<str>,
        /// The whole record.
        raw: JsonText,
    },
}

impl EntryKind {
    /// The model that is in force from this record on, as far as the record says: a change of the model names it, and a
    /// reply who answered. `None`: it says nothing.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::ModelChange { model, .. } => Some(&**model).filter(|name| !name.is_empty()),
            Self::Message(message) => message.reply()?.answered_by(),
            _ => None,
        }
    }
}

/// A recorded compaction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compaction {
    /// The summary.
    pub summary: Text,
    /// First entry kept verbatim. `None`: nothing was kept.
    pub first_kept: Option<Box<str>>,
    /// Tokens of the context before it, as the agent estimated them. `None`: the source does not say.
    pub tokens_before: Option<u64>,
    /// File lists, or an extension's data.
    pub details: Option<JsonText>,
    /// Supplied by an extension.
    pub from_hook: bool,
    /// Usage of the summary request.
    pub usage: Option<Usage>,
    /// The system message in force after it (`systemMessage`), as JSON.
    pub system: Option<JsonText>,
    /// The messages of the new context before the summary, where the source writes them out (Codex) instead of naming
    /// the first one kept.
    pub replacement: Vec<Message>,
}

/// A summary of a branch that was left; the text may be empty.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchSummary {
    /// The abandoned leaf (the target, in old files).
    pub from: Box<str>,
    /// The summary.
    pub summary: Text,
    /// File lists.
    pub details: Option<JsonText>,
    /// Supplied by an extension.
    pub from_hook: bool,
}

/// A change of an earlier message.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextEdit {
    /// The message changed.
    pub target: Box<str>,
    /// Its new content; `None` leaves the message out.
    pub replacement: Option<Content>,
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::{Entry, EntryKind};
    use crate::transcript::{Block, Message, ToolResult};

    /// A long session is bounded by its entries: what is rare is boxed.
    #[test]
    fn entries_stay_small() {
        // A content is a list (24 bytes) and a flag, with padding 32; a reply adds a pointer to it.
        assert_eq!(size_of::<Message>(), 32 + 8);
        // A note is a word (16) and JSON (16, and its length), behind a tag.
        assert_eq!(size_of::<EntryKind>(), 8 + 16 + 24);
        // Id 16, parent 16, line 8, time stamp 16, time 16, and JSON 24.
        assert_eq!(size_of::<Entry>(), 48 + 16 + 16 + 8 + 16 + 16 + 24);
        // A call is an id (16), a shared name (8) and JSON (24), behind a tag.
        assert_eq!(size_of::<Block>(), 8 + 16 + 8 + 24);
        // Id 16, shared tool 16, content 32, a flag with padding 8, JSON 24, and a pointer.
        assert_eq!(size_of::<ToolResult>(), 16 + 16 + 32 + 8 + 24 + 8);
    }
}
