//! The beginnings of words, by which rules are compared with what was said, and the search for the first text that says
//! enough of a rule's words.

use rustc_hash::FxHashMap;

use super::text::plain;
use crate::meter::number;
use crate::transcript::EntryIdx;

/// Words are compared by so many letters, so that `caching` says `cache`.
const STEM: usize = 4;

/// The beginning of a word, or two signs of a script without spaces, in lower case: at most eight bytes, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Stem(u64);

impl Stem {
    fn of(bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    }
}

/// Calls `each` with the beginning of every word; of scripts without spaces, with every two signs.
pub(super) fn each_stem(text: &str, mut each: impl FnMut(Stem)) {
    if text.is_ascii() {
        for word in text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()) {
            ascii(word, &mut each);
        }
        return;
    }
    for word in plain(text).to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        if word.is_ascii() {
            ascii(word.as_bytes(), &mut each);
            continue;
        }
        let mut from = 0;
        let mut ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
        let mut middle = ends.next().unwrap_or(word.len());
        for end in ends {
            each(Stem::of(&word.as_bytes()[from..end]));
            (from, middle) = (middle, end);
        }
    }
}

fn ascii(word: &[u8], each: &mut impl FnMut(Stem)) {
    if word.len() > 2 {
        let start = &word[..word.len().min(STEM)];
        each(Stem(start.iter().fold(0, |all, byte| all << 8 | u64::from(byte.to_ascii_lowercase()))));
    }
}

/// A rule that is looked for.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'r> {
    /// Its words, each once.
    pub(super) stems: &'r [Stem],
    /// What is said later comes too late.
    pub(super) until: Option<EntryIdx>,
}

/// A rule, while it is looked for.
#[derive(Clone, Debug)]
struct Open {
    /// Numbers of its stems.
    stems: Vec<u32>,
    until: Option<EntryIdx>,
    first: Option<EntryIdx>,
}

/// Looks for many rules in one pass.
///
/// A text that says enough of a rule says one of the few rarest of its words at least, so a rule is looked at only where one
/// of those stands, and rules that share words with half of the session cost nothing there.
#[derive(Debug)]
pub(super) struct Search {
    numbers: FxHashMap<Stem, u32>,
    /// By stem: the rules that are looked at where it stands.
    leads: Vec<Vec<u32>>,
    /// By stem: the last text that says it.
    said: Vec<u64>,
    text: u64,
    rules: Vec<Open>,
    enough: f64,
    candidates: Vec<u32>,
}

impl Search {
    /// A search for rules; a text says one when it says at least a share of `enough` of its words.
    pub(super) fn new<'r>(wanted: impl Iterator<Item = Wanted<'r>>, enough: f64) -> Self {
        let mut numbers = FxHashMap::default();
        let mut rules = Vec::new();
        for Wanted { stems, until } in wanted {
            let number = |stem: &Stem| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(*stem).or_insert(next)
            };
            rules.push(Open { stems: stems.iter().map(number).collect(), until, first: None });
        }
        let mut spread = vec![0_u32; numbers.len()];
        rules.iter().flat_map(|rule| &rule.stems).for_each(|&stem| spread[stem as usize] += 1);
        let mut leads = vec![Vec::new(); numbers.len()];
        for (rule, number) in rules.iter().zip(0..) {
            let mut rarest = rule.stems.clone();
            rarest.sort_by_key(|&stem| (spread[stem as usize], stem));
            // Whoever leaves out all of these says too few.
            rarest.truncate(rarest.len() + 1 - fewest(rarest.len(), enough).clamp(1, rarest.len().max(1)));
            rarest.iter().for_each(|&stem| leads[stem as usize].push(number));
        }
        Self { said: vec![0; numbers.len()], numbers, leads, text: 0, rules, enough, candidates: Vec::new() }
    }

    /// Reads a text of an entry, in parts. Entries come in order.
    pub(super) fn read<'t>(&mut self, entry: EntryIdx, parts: impl Iterator<Item = &'t str>) {
        self.text += 1;
        for part in parts {
            each_stem(part, |stem| {
                let Some(&number) = self.numbers.get(&stem) else { return };
                if std::mem::replace(&mut self.said[number as usize], self.text) != self.text {
                    self.candidates.extend_from_slice(&self.leads[number as usize]);
                }
            });
        }
        self.candidates.sort_unstable();
        self.candidates.dedup();
        for rule in self.candidates.drain(..) {
            let rule = &mut self.rules[rule as usize];
            if rule.first.is_some() || Some(entry) > rule.until {
                continue;
            }
            let said = rule.stems.iter().filter(|stem| self.said[**stem as usize] == self.text).count();
            if number(said as u64) / number(rule.stems.len() as u64) >= self.enough {
                rule.first = Some(entry);
            }
        }
    }

    /// By rule: the first entry that says it.
    pub(super) fn first(self) -> Vec<Option<EntryIdx>> {
        self.rules.into_iter().map(|rule| rule.first).collect()
    }
}

/// The fewest of so many words that are enough.
fn fewest(words: usize, enough: f64) -> usize {
    (1..words).find(|&said| number(said as u64) / number(words as u64) >= enough).unwrap_or(words)
}

#[cfg(test)]
mod tests {
    use super::{Search, Stem, Wanted, each_stem};
    use crate::transcript::EntryIdx;

    fn stems(text: &str) -> Vec<Stem> {
        let mut stems = Vec::new();
        each_stem(text, |stem| stems.push(stem));
        stems
    }

    #[test]
    fn words_are_compared_by_their_beginning() {
        let of = |words: &[&str]| words.iter().map(|word| Stem::of(word.as_bytes())).collect::<Vec<_>>();
        assert_eq!(stems("The CACHE is_at src/a.rs"), of(&["the", "cach", "src"]));
        assert_eq!(stems("灯必须亮 Lamp"), of(&["灯必", "必须", "须亮", "lamp"]));
    }

    /// The first of some texts that says half of the words of a rule, with other rules beside it.
    fn first(rule: &str, until: usize, texts: &[&str]) -> Option<usize> {
        let rules = [rule, "keep the lamp dark", "keep the lamp on", "close the door"].map(stems);
        let wanted = rules.iter().map(|stems| Wanted { stems, until: Some(EntryIdx(until)) });
        let mut search = Search::new(wanted, 0.5);
        texts.iter().enumerate().for_each(|(at, text)| search.read(EntryIdx(at), std::iter::once(*text)));
        search.first()[0].map(|idx| idx.0)
    }

    #[test]
    fn half_of_the_words_are_enough() {
        // Three words: two of them, whichever; "lamp" and "keep" are those that other rules have too.
        for text in ["keep a lamp", "a lamp is green", "green, keep it"] {
            assert_eq!(first("keep lamp green", 9, &["a lamp", "green", text]), Some(2), "{text}");
        }
        assert_eq!(first("keep lamp green", 1, &["a lamp", "green", "keep a lamp"]), None, "it comes too late");
        // Four words: two; a word that is said twice is one.
        assert_eq!(first("open blue door wide", 9, &["door, door", "the door is wide"]), Some(1));
        assert_eq!(first("only one", 9, &["two", "one"]), Some(1));
    }
}
