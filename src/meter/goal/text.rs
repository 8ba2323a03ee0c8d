//! How texts are compared: in lower case, white space as one space, typography as it is typed, headings that carry no
//! value left out.

use std::borrow::Cow;

use super::item::is_past_heading;
use super::words::{Word, words};
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
const DONE: [&str; 5] = ["done", "completed", "accomplished", "finished", "完成"];
/// Words of headings that hold unfinished work; those of finished work may be a part of them.
const OPEN: [&str; 23] = [
    "unfinished",
    "incomplete",
    "outstanding",
    "not done",
    "not yet",
    "not completed",
    "not finished",
    "to be done",
    "to be completed",
    "left to",
    "未完成",
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
    /// From where in `normal` on the headings say something else.
    regions: Vec<(usize, Region)>,
    /// Where in `normal` a line begins that does not go on with the one before.
    breaks: Vec<usize>,
}

/// What the headings above say of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Region {
    standing: Standing,
    /// Under a heading such as `Obsolete`: nothing here is stated as current.
    past: bool,
}

/// Typography that stands for a character of the keyboard: a summary that writes `T‑77` with a hyphen that does not break
/// says T-77. `None` for what cannot be seen at all.
fn plain_char(c: char) -> Option<char> {
    Some(match c {
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => return None,
        '‘' | '’' | '‛' | '′' => '\'',
        '“' | '”' | '„' | '″' => '"',
        '\u{2010}'..='\u{2012}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2009}' | '\u{202f}' => ' ',
        // They end a sentence without a space behind them.
        '！' | '；' | '？' => c,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        other => other,
    })
}

/// A text with its typography as it is typed.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(|c| plain_char(c) == Some(c)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter_map(plain_char).collect())
}

/// What a text of a strategy states: without comments, which no reader of the rendered text sees, and with typography as it
/// is typed. A comment that no `-->` ends goes to the end if it begins its line, as in `CommonMark` 0.31 (HTML blocks, start
/// condition 2).
pub(crate) fn stated(text: &str) -> Cow<'_, str> {
    let Some(mut at) = text.find("<!--") else { return plain(text) };
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    loop {
        let begins_line = text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
        let end = match text[at + 4..].find("-->") {
            Some(len) => at + 4 + len + 3,
            None if begins_line => text.len(),
            None => break,
        };
        out.push_str(&text[from..at]);
        from = end;
        match text[end..].find("<!--") {
            Some(next) => at = end + next,
            None => break,
        }
    }
    out.push_str(&text[from..]);
    Cow::Owned(plain(&out).into_owned())
}

/// Lower case, with every run of white space as one space.
pub(crate) fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_normal(text, &mut out);
    out
}

fn push_normal(text: &str, out: &mut String) {
    let start = out.len();
    // Plain words with one space between them go in as they stand.
    let mut run = 0..0;
    for Word { at, plain } in words(text) {
        if plain && at.start == run.end + 1 && !run.is_empty() && text.as_bytes()[run.end] == b' ' {
            run.end = at.end;
            continue;
        }
        push_run(&text[std::mem::take(&mut run)], out);
        if plain {
            run = at;
        } else {
            push_word(&text[at], out);
        }
    }
    push_run(&text[run], out);
    out[start..].make_ascii_lowercase();
}

fn push_run(run: &str, out: &mut String) {
    if !run.is_empty() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(run);
    }
}

/// A word that is not plain.
fn push_word(word: &str, out: &mut String) {
    let before = out.len();
    if before > 0 {
        out.push(' ');
    }
    let start = out.len();
    let word = without_marks(word);
    if word.is_ascii() {
        out.push_str(&word);
    } else {
        out.extend(word.chars().filter_map(plain_char).flat_map(char::to_lowercase));
    }
    if out.len() == start {
        out.truncate(before);
    }
}

