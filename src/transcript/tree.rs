//! The session as a tree, and the path that is its current conversation.

use std::collections::HashSet;

use super::{Entry, EntryIdx, JsonText, Text};

/// Facts about a session that are not entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// The session's id.
    pub id: Box<str>,
    /// Version of the format, as the header states it.
    pub version: Option<u32>,
    /// When it began, as written.
    pub timestamp: Option<Box<str>>,
    /// Working folder.
    pub cwd: Option<Box<str>>,
    /// Session it was forked from.
    pub parent_session: Option<Box<str>>,
    /// Fields of the header that the model has no place for, as a JSON object.
    pub extra: Option<JsonText>,
}

/// The schema of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToolSchema {
    /// The tool.
    pub name: Box<str>,
    /// What the model is told about it.
    pub description: Box<str>,
    /// JSON Schema of its arguments.
    pub parameters: Box<str>,
}

/// What stands before the messages of every request. Most files lack it: then each part is unknown, not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The system prompt.
    pub system: Option<Text>,
    /// The tool schemas.
    pub tools: Option<Vec<ToolSchema>>,
}

/// A recorded session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// Facts from the header.
    pub meta: Meta,
    /// System prompt and tools, where known.
    pub head: Head,
    /// All entries, in the order of the file.
    pub entries: Vec<Entry>,
}

impl Transcript {
    /// The entry at `idx`.
    ///
    /// # Panics
    /// When `idx` is not of this transcript.
    pub fn entry(&self, idx: EntryIdx) -> &Entry {
        &self.entries[idx.0]
    }

    /// The current leaf: the last entry of the file, whatever its kind.
    pub fn leaf(&self) -> Option<EntryIdx> {
        self.entries.len().checked_sub(1).map(EntryIdx)
    }

    /// The current conversation, root first.
    pub fn path(&self) -> Vec<EntryIdx> {
        self.leaf().map_or_else(Vec::new, |leaf| self.path_to(leaf))
    }

    /// The entries from the root to `leaf`. A cycle of parents ends the walk.
    pub fn path_to(&self, leaf: EntryIdx) -> Vec<EntryIdx> {
        let mut seen = HashSet::new();
        let mut path = Vec::new();
        let mut next = Some(leaf);
        while let Some(idx) = next {
            if !seen.insert(idx) {
                break;
            }
            path.push(idx);
            next = self.entry(idx).parent;
        }
        path.reverse();
        path
    }
}
