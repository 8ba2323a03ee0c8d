//! What one line looks like.

use super::ContentClass::{self, Code, Encoded, Json, Log, Prose};

/// Words that begin a line of code in the languages agents write most, or of a shell.
const KEYWORDS: &[&str] = &[
    "abstract",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "cd",
    "class",
    "const",
    "continue",
    "def",
    "defer",
    "elif",
    "else",
    "enum",
    "except",
    "export",
    "extends",
    "extern",
    "finally",
    "fn",
    "func",
    "function",
    "impl",
    "import",
    "interface",
    "let",
    "match",
    "mod",
    "namespace",
    "package",
    "print",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "return",
    "static",
    "struct",
    "switch",
    "template",
    "throw",
    "try",
    "type",
    "typedef",
    "use",
    "using",
    "var",
    "while",
    "yield",
];

/// Words that programs put before a message.
const LEVELS: &[&str] =
    &["ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL", "CRITICAL", "PASS", "FAIL", "PASSED", "FAILED"];

/// How listings, tests, compilers and stack traces begin their lines.
const LOG_STARTS: &[&str] = &[
    "-rw",
    "drwx",
    "lrwx",
    "npm ",
    "yarn ",
    "Traceback ",
    "File \"",
    "Compiling ",
    "Downloading ",
    "Downloaded ",
    "Installing ",
    "Collecting ",
    "Requirement ",
    "test ",
    "tests ",
    "ok ",
    "not ok ",
    "error:",
    "error[",
    "warning:",
    "warn:",
    "note:",
    "--> ",
    "Exit code",
    "exit code",
    "✓",
    "✔",
    "✗",
    "×",
    "[notice]",
    "Process exited",
    "Finished ",
    "Running ",
];

/// The class of a line; `None` when it says too little, as a brace alone or a short word does.
pub(super) fn class(line: &str) -> Option<ContentClass> {
    let indented = line.starts_with([' ', '\t']);
    let (numbered, text) = without_number(line.trim());
    let shape = Shape::of(text);
    if shape.visible < 3 {
        return None;
    }
    if is_json(text) {
        return Some(Json);
    }
    if is_hex_dump(text) {
        return Some(Encoded);
    }
    if is_log(text, &shape) {
        return Some(Log);
    }
    if is_code(text, &shape, indented || numbered) {
        return Some(Code);
    }
    // Three words and mostly letters: a sentence, or a part of one.
    (shape.words >= 3 && shape.letters * 10 >= shape.visible * 7).then_some(Prose)
}

/// Bytes of a line by kind.
#[derive(Clone, Copy, Default)]
struct Shape {
    visible: usize,
    letters: usize,
    digits: usize,
    /// Signs that code is dense with.
    signs: usize,
    words: usize,
}

impl Shape {
    fn of(text: &str) -> Self {
        let mut shape = Self::default();
        let mut in_word = false;
        for &byte in text.as_bytes() {
            let blank = byte <= b' ';
            shape.words += usize::from(!blank && !in_word);
            in_word = !blank;
            shape.visible += usize::from(!blank);
            // Bytes of other alphabets are letters here.
            shape.letters += usize::from(byte.is_ascii_alphabetic() || byte >= 0x80);
            shape.digits += usize::from(byte.is_ascii_digit());
            shape.signs += usize::from(matches!(
                byte,
                b'{' | b'}'
                    | b'('
                    | b')'
                    | b'['
                    | b']'
                    | b';'
                    | b'='
                    | b'<'
                    | b'>'
                    | b'_'
                    | b'&'
                    | b'|'
                    | b'$'
                    | b'\\'
                    | b'"'
                    | b'/'
                    | b'@'
            ));
        }
        shape
    }
}