/// A word without the marks of code and of strong emphasis: `**never**` says never. Between digits `**` is an operator.
fn without_marks(word: &str) -> Cow<'_, str> {
    if !word.contains('`') && !word.contains("**") {
        return Cow::Borrowed(word);
    }
    let bytes = word.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let (mut out, mut from) = (String::with_capacity(word.len()), 0);
    let mut at = 0;
    while at < bytes.len() {
        let len = match bytes[at] {
            b'`' => 1,
            b'*' if bytes.get(at + 1) == Some(&b'*') => 2,
            _ => 0,
        };
        if len == 0 || len == 2 && digit(at.checked_sub(1)) && digit(Some(at + 2)) {
            at += len.max(1);
            continue;
        }
        out.push_str(&word[from..at]);
        at += len;
        from = at;
    }
    out.push_str(&word[from..]);
    Cow::Owned(out)
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
    // A name such as `FEEDER_OFFLINE` on a line of its own is no heading.
    let shouts = bare.len() > 3 && bare.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b' ');
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
    let bare = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let item = bare.trim_start_matches(['-', '*', '+', ' ', '.', ')']);
    if item.starts_with("[x]") || item.starts_with("[X]") {
        return Some(Standing::Done);
    }
    item.starts_with("[ ]").then_some(Standing::Open)
}

/// How deep a heading stands: below a `#` heading come those with more marks, and those of any other form.
fn depth(line: &str) -> usize {
    match line.trim_start().bytes().take_while(|&byte| byte == b'#').count() {
        0 => usize::MAX,
        marks => marks,
    }
}

/// The headings above a line, while a text is read.
#[derive(Debug, Default)]
struct Above {
    standing: Standing,
    /// Depth of the heading that says that all below it is past.
    past: Option<usize>,
    in_fence: bool,
}

impl Above {
    /// Reads a line; its words when it is a heading. In a fence there are none.
    fn read<'l>(&mut self, line: &'l str) -> Option<&'l str> {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            self.in_fence = !self.in_fence;
        }
        let words = heading(line).filter(|_| !self.in_fence)?;
        self.standing = standing_under(words);
        let is_closed = line.trim_start().starts_with("</");
        self.past = self.past.filter(|&past| !is_closed && past < depth(line));
        if self.past.is_none() && !is_closed && is_past_heading(words) {
            self.past = Some(depth(line));
        }
        Some(words)
    }
}

impl MadeText {
    /// Prepares a text.
    pub(crate) fn new(text: &str) -> Self {
        let mut made = Self { normal: String::with_capacity(text.len()), ..Self::default() };
        let (mut above, mut ended) = (Above::default(), true);
        for line in text.lines() {
            let title = above.read(line);
            // A wrapped line goes on in lower case.
            let begins = line.trim_start().starts_with(|c: char| !c.is_lowercase());
            ended |= title.is_some() || line.trim().is_empty();
            if ended || begins {
                made.breaks.push(made.normal.len());
            }
            ended = title.is_some() || line.trim().is_empty();
            if title.is_none_or(carries_value) {
                let standing = boxed(line).unwrap_or(above.standing);
                let region = Region { standing, past: above.past.is_some() };
                if made.regions.last().map_or(Region::default(), |(_, last)| *last) != region {
                    made.regions.push((made.normal.len(), region));
                }
                push_normal(line, &mut made.normal);
            }
        }
        made
    }

    fn region(&self, at: usize) -> Region {
        let before = self.regions.partition_point(|(from, _)| *from <= at);
        before.checked_sub(1).map_or_else(Region::default, |index| self.regions[index].1)
    }

    /// The lines around a place of the normalised text that go on with each other.
    pub(crate) fn paragraph(&self, at: usize) -> std::ops::Range<usize> {
        let before = self.breaks.partition_point(|from| *from <= at);
        let from = before.checked_sub(1).map_or(0, |index| self.breaks[index]);
        from..self.breaks.get(before).copied().unwrap_or(self.normal.len())
    }

    /// The standing at a place of the normalised text.
    pub(crate) fn standing(&self, at: usize) -> Standing {
        self.region(at).standing
    }

