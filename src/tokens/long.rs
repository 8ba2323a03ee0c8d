//! Pieces that no rule of the tokenizers breaks: a megabyte of one letter, of spaces, of dashes.
//!
//! A tokenizer first splits a text into pieces by a pattern, then merges the bytes of each piece. Merging n bytes costs
//! `tiktoken` about n · log n with a heap that leaves the processor's cache, so a long piece is counted here in overlapping
//! chunks. That is exact: a sequence of tokens is *the* encoding of its bytes if and only if each pair of neighbours is the
//! encoding of its own bytes (van Antwerpen and Neubeck, "So many tokens, so little time", 2024). A chunk begins where a token
//! of the chunk before begins, and must begin with that very token; so every pair of the whole stands in one of the chunks.

use std::sync::LazyLock;

use regex::Regex;
use tiktoken::CoreBpe;

/// Bytes of one kind that are a long run. Real words, indentations and rules of dashes are shorter.
const RUN: usize = 1_024;

/// Bytes of a chunk, and of its end that the next chunk repeats: longer than any token.
const CHUNK: usize = 1_024;
const OVERLAP: usize = 192;

/// The patterns of the tokenizers (`openai_public.py` of tiktoken 0.12) without their look-ahead, which [`pieces`] does.
static CL100K: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+",
    )
});
static O200K: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+",
    ))
});

fn pattern(source: &str) -> Regex {
    Regex::new(source).unwrap_or_else(|error| unreachable!("a fixed pattern: {error}"))
}

/// What splits a text for a tokenizer.
pub(super) fn cl100k() -> &'static Regex {
    &CL100K
}

/// What splits a text for a tokenizer.
pub(super) fn o200k() -> &'static Regex {
    &O200K
}

/// Tokens of a text with long runs.
pub(super) fn count(tokenizer: &CoreBpe, pattern: &Regex, text: &str) -> usize {
    pieces(pattern, text)
        .map(|piece| {
            let chunked = if piece.len() > 2 * CHUNK { count_piece(tokenizer, pattern, piece) } else { None };
            chunked.unwrap_or_else(|| tokenizer.count(piece))
        })
        .sum()
}

/// The pieces of a text, in order and without a gap. White space before something else leaves its last character to it
/// (`\s+(?!\S)`), unless it ends in a line end.
fn pieces<'a>(pattern: &'a Regex, text: &'a str) -> impl Iterator<Item = &'a str> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let found = pattern.find_at(text, from)?;
        let mut end = found.end();
        let piece = &text[from..end];
        if end < text.len() && piece.chars().next_back().is_some_and(|last| last.is_whitespace() && !is_line_end(last))
        {
            let last = piece.chars().next_back().map_or(0, char::len_utf8);
            end -= if piece.len() > last { last } else { 0 };
        }
        let piece = &text[from..end];
        from = end;
        Some(piece)
    })
}

fn is_line_end(character: char) -> bool {
    matches!(character, '\r' | '\n')
}

/// Tokens of one piece in chunks; `None` where a chunk alone is not one piece or two chunks do not fit together.
fn count_piece(tokenizer: &CoreBpe, pattern: &Regex, piece: &str) -> Option<usize> {
    let (mut from, mut counted) = (0, 0);
    let (mut before, mut tokens, mut kept) = ("", Vec::new(), Kept { tokens: 0, bytes: 0 });
    loop {
        let chunk = &piece[from..piece.floor_char_boundary(from + CHUNK)];
        let first = tokens.get(kept.tokens).copied();
        // A run of one character gives the same chunk again and again.
        if chunk != before {
            if pattern.find(chunk).is_none_or(|found| found.len() != chunk.len()) {
                return None;
            }
            tokens = tokenizer.encode(chunk);
            before = chunk;
            kept = kept_of(tokenizer, &tokens, chunk)?;
        }
        if first.is_some_and(|first| tokens.first() != Some(&first)) {
            return None;
        }
        if from + chunk.len() == piece.len() {
            return Some(counted + tokens.len());
        }
        counted += kept.tokens;
        from += kept.bytes;
    }
}

/// What a chunk gives to the whole: its first tokens, up to one that the next chunk begins with.
#[derive(Clone, Copy)]
struct Kept {
    tokens: usize,
    bytes: usize,
}

fn kept_of(tokenizer: &CoreBpe, tokens: &[u32], chunk: &str) -> Option<Kept> {
    let mut bytes = chunk.len();
    for (at, &token) in tokens.iter().enumerate().rev() {
        bytes -= tokenizer.decode(&[token]).len();
        // A token may end inside a character.
        if bytes + OVERLAP <= chunk.len() && chunk.is_char_boundary(bytes) && at > 0 {
            return Some(Kept { tokens: at, bytes });
        }
    }
    // The end of the piece may be shorter than the overlap: nothing follows it.
    (chunk.len() <= OVERLAP).then_some(Kept { tokens: tokens.len(), bytes: chunk.len() })
}

/// How the patterns see a character: letters, white space and signs form runs, digits do not (three at most). A character whose
/// kind is not looked up, such as a combining mark, continues any run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Space,
    Sign,
    Digit,
    Any,
}

