//! The length of `repr` in one pass over the text: nothing is built, and no memory is asked for.

use std::borrow::Cow;

use crate::transcript::json::number;
use crate::transcript::json::print::CharLen;
use crate::transcript::json::printable::is_printable;
use crate::transcript::json::read::{Broken, Read, Reader};
use crate::transcript::json::string::{Piece, pieces};

/// Deeper values, and more keys open at once, are left to the parser.
const DEPTH: usize = 32;
const KEYS: usize = 32;

/// `len(repr(json.loads(raw)))` in code points. `None`: not JSON, or of a kind that has to be parsed, because it is deep or
/// wide, or a key is spelled with an escape or comes twice in one object.
pub(super) fn of_json(raw: &str) -> Option<usize> {
    let keys = Keys { names: [""; KEYS], open: 0 };
    let mut walk = Walk { keys, plain: is_plain(raw) };
    let mut reader = Reader::new(raw);
    let length = walk.value(&mut reader, DEPTH).ok()?;
    reader.end().ok()?;
    Some(length)
}

/// `len(repr(text))` in code points.
pub(super) fn of_text(text: &str) -> usize {
    if is_plain(text) {
        return "''".len() + text.len();
    }
    let mut printed = Printed::default();
    printed.text(text);
    printed.quoted()
}

/// Whether all of `text` is printable ASCII without apostrophes and backslashes: in quotes, Python prints it as it stands.
#[expect(clippy::needless_bitwise_bool, reason = "what branches is not vectorised")]
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let special = |byte: u8| !(b' '..0x7F).contains(&byte) | (byte == b'\'') | (byte == b'\\');
    let any = |chunk: &[u8; WIDTH]| chunk.iter().fold(0, |any, &byte| any | u8::from(special(byte)));
    // The last chunk may overlap the one before: no byte is looked at alone.
    match bytes.last_chunk() {
        Some(last) => bytes.as_chunks().0.iter().fold(any(last), |found, chunk| found | any(chunk)) == 0,
        None => !bytes.iter().any(|&byte| special(byte)),
    }
}

/// Bytes that are looked at together to tell whether a text is plain.
const WIDTH: usize = 16;

/// The keys of the objects that are open, outermost first.
struct Keys<'a> {
    names: [&'a str; KEYS],
    open: usize,
}

impl<'a> Keys<'a> {
    /// Notes a key of the object whose first one has the place `from`.
    fn push(&mut self, from: usize, key: &'a str) -> Read<()> {
        if self.open == KEYS || self.names[from..self.open].contains(&key) {
            return Err(Broken);
        }
        self.names[self.open] = key;
        self.open += 1;
        Ok(())
    }
}

/// A walk over a value.
struct Walk<'a> {
    keys: Keys<'a>,
    /// All of the text [`is_plain`], so that no string has to be looked at again.
    plain: bool,
}

impl<'a> Walk<'a> {
    fn value(&mut self, reader: &mut Reader<'a>, depth: usize) -> Read<usize> {
        match reader.peek() {
            b'"' => self.string(reader),
            b'{' | b'[' if depth == 0 => Err(Broken),
            b'{' => self.object(reader, depth - 1),
            b'[' => self.list(reader, depth - 1),
            b'n' => reader.word("null").map(|()| "None".len()),
            b't' => reader.word("true").map(|()| "True".len()),
            b'f' => reader.word("false").map(|()| "False".len()),
            _ => reader.number().map(of_number),
        }
    }

    fn string(&self, reader: &mut Reader<'a>) -> Read<usize> {
        match reader.plain_text()? {
            Some(text) => Ok(self.text(text)),
            None => reader.spelled().map(of_string),
        }
    }

    /// Of a string that is spelled without escapes.
    fn text(&self, text: &str) -> usize {
        if self.plain { "''".len() + text.len() } else { of_text(text) }
    }

    fn object(&mut self, reader: &mut Reader<'a>, depth: usize) -> Read<usize> {
        let from = self.keys.open;
        let (mut length, mut members) = (0, 0);
        reader.object(|reader, key| {
            let Cow::Borrowed(key) = key else { return Err(Broken) };
            self.keys.push(from, key)?;
            length += self.text(key) + ": ".len() + self.value(reader, depth)?;
            members += 1;
            Ok(())
        })?;
        self.keys.open = from;
        Ok(enclosed(length, members))
    }

    fn list(&mut self, reader: &mut Reader<'a>, depth: usize) -> Read<usize> {
        let (mut length, mut items) = (0, 0);
        reader.list(|reader| {
            length += self.value(reader, depth)?;
            items += 1;
            Ok(())
        })?;
        Ok(enclosed(length, items))
    }
}

/// With the brackets and what stands between `items`.
fn enclosed(length: usize, items: usize) -> usize {
    "[]".len() + length + ", ".len() * items.saturating_sub(1)
}

fn of_number(raw: &str) -> usize {
    if raw.bytes().all(|byte| byte.is_ascii_digit()) {
        return raw.len();
    }
    let mut out = CharLen::default();
    number::python(raw, "inf", &mut out);
    out.0
}

