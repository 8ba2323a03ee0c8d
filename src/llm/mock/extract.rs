//! What a conversation says, sorted by topic.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use memchr::{memchr, memmem, memrchr};

use super::conversation::{self, Part, Speaker};
use super::signals::{Signals, sentences, signals};
use super::topic::Topic;

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'c> {
    text: &'c str,
    escaped: bool,
}

/// Longest line of a summary, in bytes: longer statements are cut.
const LONGEST: usize = 400;

impl<'c> Line<'c> {
    pub(super) fn new(text: &'c str, escaped: bool) -> Self {
        Self { text, escaped }
    }

    /// The statement as it goes into a summary.
    pub(super) fn render(self) -> String {
        let mut end = self.text.len().min(LONGEST);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let cut = if end < self.text.len() { "…" } else { "" };
        let text = &self.text[..end];
        if self.escaped && text.contains('&') {
            let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            return format!("{text}{cut}");
        }
        format!("{text}{cut}")
    }
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Actions {
    read: bool,
    wrote: bool,
    edited: bool,
}

impl Actions {
    /// By the tool's name.
    fn by(tool: &str) -> Self {
        let tool = tool.to_ascii_lowercase();
        let named = |words: &[&str]| words.iter().any(|word| tool.contains(word));
        let edited = named(&["edit", "patch", "replace"]);
        let wrote = !edited && named(&["write", "create"]);
        Self { read: !edited && !wrote && named(&["read", "view", "open", "cat"]), wrote, edited }
    }

    pub(super) fn changed(self) -> bool {
        self.wrote || self.edited
    }

    /// `read, edited`.
    pub(super) fn words(self) -> String {
        let words = [(self.read, "read"), (self.wrote, "written"), (self.edited, "edited")];
        words.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect::<Vec<_>>().join(", ")
    }
}

/// What a conversation says.
#[derive(Debug, Default)]
pub(super) struct Facts<'c> {
    statements: BTreeMap<Topic, Vec<Line<'c>>>,
    /// Files in the order of their first call.
    pub(super) files: Vec<(Cow<'c, str>, Actions)>,
    index: BTreeMap<Cow<'c, str>, usize>,
}

impl<'c> Facts<'c> {
    /// Reads a conversation once. The part `omit` is left out: it holds an older summary.
    pub(super) fn read(parts: &[Part<'c>], omit: Option<usize>) -> Self {
        let mut facts = Self::default();
        let is = |index: usize, speaker| Some(index) != omit && parts[index].speaker == speaker;
        let first_user = (0..parts.len()).find(|&index| is(index, Speaker::User));
        let last_reply =
            (0..parts.len()).rfind(|&index| is(index, Speaker::Assistant) && !parts[index].text.is_empty());
        for (index, part) in parts.iter().enumerate().filter(|&(index, _)| Some(index) != omit) {
            match part.speaker {
                Speaker::User => facts.user(part, Some(index) == first_user),
                Speaker::Assistant => facts.assistant(part, Some(index) == last_reply),
                Speaker::Calls => facts.calls(part),
                Speaker::Thinking | Speaker::Results | Speaker::System => {}
            }
        }
        facts.errors(parts);
        facts
    }

    /// The statements of a topic, in order.
    pub(super) fn of(&self, topic: Topic) -> &[Line<'c>] {
        self.statements.get(&topic).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, topic: Topic, text: &'c str, escaped: bool) {
        self.statements.entry(topic).or_default().push(Line { text, escaped });
    }

    fn user(&mut self, part: &Part<'c>, first: bool) {
        // The opening says what the session is for, in whatever words.
        let mut opening = if first { 3_u32 } else { 0 };
        sentences(part.text, |sentence| {
            let said = signals(sentence);
            if opening > 0 || said.has(Signals::REQUEST) {
                self.add(Topic::Goal, sentence, part.escaped);
            }
            opening = opening.saturating_sub(1);
            if said.has(Signals::CONSTRAINT) {
                self.add(Topic::Constraints, sentence, part.escaped);
            } else if said.has(Signals::DECISION) {
                self.add(Topic::Decisions, sentence, part.escaped);
            } else if said.has(Signals::VALUE) {
                self.add(Topic::Facts, sentence, part.escaped);
            }
        });
    }

    fn assistant(&mut self, part: &Part<'c>, last: bool) {
        let mut newest = None;
        sentences(part.text, |sentence| {
            let said = signals(sentence);
            newest = Some((sentence, said));
            let topic = match () {
                () if said.has(Signals::DECISION) => Topic::Decisions,
                () if said.has(Signals::BLOCKED) => Topic::Blocked,
                () if said.has(Signals::NEXT) => Topic::Next,
                () if said.has(Signals::DONE) => Topic::Done,
                () if said.has(Signals::VALUE) => Topic::Facts,
                () => return,
            };
            self.add(topic, sentence, part.escaped);
        });
        // Work that is neither announced nor finished is under way.
        if let Some((sentence, said)) = newest.filter(|_| last)
            && !said.has(Signals::NEXT)
            && !said.has(Signals::DONE)
        {
            self.add(Topic::InProgress, sentence, part.escaped);
        }
    }

    fn calls(&mut self, part: &Part<'c>) {
        for call in conversation::calls(part) {
            let (Some(path), did) = (call.path, Actions::by(call.tool)) else { continue };
            if did == Actions::default() {
                continue;
            }
            let at = *self.index.entry(path.clone()).or_insert(self.files.len());
            if at == self.files.len() {
                self.files.push((path, did));
            } else {
                let known = &mut self.files[at].1;
                known.read |= did.read;
                known.wrote |= did.wrote;
                known.edited |= did.edited;
            }
        }
    }

    /// Lines of tool results that tell of errors and outcomes, from the end, as far as a summary could hold them.
    fn errors(&mut self, parts: &[Part<'c>]) {
        let mut found = Vec::new();
        for part in parts.iter().rev().filter(|part| part.speaker == Speaker::Results) {
            let mut lines = outcome_lines(part.text);
            lines.reverse();
            found.extend(lines.into_iter().map(|text| Line { text, escaped: part.escaped }));
            if found.len() >= ENOUGH {
                break;
            }
        }
        found.reverse();
        self.statements.insert(Topic::Errors, found);
    }
}

/// Lines of errors after which no more are looked for.
const ENOUGH: usize = 256;

/// Words in lines that matter, without the first letter where it may be a capital. `error` alone is in too much code.
static OUTCOMES: LazyLock<Vec<memmem::Finder<'static>>> = LazyLock::new(|| {
    let errors = ["rror:", "rror[", "rror TS", "ERROR", "panicked", "xception:", "错误"];
    let outcomes = ["failed", "FAILED", " passed", "xit code", "失败"];
    errors.into_iter().chain(outcomes).map(memmem::Finder::new).collect()
});

fn outcome_lines(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    for finder in OUTCOMES.iter() {
        let mut at = 0;
        while let Some(found) = finder.find(&bytes[at..]).map(|found| at + found) {
            let start = memrchr(b'\n', &bytes[..found]).map_or(0, |newline| newline + 1);
            let end = memchr(b'\n', &bytes[found..]).map_or(bytes.len(), |newline| found + newline);
            lines.push((start, end));
            at = end;
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines.into_iter().map(|(start, end)| text[start..end].trim()).collect()
}
