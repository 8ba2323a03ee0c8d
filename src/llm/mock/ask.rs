//! What a request asks for, read from its prompt as a model would read it.

use std::ops::Range;

use memchr::memmem;

use super::conversation;
use super::topic::Topic;

/// A heading that the instructions ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked<'p> {
    /// As it is printed.
    pub(super) print: &'p str,
    /// What it is about.
    pub(super) topic: Topic,
    /// It only holds the deeper headings that follow it.
    pub(super) holds_others: bool,
}

/// A request, taken apart.
#[derive(Debug)]
pub(super) struct Ask<'p> {
    pub(super) conversation: &'p str,
    pub(super) previous: Option<&'p str>,
    pub(super) headings: Vec<Asked<'p>>,
}

/// Lines around a conversation, in the templates of the systems that are modelled.
const AROUND: [(&str, &str); 3] =
    [("<conversation>", "</conversation>"), ("<messages>", "</messages>"), ("# Conversation", "# Instructions")];

/// No template asks for more.
const MOST_HEADINGS: usize = 64;

impl<'p> Ask<'p> {
    /// Reads a prompt. Without known lines around it, the conversation goes from its first message to the end.
    pub(super) fn read(prompt: &'p str) -> Self {
        let found = AROUND.iter().filter_map(|(open, close)| between(prompt, open, close));
        // A conversation may hold another template's lines; the outer ones come first.
        let inside = found.min_by_key(|range| range.start).unwrap_or_else(|| {
            let start = conversation::first_message(prompt).unwrap_or(prompt.len());
            start..prompt.len()
        });
        let (before, after) = (&prompt[..inside.start], &prompt[inside.end..]);
        let (mut previous, mut instructions) = (None, [before, "", after]);
        for (index, part) in [(2, after), (0, before)] {
            if let Some(range) = between(part, "<previous-summary>", "</previous-summary>") {
                previous = Some(part[range.clone()].trim());
                instructions[index] = &part[..range.start];
                instructions[1] = &part[range.end..];
                break;
            }
        }
        let mut headings = Vec::new();
        for part in instructions {
            read_headings(part, &mut headings);
        }
        Self { conversation: prompt[inside].trim_matches('\n'), previous, headings }
    }
}

/// What stands between the first line `open` and the last line `close`.
fn between(text: &str, open: &str, close: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let alone = |at: usize, len: usize| {
        (at == 0 || bytes[at - 1] == b'\n') && bytes.get(at + len).is_none_or(|&byte| byte == b'\n')
    };
    let start = memmem::find_iter(bytes, open).find(|&at| alone(at, open.len()))? + open.len();
    let end = memmem::rfind_iter(bytes, close).find(|&at| alone(at, close.len()))?;
    (start <= end).then_some(start..end)
}

/// The title of a line that is a heading: `## Goal`, `**Goal**`, `SESSION INTENT`.
pub(super) fn heading_title(line: &str) -> Option<&str> {
    // Longer lines are sentences.
    if line.len() > 80 {
        return None;
    }
    let marks = line.bytes().take_while(|&byte| byte == b'#').count();
    if (1..=6).contains(&marks) {
        return line[marks..].strip_prefix(' ').map(str::trim).filter(|title| !title.is_empty());
    }
    if let Some(bold) = line.strip_prefix("**").and_then(|rest| rest.trim_end_matches(':').strip_suffix("**")) {
        return (!bold.is_empty() && !bold.contains("**")).then(|| bold.trim_end_matches(':'));
    }
    if let Some(tag) = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        // `<overall_goal>`; tags without a `_` enclose parts of a prompt.
        let is_field = tag.contains('_') && tag.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
        return is_field.then_some(tag);
    }
    // A list item begins with its mark.
    if !line.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let capitals = line.bytes().filter(u8::is_ascii_uppercase).count();
    let others = line.bytes().all(|byte| byte.is_ascii_uppercase() || b" &/-_,'():".contains(&byte));
    (capitals >= 3 && others).then(|| line.trim_end_matches(':'))
}

fn level(print: &str) -> usize {
    print.bytes().take_while(|&byte| byte == b'#').count()
}

fn read_headings<'p>(instructions: &'p str, out: &mut Vec<Asked<'p>>) {
    let mut lines = instructions.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    while let Some(line) = lines.next() {
        let Some(title) = heading_title(line).filter(|title| !["Conversation", "Instructions"].contains(title)) else {
            continue;
        };
        // A prompt without a conversation is all instructions: their number must not make it slow.
        if out.len() == MOST_HEADINGS || out.iter().any(|asked| asked.print == line) {
            continue;
        }
        let follows = lines.peek().copied();
        let holds_others = follows.is_some_and(|next| level(line) > 0 && level(next) > level(line));
        let asks = follows.filter(|next| heading_title(next).is_none());
        out.push(Asked { print: line, topic: Topic::of(title, asks), holds_others });
    }
}

#[cfg(test)]
mod tests {
    use super::{Ask, Topic, between, heading_title};

    #[test]
    fn headings_are_lines_of_marks_bold_or_capitals() {
        assert_eq!(heading_title("## Key Decisions"), Some("Key Decisions"));
        assert_eq!(heading_title("**Goal:**"), Some("Goal"));
        assert_eq!(heading_title("NEXT STEPS:"), Some("NEXT STEPS"));
        for line in ["#Goal", "- FAILED", "- **LL(1)**: simple", "**a** and **b**", "None", "Fill every section.", "##"]
        {
            assert_eq!(heading_title(line), None, "{line}");
        }
    }

    #[test]
    fn delimiters_count_only_on_lines_of_their_own() {
        assert_eq!(between("<m>\nin <m>\nx </m>\n</m>\nout", "<m>", "</m>"), Some(3..18));
        assert_eq!(between("see <m>\nx\n</m>", "<m>", "</m>"), None);
    }

    #[test]
    fn a_prompt_without_known_lines_begins_at_its_first_message() {
        let ask = Ask::read("Sum it up.\n# Aims\nwhat the goals are\n# Files\n\n[User]: hi\n# Not asked");
        assert_eq!(ask.conversation, "[User]: hi\n# Not asked");
        let topics: Vec<_> = ask.headings.iter().map(|asked| (asked.print, asked.topic)).collect();
        assert_eq!(topics, [("# Aims", Topic::Goal), ("# Files", Topic::Artifacts)]);
    }
}
