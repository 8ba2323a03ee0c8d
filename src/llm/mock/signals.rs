//! What a sentence says, by its words.

use std::ops::BitOrAssign;

/// A set of things that a sentence says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signals(u8);

impl Signals {
    pub(super) const REQUEST: Self = Self(1);
    pub(super) const CONSTRAINT: Self = Self(2);
    pub(super) const DECISION: Self = Self(4);
    pub(super) const NEXT: Self = Self(8);
    pub(super) const BLOCKED: Self = Self(16);
    pub(super) const DONE: Self = Self(32);
    /// A number, a path, an identifier.
    pub(super) const VALUE: Self = Self(64);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOrAssign for Signals {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Longest word of the list.
const LONGEST: usize = 11;

/// Reads a sentence once.
pub(super) fn signals(sentence: &str) -> Signals {
    let mut out = Signals::default();
    let mut after_do = false;
    for token in sentence.as_bytes().split(|&byte| byte == b' ' || byte == b'\t') {
        let (mut digit, mut mark) = (false, false);
        for &byte in token {
            digit |= byte.is_ascii_digit();
            mark |= matches!(byte, b'_' | b'`' | b'/' | b'%');
        }
        if mark || (digit && token.len() > 1) {
            out |= Signals::VALUE;
        }
        let word = trim(token);
        if word.len() > LONGEST {
            continue;
        }
        let mut lower = [0; LONGEST];
        for (lower, byte) in lower.iter_mut().zip(word) {
            *lower = byte.to_ascii_lowercase();
        }
        let lower = &lower[..word.len()];
        out |= english(lower);
        if after_do && lower == b"not" {
            out |= Signals::CONSTRAINT;
        }
        after_do = lower == b"do";
    }
    if !sentence.is_ascii() {
        for (at, first) in sentence.char_indices().filter(|&(_, c)| c >= '\u{2e80}') {
            out |= chinese(first, &sentence[at..]);
        }
        // A typographic apostrophe.
        if sentence.contains("n’t ") {
            out |= Signals::CONSTRAINT;
        }
    }
    out
}

fn trim(mut token: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = token
        && first.is_ascii_punctuation()
    {
        token = rest;
    }
    while let [rest @ .., last] = token
        && last.is_ascii_punctuation()
    {
        token = rest;
    }
    token
}

fn english(word: &[u8]) -> Signals {
    match word {
        b"please" | b"want" | b"implement" | b"create" | b"build" | b"refactor" | b"investigate" | b"can"
        | b"could" | b"find" | b"write" | b"make" | b"fix" | b"add" | b"update" | b"change" | b"remove" => {
            Signals::REQUEST
        }
        b"must" | b"never" | b"always" | b"only" | b"don't" | b"dont" | b"mustn't" | b"shouldn't" | b"avoid"
        | b"require" | b"requires" | b"required" | b"without" | b"prefer" | b"forbidden" => Signals::CONSTRAINT,
        b"decide" | b"decided" | b"decision" | b"instead" | b"because" | b"choose" | b"chose" | b"chosen" | b"use"
        | b"switch" | b"switched" | b"rather" | b"rejected" | b"opted" => Signals::DECISION,
        b"next" | b"will" | b"i'll" | b"todo" | b"remaining" | b"remains" | b"let's" => Signals::NEXT,
        b"blocked" | b"cannot" | b"can't" | b"unable" | b"fails" | b"failing" | b"stuck" | b"waiting" => {
            Signals::BLOCKED
        }
        b"done" | b"fixed" | b"added" | b"implemented" | b"created" | b"updated" | b"completed" | b"removed"
        | b"passes" | b"passed" | b"pass" | b"works" | b"wrote" | b"finished" | b"changed" => Signals::DONE,
        _ => Signals::default(),
    }
}

/// By the first character of a word, so that a text is walked once.
fn chinese(first: char, rest: &str) -> Signals {
    let starts = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
    match first {
        '请' | '帮' => Signals::REQUEST,
        '想' if starts(&["想要", "想让"]) => Signals::REQUEST,
        '必' if starts(&["必须", "必需"]) => Signals::CONSTRAINT,
        '不' if starts(&["不要", "不能", "不得", "不许", "不可", "不准"]) => Signals::CONSTRAINT,
        '禁' if starts(&["禁止"]) => Signals::CONSTRAINT,
        '只' if starts(&["只能", "只用", "只允许", "只有", "只许", "只改", "只要"]) => {
            Signals::CONSTRAINT
        }
        '始' if starts(&["始终"]) => Signals::CONSTRAINT,
        '务' if starts(&["务必"]) => Signals::CONSTRAINT,
        '决' if starts(&["决定"]) => Signals::DECISION,
        '改' if starts(&["改为", "改用"]) => Signals::DECISION,
        '因' if starts(&["因为"]) => Signals::DECISION,
        '选' if starts(&["选择", "选用"]) => Signals::DECISION,
        '采' if starts(&["采用"]) => Signals::DECISION,
        '接' if starts(&["接下来"]) => Signals::NEXT,
        '下' if starts(&["下一步"]) => Signals::NEXT,
        '还' if starts(&["还需要", "还要"]) => Signals::NEXT,
        '待' if starts(&["待办"]) => Signals::NEXT,
        '无' if starts(&["无法"]) => Signals::BLOCKED,
        '卡' if starts(&["卡住", "卡在"]) => Signals::BLOCKED,
        '阻' if starts(&["阻塞"]) => Signals::BLOCKED,
        '完' if starts(&["完成"]) => Signals::DONE,
        '已' if starts(&["已经", "已修", "已添", "已实", "已创", "已更", "已改", "已删"]) => {
            Signals::DONE
        }
        '通' if starts(&["通过"]) => Signals::DONE,
        _ => Signals::default(),
    }
}

/// Calls `each` with the sentences of a text, without list marks; fenced code and lines that are a tag are left out.
pub(super) fn sentences<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let mut fenced = false;
    for line in text.split('\n') {
        let line = unmarked(line);
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !is_tag(line) {
            split(line, &mut each);
        }
    }
}

fn is_tag(line: &str) -> bool {
    line.starts_with('<') && line.ends_with('>')
}

/// A line without the marks of a list item.
pub(super) fn unmarked(line: &str) -> &str {
    let line = line.trim().trim_start_matches(['>', '#']).trim_start();
    let line = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    let line = line.strip_prefix("[x] ").or_else(|| line.strip_prefix("[ ] ")).unwrap_or(line);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = if digits > 0 { line[digits..].strip_prefix(". ") } else { None };
    numbered.unwrap_or(line).trim_end()
}

fn split<'t>(line: &'t str, each: &mut impl FnMut(&'t str)) {
    let mut emit = |sentence: &'t str| {
        let sentence = sentence.trim();
        // Shorter ones ("ok", "1)") say nothing.
        if sentence.len() > 5 {
            each(sentence);
        }
    };
    let (bytes, mut from, mut at) = (line.as_bytes(), 0, 0);
    while at < bytes.len() {
        let len = match bytes[at] {
            // A full stop inside a name or a number is followed by something else than a space.
            b'.' | b'!' | b'?' if bytes.get(at + 1).is_some_and(|&next| next == b' ') => 1,
            // The Chinese full stop, exclamation mark, question mark and semicolon.
            0xE3 | 0xEF if ["。", "！", "？", "；"].iter().any(|mark| bytes[at..].starts_with(mark.as_bytes())) => {
                3
            }
            _ => 0,
        };
        at += len.max(1);
        if len > 0 {
            emit(&line[from..at]);
            from = at;
        }
    }
    emit(&line[from..]);
}
