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

/// Room is made for as many lines as there would be of this many bytes.
const USUAL_LINE: usize = 1_024;

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
    let whole = simdutf8::basic::from_utf8(bytes).ok();
    let mut lines = Vec::with_capacity(bytecount::count(bytes, b'\n') + 1);
    let mut from = byte_order_mark(bytes, at);
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

/// A line whose bytes have not been looked at yet.
pub(super) struct Span<'a> {
    number: usize,
    offset: usize,
    bytes: &'a [u8],
    terminated: bool,
}

impl<'a> Span<'a> {
    /// The line. A bad byte costs this line at most.
    pub(super) fn line(&self) -> Line<'a> {
        let (text, bad_utf8) = decode(self.bytes, self.offset);
        Line {
            number: self.number,
            offset: self.offset,
            text,
            bad_utf8,
            terminated: self.terminated,
            bytes: self.bytes,
        }
    }
}

/// Where the lines of `bytes` are, as [`split_from`] finds them.
pub(super) fn spans(bytes: &[u8], at: At) -> Vec<Span<'_>> {
    let mut from = byte_order_mark(bytes, at);
    let ends = memchr::memchr_iter(b'\n', bytes).map(|end| (end, true));
    let mut spans = Vec::with_capacity(bytes.len() / USUAL_LINE);
    for (end, terminated) in ends.chain([(bytes.len(), false)]) {
        if terminated || from < end {
            let number = at.number + spans.len();
            spans.push(Span { number, offset: at.offset + from, bytes: &bytes[from..end], terminated });
        }
        from = end + 1;
    }
    spans
}

/// Bytes of a mark before the first line of a file.
fn byte_order_mark(bytes: &[u8], at: At) -> usize {
    if at.offset == 0 && bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }
}

/// One line's text, and the file offset of its first bad byte.
fn decode(bytes: &[u8], offset: usize) -> (Cow<'_, str>, Option<usize>) {
    match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(error) => (String::from_utf8_lossy(bytes), Some(offset + error.valid_up_to())),
    }
}

/// A text, each of its bad bytes as U+FFFD.
pub(super) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
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

#[cfg(test)]
mod tests {
    use super::{At, Span, spans, split_from};

    #[test]
    fn spans_are_the_lines() {
        for text in ["", "a", "a\n", "\n", "\n\n", "a\r\n\nb\n c", "\u{feff}a\nb", "x\n\u{feff}y\n"] {
            for offset in [0, 7] {
                let mut bytes = text.as_bytes().to_vec();
                let at = At { offset, number: 3 };
                for last in [b'z', 0xFF] {
                    let all = |lines: Vec<super::Line<'_>>| -> Vec<_> {
                        let facts = |line: super::Line<'_>| {
                            (line.number, line.offset, line.text.into_owned(), line.bad_utf8, line.terminated)
                        };
                        lines.into_iter().map(facts).collect()
                    };
                    let found = all(spans(&bytes, at).iter().map(Span::line).collect());
                    assert_eq!(found, all(split_from(&bytes, at)), "{bytes:?}");
                    bytes.push(last);
                }
            }
        }
    }
}
