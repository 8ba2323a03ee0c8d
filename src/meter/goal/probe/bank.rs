//! The questions about one cut, made by rule and frozen.

use std::collections::BTreeMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::gap::gapped;
use super::invert::inverted;
use super::sight::CutSight;
use crate::digest::hex;
use crate::meter::goal::text::normalise;
use crate::meter::goal::{Category, GoalItem, ItemSet};
use crate::transcript::{Action, EntryIdx, EntryKind, Transcript, message_touches};

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProbeKind {
    /// A value, an error or the goal.
    Recall,
    /// A file, or what was done to it.
    Artifact,
    /// Whether a step is done, or the words of one.
    Continuation,
    /// What was decided, or rejected.
    Decision,
    /// A rule of the person against the same rule turned round.
    Constraint,
    /// The current value of something that changed.
    Update,
    /// Something that was never said: the right answer is that it is not known.
    Negative,
}

impl ProbeKind {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::Artifact => "artifact",
            Self::Continuation => "continuation",
            Self::Decision => "decision",
            Self::Constraint => "constraint",
            Self::Update => "update",
            Self::Negative => "negative",
        }
    }

    fn of(category: Category) -> Self {
        match category {
            Category::Goal | Category::Value | Category::Error => Self::Recall,
            Category::Constraint => Self::Constraint,
            Category::Decision => Self::Decision,
            Category::Artifact => Self::Artifact,
            Category::Progress => Self::Continuation,
        }
    }
}

/// The right answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// One of these spellings, and none of those. All are normalised.
    Spelling {
        /// Any of them is right.
        right: Vec<String>,
        /// Any of them is wrong, whatever stands beside it.
        wrong: Vec<String>,
        /// Any of them is the value of before.
        stale: Vec<String>,
    },
    /// The letter of an option.
    Letter(char),
    /// That it is not known.
    NotKnown,
}

impl Expected {
    /// What is right, for a person to read: spellings are joined by `or`, and what is stale or wrong is named too.
    pub fn in_words(&self) -> String {
        let list = |spellings: &[String]| spellings.join(" or ");
        match self {
            Self::NotKnown => "NOT KNOWN".to_owned(),
            Self::Letter(letter) => letter.to_string(),
            Self::Spelling { right, wrong, stale } => {
                let mut words = list(right);
                for (name, spellings) in [("wrong", wrong), ("stale", stale)] {
                    if !spellings.is_empty() {
                        let _ = write!(words, "; {name}: {}", list(spellings));
                    }
                }
                words
            }
        }
    }
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Its id within the bank.
    pub id: String,
    /// What it asks for.
    pub kind: ProbeKind,
    /// The annotated item behind it.
    pub item: Option<String>,
    /// The question, with its options.
    pub text: String,
    /// The right answer.
    pub expected: Expected,
}

/// How many questions a bank may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankLimits {
    /// Questions of a kind.
    pub per_kind: usize,
    /// Questions about what was never said.
    pub negatives: usize,
}

/// The questions about one cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bank {
    /// By kind, then by id.
    pub questions: Vec<Question>,
    /// Items of the dropped part that gave no question, and why.
    pub left_out: Vec<(String, &'static str)>,
}

impl Bank {
    /// Makes the questions: about items whose every source was dropped, files that only the dropped part touches, and
    /// names that nobody said. Where a kind has more than its share, annotated items come first, and digests of the ids choose.
    pub fn new(items: &ItemSet, transcript: &Transcript, cut: &CutSight, history: &str, limits: BankLimits) -> Self {
        let mut bank = Self::default();
        for item in items.items.iter().filter(|item| is_asked(item, items, cut)) {
            match of_item(item, items, cut) {
                Ok(questions) => bank.questions.extend(questions),
                Err(why) => bank.left_out.push((item.id.clone(), why)),
            }
        }
        bank.questions.extend(files(transcript, cut));
        bank.questions.sort_by_cached_key(|question| (question.kind, question.item.is_none(), digest(&question.id)));
        let mut taken: BTreeMap<ProbeKind, usize> = BTreeMap::new();
        bank.questions.retain(|question| {
            let count = taken.entry(question.kind).or_default();
            *count += 1;
            *count <= limits.per_kind
        });
        bank.questions.sort_by(|a, b| (a.kind, &a.id).cmp(&(b.kind, &b.id)));
        bank.questions.extend(negatives(history, limits.negatives));
        bank
    }

