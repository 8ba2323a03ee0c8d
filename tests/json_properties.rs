//! Laws of JSON printing that hold for any value.

use cutpoint::transcript::json::{MAX_DEPTH, js, python, unescape};
use proptest::prelude::*;

/// A string as JSON text: any mixture of plain characters and escapes, also lone surrogates.
fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<char>().prop_map(|c| match c {
            '"' | '\\' | '\0'..='\u{1f}' => format!("\\u{:04x}", u32::from(c)),
            _ => c.to_string(),
        }),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04X}")),
        (0xD800_u16..0xE000).prop_map(|unit| format!("\\u{unit:04x}")),
        prop::sample::select(vec!["\\n", "\\\"", "\\\\", "\\/", "\\b", "a", "1", "'"]).prop_map(String::from),
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

/// A text of some hundred characters, so that it is more than one block of bytes.
fn text() -> impl Strategy<Value = String> {
    let quotes = prop::sample::select(vec!['\'', '"', '\\', '\n', '\t', '\u{7f}', 'é', '界', '\u{2028}', ' ']);
    let usual = prop::char::range(' ', '~');
    let character = prop_oneof![4 => usual, 1 => quotes, 1 => any::<char>()];
    prop::collection::vec(character, 0..400).prop_map(|all| all.into_iter().collect())
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:e}")),
        (any::<i32>(), -30..30_i32).prop_map(|(n, e)| format!("{n}E{e:+}")),
    ]
}

/// Any JSON text with white space `space` where it may stand.
fn value(space: &'static str) -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof![prop::sample::select(vec!["null", "true", "false"]).prop_map(String::from), number(), string(),];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let key = prop_oneof![string(), prop::sample::select(vec!["\"a\"", "\"0\"", "\"7\""]).prop_map(String::from)];
        let entry = (key, inner.clone()).prop_map(move |(key, item)| format!("{space}{key}{space}:{space}{item}"));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(move |items| format!("[{space}{}]", items.join(","))),
            prop::collection::vec(entry, 0..6).prop_map(move |entries| format!("{{{}{space}}}", entries.join(","))),
        ]
    })
}

#[test]
fn the_deepest_value_fits_on_the_stack_of_a_thread() {
    let nest = |depth: usize| "{\"a\":[".repeat(depth / 2) + &"]}".repeat(depth / 2);
    let raw = nest(MAX_DEPTH);
    assert_eq!(js::stringify(&raw).as_deref(), Some(raw.as_str()));
    assert_eq!(js::stringified_utf16_len(&raw), Some(raw.len()));
    // Python adds a space after each colon.
    assert_eq!(python::repr_char_len(&raw), Some(raw.len() + MAX_DEPTH / 2));
    assert_eq!(js::stringified_utf16_len(&nest(MAX_DEPTH + 2)), None);
}

proptest! {
    #[test]
    fn printing_again_changes_nothing(raw in value(" ")) {
        let once = js::stringify(&raw).unwrap();
        prop_assert_eq!(js::stringify(&once).unwrap(), once);
    }

    #[test]
    fn the_length_is_that_of_the_text(raw in value("")) {
        let text = js::stringify(&raw).unwrap();
        let units = text.encode_utf16().count();
        prop_assert_eq!(js::stringified_utf16_len(&raw), Some(units));
        // The printed text takes the quick way, where it has one.
        prop_assert_eq!(js::stringified_utf16_len(&text), Some(units));
        prop_assert!(!js::is_canonical(&raw) || text == raw);
        // Lone surrogates, and keys that JavaScript may move to the front, take the slow way.
        let numbered = text.as_bytes().windows(2).any(|pair| pair[0] == b'"' && pair[1].is_ascii_digit());
        if !text.contains("\\ud") && !numbered {
            prop_assert!(js::is_canonical(&text), "{}", text);
        }
    }

    #[test]
    fn python_lengths_are_those_of_the_texts(raw in value("\t")) {
        let repr = python::repr(&raw).unwrap();
        prop_assert_eq!(python::repr_char_len(&raw), Some(repr.chars().count()));
        for ensure_ascii in [true, false] {
            let dumped = python::dumps(&raw, ensure_ascii).unwrap();
            prop_assert_eq!(python::dumps_char_len(&raw, ensure_ascii), Some(dumped.chars().count()));
            prop_assert_eq!(dumped.is_ascii() || !ensure_ascii, true);
        }
    }

    #[test]
    fn a_python_string_is_measured_without_printing_it(text in text()) {
        let printed = python::repr_str(&text);
        prop_assert_eq!(python::repr_str_char_len(&text), printed.chars().count());
        let raw = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(python::repr(&raw), Some(printed));
        prop_assert_eq!(python::repr_char_len(&raw), Some(python::repr_str_char_len(&text)));
    }

    #[test]
    fn unescape_agrees_with_printing(raw in string()) {
        let inner = unescape(&raw[1..raw.len() - 1]).unwrap();
        if inner.lone_surrogates == 0 {
            prop_assert_eq!(serde_json::from_str::<String>(&raw).unwrap(), inner.text.as_ref());
            prop_assert_eq!(python::repr(&raw).unwrap(), python::repr_str(&inner.text));
        } else {
            prop_assert!(serde_json::from_str::<String>(&raw).is_err());
        }
    }

    #[test]
    fn any_text_is_json_here_exactly_when_it_is_elsewhere(raw in "[\\[\\]{}:,\"\\\\a0-2eE+.nul tr\\-]{0,12}") {
        let elsewhere = serde_json::from_str::<&serde_json::value::RawValue>(&raw).is_ok();
        prop_assert_eq!(js::stringify(&raw).is_some(), elsewhere);
        prop_assert_eq!(js::stringified_utf16_len(&raw).is_some(), elsewhere);
        prop_assert_eq!(python::repr(&raw).is_some(), elsewhere);
    }
}
