//! A serialized conversation, taken apart: the form of Pi and the XML of Deep Agents.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Assistant,
    Thinking,
    Calls,
    Results,
    System,
}

/// A part of a conversation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'c> {
    pub(super) speaker: Speaker,
    pub(super) text: &'c str,
    /// `&`, `<` and `>` are escaped.
    pub(super) escaped: bool,
}

const MARKS: [(&str, Speaker); 5] = [
    ("[User]: ", Speaker::User),
    ("[Assistant]: ", Speaker::Assistant),
    ("[Assistant thinking]: ", Speaker::Thinking),
    ("[Assistant tool calls]: ", Speaker::Calls),
    ("[Tool result]: ", Speaker::Results),
];

const ELEMENT: &str = "<message type=\"";

fn mark(text: &str) -> Option<(usize, Speaker)> {
    MARKS.iter().find(|(mark, _)| text.starts_with(mark)).map(|&(mark, speaker)| (mark.len(), speaker))
}

/// Where the first message of either form begins.
pub(super) fn first_message(text: &str) -> Option<usize> {
    let starts = |at: usize| mark(&text[at..]).is_some() || text[at..].starts_with(ELEMENT);
    if starts(0) {
        return Some(0);
    }
    memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).find(|&at| starts(at))
}

/// The parts, in order. Text in another form is one part of the user's.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    if text.starts_with(ELEMENT) {
        return elements(text);
    }
    let mut out = Vec::new();
    let (mut from, mut speaker) = mark(text).unwrap_or((0, Speaker::User));
    // Parts are joined by a blank line. A result that imitates this cannot be told apart, by a real model neither.
    for at in memmem::find_iter(text.as_bytes(), "\n\n[") {
        if let Some((len, next)) = mark(&text[at + 2..]) {
            out.push(Part { speaker, text: text.get(from..at).unwrap_or_default(), escaped: false });
            (from, speaker) = (at + 2 + len, next);
        }
    }
    out.push(Part { speaker, text: &text[from..], escaped: false });
    out
}

fn elements(text: &str) -> Vec<Part<'_>> {
    let mut out = Vec::new();
    // Text is escaped, so the start of an element is never text.
    let starts = memmem::find_iter(text.as_bytes(), ELEMENT).collect::<Vec<_>>();
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        let element = &text[start + ELEMENT.len()..end];
        let Some(open) = memchr(b'>', element.as_bytes()) else { continue };
        let body = element[open + 1..].trim_end();
        let body = body.strip_suffix("</message>").unwrap_or(body);
        let speaker = match element.split('"').next() {
            Some("human") => Speaker::User,
            Some("ai") => Speaker::Assistant,
            Some("tool" | "function") => Speaker::Results,
            _ => Speaker::System,
        };
        let nested = body.trim_start();
        if speaker == Speaker::Assistant && (nested.starts_with("<content>") || nested.starts_with("<tool_call ")) {
            let (content, calls) = nested.split_once("</content>").unwrap_or(("", nested));
            let content = content.strip_prefix("<content>").unwrap_or(content);
            out.push(Part { speaker, text: content, escaped: true });
            out.push(Part { speaker: Speaker::Calls, text: calls, escaped: true });
        } else {
            out.push(Part { speaker, text: body, escaped: true });
        }
    }
    out
}

/// A tool call: the tool, and the argument that says on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call<'c> {
    pub(super) tool: &'c str,
    pub(super) path: Option<Cow<'c, str>>,
}

const PATHS: [&str; 7] = ["path", "file_path", "filePath", "filename", "file", "target_file", "notebook_path"];

