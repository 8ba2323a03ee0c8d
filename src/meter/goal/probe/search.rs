//! One search of the dropped part: BM25 (Robertson and Zaragoza 2009) over pieces of its messages.

use std::collections::{HashMap, HashSet};

/// Bytes of a piece: a few paragraphs.
const PIECE: usize = 1_200;
/// Pieces that a search gives.
const HITS: usize = 3;
/// The usual parameters of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The best pieces of `messages` for a query, in the order of the session; empty when no word of it is there.
pub fn search(messages: &[String], query: &str) -> String {
    let pieces: Vec<&str> = messages.iter().flat_map(|message| cut(message)).collect();
    let wanted: HashSet<String> = words(query).collect();
    let counts: Vec<HashMap<String, usize>> = pieces.iter().map(|piece| counted(piece, &wanted)).collect();
    let lengths: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
    let average = real(lengths.iter().sum::<usize>()) / real(lengths.len().max(1));
    let rarity: HashMap<&String, f64> = wanted
        .iter()
        .map(|word| {
            let with = real(counts.iter().filter(|count| count.contains_key(word)).count());
            (word, ((real(pieces.len()) - with + 0.5) / (with + 0.5)).ln_1p())
        })
        .collect();
    let score = |at: usize| -> f64 {
        // In the order of the words, so that rounding is the same in every run.
        let mut words: Vec<(&String, &usize)> = counts[at].iter().collect();
        words.sort();
        let of = |(word, &count): (&String, &usize)| {
            let saturation = K1 * (1.0 - B + B * real(lengths[at]) / average);
            rarity.get(word).copied().unwrap_or(0.0) * real(count) * (K1 + 1.0) / (real(count) + saturation)
        };
        words.into_iter().map(of).sum()
    };
    let mut ranked: Vec<(usize, f64)> =
        (0..pieces.len()).map(|at| (at, score(at))).filter(|(_, score)| *score > 0.0).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.truncate(HITS);
    ranked.sort_by_key(|(at, _)| *at);
    ranked.into_iter().map(|(at, _)| pieces[at]).collect::<Vec<_>>().join("\n---\n")
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn real(count: usize) -> f64 {
    count as f64
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    parts.filter(|word| word.len() > 1).map(str::to_lowercase)
}

fn counted(piece: &str, wanted: &HashSet<String>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in words(piece).filter(|word| wanted.contains(word)) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

/// Pieces of whole lines; a longer line is cut.
fn cut(message: &str) -> Vec<&str> {
    let (mut pieces, mut from, mut end) = (Vec::new(), 0, 0);
    for line in message.split_inclusive('\n') {
        if end > from && end + line.len() - from > PIECE {
            pieces.push(&message[from..end]);
            from = end;
        }
        end += line.len();
        while end - from > PIECE {
            let until = message.floor_char_boundary(from + PIECE);
            pieces.push(&message[from..until]);
            from = until;
        }
    }
    if end > from {
        pieces.push(&message[from..end]);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::{cut, search};

    #[test]
    fn rare_words_count_more_than_common_ones() {
        let messages: Vec<String> = ["the test is slow", "the test fails for 22 of 60 seeds", "the test", "the clock"]
            .map(str::to_owned)
            .to_vec();
        let found = search(&messages, "the test seeds");
        assert!(found.contains("22 of 60") && !found.contains("clock"), "{found}");
        assert_eq!(search(&messages, "nothing_of_it"), "");
        assert_eq!(search(&[], "x"), "");
    }

    #[test]
    fn pieces_are_lines_and_lose_nothing() {
        let text = format!("{}\n{}\nend", "a".repeat(1_000), "b".repeat(3_000));
        let pieces = cut(&text);
        assert_eq!(pieces.concat(), text);
        assert!(pieces.iter().all(|piece| piece.len() <= 1_200) && pieces[0].len() == 1_001);
    }
}