    /// Whether a heading says that what stands at a place holds no more.
    pub(crate) fn is_past(&self, at: usize) -> bool {
        self.region(at).past
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
pub(crate) fn whole_text(message: &Message) -> Cow<'_, str> {
    let mut whole: Option<Cow<'_, str>> = None;
    each_text(message, |text| match &mut whole {
        None => whole = Some(text),
        Some(whole) => {
            let whole = whole.to_mut();
            whole.push('\n');
            whole.push_str(&text);
        }
    });
    whole.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{MadeText, Standing, heading, normalise, plain, stated};

    #[test]
    fn case_and_white_space_do_not_matter() {
        assert_eq!(normalise("  North\n\tMeadow  ÉTÉ 界"), "north meadow été 界");
    }

    #[test]
    fn typography_and_emphasis_are_no_other_words() {
        assert_eq!(
            normalise("Don’t **never** use `T‑77` at ４２\u{a0}g, 2**3 ** x"),
            "don't never use t-77 at 42 g, 2**3 x"
        );
        assert_eq!(normalise("A  B\u{200b} \u{ad} ``  C Σ\n\nd"), "a b c σ d");
        assert_eq!(plain("4\u{200b}2 g"), "42 g");
        assert!(matches!(plain("été 界"), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn a_comment_states_nothing() {
        assert_eq!(stated("a <!-- 42 g -->b<!--c--> d"), "a b d");
        assert_eq!(stated("a\n  <!-- 42 g\nmore"), "a\n  ");
        // Text that only mentions the mark is text.
        assert_eq!(stated("the mark <!-- opens it"), "the mark <!-- opens it");
        assert_eq!(stated("x <!-- y --> the mark <!-- opens"), "x  the mark <!-- opens");
    }

    #[test]
    fn a_wrapped_line_goes_on_and_another_one_does_not() {
        let made = MadeText::new("One goes\non here\nTwo\n\nthree\n- four");
        let of = |word: &str| made.normal[made.paragraph(made.normal.find(word).unwrap())].trim();
        assert_eq!(
            (of("one"), of("on here"), of("two"), of("three")),
            ("one goes on here", "one goes on here", "two", "three")
        );
        assert_eq!(of("four"), "- four");
    }

    #[test]
    fn what_is_under_a_heading_of_the_past_is_past() {
        let made =
            MadeText::new("a\n## Obsolete\nb\n### Values\nc\n**Rules**\nd\n## Now\ne\n<ignore>\nf\n</ignore>\ng");
        let of = |word: &str| made.is_past(made.normal.find(word).unwrap());
        assert_eq!(["a", "b", "c", "d", "e", "f", "g"].map(of), [false, true, true, true, false, true, false]);
    }

    #[test]
    fn headings_go_unless_they_carry_a_value() {
        let text = "## Goal\nKeep it.\n### 3. Files\n### src/a.rs\n**Next Steps**:\nSESSION INTENT\n<task_state>\n- **T-77**: x";
        assert_eq!(MadeText::new(text).normal, "keep it. ### src/a.rs - t-77: x");
        assert_eq!(MadeText::new("FEEDER_OFFLINE\n```sh\n# run it\n```").normal, "feeder_offline sh # run it");
        assert_eq!(heading("Goal: preserve it"), None, "a label with words behind it is a line like any other");
    }

    #[test]
    fn boxes_and_headings_say_what_is_done() {
        let made = MadeText::new("## Progress\na\n### Done\nb\n- [ ] c\nd\n## Next Steps\ne\n- [x] f");
        let of = |word: &str| made.standing(made.normal.find(word).unwrap());
        assert_eq!(of("a"), Standing::Unsaid);
        assert_eq!((of("b"), of("c"), of("d")), (Standing::Done, Standing::Open, Standing::Done));
        assert_eq!((of("e"), of("f")), (Standing::Open, Standing::Done));
        for (heading, standing) in [
            ("Unfinished", Standing::Open),
            ("Not done yet", Standing::Open),
            ("To be done", Standing::Open),
            ("Work left to be completed", Standing::Open),
            ("Incomplete", Standing::Open),
            ("未完成", Standing::Open),
            ("完成", Standing::Done),
        ] {
            let made = MadeText::new(&format!("## {heading}\nparser"));
            assert_eq!(made.standing(made.normal.find("parser").unwrap()), standing, "{heading}");
        }
        let made = MadeText::new("1. [ ] parser\n2) [x] lexer");
        assert_eq!((made.standing(3), made.standing(made.normal.len() - 1)), (Standing::Open, Standing::Done));
    }
}
