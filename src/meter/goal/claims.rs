//! Rules that a summary states and nobody said: by words alone, so that a rule without any name or value is judged too.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::faith::{UNSOURCED, is_unsourced};
use super::stems::{Search, Stem, Wanted, each_stem};
use super::text::{each_text, heading, stated};
use crate::measure::Measure;
use crate::meter::{Measures, Meter, number};
use crate::replay::{CompactionEvent, Item, ReplayEvent};
use crate::transcript::{EntryIdx, Message, Transcript};

/// Words by which a sentence states a rule.
const RULES: [&str; 19] = [
    "must",
    "never",
    "always",
    "do not",
    "don't",
    "only",
    "required",
    "forbidden",
    "prohibited",
    "not allowed",
    "shall",
    "should not",
    "shouldn't",
    "必须",
    "不要",
    "不能",
    "禁止",
    "只能",
    "务必",
];

/// Those words, found in one pass. A few short words always fit an automaton.
static RULE: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(RULES).ok());

/// Words that say nothing of what a rule is about.
const EMPTY: [&str; 58] = [
    "the",
    "and",
    "that",
    "this",
    "these",
    "those",
    "with",
    "for",
    "from",
    "was",
    "were",
    "are",
    "been",
    "being",
    "has",
    "have",
    "had",
    "not",
    "never",
    "always",
    "only",
    "must",
    "should",
    "shall",
    "will",
    "would",
    "can",
    "cannot",
    "could",
    "may",
    "any",
    "all",
    "its",
    "their",
    "them",
    "they",
    "you",
    "your",
    "user",
    "rule",
    "rules",
    "constraint",
    "constraints",
    "required",
    "forbidden",
    "prohibited",
    "allowed",
    "goal",
    "note",
    "into",
    "onto",
    "when",
    "then",
    "than",
    "don",
    "doesn",
    "per",
    "but",
];

/// A rule has a source when some message says at least this share of its words.
const ENOUGH: f64 = 0.5;
/// Fewer words than this cannot be judged.
const FEWEST: usize = 2;

/// A rule of a summary.
#[derive(Clone, Debug)]
struct Rule {
    text: String,
    stems: Vec<Stem>,
    now: Option<EntryIdx>,
}

/// The meter.
#[derive(Debug)]
pub struct Claims<'m> {
    transcript: &'m Transcript,
    path: &'m [EntryIdx],
    now: Option<EntryIdx>,
    summaries: u64,
    /// Summaries of what the file does not hold.
    unsourced: u64,
    rules: Vec<Rule>,
}

impl<'m> Claims<'m> {
    /// A meter for one replay. Only recorded messages are a source; an earlier summary never is.
    pub fn new(transcript: &'m Transcript, path: &'m [EntryIdx]) -> Self {
        Self { transcript, path, now: None, summaries: 0, unsourced: 0, rules: Vec::new() }
    }

    fn summary(&mut self, event: &CompactionEvent<'_, '_>) {
        let text = event.summary.text.as_str();
        if is_unsourced(event, self.transcript) {
            self.unsourced += 1;
            return;
        }
        if text.is_empty() {
            return;
        }
        self.summaries += 1;
        let now = self.now.max(event.before.iter().rev().find_map(Item::origin));
        let text = stated(text);
        for sentence in text.lines().filter(|line| heading(line).is_none()).flat_map(sentences) {
            let lower = sentence.to_lowercase();
            if !RULE.as_ref().is_some_and(|rule| rule.is_match(&lower)) {
                continue;
            }
            let stems = stems(&lower);
            if stems.len() >= FEWEST {
                self.rules.push(Rule { text: sentence.trim().to_owned(), stems, now });
            }
        }
    }

    /// The rules that no message states, up to the moment of their summary. One pass over the session, whatever the number
    /// of rules. What the person writes in one message belongs together; of other messages, what stands in one line.
    pub fn unsupported(&self) -> Vec<&str> {
        // Each once: summary after summary may repeat it. The last of those that repeat it comes first.
        let mut unique: Vec<&Rule> = self.rules.iter().collect();
        unique.sort_by(|a, b| a.text.cmp(&b.text).then(b.now.cmp(&a.now)));
        unique.dedup_by(|a, b| a.text == b.text);
        let wanted = unique.iter().map(|rule| Wanted { stems: &rule.stems, until: rule.now });
        let mut search = Search::new(wanted, ENOUGH);
        if !unique.is_empty() {
            self.path.iter().for_each(|&idx| self.read(idx, &mut search));
        }
        let first = search.first();
        let said = |rule: &Rule| {
            let at = unique.binary_search_by(|one| one.text.cmp(&rule.text)).ok()?;
            first[at]
        };
        let is_said = |rule: &&Rule| said(rule).is_some_and(|idx| Some(idx) <= rule.now);
        self.rules.iter().filter(|rule| !is_said(rule)).map(|rule| rule.text.as_str()).collect()
    }

    fn read(&self, idx: EntryIdx, search: &mut Search) {
        let item = Item::entry(self.transcript, idx);
        match item.message(self.transcript) {
            None | Some(Message::BranchSummary(_) | Message::CompactionSummary(_)) => {}
            Some(message @ Message::User(_)) => {
                let mut texts = Vec::new();
                each_text(message, |text| texts.push(text));
                search.read(idx, texts.iter().map(|text| &**text));
            }
            Some(message) => {
                each_text(message, |text| text.lines().for_each(|line| search.read(idx, std::iter::once(line))));
            }
        }
    }
}

/// The sentences of a line.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(['。', '；']).flat_map(|part| part.split(". ")).flat_map(|part| part.split("; "))
}

/// The beginnings of the words that say something, each once.
fn stems(lower: &str) -> Vec<Stem> {
    let mut found: Vec<Stem> = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !EMPTY.contains(word)) {
        each_stem(word, |stem| {
            if !found.contains(&stem) {
                found.push(stem);
            }
        });
    }
    found
}

impl Meter for Claims<'_> {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => self.now = self.now.max(Some(request.entry)),
            ReplayEvent::Compaction(compaction) => self.summary(compaction),
            _ => {}
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let count = if self.summaries == 0 {
            Measure::void(if self.unsourced > 0 { UNSOURCED } else { "no summary was written" })
        } else {
            Measure::Value(number(self.unsupported().len() as u64))
        };
        vec![("unsupported_rules_count", count)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::stems::{Stem, each_stem};
    use super::{RULE, stems};

    #[test]
    fn rules_are_looked_for() {
        assert!(RULE.is_some(), "without, no summary invents anything");
    }

    #[test]
    fn empty_words_say_nothing_and_others_once() {
        let of = |words: &str| {
            let mut all: Vec<Stem> = Vec::new();
            each_stem(words, |stem| all.push(stem));
            all
        };
        assert_eq!(stems("the cache must be caching src/a.rs, and the lamp"), of("cach src lamp"));
        assert_eq!(stems("灯必须亮"), of("灯必 必须 须亮"));
        assert!(stems("it is to be").is_empty());
    }
}
