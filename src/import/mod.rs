//! Files to transcripts. Bad content is a [`Finding`], never a panic and never silence; a file nothing could be read
//! from is an [`ImportError`].
//!
//! [`read_file`] tells the format by the first bytes; [`read_bytes`] is given it.

pub mod anthropic;
pub mod atif;
mod chain;
pub mod chat;
pub mod claude_code;
pub mod codex;
mod controls;
mod document;
mod error;
mod extra;
mod finding;
mod format;
pub mod gemini;
mod glued;
pub mod inspect;
mod json;
pub mod langgraph;
mod lines;
pub mod mini_swe;
mod names;
pub mod neutral;
mod not_a_number;
mod object;
pub mod openhands;
mod pairs;
pub mod pi;
mod place;
mod rows;
mod slot;
mod source;
mod spelling;
mod surrogates;
pub mod swe_agent;
mod value;
mod walk;

use std::path::Path;

use self::source::Source;
pub use error::ImportError;
pub use finding::{Finding, FindingKind, Imported, LineCounts};
pub use format::{Confidence, Format, sniff};
pub use pairs::pairs;
pub use walk::{Walk, walk};

/// Bytes looked at to tell the format.
const HEAD: usize = 64 * 1024;

/// Reads the transcript at `path`, whatever its format. Errors name the file.
pub fn read_file(path: impl AsRef<Path>) -> Result<Imported, ImportError> {
    let (_, all) = read_all_of(path)?;
    all.into_iter().next().ok_or(ImportError::Empty)
}

/// Reads every transcript of the file at `path`, whatever its format. Errors name the file.
///
/// Pi, Claude Code and Codex sessions are read some hundred kilobytes at a time, so that memory is bounded by what is kept;
/// a file of another format is read whole.
pub fn read_all_of(path: impl AsRef<Path>) -> Result<(Format, Vec<Imported>), ImportError> {
    let path = path.as_ref();
    let read = || {
        let mut source = Source::stream(std::fs::File::open(path)?);
        let format = recognise(source.window(0, HEAD)?.0)?;
        Ok((format, format.read_from(&mut source)?))
    };
    read().map_err(|error: ImportError| error.in_file(path))
}

/// Reads a transcript of a known format; the first, where the file holds several.
pub fn read_bytes(bytes: &[u8], format: Format) -> Result<Imported, ImportError> {
    format.read(bytes)?.into_iter().next().ok_or(ImportError::Empty)
}

/// Reads every transcript of a file, and tells its format by the first bytes.
pub fn read_all(bytes: &[u8]) -> Result<(Format, Vec<Imported>), ImportError> {
    let format = recognise(bytes)?;
    Ok((format, format.read(bytes)?))
}

/// The format of a file.
fn recognise(bytes: &[u8]) -> Result<Format, ImportError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ImportError::Empty);
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    sniff(head).or_else(|| sniff(json::a_line_each(head)?.as_bytes())).ok_or_else(|| unknown(bytes))
}

/// The error for bytes that no format claims.
fn unknown(bytes: &[u8]) -> ImportError {
    if let Some(found) = lines::foreign(bytes) {
        return ImportError::NotText { found };
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    let (line, begins) =
        text.lines().zip(1..).find(|(line, _)| !line.trim().is_empty()).map_or((1, ""), |(l, n)| (n, l));
    ImportError::UnknownFormat { line, begins: begins.chars().take(60).collect() }
}
