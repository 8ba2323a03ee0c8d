//! The words of a text, as `str::split_whitespace` gives them, found by a table of bytes: whole sessions are read word by word.

use std::ops::Range;

/// A word, and what of its characters needs a closer look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Where it stands in the text.
    pub(crate) at: Range<usize>,
    /// It is of ASCII, without a mark of code or of emphasis: its lower case is all there is to it.
    pub(crate) plain: bool,
}

/// White space, of one byte.
const SPACE: u8 = 1;
/// The first byte of white space beyond ASCII, or of another character.
const MAYBE_SPACE: u8 = 1 << 1;
/// Beyond ASCII, or a mark.
const CARE: u8 = 1 << 2;

const fn table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "it is below 256")]
        let c = byte as u8;
        table[byte] = match c {
            0x09..=0x0d | 0x20 => SPACE,
            // U+0085 and U+00A0, U+1680, U+2000 to U+205F, U+3000.
            0xc2 | 0xe1..=0xe3 => MAYBE_SPACE | CARE,
            0x80.. | b'`' | b'*' => CARE,
            _ => 0,
        };
        byte += 1;
    }
    table
}

static CLASS: [u8; 256] = table();

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = skip_space(text, from)?;
        let (end, plain) = end_of_word(text, start);
        from = end;
        Some(Word { at: start..end, plain })
    })
}

/// Bytes of the white space at a place; nothing for any other character.
fn space(text: &str, at: usize) -> usize {
    match CLASS[usize::from(text.as_bytes()[at])] {
        class if class & SPACE != 0 => 1,
        class if class & MAYBE_SPACE != 0 => {
            text[at..].chars().next().filter(|c| c.is_whitespace()).map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}

fn skip_space(text: &str, mut at: usize) -> Option<usize> {
    while at < text.len() {
        match space(text, at) {
            0 => return Some(at),
            len => at += len,
        }
    }
    None
}

fn end_of_word(text: &str, start: usize) -> (usize, bool) {
    let (bytes, mut all) = (text.as_bytes(), 0);
    let mut at = start;
    while at < bytes.len() {
        let class = CLASS[usize::from(bytes[at])];
        if class & (SPACE | MAYBE_SPACE) != 0 && space(text, at) > 0 {
            break;
        }
        all |= class;
        at += 1;
    }
    (at, all & CARE == 0)
}

#[cfg(test)]
mod tests {
    use super::{Word, words};

    #[test]
    fn words_are_those_of_the_standard_library() {
        let spaces: Vec<char> = ('\0'..=char::MAX).filter(|c| c.is_whitespace()).collect();
        assert!(spaces.len() > 20);
        let mut text = String::from("\u{1c}first à\u{2014}b 界面、x\u{200b}y ends\u{3001}");
        for space in spaces {
            text.extend(['w', space, space, 'é', '\u{2fff}', space, '`']);
        }
        for text in [text.as_str(), "", " ", "\u{3000}", "one", " one\u{a0}"] {
            let ours: Vec<&str> = words(text).map(|word| &text[word.at]).collect();
            assert_eq!(ours, text.split_whitespace().collect::<Vec<_>>(), "{text:?}");
        }
    }

    #[test]
    fn what_needs_a_closer_look_says_so() {
        let plain: Vec<bool> = words("a_B-1 `b` *c d* été 界 <e>").map(|Word { plain, .. }| plain).collect();
        assert_eq!(plain, [true, false, false, false, false, false, true]);
    }
}
