//! Entries at places that were stored, with their lifetimes.

use std::collections::BTreeSet;

use super::block::{ByDigest, Digest, Link, Prompt, Sort};
use super::placement::Breakpoint;
use super::rules::{Life, Millis, Places, Rules};

/// An entry. One that died is kept, so that a miss can be explained.
#[derive(Clone, Copy, Debug)]
struct Entry {
    life: Life,
    /// From when it can be read.
    from: Millis,
    /// Until when; `None`: for ever.
    until: Option<Millis>,
    /// Grows with every write.
    serial: usize,
}

impl Entry {
    fn lives(&self, now: Millis) -> bool {
        self.from <= now && !self.is_dead(now)
    }

    fn is_dead(&self, now: Millis) -> bool {
        self.until.is_some_and(|until| until < now)
    }
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) now: Millis,
    /// Dead entries are found too.
    pub(super) dead: bool,
}

/// What is known of the prompt at hand, so that no look-up walks over its blocks.
#[derive(Clone, Debug, Default)]
struct Trail {
    /// Blocks before each entry that lies on it.
    entries: BTreeSet<usize>,
    /// Those of them that were not seen dead: time does not go back.
    living: BTreeSet<usize>,
    /// By block: how often a walk from the start enters a new place before it, where a run of calls and results is one.
    places: Vec<usize>,
}

impl Trail {
    /// Blocks that were looked at.
    fn len(&self) -> usize {
        self.places.len()
    }

    fn truncate(&mut self, blocks: usize) {
        self.places.truncate(blocks);
        self.entries.split_off(&(blocks + 1));
        self.living.split_off(&(blocks + 1));
    }

    fn add(&mut self, blocks: usize) {
        self.entries.insert(blocks);
        self.living.insert(blocks);
    }

    /// The farthest place, in blocks before its end, that a walk back from `from` over so many places looks at.
    fn farthest(&self, from: usize, look_back: usize, places: Places) -> usize {
        match places {
            Places::Blocks => (from + 1).saturating_sub(look_back).max(1),
            Places::Runs => {
                let least = (self.places[from - 1] + 1).saturating_sub(look_back);
                self.places.partition_point(|&before| before < least) + 1
            }
        }
    }
}

/// The entries of a cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    entries: ByDigest<Entry>,
    writes: usize,
    trail: Trail,
}

impl Store {
    /// Turns to another prompt, which shares its first `common` blocks with the one before. Costs the blocks behind them.
    pub(super) fn follow(&mut self, prompt: &Prompt, common: usize) {
        let links = prompt.links();
        self.trail.truncate(common);
        for at in self.trail.len()..links.len() {
            let is_tool = |link: &Link| matches!(link.block.sort, Sort::Call | Sort::Result);
            let before = at.checked_sub(1).map_or(0, |last| {
                self.trail.places[last] + usize::from(!(is_tool(&links[last]) && is_tool(&links[at])))
            });
            self.trail.places.push(before);
            if self.entries.contains_key(&links[at].chain) {
                self.trail.add(at + 1);
            }
        }
    }

    /// Blocks before the deepest entry that lies at most at `from`, and among the `latest` writes.
    pub(super) fn deepest(
        &mut self,
        prompt: &Prompt,
        from: usize,
        wanted: Wanted,
        latest: Option<usize>,
    ) -> Option<usize> {
        self.deepest_within(prompt, (1, from), wanted, latest)
    }

    fn deepest_within(
        &mut self,
        prompt: &Prompt,
        (least, from): (usize, usize),
        wanted: Wanted,
        latest: Option<usize>,
    ) -> Option<usize> {
        let mut upto = from;
        while least <= upto {
            let entries = if wanted.dead { &self.trail.entries } else { &self.trail.living };
            let &blocks = entries.range(least..=upto).next_back()?;
            let entry = self.entries.get(&prompt.links()[blocks - 1].chain)?;
            let is_new = latest.is_none_or(|latest| entry.serial + latest > self.writes);
            if is_new && (wanted.dead || entry.lives(wanted.now)) {
                return Some(blocks);
            }
            if !wanted.dead && entry.is_dead(wanted.now) {
                self.trail.living.remove(&blocks);
            }
            upto = blocks - 1;
        }
        None
    }

    /// The deepest entry that some breakpoint reaches by walking back over `places`.
    pub(super) fn reached(
        &mut self,
        prompt: &Prompt,
        breakpoints: &[Breakpoint],
        (look_back, places): (Option<usize>, Places),
        wanted: Wanted,
    ) -> Option<usize> {
        let mut reach = |breakpoint: &Breakpoint| {
            let from = breakpoint.blocks;
            let least = match look_back {
                None => 1,
                Some(_) if from == 0 => return None,
                Some(look_back) => self.trail.farthest(from, look_back, places),
            };
            self.deepest_within(prompt, (least, from), wanted, None)
        };
        breakpoints.iter().rev().filter_map(&mut reach).max()
    }