/// The calls of a [`Speaker::Calls`] part.
pub(super) fn calls<'c>(part: &Part<'c>) -> Vec<Call<'c>> {
    let mut out = Vec::new();
    if part.escaped {
        for element in part.text.split("<tool_call ").skip(1) {
            let Some((head, arguments)) = element.split_once('>') else { continue };
            let tool = head.split_once("name=\"").and_then(|(_, rest)| rest.split('"').next()).unwrap_or_default();
            let Some(arguments) = arguments.strip_prefix('{') else { continue };
            out.push(Call { tool, path: path(arguments, ':').0 });
        }
        return out;
    }
    let mut rest = part.text;
    while let Some((tool, arguments)) = rest.split_once('(') {
        let (path, used) = path(arguments, '=');
        out.push(Call { tool, path });
        let Some(next) = arguments[used..].strip_prefix("); ") else { break };
        rest = next;
    }
    out
}

/// The path among `key=JSON, key=JSON` or `"key": JSON, "key": JSON`, and where the arguments end.
fn path(arguments: &str, separator: char) -> (Option<Cow<'_, str>>, usize) {
    let (mut at, mut path) = (0, None);
    while let Some(found) = memchr2(separator as u8, b')', &arguments.as_bytes()[at..]) {
        if arguments.as_bytes()[at + found] == b')' && separator == '=' {
            return (path, at + found);
        }
        let key = arguments[at..at + found].trim_matches(|c: char| c == '"' || c == ',' || c.is_whitespace());
        at += found + 1;
        at += arguments[at..].len() - arguments[at..].trim_start().len();
        let len = value_len(&arguments.as_bytes()[at..]);
        let value = &arguments[at..at + len];
        if path.is_none() && PATHS.contains(&key) {
            path = string(value);
        }
        at += len;
        if !arguments[at..].starts_with(',') {
            break;
        }
    }
    (path, at)
}

fn string(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"').filter(|inner| !inner.is_empty())?;
    if inner.contains('\\') { serde_json::from_str(json).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

/// Length in bytes of the JSON value at the start; all that is left, when it does not end.
fn value_len(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at += string_len(&bytes[at..]),
            b'{' | b'[' => (at, depth) = (at + 1, depth + 1),
            b'}' | b']' if depth > 0 => (at, depth) = (at + 1, depth - 1),
            b',' | b')' | b'}' | b']' if depth == 0 => return at,
            _ => at += 1,
        }
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
            return at;
        }
    }
    at
}

fn string_len(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        if bytes[at + found] == b'"' {
            return at + found + 1;
        }
        at += found + 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{Part, Speaker, calls, first_message, parts};

    #[test]
    fn pi_parts_keep_blank_lines_and_brackets_of_their_own() {
        let text = "[User]: a\n\n[1] b\n\n[Assistant thinking]: t\n\n[Assistant]: \n\n[Tool result]: r";
        let found: Vec<_> = parts(text).iter().map(|part| (part.speaker, part.text)).collect();
        let expected = [
            (Speaker::User, "a\n\n[1] b"),
            (Speaker::Thinking, "t"),
            (Speaker::Assistant, ""),
            (Speaker::Results, "r"),
        ];
        assert_eq!(found, expected);
        assert_eq!(first_message("x\n[User]: a"), Some(2));
        assert_eq!(first_message("x [User]: a"), None);
    }

    #[test]
    fn calls_are_found_past_text_that_looks_like_their_end() {
        let call = |text| {
            let part = Part { speaker: Speaker::Calls, text, escaped: false };
            calls(&part).iter().map(|call| (call.tool, call.path.as_deref().map(str::to_owned))).collect::<Vec<_>>()
        };
        let path = |path: &str| Some(path.to_owned());
        let written =
            r#"write(content="a); read(path=\"no\")", path="b c\\d"); ls(); read(limit=5, path="e", x=[{"y":")"}])"#;
        assert_eq!(call(written), [("write", path("b c\\d")), ("ls", None), ("read", path("e"))]);
        // What does not end is not followed further, and nothing panics.
        assert_eq!(call("edit(path=\"a"), [("edit", None)]);
        assert_eq!(call("edit(path"), [("edit", None)]);
    }
}
