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
mod ids;
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

pub use self::own::{Aside, aside};
use self::record::Record;
pub(super) use self::sniff::sniff;
use self::tree::Builder;
pub use self::write::write;
use super::place::{Place, Report};
use super::source::Source;
use super::{ImportError, Imported, rows};
use crate::transcript::json::read::Reader;

/// Reads a session of version 1, 2 or 3.
///
/// Bad lines, fields and links are findings; the rest of the file is read all the same.
///
/// # Errors
/// When the file is empty, is not text, or holds no header and no entry.
pub fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    read_from(&mut Source::bytes(bytes))
}

/// [`read`] of a file that is not in memory.
pub(super) fn read_from(source: &mut Source<'_>) -> Result<Imported, ImportError> {
    let mut builder = Builder::default();
    rows::read(source, &mut builder)?;
    let mut imported = builder.finish()?;
    own::restore(&mut imported);
    Ok(imported)
}

impl rows::Rows for Builder {
    const BEGINS: &'static [&'static str] = &["{\"type\":"];

    type Record<'l> = Record<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Record<'l>, String> {
        Record::read(text, reader)
    }

    fn take(&mut self, at: Place, text: &str, record: Record<'_>) {
        self.push(at, text, record);
    }

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }
}
