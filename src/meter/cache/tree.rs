//! Every prompt that was seen, as a tree of runs of blocks: which prefix of a prompt is known, and when it was last used.
//!
//! A prompt that grows costs its new blocks. A known prefix is found by a binary search, because a prefix of something
//! known is known.

use super::block::{ByDigest, Digest, Prompt};
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
    /// How it was used, but for what the way that is being taken will add.
    uses: Uses,
}

impl Run {
    fn end(&self) -> usize {
        self.start + self.blocks.len()
    }
}

/// Up to which block a path was used, and when: later uses reach less far than earlier ones that are still listed.
#[derive(Clone, Debug, Default)]
struct Uses(Vec<(usize, Millis)>);

impl Uses {
    fn up_to(&mut self, blocks: usize, at: Millis) {
        while self.0.last().is_some_and(|&(earlier, _)| earlier <= blocks) {
            self.0.pop();
        }
        self.0.push((blocks, at));
    }

    /// When the block number `blocks`, from 1, was last used.
    fn last(&self, blocks: usize) -> Option<Millis> {
        let reaching = self.0.partition_point(|&(upto, _)| upto >= blocks);
        reaching.checked_sub(1).map(|last| self.0[last].1)
    }

    /// Nothing behind so many blocks was used.
    fn truncate(&mut self, blocks: usize) {
        let beyond = self.0.partition_point(|&(upto, _)| upto >= blocks);
        // Of those that reach it the latest.
        if let Some(last) = beyond.checked_sub(1) {
            self.0.drain(..last);
            self.0[0].0 = blocks;
        }
    }
}

/// The runs of the prompt before, from the root on. What it used is noted there when another prompt leaves them, so that
/// a prompt of many runs costs only those that it does not share with the one before.
#[derive(Clone, Debug, Default)]
struct Way {
    /// Each run, and how many leading blocks of the prompt there are up to its end or its branch.
    steps: Vec<(usize, usize)>,
    uses: Uses,
}

