//! Every prompt that was seen, as a tree of runs of blocks: which prefix of a prompt is known, and when it was last used.
//!
//! A prompt that grows costs its new blocks. A known prefix is found by a binary search, because a prefix of something
//! known is known.

use std::collections::HashMap;

use super::block::{Digest, Prompt};
use super::rules::{Millis, Seconds};
use crate::transcript::Tokens;

/// Blocks that were first seen one after the other.
#[derive(Clone, Debug)]
struct Run {
    /// The run it branches from.
    parent: Option<usize>,
    /// Blocks before it.
    start: usize,
    /// Its chains, and the tokens of each block.
    blocks: Vec<(Digest, Tokens)>,
    /// Up to which block it was used, and when: later uses reach less far than earlier ones that are still listed.
    uses: Vec<(usize, Millis)>,
}

impl Run {
    fn end(&self) -> usize {
        self.start + self.blocks.len()
    }

    fn use_up_to(&mut self, blocks: usize, at: Millis) {
        while self.uses.last().is_some_and(|&(earlier, _)| earlier <= blocks) {
            self.uses.pop();
        }
        self.uses.push((blocks, at));
    }

    /// When the block number `blocks`, from 1, was last used.
    fn last_use(&self, blocks: usize) -> Option<Millis> {
        let reaching = self.uses.partition_point(|&(upto, _)| upto >= blocks);
        reaching.checked_sub(1).map(|last| self.uses[last].1)
    }
}

/// The prompts that were seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    runs: Vec<Run>,
    /// The run of every known chain.
    known: HashMap<Digest, usize>,
    tokens: u64,
}

impl Tree {
    /// Leading blocks that some earlier prompt had too.
    pub(super) fn known(&self, prompt: &Prompt) -> usize {
        let links = prompt.links();
        // The usual case is a prompt that grew: look from both ends at once.
        let (mut low, mut high) = (0, links.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.known.contains_key(&links[middle].chain) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Of `known` leading blocks, those that were used within `lifetime`.
    pub(super) fn alive(&self, prompt: &Prompt, known: usize, now: Millis, lifetime: Option<Seconds>) -> usize {
        let Some(lifetime) = lifetime else { return known };
        let lives = |blocks: usize| {
            let used =
                self.known.get(&prompt.links()[blocks - 1].chain).and_then(|&run| self.runs[run].last_use(blocks));
            used.is_some_and(|used| used.plus(lifetime) >= now)
        };
        // A use of a prefix uses all that stands before it, so what lives comes first.
        let (mut low, mut high) = (0, known);
        while low < high {
            let middle = usize::midpoint(low, high);
            if lives(middle + 1) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Takes note of a prompt, of which `known` leading blocks were known.
    pub(super) fn add(&mut self, prompt: &Prompt, known: usize, at: Millis) {
        let links = prompt.links();
        let mut run = known.checked_sub(1).and_then(|last| self.known.get(&links[last].chain).copied());
        if known < links.len() {
            let grows = run.filter(|&run| self.runs[run].end() == known);
            let target = grows.unwrap_or_else(|| {
                self.runs.push(Run { parent: run, start: known, blocks: Vec::new(), uses: Vec::new() });
                self.runs.len() - 1
            });
            for link in &links[known..] {
                self.known.insert(link.chain, target);
                self.runs[target].blocks.push((link.chain, link.block.tokens));
                self.tokens += link.block.tokens.0;
            }
            run = Some(target);
        }
        let mut blocks = links.len();
        while let Some(used) = run {
            self.runs[used].use_up_to(blocks, at);
            blocks = self.runs[used].start;
            run = self.runs[used].parent;
        }
    }

    /// Forgets the least recently used ends until no more than `capacity` is held.
    pub(super) fn evict(&mut self, capacity: Tokens) {
        while self.tokens > capacity.0 {
            let is_leaf = |index: usize| {
                let end = self.runs[index].end();
                !self.runs[index].blocks.is_empty()
                    && self.runs.iter().all(|run| run.parent != Some(index) || run.start < end || run.blocks.is_empty())
            };
            let oldest = (0..self.runs.len())
                .filter(|&index| is_leaf(index))
                .min_by_key(|&index| (self.runs[index].last_use(self.runs[index].end()), index));
            let Some(oldest) = oldest else { return };
            if let Some((chain, tokens)) = self.runs[oldest].blocks.pop() {
                self.known.remove(&chain);
                self.tokens -= tokens.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::{Block, Layer, Settings, Sort};
    use super::*;

    fn prompt(words: &str) -> Prompt {
        let mut prompt = Prompt::new(Settings::default());
        for word in words.chars() {
            prompt.push(Block::new(Layer::Messages, Sort::User, &word.to_string(), Tokens(10)));
        }
        prompt
    }

    fn see(tree: &mut Tree, words: &str, second: i64) {
        let prompt = prompt(words);
        let known = tree.known(&prompt);
        tree.add(&prompt, known, Millis(second * 1_000));
    }

    #[test]
    fn what_was_used_lately_lives() {
        let mut tree = Tree::default();
        see(&mut tree, "abcdef", 0);
        see(&mut tree, "abcxy", 50);
        see(&mut tree, "abcxyz", 60);
        let alive = |words: &str, now: i64| {
            let prompt = prompt(words);
            let known = tree.known(&prompt);
            (known, tree.alive(&prompt, known, Millis(now * 1_000), Some(Seconds(100))))
        };
        // At 110 s the branch "def" of 0 s is dead, "abc" lives because the other branch used it.
        assert_eq!(alive("abcdef", 110), (6, 3));
        assert_eq!(alive("abcxyz", 110), (6, 6));
        assert_eq!(alive("abq", 110), (2, 2));
        assert_eq!(alive("abcdef", 100), (6, 6));
        assert_eq!(alive("abcdef", 161), (6, 0));
    }

    #[test]
    fn the_oldest_end_is_evicted_first() {
        let mut tree = Tree::default();
        see(&mut tree, "abcd", 0);
        see(&mut tree, "abxy", 1);
        // 60 tokens are held; 40 leave "abxy", because the end of "abcd" is older.
        tree.evict(Tokens(40));
        assert_eq!((tree.known(&prompt("abcd")), tree.known(&prompt("abxy"))), (2, 4));
        tree.evict(Tokens(10));
        assert_eq!(tree.known(&prompt("abxy")), 1);
    }
}
