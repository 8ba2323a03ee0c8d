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
    /// Whether a line break follows.
    pub(super) terminated: bool,
    /// The bytes that are not UTF-8, in their order.
    bad: Vec<Bad>,
}

/// Bytes of a line that are read as one U+FFFD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bad {
    /// Where that stands in the text of the line.
    text: usize,
    /// Where they stand among the bytes of the line.
    from: usize,
    /// Where those end.
    to: usize,
}

/// Bytes of U+FFFD.
const REPLACED: usize = 3;

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

    /// Byte offset in the file of the first byte that is not UTF-8.
    pub(super) fn bad_utf8(&self) -> Option<usize> {
        self.bad.first().map(|bad| self.offset + bad.from)
    }

    /// The bytes before byte `within` of the text, and how many from there on are those of the file.
    fn in_file(&self, within: usize) -> (usize, usize) {
        let next = self.bad.partition_point(|bad| bad.text <= within);
        let straight = self.bad.get(next).map_or(usize::MAX, |bad| bad.text - within);
        match next.checked_sub(1).map(|last| self.bad[last]) {
            None => (within, straight),
            Some(bad) if within < bad.text + REPLACED => (bad.from, 0),
            Some(bad) => (bad.to + within - bad.text - REPLACED, straight),
        }
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
    let mut lines = Vec::with_capacity(bytes.len() / USUAL_LINE + 1);
    let mut from = byte_order_mark(bytes, at);
    while from < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |at| from + at);
        let (text, bad) = match whole.and_then(|text| text.get(from..end)) {
            Some(text) => (Cow::Borrowed(text), Vec::new()),
            None => decode(&bytes[from..end]),
        };
        let (number, offset) = (at.number + lines.len(), at.offset + from);
        lines.push(Line { number, offset, text, terminated: end < bytes.len(), bad });
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
        let (text, bad) = decode(self.bytes);
        Line { number: self.number, offset: self.offset, text, terminated: self.terminated, bad }
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

/// One line's text, and its bad bytes.
fn decode(bytes: &[u8]) -> (Cow<'_, str>, Vec<Bad>) {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), Vec::new()),
        Err(_) => (String::from_utf8_lossy(bytes), bad(bytes)),
    }
}

fn bad(bytes: &[u8]) -> Vec<Bad> {
    let (mut all, mut text, mut file) = (Vec::new(), 0, 0);
    for chunk in bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()) {
        let from = file + chunk.valid().len();
        all.push(Bad { text: text + chunk.valid().len(), from, to: from + chunk.invalid().len() });
        (text, file) = (text + chunk.valid().len() + REPLACED, from + chunk.invalid().len());
    }
    all
}

/// A text, each of its bad bytes as U+FFFD.
pub(super) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// What bytes that are plainly no UTF-8 text look like.
pub(super) fn foreign(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        // With a mark, or without one: the first character of JSON and a zero byte.
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'{' | b'[', 0, ..] | [0, b'{' | b'[', ..] => Some("UTF-16"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive"),
        [0x1F, 0x8B, ..] => Some("gzip data"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Some("zstd data"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{At, START, Span, spans, split_from};

    #[test]
    fn a_place_is_that_of_the_file_behind_any_number_of_bad_bytes() {
        let bytes = b"a\xE7\xAAb\xFF\xFFcd";
        let lines = split_from(bytes, START);
        let place = |sign: &str| {
            let at = lines[0].text.find(sign).unwrap();
            let place = lines[0].place(&lines[0].text[at..]);
            (place.offset, place.straight)
        };
        // An unfinished sign of two bytes is one U+FFFD.
        assert_eq!(["a", "b", "c", "d"].map(place), [(0, 1), (3, 1), (6, usize::MAX), (7, usize::MAX)]);
        assert_eq!((place("\u{FFFD}"), lines[0].bad_utf8()), ((1, 0), Some(1)));
    }

    #[test]
    fn spans_are_the_lines() {
        for text in ["", "a", "a\n", "\n", "\n\n", "a\r\n\nb\n c", "\u{feff}a\nb", "x\n\u{feff}y\n"] {
            for offset in [0, 7] {
                let mut bytes = text.as_bytes().to_vec();
                let at = At { offset, number: 3 };
                for last in [b'z', 0xFF] {
                    let all = |lines: Vec<super::Line<'_>>| -> Vec<_> {
                        let facts = |line: super::Line<'_>| {
                            (line.number, line.offset, line.bad_utf8(), line.text.into_owned(), line.terminated)
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
