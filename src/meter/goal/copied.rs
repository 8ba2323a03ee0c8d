//! What of a summary is copied: its words that stand in runs which the dropped part holds too.

use rustc_hash::FxHashMap;

use super::text::each_text;
use super::words::words;
use crate::transcript::Message;

/// So many words in a row that the dropped part holds too are copied.
const RUN: usize = 8;

/// A summary whose runs are looked for. The summary is kept, the dropped part is only read: it is the larger one.
#[derive(Debug)]
pub(super) struct Copied {
    words: usize,
    /// By digest of a run: its number.
    runs: FxHashMap<u64, u32>,
    /// By place in the summary: the number of the run that begins there.
    at: Vec<u32>,
    /// By number of a run: the dropped part holds it.
    held: Vec<bool>,
    /// Of the message that is read.
    digests: Vec<u64>,
}

impl Copied {
    /// A summary of which nothing is known to be copied.
    pub(super) fn new(summary: &str) -> Self {
        let mut digests = Vec::new();
        push_digests(summary, &mut digests);
        let mut runs = FxHashMap::default();
        let mut at = Vec::new();
        each_run(&digests, |run| {
            let next = u32::try_from(runs.len()).unwrap_or(u32::MAX);
            at.push(*runs.entry(run).or_insert(next));
        });
        Self { words: digests.len(), held: vec![false; runs.len()], runs, at, digests }
    }

    /// Looks for the runs in a message of the dropped part.
    pub(super) fn look_in(&mut self, message: &Message) {
        self.digests.clear();
        each_text(message, |text| push_digests(&text, &mut self.digests));
        each_run(&self.digests, |run| {
            if let Some(&number) = self.runs.get(&run) {
                self.held[number as usize] = true;
            }
        });
    }

    /// Words of the summary.
    pub(super) fn words(&self) -> u64 {
        self.words as u64
    }

    /// Words of the summary in runs that were found.
    pub(super) fn copied_words(&self) -> u64 {
        let mut covered = vec![false; self.words];
        for (at, _) in self.at.iter().enumerate().filter(|(_, number)| self.held[**number as usize]) {
            covered[at..at + RUN].fill(true);
        }
        covered.iter().filter(|covered| **covered).count() as u64
    }
}

/// Adds a digest of every word, in lower case.
fn push_digests(text: &str, digests: &mut Vec<u64>) {
    // FNV-1a: short words, and no attacker who gains by a collision.
    let digest = |word: &str| {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3);
        word.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
    };
    digests.extend(words(text).map(|word| digest(&text[word.at])));
}

/// An odd number, so that no digest of a run loses a bit of its words.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Calls `each` with a digest of every run: a polynomial of its words, which the next word moves on.
fn each_run(words: &[u64], mut each: impl FnMut(u64)) {
    let oldest = (0..RUN).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut run = 0_u64;
    for (at, word) in words.iter().enumerate() {
        run = run.wrapping_mul(BASE).wrapping_add(*word);
        if let Some(gone) = at.checked_sub(RUN) {
            run = run.wrapping_sub(words[gone].wrapping_mul(oldest));
        }
        if at + 1 >= RUN {
            each(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Copied;
    use crate::transcript::{Block, Content, Message, Text};

    fn copied(summary: &str, dropped: &[&[&str]]) -> (u64, u64) {
        let mut copied = Copied::new(summary);
        for texts in dropped {
            let blocks = texts.iter().map(|&text| Block::Text(Text::from(text))).collect();
            copied.look_in(&Message::User(Content { blocks, plain: false }));
        }
        (copied.copied_words(), copied.words())
    }

    #[test]
    fn eight_words_in_a_row_are_copied_and_seven_are_not() {
        let summary = "a b c d e f g h i x";
        assert_eq!(copied(summary, &[&["0 1 A b\nc d e f g"], &["h i x"]]), (0, 10), "a run ends with its message");
        assert_eq!(copied(summary, &[&["0 1 A b\nc d e f g", "h 2"]]), (8, 10), "a text goes on with the next");
        // a…h and b…i: nine words.
        assert_eq!(copied(summary, &[&["a b c d e f g h i"]]), (9, 10));
        assert_eq!(copied("a b c", &[&["a b c"]]), (0, 3));
        // A run that the summary says twice is copied twice.
        let twice = "a b c d e f g h - a b c d e f g h";
        assert_eq!(copied(twice, &[&["a b c d e f g h"]]), (16, 17));
    }
}
