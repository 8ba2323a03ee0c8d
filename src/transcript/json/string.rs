//! The inside of a JSON string: runs of plain text and escapes.

use std::borrow::Cow;

/// A part of a JSON string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text that was written without an escape. Never holds `"`, `\` or a control character below U+0020.
    Run(&'a str),
    /// A character that was written as an escape, or as a pair of them.
    Char(char),
    /// Half of a surrogate pair (0xD800 to 0xDFFF) without its other half.
    Lone(u16),
}

/// Reads a string from `text`, which starts after the opening quote; returns the length in bytes up to the closing
/// quote. `None` when an escape is malformed, a control character is bare, or the quote is missing.
pub(super) fn scan(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let found = at + memchr::memchr2(b'"', b'\\', &bytes[at..])?;
        if has_control(&bytes[at..found]) {
            return None;
        }
        if bytes[found] == b'"' {
            return Some(found);
        }
        at = found + escape_len(&bytes[found..])?;
    }
}

/// Whether a control character below U+0020 occurs. The least byte, not the first bad one: without an early exit the
/// loop is vectorised.
pub(super) fn has_control(bytes: &[u8]) -> bool {
    bytes.iter().fold(u8::MAX, |least, &byte| least.min(byte)) < 0x20
}

/// Length of the escape at the start of `bytes`, which starts with a backslash.
fn escape_len(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => bytes.get(2..6)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        _ => None,
    }
}

/// The pieces of a string whose escapes [`scan`] found well formed.
#[derive(Clone)]
pub(super) struct Pieces<'a> {
    rest: &'a str,
}

/// Splits the inside of a string, quotes removed.
pub(super) fn pieces(inner: &str) -> Pieces<'_> {
    Pieces { rest: inner }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let run = memchr::memchr(b'\\', self.rest.as_bytes()).unwrap_or(self.rest.len());
        if run > 0 {
            let (text, rest) = self.rest.split_at(run);
            self.rest = rest;
            return Some(Piece::Run(text));
        }
        if let Some(unit) = unit(self.rest) {
            self.rest = &self.rest[6..];
            return Some(self.pair(unit));
        }
        let escape = self.rest.as_bytes().get(1)?;
        self.rest = &self.rest[2..];
        Some(Piece::Char(match escape {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            &other => char::from(other),
        }))
    }
}

impl<'a> Pieces<'a> {
    /// Joins `first` with the escape that follows, if they are the halves of one character.
    fn pair(&mut self, first: u16) -> Piece<'a> {
        if let Some(alone) = char::from_u32(u32::from(first)) {
            return Piece::Char(alone);
        }
        let joined = unit(self.rest).and_then(|second| char::decode_utf16([first, second]).next().and_then(Result::ok));
        match joined {
            Some(character) => {
                self.rest = &self.rest[6..];
                Piece::Char(character)
            }
            None => Piece::Lone(first),
        }
    }
}

/// The code unit of the `\uXXXX` at the start of `text`.
fn unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// The content of a JSON string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unescaped<'a> {
    /// The text, with U+FFFD in place of each lone surrogate. Borrowed when there was no escape.
    pub text: Cow<'a, str>,
    /// How many lone surrogates were replaced. Zero means that nothing was lost.
    pub lone_surrogates: usize,
}

/// Decodes the escapes of a JSON string given without its quotes.
///
/// `None` when it is not the inside of a JSON string: a malformed escape, a bare quote or a bare control character.
pub fn unescape(raw_without_quotes: &str) -> Option<Unescaped<'_>> {
    let inner = raw_without_quotes;
    let bytes = inner.as_bytes();
    if memchr::memchr2(b'\\', b'"', bytes).is_none() {
        return (!has_control(bytes)).then_some(Unescaped { text: Cow::Borrowed(inner), lone_surrogates: 0 });
    }
    well_formed(inner).then(|| decode(inner))
}

