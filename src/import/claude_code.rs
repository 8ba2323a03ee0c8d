//! Claude Code session files: JSON Lines, one line per block of a reply.
//!
//! The lines of one reply (equal `message.id`) become one entry with all blocks; its usage is counted once, that of the
//! last line, with the largest output of all. Versions before 2.1.50 write the output of the stream's start, so there
//! the output is only a lower bound. Each tool result is an entry behind its call. The uuid of the first line is the
//! entry's id; the others are in [`crate::transcript::Entry::extra`] below `lines`, as all fields without a place in
//! the model are kept, but for those that repeat the line before.
//!
//! `compact_boundary` and the summary after it become one compaction. A preserved segment is what it kept; without one
//! nothing was kept. Conversations of sub-agents in the same file are transcripts of their own. Copies of records
//! that a resumed session appended once more are left out and counted. A second message of the person on a record
//! that was answered already is a branch; other forks only show that calls ran in parallel.
//!
//! The system prompt and the tool schemas are not in these files.

mod attachment;
mod chain;
mod file;
mod index;
mod item;
mod message;
mod row;
mod sniff;
mod steady;

use self::file::File;
pub(super) use self::sniff::sniff;
use super::source::Source;
use super::{ImportError, Imported, rows};

/// Reads a session file: its main conversations, then those of its sub-agents.
///
/// # Errors
/// When the file is empty, is not text, or holds no record of a known type.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    read_from(&mut Source::bytes(bytes))
}

/// [`read`] of a file that is not in memory.
pub(super) fn read_from(source: &mut Source<'_>) -> Result<Vec<Imported>, ImportError> {
    let mut file = File::default();
    rows::read(source, &mut file)?;
    file.finish()
}
