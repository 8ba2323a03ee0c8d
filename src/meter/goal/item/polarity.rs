//! Words that turn a statement round, or take it back.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Words that forbid or deny. One in Latin letters begins where a word begins, and ends there if it ends with a space.
const NEGATIONS: [&str; 24] = [
    "not ",
    "cannot ",
    "n't",
    "never",
    "no ",
    "without",
    "avoid",
    "forbid",
    "forbidden",
    "unchanged",
    "untouched",
    "refuse",
    "leave ",
    "keep ",
    "only ",
    "prohibit",
    "不",
    "勿",
    "禁止",
    "别",
    "没",
    "无需",
    "保持",
    "仅",
];

/// Words that say that something held once and holds no more, and the marks between an old value and the one that took its
/// place.
const RETRACTIONS: [&str; 32] = [
    "increased from",
    "decreased from",
    "reduced from",
    "bumped from",
    "up from",
    "down from",
    "no longer",
    "instead of",
    "superseded",
    "replaced",
    "replaces",
    "previous",
    "formerly",
    "former ",
    "used to",
    "changed from",
    "raised from",
    "lowered from",
    "not any more",
    "rejected",
    "reverted",
    "originally",
    "old ",
    "obsolete",
    "不再",
    "改为",
    "原来",
    "原先",
    "之前",
    "->",
    "→",
    "=>",
];

/// Words that say that a whole statement does not hold: a summary that quotes a rule beside them has turned it round.
const DENIALS: [&str; 27] = [
    "no longer appl",
    "no longer hold",
    "no longer valid",
    "no longer true",
    "no longer needed",
    "no longer requir",
    "no longer in force",
    "no longer current",
    "no longer relevant",
    "does not apply",
    "doesn't apply",
    "do not apply",
    "don't apply",
    "not apply any more",
    "not true that",
    "is false that",
    "not the case that",
    "disregard",
    "never mind",
    "has been withdrawn",
    "was withdrawn",
    "was cancelled",
    "has been lifted",
    "was lifted",
    "作废",
    "不再适用",
    "不用遵守",
];

/// Words that, as the last ones before a statement, deny or replace it.
const BEFORE: [&str; 19] = [
    "不要用",
    "不用",
    "而非",
    "not",
    "never",
    "no longer",
    "no more",
    "不再",
    "isn't",
    "don't",
    "doesn't",
    "aren't",
    "wasn't",
    "cannot",
    "can't",
    "instead of",
    "rather than",
    "ignore",
    "不是",
];

/// Words that may stand between those and the statement.
const FILLERS: [&str; 13] = ["the", "a", "an", "use", "using", "be", "to", "rule", "that", "is", "at", "any", "是"];

/// Words that, as the last ones before a value, say that it held once.
const ONCE: [&str; 8] = ["was", "were", "had been", "earlier", "earlier value", "曾", "曾为", "曾是"];

/// Whether a value held once, by what stands before and behind it in its sentence: `45 s (was 30 s)`, `from 30 s to 45 s`.
pub(super) fn is_old_value(before: &str, behind: &str) -> bool {
    let before = before.trim_end_matches([' ', '"', '\'', '(', '“', '「']);
    let ends_in =
        |word: &str| before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()));
    let goes_on = || behind.contains(" to ") || behind.contains(['到', '至', '成', '为', '改']);
    before.ends_with("~~")
        || ONCE.into_iter().any(ends_in)
        || ["from", "从", "由"].into_iter().any(ends_in) && goes_on()
}

/// Words of headings under which nothing is stated as current.
const PAST_HEADINGS: [&str; 10] = [
    "obsolete",
    "outdated",
    "superseded",
    "no longer",
    "ignore",
    "disregard",
    "withdrawn",
    "cancelled",
    "作废",
    "过时",
];

/// Phrases that are looked for in one pass.
pub(super) struct Phrases {
    words: &'static [&'static str],
    /// Without the spaces at their ends. A few short phrases always fit an automaton.
    automaton: Option<AhoCorasick>,
}

