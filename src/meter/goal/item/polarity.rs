//! Words that turn a statement round, or take it back.

/// Words that forbid or deny.
const NEGATIONS: [&str; 22] = [
    "not ",
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
const RETRACTIONS: [&str; 22] = [
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
    "不再",
    "改为",
    "原来",
    "原先",
    "之前",
];

/// Words that stand between an old value and the one that took its place.
const ARROWS: [&str; 3] = ["->", "→", "=>"];

/// Whether a text speaks in the negative.
pub(super) fn has_negation(text: &str) -> bool {
    NEGATIONS.iter().any(|word| text.contains(word))
}

/// Whether there is a negation in the sentence around a place of a normalised text.
pub(super) fn is_negated(text: &str, start: usize, end: usize) -> bool {
    has_negation(sentence(text, start, end))
}

/// Whether the sentence around a place takes back what stands there.
pub(super) fn is_retracted(text: &str, start: usize, end: usize) -> bool {
    let sentence = sentence(text, start, end);
    RETRACTIONS.iter().chain(&ARROWS).any(|word| sentence.contains(word))
}

/// The sentence or list item around a place of a normalised text.
fn sentence(text: &str, start: usize, end: usize) -> &str {
    let from = [". ", " - ", "; ", "。", "；"]
        .iter()
        .filter_map(|mark| text[..start].rfind(mark).map(|at| at + mark.len()))
        .max()
        .unwrap_or(0);
    let to = [". ", " - ", "; ", "。", "；"].iter().filter_map(|mark| text[end..].find(mark)).min();
    &text[from..to.map_or(text.len(), |to| end + to)]
}

#[cfg(test)]
mod tests {
    use super::{is_negated, is_retracted};

    fn around<T>(text: &str, word: &str, judge: fn(&str, usize, usize) -> T) -> T {
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
}
