//! Control characters that stand bare inside of JSON strings, where the grammar wants them escaped.

use std::fmt::Write as _;

/// `text` with every bare control character inside of a string escaped, and the byte at which the first of them stands.
/// `None`: there is none, or one is escaped by a backslash, which nothing stands for.
pub(super) fn escaped(text: &str) -> Option<(String, usize)> {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut inside, mut escape, mut first) = (false, false, None);
    for (at, character) in text.char_indices() {
        if inside && character < ' ' {
            if escape {
                return None;
            }
            first.get_or_insert(at);
            let _ = write!(out, "\\u{:04x}", u32::from(character));
            continue;
        }
        inside ^= character == '"' && !escape;
        escape = inside && character == '\\' && !escape;
        out.push(character);
    }
    first.map(|first| (out, first))
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn only_those_inside_of_strings() {
        assert_eq!(escaped("{\t\"a\\\"\0\":\t1}"), Some(("{\t\"a\\\"\\u0000\":\t1}".to_owned(), 6)));
        assert_eq!(escaped("{\t\"a\\\\\":1}"), None, "the backslash escapes itself, and the string ends");
        assert_eq!(escaped("\"a\\\u{1}\""), None, "an escape of nothing");
    }
}
