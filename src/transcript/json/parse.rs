//! A strict parser that keeps strings and numbers as they are spelled.

use std::borrow::Cow;
use std::collections::HashMap;

use super::string;

/// The deepest nesting of arrays and objects that is read. Every walk over a value is recursive, and this bounds it.
pub const MAX_DEPTH: usize = 1000;

/// A parsed value. Strings are the text between the quotes, escapes and all; numbers are their spelling.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(&'a str),
    Array(Vec<Value<'a>>),
    /// No key twice: like JavaScript and Python, the first place and the last value.
    Object(Vec<(&'a str, Value<'a>)>),
}

/// The order in which an object gives its keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyOrder {
    /// As they came.
    Insertion,
    /// Array indices first, by number; then the others as they came (ECMAScript, `OrdinaryOwnPropertyKeys`).
    IndicesFirst,
}

/// Parses one JSON value with optional white space around it.
pub(super) fn parse(raw: &str, order: KeyOrder) -> Option<Value<'_>> {
    let mut parser = Parser { raw, at: 0, depth: 0, order };
    parser.space();
    let value = parser.value()?;
    parser.space();
    (parser.at == raw.len()).then_some(value)
}

struct Parser<'a> {
    raw: &'a str,
    at: usize,
    depth: usize,
    order: KeyOrder,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.raw.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Steps over `byte`, if it is next.
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self) -> Option<Value<'a>> {
        match self.peek()? {
            b'"' => self.string().map(Value::String),
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'n' => self.word("null", Value::Null),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            _ => {
                let spelling = number_prefix(&self.raw[self.at..])?;
                self.at += spelling.len();
                Some(Value::Number(spelling))
            }
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Option<Value<'a>> {
        self.raw[self.at..].starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }

    fn string(&mut self) -> Option<&'a str> {
        let rest = &self.raw[self.at + 1..];
        let len = string::scan(rest)?;
        self.at += len + 2;
        Some(&rest[..len])
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Value<'a>>) -> Option<Value<'a>> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.at += 1;
        self.space();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn array(&mut self) -> Option<Value<'a>> {
        let mut items = Vec::new();
        if self.eat(b']') {
            return Some(Value::Array(items));
        }
        loop {
            self.space();
            items.push(self.value()?);
            self.space();
            if self.eat(b']') {
                return Some(Value::Array(items));
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }

    fn object(&mut self) -> Option<Value<'a>> {
        let mut entries = Vec::new();
        if self.eat(b'}') {
            return Some(Value::Object(entries));
        }
        loop {
            entries.push(self.entry()?);
            self.space();
            if self.eat(b'}') {
                break;
            }
            if !self.eat(b',') {
                return None;
            }
        }
        let mut entries = merge_repeated(entries);
        if self.order == KeyOrder::IndicesFirst {
            // Stable; no array index is u32::MAX, so the other keys follow in their order.
            entries.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
        }
        Some(Value::Object(entries))
    }

    fn entry(&mut self) -> Option<(&'a str, Value<'a>)> {
        self.space();
        if self.peek()? != b'"' {
            return None;
        }
        let key = self.string()?;
        self.space();
        if !self.eat(b':') {
            return None;
        }
        self.space();
        Some((key, self.value()?))
    }
}

/// The number at the start of `text`, by the grammar of RFC 8259 section 6.
pub(super) fn number_prefix(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && bytes[at] == b'0') {
        return None;
    }
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent == 0 {
            return None;
        }
        at += 1 + sign + exponent;
    }
    Some(&text[..at])
}

/// Up to this many keys are compared pair by pair, which needs no memory; more are hashed, so that a hostile file
/// cannot make it quadratic.
const PAIRWISE_KEYS: usize = 12;

fn merge_repeated<'a>(entries: Vec<(&'a str, Value<'a>)>) -> Vec<(&'a str, Value<'a>)> {
    let few_and_plain = entries.len() <= PAIRWISE_KEYS && entries.iter().all(|(key, _)| !key.contains('\\'));
    if few_and_plain {
        let distinct = (1..entries.len()).all(|i| entries[..i].iter().all(|(key, _)| *key != entries[i].0));
        if distinct {
            return entries;
        }
    }
    let mut places: HashMap<Cow<'a, [u8]>, usize> = HashMap::with_capacity(entries.len());
    let mut merged: Vec<(&'a str, Value<'a>)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let place = *places.entry(string::identity(key)).or_insert(merged.len());
        match merged.get_mut(place) {
            Some(entry) => entry.1 = value,
            None => merged.push((key, value)),
        }
    }
    merged
}

/// The number of a key that JavaScript takes as an array index: canonical decimal, below 2^32 − 1.
fn array_index(key: &str) -> Option<u32> {
    let text = string::decode(key).text;
    let canonical = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let index = text.parse().ok()?;
    (canonical && index != u32::MAX).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::{KeyOrder, MAX_DEPTH, Value, array_index, number_prefix, parse};

    #[test]
    fn a_repeated_key_keeps_its_first_place_and_its_last_value() {
        let value = parse(r#" { "b":1 , "a":2, "\u0062" : 3 } "#, KeyOrder::Insertion);
        assert_eq!(value, Some(Value::Object(vec![("b", Value::Number("3")), ("a", Value::Number("2"))])));
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for bad in [
            "",
            " ",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "+1",
            "[1,]",
            "{\"a\":1,}",
            "{,}",
            "[",
            "{\"a\"}",
            "nul",
            "1 2",
            "'a'",
            "\"a",
            "{a:1}",
            "[1 2]",
            "NaN",
            "\u{feff}1",
            "\u{a0}1",
            "]",
            "\"\\ud8\"",
            "{\"a\" 1}",
            "{1:1}",
        ] {
            assert_eq!(parse(bad, KeyOrder::Insertion), None, "{bad:?}");
        }
    }

    #[test]
    fn numbers_are_read_to_their_end() {
        assert_eq!(number_prefix("-0.5e+10,"), Some("-0.5e+10"));
        assert_eq!(number_prefix("0x"), Some("0"));
        assert_eq!(number_prefix("-"), None);
    }

    #[test]
    fn only_canonical_numbers_below_the_limit_are_indices() {
        assert_eq!(array_index("0"), Some(0));
        assert_eq!(array_index("4294967294"), Some(4_294_967_294));
        for key in ["4294967295", "01", "-1", "+1", "", "1.0", " 1"] {
            assert_eq!(array_index(key), None, "{key:?}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nest = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nest(MAX_DEPTH), KeyOrder::Insertion).is_some());
        assert!(parse(&nest(MAX_DEPTH + 1), KeyOrder::Insertion).is_none());
        assert!(parse(&"[".repeat(1_000_000), KeyOrder::Insertion).is_none());
    }
}
