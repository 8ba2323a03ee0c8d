//! How texts are compared: in lower case, white space as one space, headings that carry no value left out.

use std::borrow::Cow;

use crate::transcript::{Message, Part, sent_parts};

/// Whether a line speaks of finished or of unfinished work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It does not say.
    #[default]
    Unsaid,
    /// Under a heading such as `Done`, or behind a ticked box.
    Done,
    /// Under a heading such as `Next Steps`, or behind an empty box.
    Open,
}

/// Words of headings that hold finished work.
const DONE: [&str; 5] = ["done", "completed", "accomplished", "finished", "已完成"];
/// Words of headings that hold unfinished work.
const OPEN: [&str; 12] = [
    "next step",
    "next move",
    "in progress",
    "pending",
    "blocked",
    "remaining",
    "to do",
    "todo",
    "open step",
    "下一步",
    "待办",
    "进行中",
];

/// A text of a strategy's own, ready to be searched.
#[derive(Clone, Debug, Default)]
pub(crate) struct MadeText {
    /// Normalised, without headings.
    pub(crate) normal: String,
    /// From where in `normal` on the standing is another.
    standings: Vec<(usize, Standing)>,
}

/// Lower case, with every run of white space as one space.
pub(crate) fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_normal(text, &mut out);
    out
}

fn push_normal(text: &str, out: &mut String) {
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        if word.is_ascii() {
            out.extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        } else {
            out.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
}

/// The words of a line that is a heading; `None` for any other line. `## Goal`, `**Goal**`, `<goal>`, `SESSION INTENT`.
pub(crate) fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix('#') {
        return Some(rest.trim_start_matches('#').trim());
    }
    let bare = line.strip_suffix(':').unwrap_or(line);
    if let Some(inner) = bare.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")) {
        return (!inner.contains("**")).then(|| inner.trim_end_matches(':').trim());
    }
    if let Some(tag) = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        return (!tag.contains(['<', ' '])).then(|| tag.trim_start_matches('/'));
    }
    let words = bare.split_whitespace().count();
    let shouts = bare.len() > 3 && bare.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b' ' || byte == b'_');
    (shouts && words <= 5).then_some(bare)
}

/// Whether the words of a heading are a value themselves, such as a path: then they count.
fn carries_value(words: &str) -> bool {
    let unnumbered = words.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    let inner_dot = unnumbered.trim_end_matches('.').contains('.');
    inner_dot || unnumbered.contains(['/', '`', '=']) || unnumbered.bytes().any(|byte| byte.is_ascii_digit())
}

/// The lines that are no headings, but for those that carry a value.
pub(crate) fn without_headings(text: &str) -> String {
    let kept = |line: &&str| !line.trim().is_empty() && heading(line).is_none_or(carries_value);
    text.lines().filter(kept).collect::<Vec<_>>().join("\n")
}

/// The standing that a heading gives to what follows.
fn standing_under(words: &str) -> Standing {
    let words = words.to_lowercase().replace('_', " ");
    let has = |list: &[&str]| list.iter().any(|word| words.contains(word));
    match (has(&OPEN), has(&DONE)) {
        (true, _) => Standing::Open,
        (false, true) => Standing::Done,
        (false, false) => Standing::Unsaid,
    }
}

/// The standing that a tick box gives to its line.
fn boxed(line: &str) -> Option<Standing> {
    let item = line.trim_start().trim_start_matches(['-', '*', '+', ' ']);
    if item.starts_with("[x]") || item.starts_with("[X]") {
        return Some(Standing::Done);
    }
    item.starts_with("[ ]").then_some(Standing::Open)
}

impl MadeText {
    /// Prepares a text.
    pub(crate) fn new(text: &str) -> Self {
        let mut made = Self { normal: String::with_capacity(text.len()), standings: Vec::new() };
        let mut under = Standing::Unsaid;
        for line in text.lines() {
            let title = heading(line);
            if let Some(words) = title {
                under = standing_under(words);
            }
            if title.is_none_or(carries_value) {
                let standing = boxed(line).unwrap_or(under);
                if made.standings.last().map_or(Standing::Unsaid, |(_, last)| *last) != standing {
                    made.standings.push((made.normal.len(), standing));
                }
                push_normal(line, &mut made.normal);
            }
        }
        made
    }

    /// The standing at a place of the normalised text.
    pub(crate) fn standing(&self, at: usize) -> Standing {
        let before = self.standings.partition_point(|(from, _)| *from <= at);
        before.checked_sub(1).map_or(Standing::Unsaid, |index| self.standings[index].1)
    }
}

/// Calls `each` with every text of a message as it is sent.
pub(crate) fn each_text<'m>(message: &'m Message, mut each: impl FnMut(Cow<'m, str>)) {
    sent_parts(message, |part| {
        if let Part::Text(text) = part {
            each(text);
        }
    });
}

/// All texts of a message, one under the other.
pub(crate) fn whole_text(message: &Message) -> String {
    let mut texts = Vec::new();
    each_text(message, |text| texts.push(text.into_owned()));
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{MadeText, Standing, heading, normalise};

    #[test]
    fn case_and_white_space_do_not_matter() {
        assert_eq!(normalise("  North\n\tMeadow  ÉTÉ 界"), "north meadow été 界");
    }

    #[test]
    fn headings_go_unless_they_carry_a_value() {
        let text = "## Goal\nKeep it.\n### 3. Files\n### src/a.rs\n**Next Steps**:\nSESSION INTENT\n<task_state>\n- **T-77**: x";
        assert_eq!(MadeText::new(text).normal, "keep it. ### src/a.rs - **t-77**: x");
        assert_eq!(heading("Goal: preserve it"), None, "a label with words behind it is a line like any other");
    }

    #[test]
    fn boxes_and_headings_say_what_is_done() {
        let made = MadeText::new("## Progress\na\n### Done\nb\n- [ ] c\nd\n## Next Steps\ne\n- [x] f");
        let of = |word: &str| made.standing(made.normal.find(word).unwrap());
        assert_eq!(of("a"), Standing::Unsaid);
        assert_eq!((of("b"), of("c"), of("d")), (Standing::Done, Standing::Open, Standing::Done));
        assert_eq!((of("e"), of("f")), (Standing::Open, Standing::Done));
    }
}
