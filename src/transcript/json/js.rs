//! JavaScript's printing: `JSON.stringify(JSON.parse(raw))`.

use std::borrow::Cow;

use super::canonical;
pub use super::canonical::is_canonical;
use super::number;
use super::parse::{KeyOrder, Value, parse};
use super::print::{Out, Style, Utf16Len, hex, print, utf16_len};
use super::string::{Piece, decode, pieces};

/// `JSON.stringify(JSON.parse(raw))`; `None` when `raw` is not JSON or nests deeper than [`super::MAX_DEPTH`].
///
/// Compact; keys that are array indices first, in numeric order, the others as they came; numbers as doubles; a lone
/// surrogate as the escape `\udXXX`, which is what JavaScript prints too, so that the result is a valid Rust string.
/// `__proto__` is a key like any other.
pub fn stringify(raw: &str) -> Option<String> {
    let mut out = String::with_capacity(raw.len());
    print(&parse(raw, KeyOrder::IndicesFirst)?, &Compact, &mut out);
    Some(out)
}

/// `JSON.stringify(JSON.parse(raw)).length`: UTF-16 code units. `None` as for [`stringify()`].
///
/// Text that a JavaScript program wrote is mostly already in this form; then it is only checked and measured, which
/// needs no memory.
pub fn stringified_utf16_len(raw: &str) -> Option<usize> {
    if canonical::is_canonical(raw) {
        return Some(utf16_len(raw));
    }
    let mut out = Utf16Len::default();
    print(&parse(raw, KeyOrder::IndicesFirst)?, &Compact, &mut out);
    Some(out.0)
}

/// A member of an object: its key, and its value as `JSON.stringify` prints it.
pub type Member<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The members of an object in JavaScript's order; `None` when `raw` is not an object. A lone surrogate in a key
/// becomes U+FFFD.
pub fn members(raw: &str) -> Option<Vec<Member<'_>>> {
    if let Some(members) = canonical::members(raw) {
        return Some(members.into_iter().map(|(key, value)| (key, Cow::Borrowed(value))).collect());
    }
    let Value::Object(members) = parse(raw, KeyOrder::IndicesFirst)? else { return None };
    let member = |(key, value): (&'_ str, Value<'_>)| {
        let mut printed = String::new();
        print(&value, &Compact, &mut printed);
        (Cow::Owned(decode(key).text.into_owned()), Cow::Owned(printed))
    };
    Some(members.into_iter().map(member).collect())
}

/// The member `key` of an object, if it is a string. A lone surrogate becomes U+FFFD.
pub fn text_member(raw: &str, key: &str) -> Option<String> {
    let inner = if let Some(members) = canonical::members(raw) {
        let (_, value) = members.into_iter().find(|(name, _)| name == key)?;
        value.strip_prefix('"')?.strip_suffix('"')?
    } else {
        let Value::Object(members) = parse(raw, KeyOrder::Insertion)? else { return None };
        let (_, value) = members.into_iter().find(|(name, _)| decode(name).text == key)?;
        let Value::String(inner) = value else { return None };
        inner
    };
    Some(decode(inner).text.into_owned())
}

struct Compact;

impl Style for Compact {
    const COMMA: &str = ",";
    const COLON: &str = ":";
    const WORDS: [&str; 3] = ["null", "false", "true"];

    fn string(&self, inner: &str, out: &mut impl Out) {
        out.char('"');
        for piece in pieces(inner) {
            match piece {
                Piece::Run(run) => out.run(run),
                Piece::Char(character) => escaped(character, out),
                Piece::Lone(unit) => {
                    out.run("\\u");
                    hex(unit.into(), 4, out);
                }
            }
        }
        out.char('"');
    }

    fn number(&self, raw: &str, out: &mut impl Out) {
        number::javascript(raw, out);
    }
}

/// A character by the table of ECMAScript's `QuoteJSONString`: seven short escapes, `\u00xx` for the other control
/// characters below U+0020, all else (also U+007F and U+2028) as it is.
pub(super) fn escaped(character: char, out: &mut impl Out) {
    match character {
        '"' => out.run("\\\""),
        '\\' => out.run("\\\\"),
        '\u{8}' => out.run("\\b"),
        '\t' => out.run("\\t"),
        '\n' => out.run("\\n"),
        '\u{c}' => out.run("\\f"),
        '\r' => out.run("\\r"),
        '\0'..='\u{1f}' => {
            out.run("\\u");
            hex(character.into(), 4, out);
        }
        _ => out.char(character),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn members_come_in_javascripts_order() {
        let members = super::members(r#"{"b": [1, 2.0], "2": "x", "1": null}"#);
        let expected = [("1", "null"), ("2", "\"x\""), ("b", "[1,2]")];
        assert_eq!(members, Some(expected.map(|(key, value)| (key.into(), value.into())).to_vec()));
        assert_eq!(super::members(r#"{"b\u0000":1.5}"#), Some(vec![("b\0".into(), "1.5".into())]));
        assert_eq!(super::members("[1]"), None);
        assert_eq!(super::text_member(r#"{"path": 1, "pa\u0074h": "é"}"#, "path").as_deref(), Some("é"));
        assert_eq!(super::text_member(r#"{"path": 1}"#, "path"), None);
    }

    use super::{stringified_utf16_len, stringify};

    #[test]
    fn keys_strings_and_numbers() {
        let raw = r#" {"b":1.0,"10":[1e21,-0],"2":"\u0041\/\u001F\u2028","__proto__":null,"b":"\uD83D\ud83d\ude00"} "#;
        let expected = "{\"2\":\"A/\\u001f\u{2028}\",\"10\":[1e+21,0],\"b\":\"\\ud83d😀\",\"__proto__\":null}";
        assert_eq!(stringify(raw).as_deref(), Some(expected));
        // By hand, in units: {"2":"A/\u001f.", 17 · "10":[1e+21,0], 15 · "b":"\ud83d😀", 15 · "__proto__":null} 17.
        assert_eq!(stringified_utf16_len(raw), Some(17 + 15 + 15 + 17));
    }

    #[test]
    fn canonical_text_is_measured_as_it_stands() {
        // 11 characters, one of which takes two units.
        assert_eq!(stringified_utf16_len(r#"{"a":"界😀"}"#), Some(11));
        assert_eq!(stringified_utf16_len("{} x"), None);
    }
}
