//! Pi session files: JSON Lines, versions 1 to 3.
//!
//! Every version is read to the same tree. What reaches the model or a meter has a place in the model; other fields
//! are kept as [`crate::transcript::Entry::extra`] and records that never reach the model as notes, so that
//! [`write()`] loses none of them. Not kept: the spelling of texts and numbers, the order of fields, sections and details
//! that are `null`, values of the wrong type (each has a finding), and the header's version, which is always written
//! as 3.

mod block;
mod content;
mod emit;
mod entry;
pub(super) mod links;
mod message;
mod own;
mod record;
mod resolve;
mod sniff;
#[cfg(test)]
mod tests;
mod tree;
mod usage;
mod write;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

pub use self::own::{Aside, aside};
use self::record::Record;
pub(super) use self::sniff::sniff;
use self::tree::Builder;
pub use self::write::write;
use super::lines::Line;
use super::{FindingKind, ImportError, Imported, LineCounts, lines, rows};
use crate::transcript::json::read::Reader;

/// Reads a session of version 1, 2 or 3.
///
/// Bad lines, fields and links are findings; the rest of the file is read all the same.
///
/// # Errors
/// When the file is empty, is not text, or holds no header and no entry.
pub fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    let lines = lines::of_text(bytes)?;
    let mut builder = Builder::default();
    let early = lines.par_iter().with_min_len(MIN_LINES).map_init(Reader::default, Early::new).collect();
    rows::read(&lines, &mut PiRows { builder: &mut builder, early });
    let mut imported = builder.finish()?;
    own::restore(&mut imported);
    Ok(imported)
}

/// Fewer lines than this are not worth another thread.
const MIN_LINES: usize = 64;

/// A line that was parsed ahead, on any thread of the pool.
struct Early<'l> {
    text: &'l str,
    record: Option<Result<Record<'l>, String>>,
}

impl<'l> Early<'l> {
    /// Lines that are blank or padded are left for later.
    fn new(reader: &mut Reader<'l>, line: &'l Line<'_>) -> Self {
        let text = line.text.trim();
        let plain = text.starts_with('{') && !text.ends_with('\0');
        Self { text, record: plain.then(|| Record::read(text, reader)) }
    }
}

/// The lines of a session.
struct PiRows<'b, 'l> {
    builder: &'b mut Builder,
    early: Vec<Early<'l>>,
}

impl rows::Rows for PiRows<'_, '_> {
    const BEGINS: &'static [&'static str] = &["{\"type\":"];

    fn counts(&mut self) -> &mut LineCounts {
        &mut self.builder.counts
    }

    fn fault(&mut self, at: (usize, usize), offset: Option<usize>, kind: FindingKind, message: String) {
        self.builder.fault(at, offset, kind, message);
    }

    fn is_record(text: &str) -> bool {
        Record::read(text, &mut Reader::default()).is_ok()
    }

    fn record(&mut self, at: (usize, usize), text: &str) -> Result<(), String> {
        // A repaired record is another text than the line that was parsed ahead.
        let early = self.early.get_mut(at.0 - 1).filter(|early| std::ptr::eq(early.text, text));
        let record = early
            .and_then(|early| early.record.take())
            .unwrap_or_else(|| Record::read(text, &mut Reader::default()))?;
        self.builder.push(at, text, record);
        Ok(())
    }
}