fn kind(character: char) -> Kind {
    match character {
        'a'..='z' | 'A'..='Z' => Kind::Letter,
        ' ' | '\t' | '\n' | '\r' => Kind::Space,
        '0'..='9' => Kind::Digit,
        // General and CJK punctuation, and the full-width forms of ASCII's.
        '\0'..='\u{7f}' | '\u{2000}'..='\u{206f}' | '\u{3001}'..='\u{303f}' | '\u{ff00}'..='\u{ff20}' => Kind::Sign,
        other if other.is_whitespace() => Kind::Space,
        other if other.is_numeric() => Kind::Digit,
        other if other.is_alphabetic() => Kind::Letter,
        _ => Kind::Any,
    }
}

/// Whether a text has a run of one kind of some [`RUN`] bytes. A run of twice that is always found; only characters at every
/// `RUN`th byte and what continues them are looked at.
pub(super) fn has_long_run(text: &str) -> bool {
    (0..text.len().saturating_sub(RUN)).step_by(RUN).any(|at| {
        let window = &text[text.floor_char_boundary(at)..text.floor_char_boundary(at + RUN)];
        let mut run = Kind::Any;
        window.chars().map(kind).all(|kind| {
            if run == Kind::Any {
                run = kind;
            }
            kind != Kind::Digit && (kind == run || kind == Kind::Any)
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CHUNK, Kept, count_piece, has_long_run, kept_of, pieces};
    use crate::tokens::Reference;

    #[test]
    fn only_unbroken_text_is_long() {
        assert!(has_long_run(&"a".repeat(2_048)));
        assert!(has_long_run(&format!("x{}", " ".repeat(2_048))));
        assert!(!has_long_run(&"a".repeat(1_023)));
        assert!(!has_long_run(&"word and 12 more; ".repeat(2_000)));
        assert!(!has_long_run(&"7".repeat(50_000)));
        assert!(!has_long_run(&"他说，这样不行。\n".repeat(2_000)));
        // Thai has no spaces, and its tone marks are no letters.
        assert!(has_long_run(&"ที่นี่".repeat(400)));
    }

    #[test]
    fn pieces_are_those_of_the_published_pattern() {
        let split = |text| pieces(Reference::O200kBase.pattern(), text).collect::<Vec<_>>();
        assert_eq!(
            split("I don't  know 12345\n\n  x"),
            ["I", " don't", " ", " know", " ", "123", "45", "\n\n", " ", " x"]
        );
        assert_eq!(split("HTTPServer //\n/ \t"), ["HTTPServer", " //\n/", " \t"]);
        let split = |text| pieces(Reference::Cl100kBase.pattern(), text).collect::<Vec<_>>();
        assert_eq!(split("I don't =\n/  "), ["I", " don", "'t", " =\n", "/", "  "]);
    }

    #[test]
    fn a_chunk_keeps_what_lies_before_its_overlap() {
        // Eight letters a token (OpenAI's vocabulary has "aaaaaaaa"), 24 tokens in the overlap.
        let tokenizer = Reference::O200kBase.encoder();
        let chunk = "a".repeat(CHUNK);
        let Kept { tokens, bytes } = kept_of(tokenizer, &tokenizer.encode(&chunk), &chunk).unwrap();
        assert_eq!((tokens, bytes), (104, 832));
    }

    /// A megabyte is too much for the way that is not in chunks, in a test; 20 kB are not.
    #[test]
    fn both_ways_of_counting_agree_on_runs() {
        for unit in
            ["a", " ", "\t", "=", "-", "/", "─", "ab", "文", "Aa", "#*", "\n", "=-", "é", "🦀", "abcdefg", "ที่", "!=\n"]
        {
            let text = format!("(x{})", unit.repeat(20_000 / unit.len()));
            for reference in Reference::ALL {
                assert_eq!(reference.count(&text), reference.count_by_pieces(&text), "{unit:?} {reference}");
            }
        }
    }

    #[test]
    fn runs_of_one_character_are_counted_in_chunks() {
        for unit in ["a", " ", "\t", "=", "-", "/", "─", "文", "\n", "_"] {
            for reference in Reference::ALL {
                let text = unit.repeat(20_000 / unit.len());
                let chunked = count_piece(reference.encoder(), reference.pattern(), &text);
                assert_eq!(chunked.map(|count| count as u64), Some(reference.count_by_pieces(&text).0), "{unit:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn both_ways_of_counting_agree_on_any_letters(units in proptest::collection::vec("[a-c]{1,9}|[e-zE-Z]|[一-七]{2}|  ?|-+", 1..12), head in "\\PC{0,8}") {
            let mut text = head;
            let mut state = units.len();
            while text.len() < 6_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(&units[(state >> 33) % units.len()]);
            }
            for reference in Reference::ALL {
                let whole = super::count(reference.encoder(), reference.pattern(), &text) as u64;
                prop_assert_eq!(whole, reference.count_by_pieces(&text).0, "{}", reference);
            }
        }
    }
}