impl Phrases {
    fn new(words: &'static [&'static str]) -> Self {
        Self { words, automaton: AhoCorasick::new(words.iter().map(|word| word.trim_end())).ok() }
    }

    /// Where they stand in a text and begin a word, in order.
    fn found<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let found = self.automaton.iter().flat_map(move |automaton| automaton.find_overlapping_iter(text));
        found.filter(|found| stands(text, self.words[found.pattern().as_usize()], found.start())).map(|one| one.range())
    }

    /// Whether one of them stands in a text.
    fn stand_in(&self, text: &str) -> bool {
        self.found(text).next().is_some()
    }

    /// Where they stand in a text, in order of their begin.
    pub(super) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut places: Vec<_> = self.found(text).collect();
        places.sort_by_key(|place| place.start);
        places
    }
}

pub(super) static NEGATION: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&NEGATIONS));
pub(super) static RETRACTION: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&RETRACTIONS));
pub(super) static DENIAL: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&DENIALS));
static PAST_HEADING: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&PAST_HEADINGS));

/// Whether `word`, which begins at a place of a text, begins a word there and ends where it has to.
fn stands(text: &str, word: &str, at: usize) -> bool {
    let letter = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric);
    let stem = word.trim_end();
    // `n't` ends a word, and the marks of other scripts stand anywhere.
    let is_free = !stem.as_bytes()[0].is_ascii_alphabetic() || stem == "n't";
    let ends = stem.len() == word.len() || !letter(at + stem.len());
    (is_free || at == 0 || !letter(at - 1)) && ends
}

/// Whether a text speaks in the negative.
pub(super) fn has_negation(text: &str) -> bool {
    NEGATION.stand_in(text)
}

/// Whether a text says of something that it does not hold at all.
pub(super) fn has_denial(text: &str) -> bool {
    DENIAL.stand_in(text)
}

/// Whether the last words before a place deny or replace what stands there: `not 42 g`, `instead of the 42 g`.
pub(super) fn is_negated_right_before(text: &str, start: usize) -> bool {
    let mut before = text[..start].trim_end_matches([' ', '"', '\'', '(', '“', '「']);
    for _ in 0..3 {
        let ends_in = |word: &str| {
            before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
        };
        if BEFORE.iter().any(|word| ends_in(word)) {
            return true;
        }
        let Some(filler) = FILLERS.iter().find(|word| ends_in(word)) else { return false };
        before = before[..before.len() - filler.len()].trim_end();
    }
    false
}

/// Whether a heading says that nothing below it holds any more.
pub(in crate::meter::goal) fn is_past_heading(words: &str) -> bool {
    PAST_HEADING.stand_in(&words.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{DENIAL, NEGATION, PAST_HEADING, RETRACTION, has_negation, is_negated_right_before, is_past_heading};

    #[test]
    fn phrases_are_looked_for() {
        let all = [&NEGATION, &RETRACTION, &DENIAL, &PAST_HEADING];
        assert!(all.iter().all(|phrases| phrases.automaton.is_some()), "without, nothing is ever taken back");
    }

    #[test]
    fn a_negation_is_a_word_of_its_own() {
        for text in ["do not open it", "don't open it", "you cannot open it", "nobody, never", "open it not"] {
            assert!(has_negation(text), "{text}");
        }
        for text in ["the piano plays", "tie a knot there", "a casino opens", "bookkeep it", "hold the volcano back"] {
            assert!(!has_negation(text), "{text}");
        }
    }

    #[test]
    fn the_words_right_before_a_value_decide() {
        let before = |text: &str| is_negated_right_before(text, text.find("42 g").unwrap());
        for text in [
            "it is not 42 g",
            "never use the 42 g",
            "50 g instead of the 42 g",
            "not \"42 g\"",
            "isn't 42 g",
            "the limit is no longer 42 g",
            "there is no more 42 g",
            "上限不再是 42 g",
        ] {
            assert!(before(text), "{text}");
        }
        for text in [
            "42 g",
            "42 g, not 50 g",
            "do not exceed 42 g",
            "whatnot 42 g",
            "knot 42 g",
            "not more than 42 g",
            "no more than 42 g",
        ] {
            assert!(!before(text), "{text}");
        }
    }

    #[test]
    fn headings_of_what_is_past() {
        assert!(is_past_heading("Obsolete Rules (ignore)") && is_past_heading("已作废"));
        assert!(!is_past_heading("Previous Work") && !is_past_heading("Goal"));
    }
}