    /// SHA-256 of all questions and answers, in hexadecimal.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for question in &self.questions {
            // `Debug` of plain values is unambiguous: texts are quoted.
            hash.update(format!("{question:?}\n"));
        }
        hex(&hash.finalize())
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Whether every source was dropped, and nothing known by now replaces the item.
fn is_asked(item: &GoalItem, items: &ItemSet, cut: &CutSight) -> bool {
    let said = |item: &GoalItem| item.source.iter().all(|&idx| idx <= cut.now);
    let replaced = item.superseded_by.is_some_and(|newer| said(&items.items[newer]));
    item.source.iter().all(|&idx| cut.is_dropped(idx)) && !replaced
}

fn of_item(item: &GoalItem, items: &ItemSet, cut: &CutSight) -> Result<Vec<Question>, &'static str> {
    let stale = stale_spellings(item, items);
    let mut questions = Vec::new();
    if let Some(done_at) = item.done_at {
        questions.push(standing(item, done_at <= cut.now));
    }
    let own = if !stale.is_empty() {
        gap(item, ProbeKind::Update, stale)
    } else if item.category == Category::Constraint {
        choice_of_rule(item)
    } else {
        gap(item, ProbeKind::of(item.category), Vec::new())
    };
    match own {
        Ok(own) => questions.push(own),
        Err(why) if questions.is_empty() => return Err(why),
        Err(_) => {}
    }
    Ok(questions)
}

/// Spellings of the items that this one replaces, but for those that it shares with them.
fn stale_spellings(item: &GoalItem, items: &ItemSet) -> Vec<String> {
    let own = normalise(&item.text);
    let is_me = |older: &&GoalItem| older.superseded_by.is_some_and(|newer| items.items[newer].id == item.id);
    let spellings = items.items.iter().filter(is_me).flat_map(|older| older.must.iter().flatten());
    spellings.filter(|spelling| !own.contains(*spelling)).cloned().collect()
}

