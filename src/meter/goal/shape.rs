//! Template validity: did the model answer in the form that it was asked for?

use memchr::{memchr, memmem, memrchr};

use crate::measure::Measure;
use crate::meter::{Measures, Meter, number};
use crate::replay::ReplayEvent;

/// Scores every answer of a summarizer against the headings that its prompt asks for.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Lists of headings, as printed; that of a prompt is the longest one whose lines it holds.
    known: Vec<Vec<String>>,
    headings: (u64, u64),
    in_order: (u64, u64),
}

/// How an answer keeps to its headings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kept {
    /// Present, with something under them.
    filled: u64,
    /// All that are present stand in order.
    in_order: bool,
}

impl Shape {
    /// A meter for templates with these lists of headings.
    pub fn new(known: Vec<Vec<String>>) -> Self {
        Self { known, headings: (0, 0), in_order: (0, 0) }
    }

    fn answer(&mut self, prompt: &str, answer: &str) {
        let asked =
            |headings: &&Vec<String>| !headings.is_empty() && headings.iter().all(|heading| has_line(prompt, heading));
        let Some(headings) = self.known.iter().filter(asked).max_by_key(|headings| headings.len()) else { return };
        let kept = kept(headings, answer);
        self.headings = (self.headings.0 + kept.filled, self.headings.1 + headings.len() as u64);
        self.in_order = (self.in_order.0 + u64::from(kept.in_order), self.in_order.1 + 1);
    }
}

/// Whether a text has a line that says this and nothing else.
fn has_line(text: &str, wanted: &str) -> bool {
    let mut rest = text;
    while let Some(at) = memmem::find(rest.as_bytes(), wanted.as_bytes()) {
        let start = memrchr(b'\n', &rest.as_bytes()[..at]).map_or(0, |end| end + 1);
        let end = memchr(b'\n', &rest.as_bytes()[at..]).map_or(rest.len(), |end| at + end);
        if rest[start..end].trim() == wanted {
            return true;
        }
        // A line is looked at once, however often it says so.
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    false
}

/// A heading as it is compared: without case and a colon at its end.
fn bare(line: &str) -> String {
    line.trim().trim_end_matches(':').to_lowercase()
}

fn level(line: &str) -> usize {
    line.trim_start().bytes().take_while(|&byte| byte == b'#').count()
}

fn kept(headings: &[String], answer: &str) -> Kept {
    let lines: Vec<&str> = answer.lines().collect();
    let wanted: Vec<String> = headings.iter().map(|heading| bare(heading)).collect();
    let is_heading = |line: &str| wanted.contains(&bare(line));
    let (mut filled, mut last, mut in_order) = (0, None, true);
    for (heading, wanted) in headings.iter().zip(&wanted) {
        let Some(at) = lines.iter().position(|line| bare(line) == *wanted) else { continue };
        in_order &= last.is_none_or(|last| at > last);
        last = Some(at);
        let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
        let holds_others = level(heading) > 0;
        let is_filled = next.is_some_and(|next| !is_heading(next) || holds_others && level(next) > level(heading));
        filled += u64::from(is_filled);
    }
    Kept { filled, in_order }
}

impl Meter for Shape {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        let ReplayEvent::Compaction(compaction) = event else { return };
        for exchange in &compaction.summary.exchanges {
            if let Some(response) = &exchange.response {
                self.answer(&exchange.request.prompt, &response.text);
            }
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let ratio = |(part, whole): (u64, u64)| {
            let none = "no answer to a template's prompt";
            if whole == 0 { Measure::void(none) } else { Measure::from(number(part) / number(whole)) }
        };
        vec![("template_filled_ratio", ratio(self.headings)), ("template_in_order_ratio", ratio(self.in_order))]
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, has_line, kept};

    #[test]
    fn a_line_is_no_part_of_one() {
        let text = "## Goals\n  ## Goal  \r\nand ## Next\n## Next steps";
        assert!(has_line(text, "## Goal") && has_line(text, "## Goals") && has_line(text, "## Next steps"));
        assert!(!has_line(text, "## Next") && !has_line(text, "##") && !has_line("", "a"));
        assert!(has_line("## Goal ## Goal\n## Goal", "## Goal"));
    }

    #[test]
    fn a_line_that_says_it_again_and_again_is_looked_at_once() {
        // Looked at from every place, this is 2^17 times a megabyte.
        let line = "## Goal ".repeat(1 << 17);
        assert!(!has_line(&line, "## Goal") && has_line(&format!("{line}\n## Goal"), "## Goal"));
    }

    #[test]
    fn a_heading_counts_when_something_stands_under_it() {
        let headings = ["## Goal", "## Progress", "### Done", "## Next"].map(str::to_owned);
        let all = "## Goal\nx\n\n## Progress\n### Done\n- y\n## NEXT:\n1. z";
        assert_eq!(kept(&headings, all), Kept { filled: 4, in_order: true });
        // Headings only: `Progress` holds another heading, the others hold nothing.
        let bare = "## Goal\n## Progress\n### Done\n## Next";
        assert_eq!(kept(&headings, bare), Kept { filled: 1, in_order: true });
        assert_eq!(kept(&headings, "## Next\na\n## Goal\nb"), Kept { filled: 2, in_order: false });
        assert_eq!(kept(&headings, ""), Kept { filled: 0, in_order: true });
    }
}
