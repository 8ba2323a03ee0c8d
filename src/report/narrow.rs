//! Lines that fit a terminal: what is longer goes on below.

use std::borrow::Cow;
use std::io::{self, Write};

use super::text::{short_name, visible, width};

/// Columns that every terminal has.
const COLUMNS: usize = 80;
/// A line that goes on is moved in by no more than this.
const MOST_INDENT: usize = 50;

/// Passes text on line by line, none of more than 80 columns. A longer one is broken at a space and goes on below its last column, that
/// is what follows two spaces or more; a word that does not fit is shortened in the middle. Control characters are made visible.
pub struct Narrow<W: Write> {
    out: W,
    /// The line that has not ended yet.
    line: Vec<u8>,
}

impl<W: Write> Narrow<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, line: Vec::new() }
    }

    /// Writes a line that may be as long as it is: a path to copy, or text that nothing else holds.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn whole(&mut self, line: &str) -> io::Result<()> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        writeln!(self.out, "{}", visible(line).replace('\r', " "))
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        // Both move the cursor, over what stands there or further than they are wide.
        let line = visible(&line).replace(['\t', '\r'], " ");
        for part in fitted(&line, COLUMNS) {
            writeln!(self.out, "{part}")?;
        }
        self.line.clear();
        Ok(())
    }
}

impl<W: Write> Write for Narrow<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.line.extend_from_slice(end);
                    self.end_line()?;
                }
                None => self.line.extend_from_slice(part),
            }
        }
        Ok(bytes.len())
    }

    /// Ends a line that was begun.
    fn flush(&mut self) -> io::Result<()> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        self.out.flush()
    }
}

/// `line` as lines of at most `columns`.
fn fitted(line: &str, columns: usize) -> Vec<String> {
    let line = line.trim_end();
    if fits(line, columns) {
        return vec![line.to_owned()];
    }
    let mut lines = Vec::new();
    let moved_in = moved_in(line);
    let (mut rest, mut indent) = (&*moved_in, 0);
    while !fits(rest, columns - indent) {
        let (head, tail) = broken(rest, columns - indent);
        lines.push(format!("{}{head}", " ".repeat(indent)));
        if lines.len() == 1 {
            indent = last_column(&lines[0]);
        }
        rest = tail;
    }
    if !rest.is_empty() {
        lines.push(format!("{}{rest}", " ".repeat(indent)));
    }
    lines
}

/// Whether a text has no more than so many columns. Looks no further than that.
fn fits(text: &str, columns: usize) -> bool {
    // No character has none, so that one more is enough to know.
    text.chars().nth(columns).is_none() && width(text) <= columns
}

/// A line that is too long, moved in by no more than [`MOST_INDENT`].
fn moved_in(line: &str) -> Cow<'_, str> {
    let body = line.trim_start();
    let indent = width(&line[..line.len() - body.len()]);
    if indent > MOST_INDENT { Cow::Owned(format!("{}{body}", " ".repeat(MOST_INDENT))) } else { Cow::Borrowed(line) }
}

/// As many words as fit into `columns`, or the first one shortened; and what is left.
fn broken(text: &str, columns: usize) -> (String, &str) {
    let start = text.len() - text.trim_start().len();
    let words = text[start..].match_indices(' ').map(|(at, _)| start + at).chain([text.len()]);
    let mut fits = None;
    let mut first = None;
    for end in words {
        first = first.or(Some(end));
        if !self::fits(&text[..end], columns) {
            break;
        }
        fits = Some(end);
    }
    let end = fits.or(first).unwrap_or(text.len());
    let head = match fits {
        Some(_) => text[..end].trim_end().to_owned(),
        None => format!("{}{}", &text[..start], short_name(&text[start..end], columns.saturating_sub(start))),
    };
    (head, text[end..].trim_start())
}

/// Where the last column of a line begins.
fn last_column(line: &str) -> usize {
    let body = line.trim_start();
    let start = line.len() - body.len();
    let gap = body.rfind("  ").map_or(start, |gap| start + gap + 2);
    width(&line[..gap]).min(MOST_INDENT)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Narrow, fitted};

    #[test]
    fn a_whole_line_is_as_long_as_it_is() {
        let mut out = super::Narrow::new(Vec::new());
        write!(out, "begun").unwrap();
        out.whole(&format!("\t/{}\u{202e}\r{}", "a".repeat(90), "b".repeat(9))).unwrap();
        let text = String::from_utf8(out.out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0]), (2, "begun"));
        assert!(lines[1].starts_with("\t/aaa") && lines[1].ends_with(" bbbbbbbbb") && !lines[1].contains('\u{202e}'));
    }

    #[test]
    fn a_line_goes_on_below_its_last_column() {
        assert_eq!(fitted("  10  one two three", 14), ["  10  one two", "      three"]);
        assert_eq!(fitted("one two three", 8), ["one two", "three"]);
        assert_eq!(fitted("    one two", 8), ["    one", "    two"]);
        assert_eq!(fitted("fits", 4), ["fits"]);
        assert_eq!(fitted("", 4), [""]);
        let (spaces, deep) = (" ".repeat(80), " ".repeat(super::MOST_INDENT));
        assert_eq!(
            fitted(&format!("{spaces}one {}", "x".repeat(40)), 80),
            [format!("{deep}one"), format!("{deep}{}…{}", "x".repeat(15), "x".repeat(14))]
        );
    }

    #[test]
    fn a_word_that_does_not_fit_is_shortened_in_the_middle() {
        assert_eq!(fitted("a-very-long-name 12", 9), ["a-ve…name", "12"]);
        assert_eq!(fitted("is 一二三四五六七 12", 9), ["is", "一二…六七", "12"]);
    }

    #[test]
    fn a_line_of_a_megabyte_is_looked_at_once() {
        assert_eq!(fitted(&"word ".repeat(200_000), 80).len(), 200_000 / 16);
    }

    #[test]
    fn nothing_moves_the_cursor() {
        let mut out = Vec::new();
        Narrow::new(&mut out).write_all(b"kept\rforged\ta\r\n").unwrap();
        assert_eq!(out, b"kept forged a\n");
    }

    #[test]
    fn every_line_passes_and_none_is_longer() {
        let mut out = Vec::new();
        let mut narrow = Narrow::new(&mut out);
        write!(narrow, "{}\n\n{} \u{1b}[31m", "word ".repeat(40), "x".repeat(200)).unwrap();
        narrow.flush().unwrap();
        let text = String::from_utf8(out).unwrap();
        // Sixteen words of five columns to a line, the last one without its space; an empty line; the long word; the rest.
        let lines: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert_eq!(lines, [79, 79, 39, 0, 80, "⟨U+001B⟩[31m".chars().count()], "{text}");
    }
}
