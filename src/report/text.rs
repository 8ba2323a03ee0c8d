//! Text from transcripts and configurations, made safe to show.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Makes characters visible that would change how the rest of a page or a terminal reads, or that are there and cannot be seen: controls
/// (terminal escapes), the Unicode bidirectional controls, which reorder text, line and paragraph separators, tags, fillers and
/// noncharacters. Line breaks and tabs stay, and so do the joiners of emoji and of Indic and Arabic scripts.
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
pub fn one_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_hidden(character: char) -> bool {
    let is_control = character.is_control() && !matches!(character, '\n' | '\t' | '\r');
    is_control
        || matches!(character,
            // Marks and embeddings, overrides and isolates (UAX #9).
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            // Separators that end a line in some readers and not in others.
            | '\u{2028}' | '\u{2029}'
            // Soft hyphen, combining joiner, fillers of Hangul, vowels of Khmer that are not written, a separator of Mongolian.
            | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            // Zero width, invisible operators, isolates, deprecated format characters, an empty cell of Braille, interlinear notes.
            | '\u{200b}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            // Controls of shorthand and of music; tags and selectors of variants.
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
            // Noncharacters, and the last two of every plane.
            | '\u{fdd0}'..='\u{fdef}')
        || u32::from(character) & 0xfffe == 0xfffe
}

/// On one line, with every character that Markdown or HTML could read as markup made plain, and no mention of a person, address or
/// issue.
pub(super) fn for_markdown(text: &str) -> String {
    let (mut out, line) = (String::new(), one_line(text));
    for (at, character) in line.char_indices() {
        match character {
            // `www.example.org` and `GH-12` become links.
            '.' if ends_with_word(&line[..at], "www") => out.push_str("&#46;"),
            '-' if ends_with_word(&line[..at], "gh") => out.push_str("&#45;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '+' | '!' | '|' | '~' | ':' | '$'
            | '^' => {
                out.extend(['\\', character]);
            }
            other => out.push(other),
        }
    }
    out
}

/// Whether the last word is this one, in upper or lower case.
fn ends_with_word(text: &str, word: &str) -> bool {
    let last = text.rsplit(|character: char| !character.is_alphanumeric()).next().unwrap_or_default();
    last.eq_ignore_ascii_case(word)
}

/// At most this many columns, with `…` where something was left out. Costs what is kept, not the whole text.
pub(super) fn shortened(text: &str, columns: usize) -> String {
    // Where the text ends so that the mark still fits behind it.
    let (mut used, mut fits) = (0, 0);
    for (at, character) in text.char_indices() {
        used += character_width(character);
        if used > columns {
            return format!("{}…", &text[..fits]);
        }
        if used < columns {
            fits = at + character.len_utf8();
        }
    }
    text.to_owned()
}

/// At most this many columns, with `…` in the middle: names of one corpus differ at either end.
pub fn short_name(name: &str, columns: usize) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let kept = columns.saturating_sub(1);
    let (begin, end) = (kept.div_ceil(2), kept / 2);
    let (mut used, mut head) = (0, 0);
    for (at, character) in name.char_indices() {
        used += character_width(character);
        if used > begin {
            break;
        }
        head = at + character.len_utf8();
    }
    let (mut used, mut tail) = (0, name.len());
    for (at, character) in name.char_indices().rev() {
        used += character_width(character);
        if used > end {
            break;
        }
        tail = at;
    }
    format!("{}…{}", &name[..head], &name[tail..])
}

/// [`shortened`] of [`one_line`], without making a line of a text of many.
pub(super) fn shortened_line(text: &str, columns: usize) -> String {
    let (mut line, mut used) = (String::new(), 0);
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            used += 1;
        }
        // A word may be a megabyte; one character too many makes the mark.
        let from = line.len();
        line.extend(word.chars().take(columns + 1));
        used += width(&line[from..]);
        if used > columns {
            break;
        }
    }
    shortened(&visible(&line), columns)
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
        assert_eq!(visible("\0\u{2028}\u{e0041}\u{feff}"), "⟨U+0000⟩⟨U+2028⟩⟨U+E0041⟩⟨U+FEFF⟩");
        for hidden in "\u{ad}\u{34f}\u{115f}\u{1160}\u{17b4}\u{180e}\u{2065}\u{2800}\u{3164}\u{fdd0}\u{fdef}\u{ffa0}\u{fff0}\u{fffe}".chars() {
            assert_eq!(visible(&hidden.to_string()), format!("⟨U+{:04X}⟩", u32::from(hidden)));
        }
        assert_eq!(
            visible("\u{1d173}\u{1ffff}\u{2fffe}\u{e0100}\u{e01ef}\u{10ffff}"),
            "⟨U+1D173⟩⟨U+1FFFF⟩⟨U+2FFFE⟩⟨U+E0100⟩⟨U+E01EF⟩⟨U+10FFFF⟩"
        );
        // A family, joined; Persian with a non-joiner.
        for whole in ["👨\u{200d}👩\u{200d}👧", "می\u{200c}خواهم"] {
            assert_eq!(visible(whole), whole);
        }
        assert_eq!(visible("two\nlines"), "two\nlines");
        assert_eq!(one_line("two\n  lines"), "two lines");
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            for_markdown("a|b\n<img src=x> [l](u) @you `c` https://x $y$"),
            "a\\|b &lt;img src=x&gt; \\[l\\]\\(u\\) &#64;you \\`c\\` https\\://x \\$y\\$"
        );
        assert_eq!(
            for_markdown("www.x.org WWW.x.org,GH-12 gh-3 high-level a.b"),
            "www&#46;x.org WWW&#46;x.org,GH&#45;12 gh&#45;3 high-level a.b"
        );
    }

    #[test]
    fn long_names_are_cut_with_a_mark() {
        assert_eq!(shortened("drop-tool-results", 8), "drop-to…");
        assert_eq!(shortened("pi", 8), "pi");
        assert_eq!(shortened("压缩策略", 5), "压缩…");
        assert_eq!(shortened("压缩", 4), "压缩");
        assert_eq!(shortened("abc", 0), "…");
    }

    #[test]
    fn the_ends_of_a_long_name_stay() {
        assert_eq!(short_name("pi-v1-before-compaction", 10), "pi-v1…tion");
        assert_eq!(short_name("pi", 2), "pi");
        // Two columns each: three and a mark are five columns, so that one of either end fits.
        assert_eq!(short_name("压缩策略名", 5), "压…名");
        assert_eq!(short_name("abc", 1), "…");
        assert_eq!(short_name("abc", 0), "…");
    }

    #[test]
    fn a_shortened_line_is_the_beginning_of_the_whole_line() {
        for text in
            ["a  b\nc", "", " \n", "two words\u{1b}[0m and more", "压缩 策略", &"x".repeat(1_000), &"y ".repeat(500)]
        {
            for columns in 0..12 {
                assert_eq!(shortened_line(text, columns), shortened(&one_line(text), columns), "{text:?} {columns}");
            }
        }
    }
}
