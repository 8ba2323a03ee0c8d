//! Python's printing: `repr` and `json.dumps` of `json.loads(raw)`.

mod length;

use super::js;
use super::number;
use super::parse::{KeyOrder, parse};
use super::print::{CharLen, Out, Style, hex, print};
use super::printable::is_printable;
use super::string::{Piece, pieces};

/// `repr(json.loads(raw))`; `None` when `raw` is not JSON or nests deeper than [`super::MAX_DEPTH`].
///
/// Integers keep all their digits (Python itself refuses to read more than 4,300). What `repr` escapes depends on the
/// version of Unicode: here 14.0, that of Python 3.11.
pub fn repr(raw: &str) -> Option<String> {
    printed(raw, &Repr, String::with_capacity(raw.len()))
}

/// `len(repr(json.loads(raw)))`, in code points, without building it. `None` as for [`repr`].
pub fn repr_char_len(raw: &str) -> Option<usize> {
    length::of_json(raw).or_else(|| printed(raw, &Repr, CharLen::default()).map(|len| len.0))
}

/// `repr(text)` of a string.
pub fn repr_str(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quoted(std::iter::once(Piece::Run(text)), &mut out);
    out
}

/// `len(repr(text))` of a string, in code points, without building it.
pub fn repr_str_char_len(text: &str) -> usize {
    length::of_text(text)
}

/// `json.dumps(json.loads(raw), ensure_ascii=ensure_ascii)`, with Python's default separators `", "` and `": "`.
/// `None` as for [`repr`].
///
/// Without `ensure_ascii` Python leaves a lone surrogate as it is; no Rust string can hold one, so U+FFFD stands for
/// it, which is one code point as well.
pub fn dumps(raw: &str, ensure_ascii: bool) -> Option<String> {
    printed(raw, &Dumps { ensure_ascii }, String::with_capacity(raw.len()))
}

/// `len(json.dumps(…))`, in code points, without building it. Arguments and `None` as for [`dumps`].
pub fn dumps_char_len(raw: &str, ensure_ascii: bool) -> Option<usize> {
    printed(raw, &Dumps { ensure_ascii }, CharLen::default()).map(|len| len.0)
}

fn printed<O: Out>(raw: &str, style: &impl Style, mut out: O) -> Option<O> {
    print(&parse(raw, KeyOrder::Insertion)?, style, &mut out);
    Some(out)
}

struct Repr;

impl Style for Repr {
    const COMMA: &str = ", ";
    const COLON: &str = ": ";
    const WORDS: [&str; 3] = ["None", "False", "True"];

    fn string(&self, inner: &str, out: &mut impl Out) {
        quoted(pieces(inner), out);
    }

    fn number(&self, raw: &str, out: &mut impl Out) {
        number::python(raw, "inf", out);
    }
}

/// A string in quotes: single ones, unless it holds a single quote and no double one.
fn quoted<'a>(parts: impl Iterator<Item = Piece<'a>> + Clone, out: &mut impl Out) {
    let has = |quote: char| {
        parts.clone().any(|piece| match piece {
            Piece::Run(run) => run.contains(quote),
            Piece::Char(character) => character == quote,
            Piece::Lone(_) => false,
        })
    };
    let quote = if has('\'') && !has('"') { '"' } else { '\'' };
    out.char(quote);
    for piece in parts {
        match piece {
            Piece::Run(run) => repr_run(run, quote, out),
            Piece::Char(character) => repr_char(character, quote, out),
            Piece::Lone(unit) => {
                out.run("\\u");
                hex(unit.into(), 4, out);
            }
        }
    }
    out.char(quote);
}

/// Copies what needs no escape in stretches.
fn repr_run(run: &str, quote: char, out: &mut impl Out) {
    let as_it_is = |c: char| is_printable(c) && c != quote && c != '\\';
    let mut rest = run;
    while let Some(at) = rest.find(|c| !as_it_is(c)) {
        let (plain, tail) = rest.split_at(at);
        out.run(plain);
        let mut characters = tail.chars();
        if let Some(character) = characters.next() {
            repr_char(character, quote, out);
        }
        rest = characters.as_str();
    }
    out.run(rest);
}

/// One character by the rules of `unicode_repr` in the C sources of Python.
fn repr_char(character: char, quote: char, out: &mut impl Out) {
    let code = u32::from(character);
    match character {
        '\\' => out.run("\\\\"),
        '\t' => out.run("\\t"),
        '\n' => out.run("\\n"),
        '\r' => out.run("\\r"),
        _ if character == quote => {
            out.char('\\');
            out.char(quote);
        }
        _ if is_printable(character) => out.char(character),
        '\0'..='\u{ff}' => {
            out.run("\\x");
            hex(code, 2, out);
        }
        '\u{100}'..='\u{ffff}' => {
            out.run("\\u");
            hex(code, 4, out);
        }
        _ => {
            out.run("\\U");
            hex(code, 8, out);
        }
    }
}