/// The prompts that were seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    runs: Vec<Run>,
    /// The run of every known chain.
    known: ByDigest<usize>,
    tokens: u64,
    way: Way,
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

    /// Of `known` leading blocks, those that were used within `lifetime`. The prompt shares its first `common` blocks with
    /// the one before.
    pub(super) fn alive(
        &self,
        prompt: &Prompt,
        (known, common): (usize, usize),
        now: Millis,
        lifetime: Option<Seconds>,
    ) -> usize {
        let Some(lifetime) = lifetime else { return known };
        let lives = |blocks: usize| {
            let run = || self.known.get(&prompt.links()[blocks - 1].chain).map(|&run| &self.runs[run].uses);
            let shared = (blocks <= common).then(|| self.way.uses.last(blocks)).flatten();
            let used = shared.or_else(|| run().and_then(|uses| uses.last(blocks)));
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

    /// Takes note of a prompt, of which `known` leading blocks were known, and the first `common` stood in the one before.
    pub(super) fn add(&mut self, prompt: &Prompt, (known, common): (usize, usize), at: Millis) {
        self.leave(common);
        let links = prompt.links();
        let mut run = known.checked_sub(1).and_then(|last| self.known.get(&links[last].chain).copied());
        if known < links.len() {
            let grows = run.filter(|&run| self.runs[run].end() == known);
            let target = grows.unwrap_or_else(|| {
                self.runs.push(Run { parent: run, start: known, blocks: Vec::new(), uses: Uses::default() });
                self.runs.len() - 1
            });
            for link in &links[known..] {
                self.known.insert(link.chain, target);
                self.runs[target].blocks.push((link.chain, link.block.tokens));
                self.tokens += link.block.tokens.0;
            }
            run = Some(target);
        }
        let (mut blocks, shared) = (links.len(), self.way.steps.len());
        while let Some(used) = run {
            if let Some((_, upto)) = self.way.steps[..shared].last_mut().filter(|(last, _)| *last == used) {
                *upto = blocks;
                break;
            }
            self.way.steps.push((used, blocks));
            blocks = self.runs[used].start;
            run = self.runs[used].parent;
        }
        self.way.steps[shared..].reverse();
        self.way.uses.up_to(links.len(), at);
    }

    /// The first so many blocks of the prompt before were used by another one.
    pub(super) fn touch(&mut self, blocks: usize, at: Millis) {
        self.way.uses.up_to(blocks, at);
    }

    /// Leaves the way of the prompt before at its block number `common`.
    pub(super) fn leave(&mut self, common: usize) {
        while let Some((run, upto)) = self.way.steps.last_mut() {
            let start = self.runs[*run].start;
            if common < *upto {
                for &(reached, at) in self.way.uses.0.iter().filter(|(reached, _)| *reached > start) {
                    self.runs[*run].uses.up_to(reached.min(*upto), at);
                }
            }
            if start < common {
                *upto = common.min(*upto);
                break;
            }
            self.way.steps.pop();
        }
        self.way.uses.truncate(common);
        if self.way.steps.is_empty() {
            self.way = Way::default();
        }
    }

    /// Forgets the least recently used ends until no more than `capacity` is held.
    pub(super) fn evict(&mut self, capacity: Tokens) {
        if self.tokens > capacity.0 {
            self.leave(0);
        }
        while self.tokens > capacity.0 {
            let is_leaf = |index: usize| {
                let end = self.runs[index].end();
                !self.runs[index].blocks.is_empty()
                    && self.runs.iter().all(|run| run.parent != Some(index) || run.start < end || run.blocks.is_empty())
            };
            let oldest = (0..self.runs.len())
                .filter(|&index| is_leaf(index))
                .min_by_key(|&index| (self.runs[index].uses.last(self.runs[index].end()), index));
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
    use proptest::prelude::*;

    use super::super::block::{Block, Layer, Settings, Sort};
    use super::*;

    fn prompt(words: &str) -> Prompt {
        let mut prompt = Prompt::new(Settings::default());
        for word in words.chars() {
            prompt.push(Block::new(Layer::Messages, Sort::User, &word.to_string(), Tokens(10)));
        }
        prompt
    }

    /// A tree, and the prompt that it saw last.
    #[derive(Default)]
    struct Seen {
        tree: Tree,
        before: Prompt,
    }

    impl Seen {
        fn see(&mut self, words: &str, second: i64) {
            let prompt = prompt(words);
            let known = self.tree.known(&prompt);
            let common = prompt.common(self.before.links());
            self.tree.add(&prompt, (known, common), Millis(second * 1_000));
            self.before = prompt;
        }

        /// Blocks that are known, and those of them that were used in the last 100 s.
        fn alive(&self, words: &str, now: i64) -> (usize, usize) {
            let prompt = prompt(words);
            let (known, common) = (self.tree.known(&prompt), prompt.common(self.before.links()));
            (known, self.tree.alive(&prompt, (known, common), Millis(now * 1_000), Some(Seconds(100))))
        }
    }

    #[test]
    fn what_was_used_lately_lives() {
        let mut seen = Seen::default();
        seen.see("abcdef", 0);
        seen.see("abcxy", 50);
        seen.see("abcxyz", 60);
        // At 110 s the branch "def" of 0 s is dead, "abc" lives because the other branch used it.
        assert_eq!(seen.alive("abcdef", 110), (6, 3));
        assert_eq!(seen.alive("abcxyz", 110), (6, 6));
        assert_eq!(seen.alive("abq", 110), (2, 2));
        assert_eq!(seen.alive("abcdef", 100), (6, 6));
        assert_eq!(seen.alive("abcdef", 161), (6, 0));
        // Another session used the head: it lives longer than what stands behind it.
        seen.tree.touch(2, Millis(100_000));
        assert_eq!(seen.alive("abcxyz", 161), (6, 2));
        seen.see("abq", 161);
        assert_eq!((seen.alive("abcxyz", 200), seen.alive("abcxyz", 262)), ((6, 2), (6, 0)));
    }

    #[test]
    fn the_oldest_end_is_evicted_first() {
        let mut seen = Seen::default();
        seen.see("abcd", 0);
        seen.see("abxy", 1);
        // 60 tokens are held; 40 leave "abxy", because the end of "abcd" is older.
        seen.tree.evict(Tokens(40));
        assert_eq!((seen.tree.known(&prompt("abcd")), seen.tree.known(&prompt("abxy"))), (2, 4));
        seen.tree.evict(Tokens(10));
        assert_eq!(seen.tree.known(&prompt("abxy")), 1);
    }

    proptest! {
        #[test]
        fn a_tree_is_the_list_of_all_prompts(prompts in prop::collection::vec(("[ab]{1,3}[a-c]{0,9}", 0..90_i64), 1..24)) {
            let (mut seen, mut list, mut now) = (Seen::default(), Vec::new(), 0);
            for (words, gap) in prompts {
                now += gap;
                let shared = |other: &str| words.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
                let longest = |since: i64| {
                    let lately = list.iter().filter(|(_, at)| *at >= since);
                    lately.map(|(other, _): &(String, i64)| shared(other)).max().unwrap_or(0)
                };
                prop_assert_eq!(seen.alive(&words, now), (longest(i64::MIN), longest(now - 100)), "{} at {}", words, now);
                seen.see(&words, now);
                list.push((words, now));
            }
        }
    }
}