/// Of a string that is spelled as JSON, without its quotes.
fn of_string(inner: &str) -> usize {
    let mut printed = Printed::default();
    for piece in pieces(inner) {
        match piece {
            Piece::Run(run) => printed.text(run),
            Piece::Char(character) => printed.text(character.encode_utf8(&mut [0; 4])),
            Piece::Lone(_) => printed.chars += r"\ud800".len(),
        }
    }
    printed.quoted()
}

/// What was printed of one string, quotes not escaped.
#[derive(Default)]
struct Printed {
    chars: usize,
    apostrophes: usize,
    double_quotes: usize,
}

/// Bytes that are looked at together: three characters too many for each still fit in a byte.
const BLOCK: usize = 64;

impl Printed {
    fn text(&mut self, text: &str) {
        let (blocks, tail) = text.as_bytes().as_chunks::<BLOCK>();
        let ascii = blocks.iter().fold(true, |ascii, block| self.bytes(block) & ascii);
        if self.bytes(tail) & ascii {
            return;
        }
        // Each byte of theirs was taken for one character.
        for character in text.chars().filter(|character| !character.is_ascii()) {
            self.chars = self.chars + of_char(character) - character.len_utf8();
        }
    }

    /// Adds at most [`BLOCK`] bytes. Whether all of them are ASCII. There is no branch in it, so that it is vectorised.
    #[expect(clippy::needless_bitwise_bool, reason = "what branches is not vectorised")]
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) -> bool {
        let (mut more, mut apostrophes, mut double_quotes, mut all) = (0_u8, 0_u8, 0_u8, 0_u8);
        for &byte in bytes {
            // `\n` is one character more than its byte, `\x01` three.
            let short = (byte == b'\\') | (byte == b'\n') | (byte == b'\r') | (byte == b'\t');
            let control = (byte < 0x20) | (byte == 0x7F);
            more += u8::from(short | control) + 2 * u8::from(control & !short);
            apostrophes += u8::from(byte == b'\'');
            double_quotes += u8::from(byte == b'"');
            all |= byte;
        }
        self.chars += bytes.len() + usize::from(more);
        self.apostrophes += usize::from(apostrophes);
        self.double_quotes += usize::from(double_quotes);
        all < 0x80
    }

    /// With its quotes: single ones are escaped only where there are double ones too.
    fn quoted(&self) -> usize {
        let escaped = if self.double_quotes > 0 { self.apostrophes } else { 0 };
        "''".len() + self.chars + escaped
    }
}

/// Of a character outside ASCII.
fn of_char(character: char) -> usize {
    match character {
        _ if is_printable(character) => 1,
        '\0'..='\u{ff}' => r"\xa0".len(),
        '\u{100}'..='\u{ffff}' => r"\u2028".len(),
        _ => r"\U000e0001".len(),
    }
}

#[cfg(test)]
mod tests {
    use super::{of_json, of_text};

    #[test]
    fn lengths_by_hand() {
        // {'path': "it's", 'n': [1.0, None, True, -7], 'é': {}}: 17, 30 with its comma and space, and 9.
        let raw = r#"{"path":"it's", "n" : [1.00,null,true,-7],"é":{}}"#;
        assert_eq!(of_json(raw), Some("{'path': \"it's\", 'n': [1.0, None, True, -7], 'é': {}}".chars().count()));
        // '\'"' with its one escape, 'a\n\x08\\\ud800' and 'é\u2028'.
        assert_eq!(of_json(r#""'\"""#), Some(5));
        assert_eq!(of_json(r#""a\n\b\\\ud800""#), Some(2 + 1 + 2 + 4 + 2 + 6));
        assert_eq!(of_text("é\u{2028}\u{e0001}\u{a0}\u{7f}"), 2 + 1 + 6 + 10 + 4 + 4);
    }

    #[test]
    fn long_texts_are_summed_over_blocks() {
        let text = "it's \"so\"\n".repeat(100);
        // Ten characters and two escapes, a hundred times: the apostrophe, because there are double quotes, and the line end.
        assert_eq!(of_text(&text), 2 + 100 * 12);
        assert_eq!(of_text(&"\u{1}".repeat(500)), 2 + 4 * 500);
    }

    #[test]
    fn what_has_to_be_parsed_is_left_alone() {
        let wide: Vec<String> = (0..33).map(|n| format!("\"k{n}\":0")).collect();
        let deep = "[".repeat(33) + &"]".repeat(33);
        for raw in [r#"{"a":1,"a":2}"#, r#"{"\u0061":1}"#, &format!("{{{}}}", wide.join(",")), &deep, "[1", "1 2", ""] {
            assert_eq!(of_json(raw), None, "{raw}");
        }
        // The same key in two objects is no repetition.
        assert_eq!(of_json(r#"{"a":{"a":1},"b":{"a":2}}"#), Some("{'a': {'a': 1}, 'b': {'a': 2}}".len()));
    }
}
