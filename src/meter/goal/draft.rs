//! Draft items from what a session shows by itself: rules and values that the person states, files that were changed,
//! errors. A person must finish them: a draft finds what is said, not what matters.

use std::collections::HashSet;
use std::fmt::Write;

use super::entity::{Kind, extract};
use super::text::whole_text;
use crate::replay::Item;
use crate::transcript::{Action, EntryIdx, Message, Transcript, joined_text, message_touches};

/// Words by which a person states a rule.
const RULES: [&str; 27] = [
    "must",
    "never",
    "always",
    "do not",
    "don't",
    "only ",
    "should",
    "without ",
    "keep ",
    "leave ",
    "make sure",
    "no more",
    "not allowed",
    "required",
    "at most",
    "at least",
    "instead of",
    "prefer",
    "avoid",
    "必须",
    "不要",
    "不能",
    "禁止",
    "只能",
    "务必",
    "保持",
    "不得",
];

/// Words that turn a rule round.
const NEGATIONS: [&str; 9] = ["do not", "don't", "never", "without", "not", "no ", "不要", "不能", "禁止"];

/// The longest sentence of a rule: a longer one is a pasted text.
const LONGEST: usize = 300;

/// No more drafts of a kind than a person will read.
const MOST: usize = 60;

/// An item as it would stand in `items.toml`.
struct Draft {
    id: String,
    category: &'static str,
    text: String,
    source: String,
    must: Vec<Vec<String>>,
    must_not: Vec<String>,
}

/// Drafts an `items.toml` for the path of a session.
pub fn draft(transcript: &Transcript, path: &[EntryIdx]) -> String {
    let mut drafts = Drafts { transcript, all: Vec::new(), known: HashSet::new() };
    for &idx in path {
        let item = Item::entry(transcript, idx);
        match item.message(transcript) {
            Some(Message::User(content)) => drafts.said(idx, &joined_text(content)),
            Some(message @ Message::Assistant(..)) => drafts.changed(idx, message),
            Some(Message::ToolResult(result)) if result.is_error => {
                drafts.failed(idx, &Message::ToolResult(result.clone()));
            }
            _ => {}
        }
    }
    let mut toml = String::from(
        "# A draft, made from the session by rule. Before any run a person must: drop what does not matter, say what each\n\
         # item means, give every slot its other spellings, mark critical ones, and set superseded_by and done_at.\n",
    );
    for one in &drafts.all {
        // Writing to a string cannot fail.
        let _ = one.write(&mut toml);
    }
    toml
}

struct Drafts<'a> {
    transcript: &'a Transcript,
    all: Vec<Draft>,
    known: HashSet<String>,
}

impl Drafts<'_> {
    fn push(&mut self, idx: EntryIdx, category: &'static str, text: &str, must: Vec<Vec<String>>) {
        let count = self.all.iter().filter(|one| one.category == category).count();
        if must.is_empty() || count == MOST || !self.known.insert(format!("{category} {must:?}")) {
            return;
        }
        let id = format!("{category}-{}", count + 1);
        let source = self.transcript.entry(idx).id.to_string();
        self.all.push(Draft { id, category, text: text.to_owned(), source, must, must_not: Vec::new() });
    }

    /// A message of the person: the first sentence of all is the goal, sentences with a rule are constraints, names and
    /// values are values.
    fn said(&mut self, idx: EntryIdx, text: &str) {
        let is_first = !self.all.iter().any(|one| one.category == "goal");
        for (number, sentence) in sentences(text).enumerate() {
            let names = names(sentence);
            let lower = sentence.to_lowercase();
            if is_first && number == 0 {
                self.push(
                    idx,
                    "goal",
                    sentence,
                    if names.is_empty() { vec![vec![sentence.to_owned()]] } else { names },
                );
            } else if RULES.iter().any(|word| lower.contains(word)) {
                let mut must = if names.is_empty() { vec![vec![sentence.to_owned()]] } else { names };
                let negation = NEGATIONS.iter().find(|word| lower.contains(*word));
                must.extend(negation.map(|word| vec![word.trim().to_owned()]));
                self.push(idx, "constraint", sentence, must);
            } else {
                for name in names {
                    self.push(idx, "value", sentence, vec![name]);
                }
            }
        }
    }

    fn changed(&mut self, idx: EntryIdx, message: &Message) {
        for touch in message_touches(message).into_iter().filter(|touch| touch.action == Action::Modify) {
            let must = vec![
                vec![touch.path.clone()],
                ["edit", "chang", "modif", "creat", "updat", "wr"].map(str::to_owned).to_vec(),
            ];
            self.push(idx, "artifact", &format!("{} was changed.", touch.path), must);
        }
    }

    fn failed(&mut self, idx: EntryIdx, message: &Message) {
        let text = whole_text(message);
        let first = text.lines().find(|line| line.trim().len() > 10 && line.len() <= LONGEST);
        if let Some(line) = first {
            self.push(idx, "error", line.trim(), vec![vec![line.trim().to_owned()]]);
        }
    }
}