struct Dumps {
    ensure_ascii: bool,
}

impl Style for Dumps {
    const COMMA: &str = ", ";
    const COLON: &str = ": ";
    const WORDS: [&str; 3] = ["null", "false", "true"];

    fn string(&self, inner: &str, out: &mut impl Out) {
        out.char('"');
        for piece in pieces(inner) {
            match piece {
                Piece::Run(run) if self.ensure_ascii => ascii_run(run, out),
                Piece::Run(run) => out.run(run),
                Piece::Char(character) if self.ensure_ascii => ascii(character, out),
                Piece::Char(character) => js::escaped(character, out),
                Piece::Lone(unit) if self.ensure_ascii => unicode_escape(unit, out),
                Piece::Lone(_) => out.char(char::REPLACEMENT_CHARACTER),
            }
        }
        out.char('"');
    }

    fn number(&self, raw: &str, out: &mut impl Out) {
        number::python(raw, "Infinity", out);
    }
}

/// Copies the stretches of printable ASCII. A run holds neither quotes nor backslashes.
fn ascii_run(run: &str, out: &mut impl Out) {
    let mut rest = run;
    while let Some(at) = rest.find(|c| !matches!(c, ' '..='~')) {
        let (plain, tail) = rest.split_at(at);
        out.run(plain);
        let mut characters = tail.chars();
        if let Some(character) = characters.next() {
            ascii(character, out);
        }
        rest = characters.as_str();
    }
    out.run(rest);
}

/// One character in ASCII: the short escapes are JavaScript's; everything outside `' '..='~'`, also U+007F, is written
/// as its UTF-16 code units.
fn ascii(character: char, out: &mut impl Out) {
    if character <= '~' {
        return js::escaped(character, out);
    }
    for unit in character.encode_utf16(&mut [0; 2]) {
        unicode_escape(*unit, out);
    }
}

fn unicode_escape(unit: u16, out: &mut impl Out) {
    out.run("\\u");
    hex(unit.into(), 4, out);
}

#[cfg(test)]
mod tests {
    use super::{dumps, dumps_char_len, repr, repr_char_len, repr_str, repr_str_char_len};

    #[test]
    fn repr_of_values() {
        let raw = r#"{"path":"it's","n":[1.0,1e16,-0,true,false,null],"path":"a\u200b\n\u00a0é\ud83d"}"#;
        let expected = r"{'path': 'a\u200b\n\xa0é\ud83d', 'n': [1.0, 1e+16, 0, True, False, None]}";
        assert_eq!(repr(raw).as_deref(), Some(expected));
        // {'path': 'a\u200b\n\xa0é\ud83d', is 33 with its space; 'n': [ 6; 1.0, 1e+16, 0, True, False, None 32; ]} 2.
        assert_eq!(repr_char_len(raw), Some(33 + 6 + 32 + 2));
    }

    #[test]
    fn quotes_follow_the_content() {
        for (text, expected) in [
            ("", "''"),
            ("it's", "\"it's\""),
            ("\"", "'\"'"),
            ("'\"", r#"'\'"'"#),
            ("a\\b", r"'a\\b'"),
            ("\u{1}\u{7f}\u{85}\u{2028}\u{e000}\u{e0001}😀", r"'\x01\x7f\x85\u2028\ue000\U000e0001😀'"),
        ] {
            assert_eq!(repr_str(text), expected);
            assert_eq!(repr_str_char_len(text), expected.chars().count());
        }
    }

    #[test]
    fn dumps_of_values() {
        let raw = "{\"a\":[1,\"é😀\u{7f}\\u001f\\ud800\"],\"b\":1e999}";
        let ascii = r#"{"a": [1, "\u00e9\ud83d\ude00\u007f\u001f\ud800"], "b": Infinity}"#;
        assert_eq!(dumps(raw, true).as_deref(), Some(ascii));
        assert_eq!(dumps_char_len(raw, true), Some(ascii.len()));
        let plain = "{\"a\": [1, \"é😀\u{7f}\\u001f\u{FFFD}\"], \"b\": Infinity}";
        assert_eq!(dumps(raw, false).as_deref(), Some(plain));
        assert_eq!(dumps_char_len(raw, false), Some(plain.chars().count()));
    }
}
