//! `NaN` and `Infinity`: Python writes them into JSON and reads them again, and the grammar knows neither.

use super::value::string_end;

const WORDS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// A text in which nothing of the kind is left.
pub(super) struct Mended {
    /// The text, with `null` in the place of each.
    pub(super) text: String,
    /// Where the new text and the old one go on behind each.
    pub(super) repairs: Vec<(usize, usize)>,
    /// Byte of the old text at which the first one stands.
    pub(super) first: usize,
}

/// Mends `text`. `None` where there is none outside of its strings.
pub(super) fn mended(text: &str) -> Option<Mended> {
    let bytes = text.as_bytes();
    let (mut out, mut repairs, mut first, mut done, mut at) = (String::new(), Vec::new(), None, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            at = string_end(bytes, at);
            continue;
        }
        let word = WORDS.iter().find(|word| byte == word.as_bytes()[0] && bytes[at..].starts_with(word.as_bytes()));
        let Some(word) = word else {
            at += 1;
            continue;
        };
        first.get_or_insert(at);
        out.push_str(&text[done..at]);
        out.push_str("null");
        at += word.len();
        done = at;
        repairs.push((out.len(), done));
    }
    let first = first?;
    out.push_str(&text[done..]);
    Some(Mended { text: out, repairs, first })
}

#[cfg(test)]
mod tests {
    use super::mended;

    #[test]
    fn only_those_outside_of_strings() {
        let found = mended(r#"{"NaN":"NaN\"NaN","a":[NaN,-Infinity,Infinity,-1]}"#).unwrap();
        assert_eq!(found.text, r#"{"NaN":"NaN\"NaN","a":[null,null,null,-1]}"#);
        assert_eq!((found.first, found.repairs.len(), found.repairs[0]), (23, 3, (27, 26)));
        assert!(mended(r#"{"a":["NaN",null]}"#).is_none());
    }
}
