//! The physical lines of a JSON Lines file, whatever its bytes are.

use std::borrow::Cow;

use super::place::{Place, Spot};

/// One physical line.
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: usize,
    /// Byte offset of its first byte.
    pub(super) offset: usize,
    /// Without the line break; bytes that are not UTF-8 are replaced by U+FFFD.
    pub(super) text: Cow<'a, str>,
    /// Byte offset in the file of the first byte that is not UTF-8.
    pub(super) bad_utf8: Option<usize>,
    /// Whether a line break follows.
    pub(super) terminated: bool,
    /// The bytes of the file, without the line break.
    bytes: &'a [u8],
}

impl Line<'_> {
    /// Where it begins.
    pub(super) fn at(&self) -> At {
        At { offset: self.offset, number: self.number }
    }

    /// Where a part of the line's text begins; the line itself, where `piece` is not one. Bytes that are not UTF-8 count as
    /// they stand in the file.
    pub(super) fn place(&self, piece: &str) -> Place {
        let within = Spot::of(piece).within(&self.text).unwrap_or_default();
        let (within, straight) = self.in_file(within);
        let lines = (self.number, self.number);
        Place { lines, offset: self.offset + within, column: within + 1, straight }
    }

    /// The bytes before byte `within` of the text, and how many from there on are those of the file.
    fn in_file(&self, within: usize) -> (usize, usize) {
        if self.bad_utf8.is_none() {
            return (within, usize::MAX);
        }
        let (mut text, mut file) = (0, 0);
        for chunk in self.bytes.utf8_chunks() {
            let valid = chunk.valid().len();
            if within < text + valid {
                return (file + within - text, text + valid - within);
            }
            // U+FFFD takes three bytes.
            let bad = if chunk.invalid().is_empty() { 0 } else { 3 };
            if within < text + valid + bad {
                return (file + valid, 0);
            }
            (text, file) = (text + valid + bad, file + valid + chunk.invalid().len());
        }
        (file, 0)
    }
}

/// Where a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    /// Byte offset in the file.
    pub(super) offset: usize,
    /// Number of the line, from 1.
    pub(super) number: usize,
}

/// The start of a file.
pub(super) const START: At = At { offset: 0, number: 1 };

/// The lines of a file, or of its beginning.
pub(super) fn split(bytes: &[u8]) -> Vec<Line<'_>> {
    split_from(bytes, START)
}

/// Splits at line feeds `bytes`, which begin with a line at `at`. A byte order mark at the start of the file is
/// skipped; a carriage return stays, JSON takes it for white space.
///
/// All is checked for UTF-8 at once, and only if that fails line by line: a bad byte costs its own line at most.
pub(super) fn split_from(bytes: &[u8], at: At) -> Vec<Line<'_>> {
    let start = if at.offset == 0 && bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let whole = std::str::from_utf8(bytes).ok();
    let mut lines = Vec::with_capacity(bytecount::count(bytes, b'\n') + 1);
    let mut from = start;
    while from < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at);
        let (text, bad_utf8) = match whole.and_then(|text| text.get(from..end)) {
            Some(text) => (Cow::Borrowed(text), None),
            None => decode(&bytes[from..end], at.offset + from),
        };
        let (number, offset) = (at.number + lines.len(), at.offset + from);
        lines.push(Line { number, offset, text, bad_utf8, terminated: end < bytes.len(), bytes: &bytes[from..end] });
        from = end + 1;
    }
    lines
}

/// One line's text, and the file offset of its first bad byte.
fn decode(bytes: &[u8], offset: usize) -> (Cow<'_, str>, Option<usize>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(error) => (String::from_utf8_lossy(bytes), Some(offset + error.valid_up_to())),
    }
}

/// What bytes that are plainly no UTF-8 text look like.
pub(super) fn foreign(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive"),
        [0x1F, 0x8B, ..] => Some("gzip data"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Some("zstd data"),
        _ => None,
    }
}
