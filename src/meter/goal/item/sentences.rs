//! The sentences of a normalised text, and which of them turn a statement round or take it back. Every mark and every word is
//! found once, whatever the number of statements.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::polarity;

/// What ends a sentence or a list item.
const ENDS: [&str; 9] = [". ", "! ", "? ", " - ", "; ", "。", "！", "？", "；"];

/// Those marks, found in one pass. A few short marks always fit an automaton.
static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(ENDS).ok());

/// A text, read for the words that are asked for.
pub(super) struct Sentences<'t> {
    text: &'t str,
    /// In order of their begin and of their end: two marks share a byte at most.
    marks: OnceCell<Vec<Range<usize>>>,
    negations: OnceCell<Vec<Range<usize>>>,
    retractions: OnceCell<Vec<Range<usize>>>,
    denials: OnceCell<Vec<Range<usize>>>,
}

impl<'t> Sentences<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            marks: OnceCell::new(),
            negations: OnceCell::new(),
            retractions: OnceCell::new(),
            denials: OnceCell::new(),
        }
    }

    /// The sentence or list item around a place; `start` and `end` may lie in two of them.
    fn around(&self, start: usize, end: usize) -> Range<usize> {
        let find =
            |automaton: &AhoCorasick| automaton.find_overlapping_iter(self.text).map(|mark| mark.range()).collect();
        let marks = self.marks.get_or_init(|| MARKS.as_ref().map(find).unwrap_or_default());
        let before = marks.partition_point(|mark| mark.end <= start);
        let behind = marks.partition_point(|mark| mark.start < end);
        let from = before.checked_sub(1).map_or(0, |index| marks[index].end);
        from..marks.get(behind).map_or(self.text.len(), |mark| mark.start)
    }

    /// The part of the sentence around a statement that stands in its lines.
    fn within(&self, place: &Range<usize>, lines: &Range<usize>) -> Range<usize> {
        let sentence = self.around(place.start, place.end);
        sentence.start.max(lines.start)..sentence.end.min(lines.end)
    }

    /// Whether there is a negation in the sentence around a statement, and in its lines.
    pub(super) fn is_negated(&self, place: &Range<usize>, lines: &Range<usize>) -> bool {
        let negations = self.negations.get_or_init(|| polarity::NEGATION.places(self.text));
        holds(negations, &self.within(place, lines))
    }

    /// Whether the sentence around a statement takes it back, in its lines.
    pub(super) fn is_retracted(&self, place: &Range<usize>, lines: &Range<usize>) -> bool {
        let retractions = self.retractions.get_or_init(|| polarity::RETRACTION.places(self.text));
        let within = self.within(place, lines);
        let (before, behind) =
            (&self.text[within.start..place.start], &self.text[place.end..within.end.max(place.end)]);
        holds(retractions, &within) || polarity::is_old_value(before, behind)
    }

    /// Whether the sentence around a place of a paragraph says that it does not hold at all.
    pub(super) fn is_denied(&self, at: usize, paragraph: &Range<usize>) -> bool {
        let denials = self.denials.get_or_init(|| polarity::DENIAL.places(self.text));
        holds(denials, &self.within(&(at..at), paragraph))
    }
}