/// The slot with a number before others, then the one with the longest spelling: names and values say most.
fn gap(item: &GoalItem, kind: ProbeKind, stale: Vec<String>) -> Result<Question, &'static str> {
    let weight = |slot: &&Vec<String>| {
        let has_digit = slot.iter().any(|spelling| spelling.bytes().any(|byte| byte.is_ascii_digit()));
        (has_digit, slot.iter().map(String::len).max().unwrap_or(0))
    };
    let mut slots: Vec<&Vec<String>> = item.must.iter().collect();
    slots.sort_by_key(|slot| std::cmp::Reverse(weight(slot)));
    let mut why = "its text spells no answer";
    for slot in slots {
        match gapped(&item.text, slot) {
            Ok(statement) => {
                let text = if kind == ProbeKind::Update {
                    format!(
                        "This changed in the session. What stands in the gap of the statement now?\nStatement: {statement}"
                    )
                } else {
                    statement_of(&statement)
                };
                let expected = Expected::Spelling { right: slot.clone(), wrong: item.must_not.clone(), stale };
                return Ok(Question { id: item.id.clone(), kind, item: Some(item.id.clone()), text, expected });
            }
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

fn statement_of(statement: &str) -> String {
    format!("What stands in the gap of this statement about the session?\nStatement: {statement}")
}

fn choice_of_rule(item: &GoalItem) -> Result<Question, &'static str> {
    let (rule, turned) = inverted(&item.text).ok_or("no known word carries its polarity")?;
    let (text, letter) = choice("Which of the two holds in the session?", [rule, &turned], &item.id);
    let (kind, expected) = (ProbeKind::Constraint, Expected::Letter(letter));
    Ok(Question { id: item.id.clone(), kind, item: Some(item.id.clone()), text, expected })
}

/// Two options, the right one given first; their order follows from a digest.
fn choice(ask: &str, [right, wrong]: [&str; 2], id: &str) -> (String, char) {
    if digest(id)[0].is_multiple_of(2) {
        (format!("{ask}\nA) {right}\nB) {wrong}"), 'A')
    } else {
        (format!("{ask}\nA) {wrong}\nB) {right}"), 'B')
    }
}

fn standing(item: &GoalItem, is_done: bool) -> Question {
    let id = format!("{}/standing", item.id);
    let options = if is_done { ["done", "still open"] } else { ["still open", "done"] };
    let ask = format!("How does this stand at the end of what is recorded? {}", item.text);
    let (text, letter) = choice(&ask, options, &id);
    let (kind, expected) = (ProbeKind::Continuation, Expected::Letter(letter));
    Question { id, kind, item: Some(item.id.clone()), text, expected }
}

/// Files that calls of the dropped part touch, and no other call up to now.
fn files(transcript: &Transcript, cut: &CutSight) -> Vec<Question> {
    let mut found: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for &idx in cut.path.iter().filter(|&&idx| idx <= cut.now) {
        let EntryKind::Message(message) = &transcript.entry(idx).kind else { continue };
        for touch in message_touches(message) {
            let (changed, dropped) = found.entry(touch.path).or_insert((false, true));
            *changed |= touch.action == Action::Modify;
            *dropped &= cut.is_dropped(idx);
        }
    }
    let question = |(path, (changed, _)): (String, (bool, bool))| {
        let id = format!("file/{path}");
        let ask = format!("What did the agent do to the file `{path}` in the session?");
        let options = if changed {
            ["it changed the file", "it only read it"]
        } else {
            ["it only read it", "it changed the file"]
        };
        let (text, letter) = choice(&ask, options, &id);
        Question { id, kind: ProbeKind::Artifact, item: None, text, expected: Expected::Letter(letter) }
    };
    found.into_iter().filter(|(_, (_, dropped))| *dropped).map(question).collect()
}

const FIRST: [&str; 12] =
    ["amber", "brisk", "cobalt", "dapple", "ember", "fallow", "garnet", "hollow", "indigo", "juniper", "kelp", "larch"];
const SECOND: [&str; 12] = [
    "heron", "lantern", "quarry", "saddle", "thicket", "anvil", "beacon", "cinder", "dovetail", "ferry", "gable",
    "harrow",
];
const NEVER_SAID: [(&str, &str); 4] = [
    ("The limit of ", " is ____ requests per second."),
    ("The ticket that tracks ", " is ____."),
    ("The person asked to move ", " to the folder ____."),
    ("The port on which ", " listens is ____."),
];

/// Statements about names that nobody said; the names follow from a digest of the history.
fn negatives(history: &str, count: usize) -> Vec<Question> {
    let said = normalise(history);
    let bytes = digest(history);
    let pick = |at: usize| usize::from(bytes[at % bytes.len()]);
    let names =
        (0..).map(|at| format!("{}-{}", FIRST[(pick(at) + at) % FIRST.len()], SECOND[pick(at + 7) % SECOND.len()]));
    let mut unsaid: Vec<String> = Vec::new();
    // Twelve times twelve names: more tries than that find nothing new.
    for name in names.take(FIRST.len() * SECOND.len()) {
        if unsaid.len() < count && !said.contains(&name) && !unsaid.contains(&name) {
            unsaid.push(name);
        }
    }
    let question = |(at, name): (usize, String)| {
        let (before, after) = NEVER_SAID[at % NEVER_SAID.len()];
        Question {
            id: format!("never-said/{name}"),
            kind: ProbeKind::Negative,
            item: None,
            text: statement_of(&format!("{before}{name}{after}")),
            expected: Expected::NotKnown,
        }
    };
    unsaid.into_iter().enumerate().map(question).collect()
}

impl CutSight {
    /// Whether the cut, or one before it, took this entry away.
    pub fn is_dropped(&self, idx: EntryIdx) -> bool {
        self.dropped.get(idx.0).copied().unwrap_or(false)
    }
}
