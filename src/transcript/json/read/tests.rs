//! `serde_json` says what is JSON and what it holds.

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Map, Number, Value};

use super::{Read, Reader};
use crate::transcript::json::js;

/// The value that is next, as `serde_json` would hold it.
fn value(reader: &mut Reader<'_>) -> Read<Value> {
    Ok(match reader.peek() {
        b'"' => Value::from(reader.string()?),
        b'{' => {
            let mut fields = Map::new();
            reader.object(|reader, key| {
                let field = value(reader)?;
                fields.insert(key.into_owned(), field);
                Ok(())
            })?;
            Value::Object(fields)
        }
        b'[' => {
            let mut items = Vec::new();
            reader.list(|reader| {
                items.push(value(reader)?);
                Ok(())
            })?;
            Value::Array(items)
        }
        b'n' => reader.word("null").map(|()| Value::Null)?,
        b't' => reader.word("true").map(|()| Value::Bool(true))?,
        b'f' => reader.word("false").map(|()| Value::Bool(false))?,
        _ => reader.number()?.parse::<Number>().map_or(Value::Null, Value::Number),
    })
}

fn whole(text: &str) -> Option<Value> {
    let mut reader = Reader::new(text);
    let value = value(&mut reader).ok()?;
    reader.end().ok().map(|()| value)
}

/// Whether the text is one value, by stepping over it.
fn accepts(text: &str) -> bool {
    let mut reader = Reader::new(text);
    reader.raw().is_ok() && reader.end().is_ok()
}

fn fault(text: &str) -> String {
    let mut reader = Reader::new(text);
    assert!(reader.raw().and_then(|_| reader.end()).is_err(), "{text}");
    format!("{} at column {}", reader.fault(), reader.broke_at() + 1)
}

