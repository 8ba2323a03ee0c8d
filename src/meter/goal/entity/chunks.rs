//! A second extractor, to see whether a result depends on the rules of the first. It shares none of them: it knows no kinds
//! and no aliases, cuts where there is white space or a bracket, and goes by the look of what is left alone.

use std::borrow::Cow;

use super::{Entity, Kind};

/// A shorter chunk is a word or an operator, a longer one is data.
const SHORTEST: usize = 4;
const LONGEST: usize = 120;

fn parts(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_whitespace() || "()[]{}<>\"'`,;|!*".contains(c)
}

/// Calls `each` with the chunks of `text` that look like names, in order. A path is known by its last part, a name by its
/// letters whatever their case.
pub(super) fn extract<'t>(text: &'t str, mut each: impl FnMut(Entity<'t>)) {
    for chunk in text.split(parts).filter(|chunk| chunk.len() >= SHORTEST && chunk.len() <= LONGEST) {
        let name = last_part(chunk);
        if !looks_like_a_name(name) {
            continue;
        }
        let at = name.as_ptr().addr() - text.as_ptr().addr();
        let key = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(name.to_ascii_lowercase())
        } else {
            Cow::Borrowed(name)
        };
        each(Entity { kind: Kind::Chunk, key, at });
    }
}

/// The last part of a path, without what follows a colon and a digit, and without punctuation around it.
fn last_part(chunk: &str) -> &str {
    let around = |c: char| c.is_ascii_punctuation() && c != '_';
    let bare = chunk.trim_matches(around);
    let last = bare.rsplit(['/', '\\']).next().unwrap_or(bare);
    let line = last.find(':').filter(|colon| last.as_bytes().get(colon + 1).is_some_and(u8::is_ascii_digit));
    last[..line.unwrap_or(last.len())].trim_matches(around)
}

/// A digit, a mark between two letters, or a capital after a small letter.
fn looks_like_a_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let inner = |byte: u8| matches!(byte, b'_' | b'.' | b':' | b'=');
    let marked = bytes.windows(3).any(|three| {
        three[0].is_ascii_alphanumeric() && inner(three[1]) && (three[2].is_ascii_alphanumeric() || inner(three[2]))
    });
    let humped = bytes.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    let numbered = bytes.iter().any(u8::is_ascii_digit);
    bytes.len() >= SHORTEST && (marked || humped || numbered)
}

#[cfg(test)]
mod tests {
    use super::extract;

    fn keys(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        extract(text, |entity| {
            assert!(text[entity.at..].to_ascii_lowercase().starts_with(&*entity.key));
            found.push(entity.key.into_owned());
        });
        found
    }

    #[test]
    fn names_are_known_by_their_look() {
        assert_eq!(
            keys("See (src/feeder/loader.rs:12), FEEDER_OFFLINE, loadTray() and T-77 at 9f3c2ab."),
            ["loader.rs", "feeder_offline", "loadtray", "t-77", "9f3c2ab"]
        );
        assert_eq!(
            keys("--jobs=4 std::fs C:\\a\\b.txt worst=0.040 167000"),
            ["jobs=4", "std::fs", "b.txt", "worst=0.040", "167000"]
        );
    }

    #[test]
    fn words_are_none() {
        for text in
            ["It is a well-known word, e.g. this/that; and so on...", "界面 测试", "12 ms 3.5", "NOT -- here", "####"]
        {
            assert_eq!(keys(text), [""; 0], "{text}");
        }
    }
}