/// Whether `inner` may stand between two quotes.
fn well_formed(inner: &str) -> bool {
    let mut closed = String::with_capacity(inner.len() + 1);
    closed.push_str(inner);
    closed.push('"');
    scan(&closed) == Some(inner.len())
}

/// [`unescape`] for text that [`scan`] has accepted.
pub(super) fn decode(inner: &str) -> Unescaped<'_> {
    let mut parts = pieces(inner);
    let mut text = match parts.next() {
        None => return Unescaped { text: Cow::Borrowed(""), lone_surrogates: 0 },
        Some(Piece::Run(run)) if run.len() == inner.len() => {
            return Unescaped { text: Cow::Borrowed(run), lone_surrogates: 0 };
        }
        Some(_) => String::with_capacity(inner.len()),
    };
    let mut lone_surrogates = 0;
    for piece in pieces(inner) {
        match piece {
            Piece::Run(run) => text.push_str(run),
            Piece::Char(character) => text.push(character),
            Piece::Lone(_) => {
                text.push(char::REPLACEMENT_CHARACTER);
                lone_surrogates += 1;
            }
        }
    }
    Unescaped { text: Cow::Owned(text), lone_surrogates }
}

/// The content as bytes that are equal exactly when the strings are: UTF-8, with a lone surrogate in the three bytes
/// that UTF-8 would give its number (WTF-8).
pub(super) fn identity(inner: &str) -> Cow<'_, [u8]> {
    let decoded = decode(inner);
    if decoded.lone_surrogates == 0 {
        return match decoded.text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
    }
    let mut bytes = Vec::with_capacity(inner.len());
    for piece in pieces(inner) {
        match piece {
            Piece::Run(run) => bytes.extend_from_slice(run.as_bytes()),
            Piece::Char(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Piece::Lone(unit) => {
                let [high, low] = unit.to_be_bytes();
                bytes.extend([0xE0 | high >> 4, 0x80 | (high & 0x0F) << 2 | low >> 6, 0x80 | low & 0x3F]);
            }
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Piece, identity, pieces, scan, unescape};

    #[test]
    fn escapes_decode_and_halves_join() {
        let all: Vec<_> = pieces(r"a\n\u00e9\ud83d\ude00\ude00\ud83dz\/").collect();
        let expected = [
            Piece::Run("a"),
            Piece::Char('\n'),
            Piece::Char('é'),
            Piece::Char('😀'),
            Piece::Lone(0xDE00),
            Piece::Lone(0xD83D),
            Piece::Run("z"),
            Piece::Char('/'),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn unescape_counts_what_it_replaces() {
        let plain = unescape("界").unwrap();
        assert!(matches!(plain.text, std::borrow::Cow::Borrowed("界")));
        let lossy = unescape(r"\uD83D\ud83d\ude00 \udc00").unwrap();
        assert_eq!((lossy.text.as_ref(), lossy.lone_surrogates), ("\u{FFFD}😀 \u{FFFD}", 2));
        for bad in [r"\x", r"\u12", r"\", "a\"b", "a\nb", r"\n\", "\\n\"", r"\u+123"] {
            assert_eq!(unescape(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn scan_ends_at_the_quote_that_is_not_escaped() {
        assert_eq!(scan(r#"a\"b\\" tail"#), Some(6));
        assert_eq!(scan("no end"), None);
        assert_eq!(scan("\u{1}\""), None);
    }

    #[test]
    fn identity_tells_lone_surrogates_apart() {
        assert_eq!(identity(r"\u0061"), identity("a"));
        assert_ne!(identity(r"\ud800"), identity(r"\ud801"));
        assert_ne!(identity(r"\ud800"), identity("\u{FFFD}"));
        // 0xD83D = 1101 1000 0011 1101: ED, A0, BD.
        assert_eq!(identity(r"\ud83d").as_ref(), [0xED, 0xA0, 0xBD]);
    }
}