#[test]
fn faults_say_what_and_where() {
    for (text, expected) in [
        ("[1,]", "expected a value at column 4"),
        // Columns count bytes: é takes two.
        (r#"{"é" 1}"#, "expected `:` at column 7"),
        (r#"{"a":1 "b":2}"#, "expected `,` or the end of the container at column 8"),
        ("\"a\nb\"", "a bare control character at column 3"),
        ("\"a", "the string has no end at column 3"),
        (r#"["\x"]"#, "an invalid escape at column 3"),
        ("{} {}", "expected the end of the value at column 4"),
        ("", "expected a value at column 1"),
    ] {
        assert_eq!(fault(text), expected, "{text}");
    }
}

#[test]
fn depth_costs_no_stack() {
    let nest = |open: &str, close: &str| open.repeat(200_000) + "1" + &close.repeat(200_000);
    assert!(accepts(&nest("[", "]")) && accepts(&nest("{\"a\":", "}")));
    assert!(!accepts(&nest("[", "}")) && !accepts(&nest("{\"a\":", "]")) && !accepts(&"[".repeat(200_000)));
    let deep = nest("[", "]");
    let mut reader = Reader::new(&deep);
    let raw = reader.raw().unwrap();
    assert!(!raw.is_canonical() && raw.json().is_none(), "too deep to be measured");
}

#[test]
fn lone_halves_read_as_the_replacement_character() {
    for (text, expected, halves) in [
        (r#""\ud83d\ude00""#, "😀", true),
        (r#""\ude00\ud83dz""#, "\u{FFFD}\u{FFFD}z", true),
        (r#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀", true),
        (r#""\ud83d\u0041""#, "\u{FFFD}A", true),
        (r#""\u00e9\\ud83d""#, r"é\ud83d", false),
    ] {
        let mut reader = Reader::new(text);
        assert_eq!(reader.string(), Ok(expected), "{text}");
        assert_eq!(reader.saw_surrogates(), halves, "{text}");
        let mut reader = Reader::new(text);
        assert!(reader.raw().is_ok() && reader.saw_surrogates() == halves, "{text}");
    }
}

#[test]
fn a_reader_goes_from_text_to_text() {
    let mut reader = Reader::new(r#"["a\n""#);
    assert!(reader.raw().is_err());
    reader.start(r#"{"k\t":"v\n"}"#);
    let mut seen = Vec::new();
    let read = reader.object(|reader, key| {
        seen.push((key.into_owned(), reader.string()?.to_owned()));
        Ok(())
    });
    assert_eq!((read, seen), (Ok(()), vec![("k\t".to_owned(), "v\n".to_owned())]));
    assert_eq!(reader.end(), Ok(()));
}

#[test]
fn the_room_for_escapes_is_that_of_the_longest_string_and_is_kept() {
    let text = format!(r#"["{}","a\n","{}"]"#, "x".repeat(100_000), r"\t".repeat(9_000));
    let strings = |text: &str, count: usize| {
        let mut reader = Reader::new(text);
        let mut seen = 0;
        // It breaks off behind some of the strings.
        let read = reader.list(|reader| {
            reader.string()?;
            seen += 1;
            if seen < count { Ok(()) } else { reader.broken("enough") }
        });
        assert!(read.is_err());
        reader.again().unescaped.len()
    };
    assert_eq!([1, 2, 3].map(|count| strings(&text, count)), [0, 4 << 10, 16 << 10]);
}

/// Pieces of JSON and of what is none.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "\"",
    "\\",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\n",
    "\\u12",
    "\"a\"",
    "\"b\":",
    "0",
    "-",
    "01",
    "1.5",
    "1e+9",
    ".",
    "e",
    "null",
    "true",
    "false",
    "nul",
    "é",
    "界",
    "😀",
    "\u{1}",
    "/",
    "'",
    "long enough to fill more than one chunk of sixteen",
    "{\"a\":1}",
    "[1,2]",
    "\"x\\\"y\"",
];

/// Pieces of the inside of a string.
const INSIDE: &[&str] = &[
    "\\n",
    "\\t",
    "\\\"",
    "\\\\",
    "\\\\\\\\",
    "n\\\\n",
    "\\b",
    "\\r",
    "\\f",
    "\\/",
    "\\u001f",
    "\\u00e9",
    "\\u001F",
    "\\ud83d\\ude00",
    "plain",
    " ",
    "n",
    "t",
    "é",
    "界",
    "😀",
    "a run of sixteen bytes",
    "a run that is longer than a chunk of thirty-two bytes",
];

proptest! {
    /// A text is one value to both readers or to none, whichever way it is read, and the values are equal.
    #[test]
    fn both_readers_accept_the_same(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12)) {
        let text = pieces.concat();
        let expected = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        prop_assert_eq!(accepts(&text), expected, "{}", text);
        prop_assert_eq!(whole(&text).is_some(), expected, "{}", text);
        match serde_json::from_str::<Value>(&text) {
            Ok(value) => prop_assert_eq!(whole(&text), Some(value), "{}", text),
            // It has no value for what is beyond a double, such as 1e900; that is nothing to JavaScript either.
            Err(error) if expected => prop_assert!(error.to_string().contains("number out of range"), "{}: {}", text, error),
            Err(_) => {}
        }
    }

    /// A long string, escape behind escape: read, stepped over and refused as `serde_json` does it, and alike whether it
    /// lies among the last bytes of the text or before many others.
    #[test]
    fn long_strings_of_escapes(pieces in prop::collection::vec(prop::sample::select(INSIDE), 0..90), bad in 0..3_usize) {
        let mut pieces = pieces;
        // At most one piece in three strings is none of JSON, so that most are read to their end.
        if bad == 0 {
            pieces.extend(["\\x", "\u{2}", "\\u12"]);
        }
        let text = format!("\"{}\"", pieces.concat());
        let behind = format!("{text}{}", " ".repeat(200));
        let expected = serde_json::from_str::<Value>(&text).ok();
        for text in [&text, &behind] {
            prop_assert_eq!(accepts(text), expected.is_some(), "{}", text);
            prop_assert_eq!(&whole(text), &expected, "{}", text);
        }
        if expected.is_none() {
            prop_assert_eq!(fault(&text), fault(&behind));
            return Ok(());
        }
        let mut reader = Reader::new(&behind);
        let raw = reader.raw().unwrap();
        let same = js::stringify(&text).as_deref() == Some(&*text);
        prop_assert_eq!((raw.text(), raw.is_canonical()), (&*text, same));
    }

    /// What is called canonical is what JavaScript prints.
    #[test]
    fn canonical_is_what_javascript_prints(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..6)) {
        let text = format!("[{}]", pieces.join(","));
        let mut reader = Reader::new(&text);
        if let Ok(raw) = reader.raw() && raw.text() == text {
            prop_assert!(!raw.is_canonical() || js::stringify(&text).as_deref() == Some(&*text), "{}", text);
            let json = raw.json().unwrap();
            prop_assert_eq!(json.js_utf16_len(), js::stringify(&text).unwrap().encode_utf16().count(), "{}", text);
        }
    }

    /// Any string comes back, wherever its characters lie.
    #[test]
    fn strings_come_back(text in "\\PC{0,40}", control in "[\0-\u{1f}\"\\\\é]{0,6}", tail in "[a-z]{0,20}") {
        let text = format!("{text}{control}{tail}");
        let printed = serde_json::to_string(&text).unwrap();
        let mut reader = Reader::new(&printed);
        prop_assert_eq!(reader.string(), Ok(&*text));
        let escaped = text.encode_utf16().fold(String::new(), |all, unit| all + &format!("\\u{unit:04x}"));
        let escaped = format!("\"{escaped}\"");
        let mut reader = Reader::new(&escaped);
        prop_assert_eq!(reader.string(), Ok(&*text));
    }
}
