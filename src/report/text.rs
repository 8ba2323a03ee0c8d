//! Text from transcripts and configurations, made safe to show.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Makes characters visible that would change how the rest of a page or a terminal reads: controls (terminal escapes),
/// and the Unicode bidirectional controls, which reorder text. Line breaks and tabs stay.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_hidden(character) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\u{27e8}U+{:04X}\u{27e9}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// The same on one line: breaks become spaces.
pub(super) fn one_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_hidden(character: char) -> bool {
    let is_control = character.is_control() && !matches!(character, '\n' | '\t' | '\r');
    is_control
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// At most this many columns, with `…` where something was left out.
pub(super) fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    for character in text.chars() {
        if width(&out) + character_width(character) + 1 > columns {
            break;
        }
        out.push(character);
    }
    out + "…"
}

/// Columns on a terminal.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(character_width).sum()
}

/// Two for the wide blocks of UAX #11 (East Asian Width W and F, and emoji), one for the rest.
fn character_width(character: char) -> usize {
    let is_wide = matches!(u32::from(character),
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60
        | 0xffe0..=0xffe6 | 0x1_f300..=0x1_faff | 0x2_0000..=0x3_fffd);
    if is_wide { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(visible("a\u{202e}b\u{1b}[31m"), "a⟨U+202E⟩b⟨U+001B⟩[31m");
        assert_eq!(visible("two\nlines"), "two\nlines");
        assert_eq!(one_line("two\n  lines"), "two lines");
    }

    #[test]
    fn long_names_are_cut_with_a_mark() {
        assert_eq!(shortened("drop-tool-results", 8), "drop-to…");
        assert_eq!(shortened("pi", 8), "pi");
        assert_eq!(shortened("压缩策略", 5), "压缩…");
    }
}
