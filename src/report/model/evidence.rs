//! Where a text says an item: the places to highlight. Spellings are compared as goal-loss compares them: in lower case,
//! with every run of white space as one space.

use std::ops::Range;

/// A text that can be searched as if it were normalised.
#[derive(Debug)]
pub(in super::super) struct Searched {
    folded: String,
    /// For every byte of `folded`, the byte of the text that it came from; one more for the end.
    origins: Vec<usize>,
}

impl Searched {
    pub(in super::super) fn new(text: &str) -> Self {
        let (mut folded, mut origins) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
        for (at, character) in text.char_indices() {
            if character.is_whitespace() {
                if !folded.is_empty() && !folded.ends_with(' ') {
                    folded.push(' ');
                    origins.push(at);
                }
                continue;
            }
            let before = folded.len();
            folded.extend(character.to_lowercase());
            origins.resize(origins.len() + folded.len() - before, at);
        }
        origins.push(text.len());
        Self { folded, origins }
    }

    /// The text as spellings are compared: in lower case, with one space for white space.
    pub(in super::super) fn folded(&self) -> &str {
        self.folded.trim_end()
    }

    /// Every place of a normalised spelling, as ranges of bytes of the text.
    pub(in super::super) fn places<'s>(&'s self, spelling: &'s str) -> impl Iterator<Item = Range<usize>> + 's {
        let found = (!spelling.is_empty()).then(|| self.folded.match_indices(spelling));
        found.into_iter().flatten().map(|(at, hit)| self.origins[at]..self.origins[at + hit.len()])
    }
}

/// The places of all spellings in a text, in order, where those that touch are one.
pub(in super::super) fn places<'s>(
    searched: &Searched,
    spellings: impl Iterator<Item = &'s String>,
) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for spelling in spellings {
        all.extend(searched.places(spelling));
    }
    all.sort_by_key(|place| (place.start, place.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for place in all {
        match merged.last_mut() {
            Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
            _ => merged.push(place),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, spellings: &[&str]) -> Vec<String> {
        let spellings: Vec<String> = spellings.iter().map(|&spelling| spelling.to_owned()).collect();
        places(&Searched::new(text), spellings.iter()).into_iter().map(|place| text[place].to_owned()).collect()
    }

    #[test]
    fn case_and_white_space_do_not_matter() {
        assert_eq!(
            found("  Never\n\t touch  İt: 压缩 策略", &["never touch", "压缩 策略"]),
            ["Never\n\t touch", "压缩 策略"]
        );
        assert_eq!(found("abcd", &["ab", "bc", "x", ""]), ["abc"]);
        assert_eq!(found("", &["a"]), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn any_text_can_be_cut_at_the_places(text in "\\PC{0,40}", spelling in "\\PC{0,3}") {
            for place in places(&Searched::new(&text), [spelling.to_lowercase()].iter()) {
                prop_assert!(text.get(place).is_some());
            }
        }
    }
}
