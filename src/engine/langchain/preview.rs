//! The numbered preview that stands in for a text that went to a file.

/// Lines shown from each end.
const EDGE: usize = 5;

/// Characters of a shown line.
const LINE: usize = 1_000;

/// A preview and what is missing from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Numbered lines, with a marker where lines were left out.
    pub text: String,
    /// Lines were left out of the middle.
    pub lines_omitted: bool,
    /// A shown line was cut.
    pub lines_clipped: bool,
}

/// The first and last five lines of `text`, or all of it up to ten lines.
pub fn preview(text: &str) -> Preview {
    let lines = split_lines(text);
    let lines_omitted = lines.len() > 2 * EDGE;
    let (head, tail) = if lines_omitted { (EDGE, lines.len() - EDGE) } else { (lines.len(), lines.len()) };
    let mut shown = numbered(&lines[..head], 1);
    if lines_omitted {
        shown.push(format!("... [{} lines truncated] ...", tail - head));
        shown.extend(numbered(&lines[tail..], tail + 1));
    }
    let is_clipped = |line: &&str| line.char_indices().nth(LINE).is_some();
    let lines_clipped = lines[..head].iter().chain(&lines[tail..]).any(is_clipped);
    Preview { text: shown.join("\n"), lines_omitted, lines_clipped }
}

fn numbered(lines: &[&str], first: usize) -> Vec<String> {
    let line = |(number, line): (usize, &&str)| {
        let end = line.char_indices().nth(LINE).map_or(line.len(), |(end, _)| end);
        format!("{number}  {}", &line[..end])
    };
    (first..).zip(lines).map(line).collect()
}

/// `str.splitlines()`: Python breaks lines at more than line feeds.
pub fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let ends = matches!(char, '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}');
        if !ends {
            continue;
        }
        lines.push(&text[start..at]);
        start = at + char.len_utf8();
        if char == '\r' && chars.next_if(|&(_, next)| next == '\n').is_some() {
            start += 1;
        }
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{preview, split_lines};

    #[test]
    fn lines_end_where_python_ends_them() {
        assert_eq!(split_lines("a\r\nb\u{2028}c\n\nd\n"), ["a", "b", "c", "", "d"]);
        assert!(split_lines("").is_empty());
    }

    #[test]
    fn the_middle_of_more_than_ten_lines_is_left_out() {
        let text = ["l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9", "l10", "l11", "l12"].join("\n");
        let shown = preview(&text);
        assert!(shown.text.starts_with("1  l1\n2  l2\n"), "{}", shown.text);
        assert!(shown.text.contains("5  l5\n... [2 lines truncated] ...\n8  l8\n"), "{}", shown.text);
        assert!(shown.lines_omitted && !shown.lines_clipped);
        let wide = preview(&"x".repeat(1_001));
        assert_eq!((wide.text.len(), wide.lines_clipped, wide.lines_omitted), (1_003, true, false));
    }
}