/// The line behind the number that a tool put before it (`12→`, `12:`, `12|`, a tab), or behind `path:12:`.
fn without_number(text: &str) -> (bool, &str) {
    let digits = text.len() - text.trim_start_matches(|one: char| one.is_ascii_digit()).len();
    let rest = &text[digits..];
    for mark in ["→", "\t", ": ", ":", "|", "- "] {
        if let Some(rest) = rest.strip_prefix(mark).filter(|_| (1..=6).contains(&digits)) {
            // 12:30:05 is a time.
            let time = mark == ":" && rest.starts_with(|one: char| one.is_ascii_digit());
            return if time { (false, text) } else { (true, rest.trim_start()) };
        }
    }
    let word = text.split([' ', '\t']).next().unwrap_or_default();
    let mut parts = word.splitn(3, ':');
    if let (Some(path), Some(number), Some(_)) = (parts.next(), parts.next(), parts.next()) {
        let named = path.contains(['/', '.']) && !number.is_empty() && number.bytes().all(|one| one.is_ascii_digit());
        if named {
            return (true, text[path.len() + number.len() + 2..].trim_start());
        }
    }
    (false, text)
}

fn is_json(text: &str) -> bool {
    const STARTS: [&str; 10] = ["{\"", "[{", "{'", "\"{\\\"", "[\"", "[[", "\\\"", "{ \"", "[ {", "},{"];
    if STARTS.iter().any(|start| text.starts_with(start)) {
        return true;
    }
    let quoted = text.starts_with('"');
    quoted && (text.contains("\":") || text.ends_with("\",") || (text.len() > 2 && text.ends_with('"')))
}

/// Four groups of hexadecimal digits or more, which make up most of the line, with a letter among them.
fn is_hex_dump(text: &str) -> bool {
    let (mut groups, mut bytes, mut letters) = (0, 0, 0);
    for word in text.split(' ').map(|word| word.trim_end_matches(':')) {
        let hex = matches!(word.len(), 2 | 4 | 8 | 16) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if hex {
            groups += 1;
            bytes += word.len();
            letters += word.bytes().filter(u8::is_ascii_alphabetic).count();
        }
    }
    groups >= 4 && letters > 0 && bytes * 2 >= text.len() - text.matches(' ').count()
}

fn is_log(text: &str, shape: &Shape) -> bool {
    if LOG_STARTS.iter().any(|start| text.starts_with(start)) || starts_with_time(text) {
        return true;
    }
    let mut head = text.split(|one: char| !one.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(4);
    if head.any(|word| LEVELS.contains(&word)) {
        return true;
    }
    let frame = text.starts_with("at ") && (text.ends_with(')') || text.contains(':'));
    // A path and nothing else: a listing.
    let listing = shape.words == 1 && text.contains('/') && !text.contains(['(', ';', '=', '<', '"']);
    let numbers = shape.digits * 2 >= shape.visible && shape.words >= 2;
    frame || listing || numbers
}

/// A date (`2026-01-31`) or a time of day (`12:30:05`) at the beginning, perhaps in brackets.
fn starts_with_time(text: &str) -> bool {
    let text = text.trim_start_matches(['[', '(', '"']).as_bytes();
    let like = |pattern: &[u8]| {
        text.len() >= pattern.len()
            && text
                .iter()
                .zip(pattern)
                .all(|(byte, form)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form })
    };
    like(b"0000-00-00") || like(b"0000/00/00") || like(b"00:00:00")
}

fn is_code(text: &str, shape: &Shape, inside: bool) -> bool {
    const STARTS: [&str; 13] =
        ["//", "/*", "*/", "#include", "#[", "#!", "</", "<!--", "<?", "if (", "for (", "if let ", "$ "];
    if STARTS.iter().any(|start| text.starts_with(start)) {
        return true;
    }
    let tag = text.starts_with('<') && text.ends_with('>');
    let ends = text.ends_with([';', '{', '}']) || text.ends_with("):") || text.ends_with("),") || text.ends_with(");");
    let word = text.split(|one: char| !one.is_ascii_alphanumeric()).next().unwrap_or_default();
    let keyword = KEYWORDS.contains(&word) && (shape.signs > 0 || shape.words <= 4);
    let dense = shape.signs * 8 >= shape.visible;
    let member = inside && (text.ends_with(',') || text.ends_with('(')) && shape.words <= 4;
    tag || ends || keyword || dense || member
}