    /// Writes an entry behind so many blocks of the prompt at hand, or restarts the lifetime of the one that is there.
    pub(super) fn write(&mut self, prompt: &Prompt, blocks: usize, life: Life, now: Millis, rules: &Rules) {
        let Some(last) = blocks.checked_sub(1) else { return };
        self.write_chain(prompt.links()[last].chain, life, now, rules);
        self.trail.add(blocks);
    }

    /// As [`Self::write`], for a chain that is no prefix of the prompt at hand.
    pub(super) fn write_chain(&mut self, chain: Digest, life: Life, now: Millis, rules: &Rules) {
        self.writes += 1;
        let until = rules.lifetime(life).map(|span| now.plus(span));
        self.entries.insert(chain, Entry { life, from: now.plus(rules.propagation), until, serial: self.writes });
    }

    /// Restarts the lifetime of the entry behind so many blocks, if it lives. Says whether it does.
    pub(super) fn touch(&mut self, prompt: &Prompt, blocks: usize, now: Millis, rules: &Rules) -> bool {
        let chain = blocks.checked_sub(1).map(|last| prompt.links()[last].chain);
        let entry = chain.and_then(|chain| self.entries.get_mut(&chain)).filter(|entry| entry.lives(now));
        let Some(entry) = entry else { return false };
        entry.until = rules.lifetime(entry.life).map(|span| now.plus(span));
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::block::{Block, Layer, Settings};
    use super::super::preset::preset;
    use super::super::rules::Seconds;
    use super::*;
    use crate::transcript::Tokens;

    /// Every letter is a block: capitals are results.
    fn prompt(words: &str) -> Prompt {
        let mut prompt = Prompt::new(Settings::default());
        for word in words.chars() {
            let sort = if word.is_uppercase() { Sort::Result } else { Sort::User };
            prompt.push(Block::new(Layer::Messages, sort, &word.to_string(), Tokens(10)));
        }
        prompt
    }

    /// The deepest entry by a walk over all blocks.
    fn walked(store: &Store, prompt: &Prompt, from: usize, wanted: Wanted, latest: Option<usize>) -> Option<usize> {
        let is = |blocks: &usize| {
            let entry = store.entries.get(&prompt.links()[blocks - 1].chain);
            entry.is_some_and(|entry| {
                let rank = latest.is_none_or(|latest| entry.serial + latest > store.writes);
                rank && (wanted.dead || entry.lives(wanted.now))
            })
        };
        (1..=from).rev().find(is)
    }

    /// What a breakpoint reaches by a walk over places.
    fn walked_places(
        store: &Store,
        prompt: &Prompt,
        from: usize,
        (look_back, places): (usize, Places),
        wanted: Wanted,
    ) -> Option<usize> {
        let is_tool = |blocks: usize| prompt.links()[blocks - 1].block.sort == Sort::Result;
        let mut seen = 0;
        for blocks in (1..=from).rev() {
            let opens = blocks == from || !(is_tool(blocks) && is_tool(blocks + 1));
            seen += usize::from(places == Places::Blocks || opens);
            if seen > look_back {
                return None;
            }
            if walked(store, prompt, blocks, wanted, None) == Some(blocks) {
                return Some(blocks);
            }
        }
        None
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_a_walk_finds(
            requests in prop::collection::vec(("[aB]{1,4}[abBC]{0,12}", 0..400_i64, any::<[prop::sample::Index; 2]>()), 1..24),
            latest in prop::option::of(1..4_usize),
            look_back in 0..5_usize,
            propagation in 0..2_u64,
        ) {
            let rules = Rules { propagation: Seconds(propagation * 200), ..preset("anthropic-5m").unwrap().rules };
            let (mut store, mut before, mut now) = (Store::default(), Prompt::default(), Millis(0));
            for (words, gap, places) in requests {
                now = Millis(now.0 + gap * 1_000);
                let prompt = prompt(&words);
                store.follow(&prompt, prompt.common(before.links()));
                let wanted = [false, true].map(|dead| Wanted { now, dead });
                for (from, wanted) in (0..=prompt.len()).flat_map(|from| wanted.map(|wanted| (from, wanted))) {
                    let walk = walked(&store, &prompt, from, wanted, latest);
                    prop_assert_eq!(store.deepest(&prompt, from, wanted, latest), walk);
                    let breakpoint = [Breakpoint { blocks: from, life: Life::Short }];
                    for kind in [Places::Blocks, Places::Runs] {
                        let walk = walked_places(&store, &prompt, from, (look_back, kind), wanted);
                        prop_assert_eq!(store.reached(&prompt, &breakpoint, (Some(look_back), kind), wanted), walk);
                    }
                }
                let [one, other] = places.map(|place| place.index(prompt.len()) + 1);
                store.touch(&prompt, one, now, &rules);
                store.write(&prompt, other, Life::Short, now, &rules);
                let answer = prompt.links()[prompt.len() - 1].chain.then(Block::new(Layer::Messages, Sort::User, "a", Tokens(10)).digest);
                store.write_chain(answer, Life::Short, now, &rules);
                before = prompt;
            }
        }
    }
}
