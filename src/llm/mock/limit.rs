//! A summary that obeys an output limit.

use crate::transcript::Tokens;

/// A heading and the lines under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section<'p> {
    pub(super) print: &'p str,
    pub(super) bullet: &'static str,
    pub(super) lines: Vec<String>,
    pub(super) holds_others: bool,
}

impl Section<'_> {
    fn print(&self, keep: usize, out: &mut String) {
        if !out.is_empty() {
            out.push('\n');
        }
        let lines = &self.lines[..keep];
        if !self.print.is_empty() {
            out.extend([self.print, "\n"]);
        }
        for line in lines {
            out.extend([self.bullet, line, "\n"]);
        }
        if lines.is_empty() && !self.holds_others {
            out.push_str(if self.print.starts_with('#') { "(none)\n" } else { "None\n" });
        }
    }
}

/// Tokens of a text, never too few. A byte-level tokenizer has no token without a byte, so a short text needs no
/// count; a longer one is counted in o200k.
fn tokens(text: &str, limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    tiktoken::get_encoding("o200k_base").map_or(text.len(), |encoding| encoding.count(text))
}

/// The text, and whether it breaks off. Lines are dropped from the longest sections first, and from their ends; a
/// limit below the headings themselves breaks the text off, as it does for a real model.
pub(super) fn write(sections: &[Section<'_>], limit: Option<Tokens>) -> (String, bool) {
    let mut keep: Vec<usize> = sections.iter().map(|section| section.lines.len()).collect();
    let mut text = print(sections, &keep);
    let Some(limit) = limit.map(|limit| usize::try_from(limit.0).unwrap_or(usize::MAX)) else { return (text, false) };
    let mut used = tokens(&text, limit);
    while used > limit {
        if keep.iter().all(|&lines| lines == 0) {
            // A byte is at least a token, so this many bytes fit.
            return (text[..text.floor_char_boundary(limit)].to_owned(), true);
        }
        // An equal share of every section, so that a few rounds are enough: each is counted anew, because the
        // tokens of parts need not add up to those of the whole.
        let most = keep.iter().copied().max().unwrap_or(0);
        let cap = most.min(most * limit / used).min(most - 1);
        for lines in &mut keep {
            *lines = (*lines).min(cap.max(1));
        }
        if most == 1 {
            // The last section that still has its line loses it.
            if let Some(lines) = keep.iter_mut().rfind(|lines| **lines > 0) {
                *lines = 0;
            }
        }
        text = print(sections, &keep);
        used = tokens(&text, limit);
    }
    (text, false)
}

fn print(sections: &[Section<'_>], keep: &[usize]) -> String {
    let mut out = String::new();
    let mut held = false;
    for (section, &keep) in sections.iter().zip(keep) {
        let start = out.len();
        section.print(keep, &mut out);
        // No blank line between a heading and the first one that it holds.
        if held && out[start..].starts_with('\n') {
            out.remove(start);
        }
        held = section.holds_others;
    }
    out.truncate(out.trim_end().len());
    out
}
