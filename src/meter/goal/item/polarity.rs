//! Words that turn a statement round, or take it back.

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

/// Words that say that something held once and holds no more.
const RETRACTIONS: [&str; 23] = [
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
const BEFORE: [&str; 16] = [
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

/// Words that stand between an old value and the one that took its place.
const ARROWS: [&str; 3] = ["->", "→", "=>"];

/// Phrases that are looked for in one pass.
struct Phrases {
    words: &'static [&'static str],
    /// Without the spaces at their ends. A few short phrases always fit an automaton.
    automaton: Option<AhoCorasick>,
}

impl Phrases {
    fn new(words: &'static [&'static str]) -> Self {
        Self { words, automaton: AhoCorasick::new(words.iter().map(|word| word.trim_end())).ok() }
    }

    /// Whether one of them stands in a text, where a word begins.
    fn stand_in(&self, text: &str) -> bool {
        let mut found = self.automaton.iter().flat_map(|automaton| automaton.find_overlapping_iter(text));
        found.any(|found| stands(text, self.words[found.pattern().as_usize()], found.start()))
    }
}

static NEGATION: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&NEGATIONS));
static RETRACTION: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&RETRACTIONS));
static DENIAL: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&DENIALS));
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

/// Whether there is a negation in the sentence around a place of a normalised text.
pub(super) fn is_negated(text: &str, start: usize, end: usize) -> bool {
    has_negation(sentence(text, start, end))
}

/// Whether the sentence around a place takes back what stands there.
pub(super) fn is_retracted(text: &str, start: usize, end: usize) -> bool {
    let sentence = sentence(text, start, end);
    RETRACTION.stand_in(sentence) || ARROWS.iter().any(|mark| sentence.contains(mark))
}

/// Whether a text says of something that it does not hold at all.
pub(super) fn has_denial(text: &str) -> bool {
    DENIAL.stand_in(text)
}

/// Whether the sentence around a place says that it does not hold at all.
pub(super) fn is_denied(text: &str, at: usize) -> bool {
    has_denial(sentence(text, at, at))
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

/// What ends a sentence or a list item of a normalised text.
const ENDS: [&str; 5] = [". ", " - ", "; ", "。", "；"];

/// The sentence or list item around a place of a normalised text. It looks no further than that.
fn sentence(text: &str, start: usize, end: usize) -> &str {
    let bytes = text.as_bytes();
    let ends_at = |at: &usize| ENDS.iter().any(|mark| bytes[..*at].ends_with(mark.as_bytes()));
    let begins_at = |at: &usize| ENDS.iter().any(|mark| bytes[*at..].starts_with(mark.as_bytes()));
    let from = (1..=start).rev().find(ends_at).unwrap_or(0);
    let to = (end..bytes.len()).find(begins_at).unwrap_or(bytes.len());
    &text[from..to]
}

#[cfg(test)]
mod tests {
    use super::{
        DENIAL, NEGATION, PAST_HEADING, RETRACTION, has_negation, is_denied, is_negated, is_negated_right_before,
        is_past_heading, is_retracted,
    };

    #[test]
    fn phrases_are_looked_for() {
        let all = [&NEGATION, &RETRACTION, &DENIAL, &PAST_HEADING];
        assert!(all.iter().all(|phrases| phrases.automaton.is_some()), "without, nothing is ever taken back");
    }

    fn around<T>(text: &str, word: &str, judge: impl Fn(&str, usize, usize) -> T) -> T {
        let start = text.find(word).unwrap();
        judge(text, start, start + word.len())
    }

    #[test]
    fn only_the_sentence_of_a_value_decides() {
        let text = "the limit is 30 s. - it is no longer 20 s, but 45 s - do not touch the api";
        assert!(!around(text, "30 s", is_retracted));
        assert!(around(text, "20 s", is_retracted));
        assert!(around(text, "api", is_negated) && !around(text, "30 s", is_negated));
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
    fn a_sentence_ends_at_the_nearest_mark() {
        let text = "a. b - c; d。灯。x；y - . z";
        let of = |word: &str| around(text, word, |text, start, end| super::sentence(text, start, end).to_owned());
        assert_eq!(["a", "b", "c", "d", "灯", "x", "y", "z"].map(of), ["a", "b", "c", "d", "灯", "x", "y", "z"]);
        assert_eq!(super::sentence(text, 3, 8), "b - c");
        assert_eq!(super::sentence("whole", 0, 5), "whole");
    }

    #[test]
    fn a_statement_can_be_denied() {
        let is_denied = |text: &str, start: usize, end: usize| is_denied(text, start) || is_denied(text, end);
        assert!(around("the rule to close the door no longer applies", "door", is_denied));
        assert!(around("it is not true that 42 g is the limit", "42 g", is_denied));
        assert!(!around("the limit is 42 g. the other rule does not apply", "42 g", is_denied));
        // A message of a test between two sentences is about neither.
        assert!(!around(
            "a boundary. - this one does not apply - it is >= here",
            "boundary. - this one does not apply - it is >=",
            is_denied
        ));
        // What no longer happens is a fact like any other.
        assert!(!around("with ttl=30 the cache no longer flakes", "ttl=30", is_denied));
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