/// Sentences and list items that are short enough to be a person's own words.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(['`', '>', '|']));
    let parts = lines.flat_map(|line| line.split_inclusive(['。', '；']).flat_map(|part| part.split(". ")));
    parts
        .map(|part| part.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*')))
        .filter(|part| part.len() > 8 && part.len() <= LONGEST)
}

/// The names and values of a sentence, each a slot.
fn names(sentence: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    extract(sentence, |entity| {
        // As it is written: the normal form may stand nowhere.
        let written = &sentence[entity.at..];
        let end = written.find(char::is_whitespace).unwrap_or(written.len());
        let key = if written.starts_with(&*entity.key) { entity.key.into_owned() } else { written[..end].to_owned() };
        let slot = vec![key];
        if entity.kind != Kind::Command && !found.contains(&slot) {
            found.push(slot);
        }
    });
    found
}

impl Draft {
    fn write(&self, out: &mut String) -> std::fmt::Result {
        let list = |words: &Vec<String>| {
            let quoted: Vec<String> = words.iter().map(|word| toml::Value::from(word.as_str()).to_string()).collect();
            format!("[{}]", quoted.join(", "))
        };
        let slots: Vec<String> = self.must.iter().map(list).collect();
        writeln!(out, "\n[[item]]\nid = {}", toml::Value::from(self.id.as_str()))?;
        writeln!(out, "category = \"{}\"\ntext = {}", self.category, toml::Value::from(self.text.as_str()))?;
        writeln!(out, "source = {}\nmust = [{}]", list(&vec![self.source.clone()]), slots.join(", "))?;
        if !self.must_not.is_empty() {
            writeln!(out, "must_not = {}", list(&self.must_not))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::draft;
    use crate::meter::goal::ItemSet;
    use crate::transcript::{Block, Content, Entry, EntryIdx, EntryKind, Message, Transcript};

    #[test]
    fn a_draft_is_a_valid_file_of_items() {
        let said = "Repair the tray scale T-77 first. Do not touch src/tray/api.rs, never. The limit is 42 g.";
        let content = Content { blocks: vec![Block::Text(said.into())], plain: true };
        let entry = Entry {
            id: "e0".into(),
            parent: None,
            line: 2,
            timestamp: None,
            message_time_ms: None,
            kind: EntryKind::Message(Message::User(content)),
            extra: None,
        };
        let transcript = Transcript { entries: vec![entry], ..Transcript::default() };
        let items = ItemSet::parse(&draft(&transcript, &[EntryIdx(0)]), &transcript).unwrap();
        let found: Vec<_> = items.items.iter().map(|item| (item.category.name(), item.must.clone())).collect();
        let slot = |word: &str| vec![word.to_owned()];
        assert_eq!(
            found,
            [
                ("goal", vec![slot("t-77")]),
                ("constraint", vec![slot("src/tray/api.rs"), slot("do not")]),
                ("value", vec![slot("42")])
            ]
        );
    }
}
