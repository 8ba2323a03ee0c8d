//! Rules that a summary states and nobody said: by words alone, so that a rule without any name or value is judged too.

use std::collections::{HashMap, HashSet};

use super::text::{heading, plain, stated, whole_text};
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
/// Words are compared by so many letters, so that `caching` says `cache`.
const STEM: usize = 4;

/// A rule of a summary.
#[derive(Clone, Debug)]
struct Rule {
    text: String,
    stems: Vec<String>,
    now: Option<EntryIdx>,
}

/// The meter.
#[derive(Debug)]
pub struct Claims<'m> {
    transcript: &'m Transcript,
    path: &'m [EntryIdx],
    now: Option<EntryIdx>,
    summaries: u64,
    rules: Vec<Rule>,
}

impl<'m> Claims<'m> {
    /// A meter for one replay. Only recorded messages are a source; an earlier summary never is.
    pub fn new(transcript: &'m Transcript, path: &'m [EntryIdx]) -> Self {
        Self { transcript, path, now: None, summaries: 0, rules: Vec::new() }
    }

    fn summary(&mut self, event: &CompactionEvent<'_, '_>) {
        let text = event.summary.text.as_str();
        if text.is_empty() {
            return;
        }
        self.summaries += 1;
        let now = self.now.max(event.before.iter().rev().find_map(Item::origin));
        let text = stated(text);
        for sentence in text.lines().filter(|line| heading(line).is_none()).flat_map(sentences) {
            let lower = sentence.to_lowercase();
            let stems = stems(&lower);
            if stems.len() >= FEWEST && RULES.iter().any(|word| lower.contains(word)) {
                self.rules.push(Rule { text: sentence.trim().to_owned(), stems, now });
            }
        }
    }

    /// The rules that no message states, up to the moment of their summary. One pass over the session, whatever the number
    /// of rules. What the person writes in one message belongs together; of other messages, what stands in one line.
    pub fn unsupported(&self) -> Vec<&str> {
        let mut of_stem: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, rule) in self.rules.iter().enumerate() {
            rule.stems.iter().for_each(|stem| of_stem.entry(stem).or_default().push(index));
        }
        let mut best = vec![0; self.rules.len()];
        let mut search = |idx: EntryIdx, text: &str| {
            let mut found: HashMap<usize, usize> = HashMap::new();
            for rules in stems(&plain(text).to_lowercase()).iter().filter_map(|stem| of_stem.get(stem.as_str())) {
                rules.iter().for_each(|rule| *found.entry(*rule).or_default() += 1);
            }
            for (rule, words) in found.into_iter().filter(|(rule, _)| Some(idx) <= self.rules[*rule].now) {
                best[rule] = best[rule].max(words);
            }
        };
        if !self.rules.is_empty() {
            self.each_source(&mut search);
        }
        let is_said =
            |(rule, words): &(&Rule, usize)| number(*words as u64) >= ENOUGH * number(rule.stems.len() as u64);
        self.rules.iter().zip(best).filter(|one| !is_said(one)).map(|(rule, _)| rule.text.as_str()).collect()
    }

    fn each_source(&self, each: &mut impl FnMut(EntryIdx, &str)) {
        for &idx in self.path {
            let item = Item::entry(self.transcript, idx);
            match item.message(self.transcript) {
                None | Some(Message::BranchSummary(_) | Message::CompactionSummary(_)) => {}
                Some(message @ Message::User(_)) => each(idx, &whole_text(message)),
                Some(message) => whole_text(message).lines().for_each(|line| each(idx, line)),
            }
        }
    }
}

/// The sentences of a line.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(['。', '；']).flat_map(|part| part.split(". ")).flat_map(|part| part.split("; "))
}

/// The beginnings of the words that say something, each once; of scripts without spaces, every two signs.
fn stems(lower: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut add = |stem: String| {
        if seen.insert(stem.clone()) {
            found.push(stem);
        }
    };
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.is_ascii() {
            if word.len() > 2 && !EMPTY.contains(&word) {
                add(word[..word.len().min(STEM)].to_owned());
            }
        } else {
            let signs: Vec<char> = word.chars().collect();
            signs.windows(2).for_each(|pair| add(pair.iter().collect()));
        }
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
            Measure::void("no summary was written")
        } else {
            Measure::Value(number(self.unsupported().len() as u64))
        };
        vec![("unsupported_rules_count", count)]
    }
}

#[cfg(test)]
mod tests {
    use super::stems;

    #[test]
    fn words_are_compared_by_their_beginning() {
        assert_eq!(stems("the cache must be caching src/a.rs, and the lamp"), ["cach", "src", "lamp"]);
        assert_eq!(stems("灯必须亮"), ["灯必", "必须", "须亮"]);
        assert!(stems("it is to be").is_empty());
    }
}
