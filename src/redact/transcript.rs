//! All texts of a transcript.

use std::collections::{BTreeMap, HashSet};

use super::find::{Found, find, spliced};
use super::json;
use super::known::Known;
use super::patterns::SecretKind;
use super::redactor::Redactor;
use super::replace::Replacements;
use crate::transcript::{Block, Compaction, Content, Entry, EntryKind, JsonText, Message, System, Text, Transcript};

/// Shorter secrets are only replaced where their pattern finds them: elsewhere they may be ordinary words.
pub(super) const REPEATED: usize = 6;

/// Shorter names are.
const REPEATED_NAME: usize = 3;

/// How many secrets of each kind were replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redacted {
    /// Places that a pattern found.
    pub found: BTreeMap<SecretKind, usize>,
    /// Further places where one of those secrets stands without its pattern.
    pub repeated: usize,
}

impl Redacted {
    /// Takes over the counts of `other`.
    pub fn append(&mut self, other: &Self) {
        other.found.iter().for_each(|(&kind, number)| *self.found.entry(kind).or_default() += number);
        self.repeated += other.repeated;
    }

    /// How many places were changed.
    pub fn total(&self) -> usize {
        self.found.values().sum::<usize>() + self.repeated
    }

    /// The counts by kind.
    pub fn in_words(&self) -> String {
        let found = self.found.iter().map(|(kind, number)| format!("{number} {}", kind.name()));
        let repeated = (self.repeated > 0).then(|| format!("{} repeated", self.repeated));
        let all: Vec<String> = found.chain(repeated).collect();
        if all.is_empty() { "nothing was found".to_owned() } else { all.join(", ") }
    }
}

/// Replaces the secrets of a transcript. Two passes: the first finds them, the second replaces each wherever it stands.
pub fn redact(transcript: &mut Transcript) -> Redacted {
    redact_with(transcript).0
}

/// The same, and what redacts other texts alike, such as those that were written about the transcript.
pub fn redact_with(transcript: &mut Transcript) -> (Redacted, Redactor) {
    let mut finder = Finder::default();
    texts(transcript, &mut finder);
    if finder.found.is_empty() {
        return (Redacted::default(), Redactor::default());
    }
    let known = Known::of(&finder.by_length(), |secret| finder.is_name(secret), false);
    let mut replacer = Replacer { known, replacements: Replacements::default(), repeated: 0 };
    texts(transcript, &mut replacer);
    let redactor = Redactor::knowing(&finder, replacer.replacements);
    (Redacted { found: finder.found, repeated: replacer.repeated }, redactor)
}

/// What is done with each text.
trait Visit {
    /// A text; `Some` is its new form.
    fn text(&mut self, text: &str) -> Option<String>;
    /// JSON; `Some` is its new form.
    fn json(&mut self, json: &str) -> Option<String>;
}

/// The first pass.
#[derive(Default)]
pub(super) struct Finder {
    found: BTreeMap<SecretKind, usize>,
    secrets: HashSet<Box<str>>,
    /// Of people, out of home paths.
    names: HashSet<Box<str>>,
}

impl Finder {
    fn note(&mut self, text: &str, found: Vec<Found>) {
        for Found { kind, range } in found {
            *self.found.entry(kind).or_default() += 1;
            let secret = &text[range];
            match kind {
                // An address is found by its own form.
                SecretKind::Email => {}
                SecretKind::HomePath if secret.len() >= REPEATED_NAME => _ = self.names.insert(secret.into()),
                _ if secret.len() >= REPEATED => _ = self.secrets.insert(secret.into()),
                _ => {}
            }
        }
    }

    /// Takes up the secrets of a text.
    pub(super) fn look_at(&mut self, text: &str) {
        self.note(text, find(text));
    }

    /// Whether a secret is nothing but the name of a person, in any case of its letters.
    pub(super) fn is_name(&self, secret: &str) -> bool {
        !self.secrets.contains(secret)
            && (self.names.contains(secret) || self.names.iter().any(|name| name.eq_ignore_ascii_case(secret)))
    }

    /// The secrets that are looked for everywhere, the longest first.
    pub(super) fn by_length(&self) -> Vec<&str> {
        let mut secrets: Vec<&str> = self.secrets.union(&self.names).map(|secret| &**secret).collect();
        secrets.sort_unstable_by_key(|secret| (std::cmp::Reverse(secret.len()), *secret));
        secrets
    }
}

impl Visit for Finder {
    fn text(&mut self, text: &str) -> Option<String> {
        self.look_at(text);
        None
    }

    fn json(&mut self, json: &str) -> Option<String> {
        json::secrets(json, |text, found| self.note(text, found));
        None
    }
}

/// The second pass.
struct Replacer {
    known: Known,
    replacements: Replacements,
    repeated: usize,
}

