//! Rules that a summary states and nobody said: by words alone, so that a rule without any name or value is judged too.

use rustc_hash::FxHashMap;

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
        // Each once: summary after summary may repeat it.
        let mut unique: Vec<&Rule> = self.rules.iter().collect();
        unique.sort_by(|a, b| a.text.cmp(&b.text));
        unique.dedup_by(|a, b| a.text == b.text);
        let mut first: Vec<Option<EntryIdx>> = vec![None; unique.len()];
        if !unique.is_empty() {
            let mut of_stem: FxHashMap<&str, Vec<(usize, usize)>> = FxHashMap::default();
            for (rule, one) in unique.iter().enumerate() {
                let stems = one.stems.iter().enumerate();
                stems.for_each(|(stem, word)| of_stem.entry(word).or_default().push((rule, stem)));
            }
            let mut found: Vec<(usize, usize)> = Vec::new();
            self.each_source(&mut |idx, text| {
                each_stem(&plain(text).to_lowercase(), |stem| {
                    if let Some(places) = of_stem.get(stem) {
                        found.extend(places.iter().filter(|(rule, _)| first[*rule].is_none()));
                    }
                });
                found.sort_unstable();
                found.dedup();
                for words in found.chunk_by(|a, b| a.0 == b.0) {
                    let rule = words[0].0;
                    let share = number(words.len() as u64) / number(unique[rule].stems.len() as u64);
                    first[rule] = (share >= ENOUGH).then_some(idx);
                }
                found.clear();
            });
        }
        let said = |rule: &Rule| {
            let at = unique.binary_search_by(|one| one.text.cmp(&rule.text)).ok()?;
            first[at]
        };
        let is_said = |rule: &&Rule| said(rule).is_some_and(|idx| Some(idx) <= rule.now);
        self.rules.iter().filter(|rule| !is_said(rule)).map(|rule| rule.text.as_str()).collect()
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

/// Calls `each` with the beginning of every word; of scripts without spaces, with every two signs.
fn each_stem(lower: &str, mut each: impl FnMut(&str)) {
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        if word.is_ascii() {
            if word.len() > 2 {
                each(&word[..word.len().min(STEM)]);
            }
            continue;
        }
        let mut from = 0;
        let mut ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
        let mut middle = ends.next().unwrap_or(word.len());
        for end in ends {
            each(&word[from..end]);
            (from, middle) = (middle, end);
        }
    }
}

/// The beginnings of the words that say something, each once.
fn stems(lower: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !EMPTY.contains(word)) {
        each_stem(word, |stem| {
            if !found.iter().any(|one| one == stem) {
                found.push(stem.to_owned());
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