/// Whether one of these places, in order of their begin, lies in a range as a whole.
fn holds(places: &[Range<usize>], range: &Range<usize>) -> bool {
    let from = places.partition_point(|place| place.start < range.start);
    places[from..].iter().take_while(|place| place.start < range.end).any(|place| place.end <= range.end)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::{ENDS, MARKS, Sentences};
    use crate::meter::goal::item::polarity::DENIAL;

    /// Judges the place of a word in a text of one paragraph.
    fn around<'t, T>(
        text: &'t str,
        word: &str,
        judge: impl Fn(&Sentences<'t>, &Range<usize>, &Range<usize>) -> T,
    ) -> T {
        let start = text.find(word).unwrap();
        judge(&Sentences::new(text), &(start..start + word.len()), &(0..text.len()))
    }

    #[test]
    fn marks_are_looked_for() {
        assert!(MARKS.is_some(), "without, a text is one sentence");
    }

    #[test]
    fn only_the_sentence_of_a_value_decides() {
        let text = "the limit is 30 s. - it is no longer 20 s, but 45 s - do not touch the api - 7 g -> 8 g";
        assert!(!around(text, "30 s", Sentences::is_retracted));
        assert!(around(text, "20 s", Sentences::is_retracted) && around(text, "7 g", Sentences::is_retracted));
        assert!(around(text, "api", Sentences::is_negated) && !around(text, "30 s", Sentences::is_negated));
    }

    #[test]
    fn a_sentence_ends_at_the_nearest_mark() {
        let text = "a. b - c; d。灯。x；y - . z";
        let of =
            |word: &str| around(text, word, |sentences, at, _| text[sentences.around(at.start, at.end)].to_owned());
        assert_eq!(["a", "b", "c", "d", "灯", "x", "y", "z"].map(of), ["a", "b", "c", "d", "灯", "x", "y", "z"]);
        assert_eq!(&text[Sentences::new(text).around(3, 8)], "b - c");
        assert_eq!(Sentences::new("whole").around(0, 5), 0..5);
    }

    #[test]
    fn a_statement_can_be_denied() {
        let is_denied = |sentences: &Sentences<'_>, place: &Range<usize>, whole: &Range<usize>| {
            sentences.is_denied(place.start, whole) || sentences.is_denied(place.end, whole)
        };
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
    fn an_old_value_beside_the_new_one_is_taken_back() {
        for text in [
            "timeout increased from 30 s to 45 s.",
            "timeout is 45 s (was 30 s).",
            "raised to 45 s, up from 30 s",
            "bumped the timeout from 30 s to 45 s",
            "timeout 45 s; earlier value 30 s.",
            "~~30 s~~ 45 s",
            "超时从30 s改成45 s。",
            "超时由 30 s 调整为 45 s。",
            "超时 45 s（曾为 30 s）。",
        ] {
            assert!(around(text, "30 s", Sentences::is_retracted), "{text}");
        }
        for text in ["the timeout is 30 s", "it was slow, so 30 s", "counted from 30 s on", "超时为 30 s"] {
            assert!(!around(text, "30 s", Sentences::is_retracted), "{text}");
        }
        // Another line, or another sentence, is about something else.
        let text = "the timeout is 30 s the previous owner is bob! no longer";
        let (place, line) = (15..19, 0..19);
        assert!(!Sentences::new(text).is_retracted(&place, &line));
        assert!(Sentences::new(text).is_retracted(&place, &(0..text.len())), "in one line it is one sentence");
    }

    /// The same by looking from the place outwards, step by step.
    fn slow(text: &str, start: usize, end: usize) -> &str {
        let bytes = text.as_bytes();
        let ends_at = |at: &usize| ENDS.iter().any(|mark| bytes[..*at].ends_with(mark.as_bytes()));
        let begins_at = |at: &usize| ENDS.iter().any(|mark| bytes[*at..].starts_with(mark.as_bytes()));
        let from = (1..=start).rev().find(ends_at).unwrap_or(0);
        let to = (end..bytes.len()).find(begins_at).unwrap_or(bytes.len());
        &text[from..to]
    }

    proptest! {
        #[test]
        fn a_sentence_is_that_of_a_slow_search(
            parts in prop::collection::vec(prop::sample::select(vec![
                ".", " ", "-", ";", "。", "；", "a", "灯", "does not apply", "disregard", "not", " - ", ". ",
            ]), 1..24),
            places in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
            paragraph in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        ) {
            let text = parts.concat();
            // Spellings and paragraphs begin and end between letters.
            let between: Vec<usize> = (0..=text.len()).filter(|&at| text.is_char_boundary(at)).collect();
            let two = |(a, b): (prop::sample::Index, prop::sample::Index)| {
                let (a, b) = (*a.get(&between), *b.get(&between));
                a.min(b)..a.max(b)
            };
            let place = two(places);
            let sentences = Sentences::new(&text);
            prop_assert_eq!(&text[sentences.around(place.start, place.end)], slow(&text, place.start, place.end));
            let paragraph = two(paragraph);
            // A paragraph of normalised text begins with a space or the text, and ends before one or with it.
            let is_line = |at: usize| at == 0 || at == text.len() || text.as_bytes()[at] == b' ';
            if is_line(paragraph.start) && is_line(paragraph.end) && paragraph.contains(&place.start) {
                let at = place.start - paragraph.start;
                let denied = !DENIAL.places(slow(&text[paragraph.clone()], at, at)).is_empty();
                prop_assert_eq!(sentences.is_denied(place.start, &paragraph), denied);
            }
        }
    }
}
