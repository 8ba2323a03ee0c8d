//! Entries at places that were stored, with their lifetimes.

use std::collections::HashMap;

use super::block::{Digest, Prompt, Sort};
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

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) now: Millis,
    /// Dead entries are found too.
    pub(super) dead: bool,
}

/// The entries of a cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    entries: HashMap<Digest, Entry>,
    writes: usize,
}

impl Store {
    fn is(&self, prompt: &Prompt, blocks: usize, wanted: Wanted, latest: Option<usize>) -> bool {
        let entry = blocks.checked_sub(1).and_then(|last| self.entries.get(&prompt.links()[last].chain));
        entry.is_some_and(|entry| {
            let lives = entry.from <= wanted.now && entry.until.is_none_or(|until| until >= wanted.now);
            (lives || wanted.dead) && latest.is_none_or(|latest| entry.serial + latest > self.writes)
        })
    }

    /// Blocks before the deepest entry that lies at most at `from`.
    pub(super) fn deepest(&self, prompt: &Prompt, from: usize, wanted: Wanted, latest: Option<usize>) -> Option<usize> {
        (1..=from).rev().find(|&blocks| self.is(prompt, blocks, wanted, latest))
    }

    /// The deepest entry that some breakpoint reaches by walking back over `places`.
    pub(super) fn reached(
        &self,
        prompt: &Prompt,
        breakpoints: &[Breakpoint],
        (look_back, places): (Option<usize>, Places),
        wanted: Wanted,
    ) -> Option<usize> {
        let reach = |breakpoint: &Breakpoint| {
            let Some(look_back) = look_back else { return self.deepest(prompt, breakpoint.blocks, wanted, None) };
            let mut seen = 0;
            for blocks in (1..=breakpoint.blocks).rev() {
                seen += usize::from(places == Places::Blocks || opens_place(prompt, blocks, breakpoint.blocks));
                if seen > look_back {
                    break;
                }
                if self.is(prompt, blocks, wanted, None) {
                    return Some(blocks);
                }
            }
            None
        };
        breakpoints.iter().rev().filter_map(reach).max()
    }

    /// Writes an entry behind so many blocks, or restarts the lifetime of the one that is there.
    pub(super) fn write(&mut self, prompt: &Prompt, blocks: usize, life: Life, now: Millis, rules: &Rules) {
        let Some(last) = blocks.checked_sub(1) else { return };
        self.write_chain(prompt.links()[last].chain, life, now, rules);
    }

    /// As [`Self::write`], for a chain that is no prefix of a prompt yet.
    pub(super) fn write_chain(&mut self, chain: Digest, life: Life, now: Millis, rules: &Rules) {
        self.writes += 1;
        let until = rules.lifetime(life).map(|span| now.plus(span));
        self.entries.insert(chain, Entry { life, from: now.plus(rules.propagation), until, serial: self.writes });
    }

    /// Restarts the lifetime of the entry behind so many blocks, if it lives. Says whether it does.
    pub(super) fn touch(&mut self, prompt: &Prompt, blocks: usize, now: Millis, rules: &Rules) -> bool {
        let wanted = Wanted { now, dead: false };
        if !self.is(prompt, blocks, wanted, None) {
            return false;
        }
        if let Some(entry) = self.entries.get_mut(&prompt.links()[blocks - 1].chain) {
            entry.until = rules.lifetime(entry.life).map(|span| now.plus(span));
        }
        true
    }
}

/// Whether a walk that began at `from` enters a new place at this block: a run of calls and results is one.
fn opens_place(prompt: &Prompt, blocks: usize, from: usize) -> bool {
    let is_tool = |blocks: usize| matches!(prompt.links()[blocks - 1].block.sort, Sort::Call | Sort::Result);
    blocks == from || !(is_tool(blocks) && is_tool(blocks + 1))
}
