//! Telling, without building anything, that JavaScript would print a text exactly as it stands.

use std::borrow::Cow;

use super::read::Reader;

/// Whether `raw` is JSON that `JSON.stringify(JSON.parse(raw))` is known to give back byte for byte.
///
/// `true` is certain. `false` also comes for some rare forms that would come back unchanged: lone surrogates, keys
/// that start with a digit, very deep or very wide objects.
pub fn is_canonical(raw: &str) -> bool {
    let mut reader = Reader::new(raw);
    reader.raw().is_ok_and(|value| value.is_canonical() && value.text().len() == raw.len())
}

/// The members of an object that is canonical in the sense of [`is_canonical`]: the keys, and the values as they stand.
pub(super) fn members(raw: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    if !raw.starts_with('{') || !is_canonical(raw) {
        return None;
    }
    let mut members = Vec::new();
    let mut reader = Reader::new(raw);
    let read = reader.object(|reader, key| {
        members.push((key, reader.raw()?.text()));
        Ok(())
    });
    read.is_ok().then_some(members)
}

#[cfg(test)]
mod tests {
    use super::{is_canonical, members};

    #[test]
    fn canonical_forms_are_known() {
        for raw in [
            "null",
            "[]",
            "{}",
            r#"{"a":[1,-2,0.5,1e+21,1e-7,true,false,null],"b":{"a":{"a":"x"}},"":""}"#,
            r#""\u0000\u001f\u000b\n\"\\ ü 界 😀""#,
            "\"\u{7f}\u{2028}\"",
            r#"[{"a":1},{"a":1}]"#,
        ] {
            assert!(is_canonical(raw), "{raw}");
        }
    }

    #[test]
    fn anything_else_is_not() {
        for raw in [
            "",
            "{",
            "[1, 2]",
            "[1,]",
            "[1]]",
            " 1",
            "1.0",
            "-0",
            "1e21",
            r#""\/""#,
            r#""\u0041""#,
            r#""\u001F""#,
            r#""\u000a""#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"b":1},"a":2}"#,
            r#"{"1":1}"#,
            "\"\n\"",
            "\"",
            "\"\\",
            "nulll",
            "9007199254740993",
            "{\"a\" :1}",
        ] {
            assert!(!is_canonical(raw), "{raw}");
        }
    }

    #[test]
    fn members_are_slices() {
        let raw = r#"{"a\n":[1,{"b":"}"}],"c":{"a":0}}"#;
        assert_eq!(members(raw), Some(vec![("a\n".into(), r#"[1,{"b":"}"}]"#), ("c".into(), r#"{"a":0}"#)]));
        assert_eq!(members("{}"), Some(vec![]));
        for raw in ["[1]", r#"{"a":1}x"#, r#"{"a":1,"a":2}"#, r#"{"a":1.0}"#, r#"{"a":1,}"#, r#"{"a" :1}"#, "{", ""] {
            assert_eq!(members(raw), None, "{raw}");
        }
    }

    #[test]
    fn deep_and_wide_values_are_left_to_the_general_path() {
        assert!(is_canonical(&("[".repeat(64) + &"]".repeat(64))));
        assert!(!is_canonical(&("[".repeat(65) + &"]".repeat(65))));
        let wide = |n: usize| format!("{{{}}}", (0..n).map(|i| format!("\"k{i}\":0")).collect::<Vec<_>>().join(","));
        assert!(is_canonical(&wide(64)));
        assert!(!is_canonical(&wide(65)));
    }
}
