//! Texts with a run that no rule of the tokenizers breaks.
//!
//! `tiktoken` is the faster crate on real text, but a piece of n characters costs it about n · log n, a megabyte of one letter
//! a second. `bpe-openai` is linear. Both count the same (tests and benches compare them), so texts with such a run go there.

/// Characters from which on a run is long. Real words, indentations and rules of dashes are far shorter.
const LONG: usize = 10_000;

/// How the tokenizers' patterns see a character: letters, white space and other signs form runs, digits do not (three at most).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Space,
    Sign,
    Digit,
}

fn kind(character: char) -> Kind {
    match character {
        'a'..='z' | 'A'..='Z' => Kind::Letter,
        ' ' | '\t' | '\n' | '\r' => Kind::Space,
        '0'..='9' => Kind::Digit,
        '\0'..='\u{7f}' => Kind::Sign,
        other if other.is_whitespace() => Kind::Space,
        other if other.is_alphabetic() => Kind::Letter,
        other if other.is_numeric() => Kind::Digit,
        _ => Kind::Sign,
    }
}

/// Whether a run of one kind is longer than any piece should be.
pub(super) fn has_long_run(text: &str) -> bool {
    if text.len() < LONG {
        return false;
    }
    let (mut run, mut before) = (0, Kind::Digit);
    for character in text.chars() {
        let kind = kind(character);
        run = if kind == before && kind != Kind::Digit { run + 1 } else { 1 };
        if run >= LONG {
            return true;
        }
        before = kind;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_long_run;
    use crate::tokens::Reference;

    #[test]
    fn only_unbroken_text_is_long() {
        assert!(has_long_run(&"a".repeat(10_000)));
        assert!(has_long_run(&format!("x{}", " ".repeat(10_000))));
        assert!(!has_long_run(&"a".repeat(9_999)));
        assert!(!has_long_run(&"word and 12 more; ".repeat(2_000)));
        assert!(!has_long_run(&"7".repeat(50_000)));
    }

    #[test]
    fn both_ways_of_counting_agree() {
        let texts =
            ["a".repeat(10_001), " ".repeat(12_000), "=".repeat(10_500), format!("中{}\n", "文".repeat(11_000))];
        for text in texts {
            let halves = text.char_indices().nth(5_000).map(|(at, _)| text.split_at(at)).unwrap();
            assert!(has_long_run(&text) && !has_long_run(halves.0));
            for reference in Reference::ALL {
                assert_eq!(reference.count(&text), reference.count_by_pieces(&text), "{:?}", &halves.0[..3]);
            }
        }
    }
}