impl Visit for Replacer {
    fn text(&mut self, text: &str) -> Option<String> {
        let found = self.known.add_to(text, find(text), &mut self.repeated);
        let replacements = &mut self.replacements;
        (!found.is_empty()).then(|| spliced(text, found, |secret, out| out.push_str(replacements.of(secret))))
    }

    fn json(&mut self, json: &str) -> Option<String> {
        let Self { known, replacements, repeated } = self;
        json::replaced(json, replacements, &mut |text, secret_field| {
            known.add_to(text, json::found_in(text, secret_field), repeated)
        })
    }
}

/// Visits every text of a transcript but the data of pictures and signatures.
fn texts(transcript: &mut Transcript, visit: &mut dyn Visit) {
    let meta = &mut transcript.meta;
    boxed(&mut meta.id, visit);
    for text in [&mut meta.timestamp, &mut meta.cwd, &mut meta.parent_session] {
        some_boxed(text, visit);
    }
    some_json(&mut meta.extra, visit);
    some_text(&mut transcript.head.system, visit);
    for tool in transcript.head.tools.iter_mut().flatten() {
        boxed(&mut tool.description, visit);
        if let Some(new) = visit.json(&tool.parameters) {
            tool.parameters = new.into();
        }
    }
    transcript.entries.iter_mut().for_each(|entry| of_entry(entry, visit));
}

fn of_entry(entry: &mut Entry, visit: &mut dyn Visit) {
    some_json(&mut entry.extra, visit);
    match &mut entry.kind {
        EntryKind::Message(message) => of_message(message, visit),
        EntryKind::Compaction(compaction) => {
            let Compaction { summary, details, system, replacement, .. } = &mut **compaction;
            text(summary, visit);
            some_json(details, visit);
            some_json(system, visit);
            replacement.iter_mut().for_each(|message| of_message(message, visit));
        }
        EntryKind::BranchSummary(branch) => {
            text(&mut branch.summary, visit);
            some_json(&mut branch.details, visit);
        }
        EntryKind::ContextEdit(edit) => edit.replacement.iter_mut().for_each(|content| of_content(content, visit)),
        EntryKind::Note { raw, .. } => of_json(raw, visit),
        EntryKind::ModelChange { .. } | EntryKind::ThinkingLevelChange(_) => {}
    }
}

fn of_message(message: &mut Message, visit: &mut dyn Visit) {
    match message {
        Message::User(content) => of_content(content, visit),
        Message::Assistant(content, reply) => {
            of_content(content, visit);
            some_boxed(&mut reply.error, visit);
        }
        Message::ToolResult(result) => {
            of_content(&mut result.content, visit);
            some_json(&mut result.details, visit);
            result.nested_calls.iter_mut().for_each(|calls| of_json(calls, visit));
        }
        Message::Bash(bash) => {
            text(&mut bash.command, visit);
            text(&mut bash.output, visit);
            some_boxed(&mut bash.full_output_path, visit);
        }
        Message::Custom(custom) => {
            of_content(&mut custom.content, visit);
            some_json(&mut custom.details, visit);
        }
        Message::BranchSummary(summary) | Message::CompactionSummary(summary) => text(summary, visit),
        Message::System(system) => {
            let System { content, sections, tools_added } = &mut **system;
            text(content, visit);
            sections.iter_mut().for_each(|(_, section)| text(section, visit));
            some_json(tools_added, visit);
        }
    }
}

fn of_content(content: &mut Content, visit: &mut dyn Visit) {
    for block in &mut content.blocks {
        match block {
            Block::Text(said) | Block::Thinking { text: said, .. } => text(said, visit),
            Block::ToolCall(call) => of_json(&mut call.arguments, visit),
            Block::Other(raw) => of_json(raw, visit),
            Block::Image(_) => {}
        }
    }
}

fn text(text: &mut Text, visit: &mut dyn Visit) {
    if let Some(new) = visit.text(text.as_str()) {
        *text = Text::new(new);
    }
}

fn some_text(some: &mut Option<Text>, visit: &mut dyn Visit) {
    some.iter_mut().for_each(|one| text(one, visit));
}

fn boxed(text: &mut Box<str>, visit: &mut dyn Visit) {
    if let Some(new) = visit.text(text) {
        *text = new.into();
    }
}

fn some_boxed(some: &mut Option<Box<str>>, visit: &mut dyn Visit) {
    some.iter_mut().for_each(|one| boxed(one, visit));
}

fn of_json(json: &mut JsonText, visit: &mut dyn Visit) {
    if let Some(new) = visit.json(json.as_str()).and_then(JsonText::new) {
        *json = new;
    }
}

fn some_json(some: &mut Option<JsonText>, visit: &mut dyn Visit) {
    some.iter_mut().for_each(|one| of_json(one, visit));
}
