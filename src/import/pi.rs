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
mod json;
mod links;
mod message;
mod record;
mod resolve;
mod sniff;
#[cfg(test)]
mod tests;
mod tree;
mod usage;
mod write;

use std::marker::PhantomData;

use self::json::{Reader, Sonic};
pub(super) use self::sniff::sniff;
use self::tree::Builder;
pub use self::write::write;
use super::{FindingKind, ImportError, Imported, LineCounts, lines, rows, surrogates};

/// Reads a session of version 1, 2 or 3.
///
/// Bad lines, fields and links are findings; the rest of the file is read all the same.
///
/// # Errors
/// When the file is empty, is not text, or holds no header and no entry.
pub fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    read_with::<Sonic>(bytes)
}

fn read_with<R: Reader>(bytes: &[u8]) -> Result<Imported, ImportError> {
    let lines = lines::of_text(bytes)?;
    let mut builder = Builder::new(surrogates::may_be_in(bytes));
    rows::read(&lines, &mut PiRows::<R> { builder: &mut builder, reader: PhantomData });
    builder.finish()
}

/// The lines of a session, read by `R`.
struct PiRows<'b, R> {
    builder: &'b mut Builder,
    reader: PhantomData<R>,
}

impl<R: Reader> rows::Rows for PiRows<'_, R> {
    const BEGINS: &'static [&'static str] = &["{\"type\":"];

    fn counts(&mut self) -> &mut LineCounts {
        &mut self.builder.counts
    }

    fn fault(&mut self, at: (usize, usize), offset: Option<usize>, kind: FindingKind, message: String) {
        self.builder.fault(at, offset, kind, message);
    }

    fn is_record(text: &str) -> bool {
        R::record(text).is_ok()
    }

    fn record(&mut self, at: (usize, usize), text: &str) -> Result<(), String> {
        let record = R::record(text)?;
        self.builder.push(at, text, record);
        Ok(())
    }
}
