//! One provider's cache, request by request.
//!
//! The simulator sees prompts and moments, no engine and no replay. It holds no text: a request costs its new blocks and a few
//! look-ups, however long the prompt is and however often it broke.

use super::block::{Digest, Link, Prompt, Settings};
use super::diagnosis::difference;
use super::outcome::{Break, BreakReason, Cause, Outcome, Split};
use super::placement::Breakpoint;
use super::rules::{Life, Matching, Millis, Refresh, Rules};
use super::store::{Store, Wanted};
use super::tree::Tree;
use crate::transcript::Tokens;

/// A request to a provider.
#[derive(Clone, Copy, Debug)]
pub struct Request<'p> {
    /// When it starts.
    pub at: Millis,
    /// The prompt, tools first.
    pub prompt: &'p Prompt,
    /// Where the sender wants it stored, in order.
    pub breakpoints: &'p [Breakpoint],
    /// The digests of the answer's blocks, where it is known: some providers store its end.
    pub answer: &'p [Digest],
    /// What the sender did to the context since the request before.
    pub cause: Option<Cause>,
    /// Tokens shared with the request before, where they are known to the token; otherwise whole blocks count.
    pub shared: Option<Tokens>,
}

impl<'p> Request<'p> {
    /// A request of which nothing more is known.
    pub fn new(at: Millis, prompt: &'p Prompt, breakpoints: &'p [Breakpoint]) -> Self {
        Self { at, prompt, breakpoints, answer: &[], cause: None, shared: None }
    }
}

/// What is remembered of the request before.
#[derive(Clone, Debug)]
struct Previous {
    links: Vec<Link>,
    settings: Settings,
    cached: Tokens,
    answer: Vec<Digest>,
}

/// What a look-up found.
#[derive(Clone, Copy, Debug, Default)]
struct Hit {
    /// Blocks that are read, for entries that end at a block.
    blocks: usize,
    tokens: Tokens,
}

/// A provider's cache.
#[derive(Clone, Debug)]
pub struct Simulator {
    rules: Rules,
    store: Store,
    tree: Tree,
    previous: Option<Previous>,
}

impl Simulator {
    /// An empty cache.
    pub fn new(rules: Rules) -> Self {
        Self { rules, store: Store::default(), tree: Tree::default(), previous: None }
    }

    /// The first so many blocks of a prompt were stored by another session at this moment, as heads often are.
    pub fn warm(&mut self, prompt: &Prompt, blocks: usize, life: Life, at: Millis) {
        let Some(last) = blocks.checked_sub(1) else { return };
        if self.common(prompt) >= blocks {
            self.tree.touch(blocks, at);
            self.store.write(prompt, blocks, life, at, &self.rules);
            return;
        }
        let mut head = prompt.clone();
        head.truncate(blocks);
        self.tree.leave(0);
        self.tree.add(&head, (self.tree.known(&head), 0), at);
        self.tree.leave(0);
        self.store.write_chain(head.links()[last].chain, life, at, &self.rules);
    }

    /// Leading blocks that the request before had too.
    fn common(&self, prompt: &Prompt) -> usize {
        self.previous.as_ref().map_or(0, |previous| prompt.common(&previous.links))
    }

    /// Sends a request. Requests come in order of time.
    pub fn send(&mut self, request: &Request<'_>) -> Outcome {
        let known = self.tree.known(request.prompt);
        let common = self.common(request.prompt);
        self.store.follow(request.prompt, common);
        let hit = self.look_up(request, known, common);
        let missed = self.missed(request, known, common, hit);
        let (split, cached) = self.store(request, known, hit);
        self.tree.add(request.prompt, (known, common), request.at);
        if let Some(capacity) = self.rules.capacity {
            self.tree.evict(capacity);
        }
        self.remember(request, common, cached);
        Outcome { split, shared_blocks: known, cached, missed }
    }

    /// From now on prefixes shorter than this are not stored and not read: the minimum differs by model.
    pub fn set_minimum(&mut self, minimum: Tokens) {
        self.rules.minimum = minimum;
    }

    /// A prefix of this size, cut to whole steps; nothing below the minimum.
    fn stepped(&self, tokens: Tokens, prompt: Tokens) -> Tokens {
        let Matching::Prefix { step, recomputes_last, .. } = self.rules.matching else { return tokens };
        let most = if recomputes_last { prompt.saturating_sub(Tokens(1)) } else { prompt };
        let steps = tokens.min(most).0 / step.max(1) * step.max(1);
        if steps < self.rules.minimum.0 { Tokens(0) } else { Tokens(steps) }
    }

    fn look_up(&mut self, request: &Request<'_>, known: usize, common: usize) -> Hit {
        let (prompt, wanted) = (request.prompt, Wanted { now: request.at, dead: false });
        let blocks = match self.rules.matching {
            Matching::Breakpoints { look_back, places, .. } => {
                self.store.reached(prompt, self.usable(request), (look_back, places), wanted).unwrap_or(0)
            }
            Matching::Stored { latest, .. } => self.store.deepest(prompt, prompt.len(), wanted, latest).unwrap_or(0),
            Matching::Prefix { .. } => {
                let alive = self.tree.alive(prompt, (known, common), request.at, self.rules.short);
                let answered = if alive == common { self.answered(prompt, common) } else { 0 };
                let (alive, known, common) = (alive + answered, known.max(common + answered), common + answered);
                // Within the block that differs, only the request before is known to the token.
                let exact = request.shared.filter(|_| alive == common && alive >= known);
                let tokens = exact.map_or(prompt.tokens(alive), |exact| exact.max(prompt.tokens(alive)));
                return Hit { blocks: alive, tokens: self.stepped(tokens, prompt.total()) };
            }
        };
        let tokens = prompt.tokens(blocks);
        if tokens < self.rules.minimum { Hit::default() } else { Hit { blocks, tokens } }
    }

    /// Blocks behind the request before that are its answer, where answers are stored with their prompt.
    fn answered(&self, prompt: &Prompt, common: usize) -> usize {
        let Matching::Prefix { stores_answer: true, .. } = self.rules.matching else { return 0 };
        let Some(previous) = self.previous.as_ref().filter(|previous| previous.links.len() == common) else { return 0 };
        let next = prompt.links()[common..].iter().map(|link| link.block.digest);
        next.zip(&previous.answer).take_while(|(block, answer)| block == *answer).count()
    }

    /// The breakpoints that count: a request may have so many.
    fn usable<'p>(&self, request: &Request<'p>) -> &'p [Breakpoint] {
        let most = if let Matching::Breakpoints { most, .. } = self.rules.matching { most } else { 3 };
        &request.breakpoints[request.breakpoints.len().saturating_sub(most)..]
    }

    /// Stores what the request writes, and says how its prompt is billed and how much of it is cached from now on.
    fn store(&mut self, request: &Request<'_>, known: usize, hit: Hit) -> (Split, Tokens) {
        let prompt = request.prompt;
        let total = prompt.total();
        let mut split = Split { read: hit.tokens, ..Split::default() };
        let mut covered = hit.tokens;
        let mut marks = self.usable(request).to_vec();
        match self.rules.matching {
            Matching::Prefix { .. } => {
                split.plain = total.saturating_sub(hit.tokens);
                return (split, self.stepped(total, total + Tokens(1)));
            }
            Matching::Stored { prompt_end, answer_end, common_prefix, .. } => {
                // A branch that others have taken before is a prefix that two prompts share.
                if common_prefix && known > hit.blocks && known < prompt.len() {
                    self.store.write(prompt, known, Life::Short, request.at, &self.rules);
                }
                if prompt_end && !marks.iter().any(|mark| mark.blocks == prompt.len()) {
                    marks.push(Breakpoint { blocks: prompt.len(), life: Life::Short });
                }
                if let (true, false, Some(last)) = (answer_end, request.answer.is_empty(), prompt.links().last()) {
                    let chain = request.answer.iter().fold(last.chain, |chain, &next| chain.then(next));
                    self.store.write_chain(chain, Life::Short, request.at, &self.rules);
                }
            }
            Matching::Breakpoints { .. } => {}
        }
        if self.rules.refresh != Refresh::Never {
            self.store.touch(prompt, hit.blocks, request.at, &self.rules);
        }
        for mark in marks {
            let end = prompt.tokens(mark.blocks);
            if end < self.rules.minimum {
                continue;
            }
            self.mark(request, mark, hit);
            let written = end.saturating_sub(covered);
            covered = covered.max(end);
            match mark.life {
                Life::Short => split.write = split.write + written,
                Life::Long => split.write_long = split.write_long + written,
            }
        }
        if !self.rules.bills_writes {
            (split.write, split.write_long) = (Tokens(0), Tokens(0));
        }
        split.plain = total.saturating_sub(split.prompt());
        (split, covered)
    }

    /// Writes the entry of a breakpoint, or restarts the one that is there.
    fn mark(&mut self, request: &Request<'_>, mark: Breakpoint, hit: Hit) {
        let within = mark.blocks <= hit.blocks;
        let touched = match self.rules.refresh {
            Refresh::Marked => within && self.store.touch(request.prompt, mark.blocks, request.at, &self.rules),
            // It lies in the part that is read: nothing is written there again.
            Refresh::Hit | Refresh::Never => within,
        };
        if !touched {
            self.store.write(request.prompt, mark.blocks, mark.life, request.at, &self.rules);
        }
    }

    /// Why less is read than the request before had left.
    fn missed(&mut self, request: &Request<'_>, known: usize, common: usize, hit: Hit) -> Option<Break> {
        let (cached, sent) = self.previous.as_ref().map(|previous| (previous.cached, previous.links.len()))?;
        let prompt = request.prompt;
        if hit.tokens >= cached {
            return None;
        }
        let lost = cached - hit.tokens;
        if matches!(self.rules.matching, Matching::Prefix { step, .. } if common == sent && lost.0 <= step) {
            // The prompt only grew; its last step was not whole.
            return None;
        }
        let same = request.shared.unwrap_or_default().max(prompt.tokens(common)).min(cached);
        let content = cached - same.max(hit.tokens);
        let rest = same.saturating_sub(hit.tokens);
        let (reason, lifetime, granularity, placement) = self.unread(request, known.min(common), hit, rest);
        let previous = self.previous.as_ref()?;
        // A small change before a prefix that was dead anyway is not the reason.
        let reason = if cached > same && content >= lifetime {
            difference((&previous.links, previous.settings), prompt, common, request.cause)
        } else {
            reason
        };
        Some(Break { reason, lost, content, lifetime, granularity, placement })
    }

    /// Why content that is the same is not read: the reason, and the tokens by kind of loss.
    fn unread(
        &mut self,
        request: &Request<'_>,
        same: usize,
        hit: Hit,
        rest: Tokens,
    ) -> (BreakReason, Tokens, Tokens, Tokens) {
        let prompt = request.prompt;
        let none = Tokens(0);
        let wanted = Wanted { now: request.at, dead: true };
        if let Matching::Prefix { .. } = self.rules.matching {
            let alive = prompt.tokens(self.tree.alive(prompt, (same, same), request.at, self.rules.short));
            let dead = prompt.tokens(same).saturating_sub(alive).min(rest);
            let reason = if dead > none {
                BreakReason::Expired
            } else if prompt.tokens(same) < self.rules.minimum {
                BreakReason::BelowMinimum
            } else {
                BreakReason::Evicted
            };
            return (reason, dead, rest - dead, none);
        }
        if prompt.tokens(same) < self.rules.minimum {
            return (BreakReason::BelowMinimum, none, none, rest);
        }
        let dead = match self.rules.matching {
            Matching::Breakpoints { look_back, places, .. } => {
                self.store.reached(prompt, self.usable(request), (look_back, places), wanted)
            }
            _ => self.store.deepest(prompt, same, wanted, None),
        };
        let dead = dead.filter(|&blocks| blocks > hit.blocks).map(|blocks| prompt.tokens(blocks));
        if let Some(dead) = dead {
            let lifetime = dead.saturating_sub(hit.tokens).min(rest);
            let evicted = matches!(self.rules.matching, Matching::Stored { latest: Some(_), .. })
                && self.lives(request, same, hit);
            let reason = if evicted { BreakReason::Evicted } else { BreakReason::Expired };
            return (reason, lifetime, none, rest - lifetime);
        }
        let farther = self.store.deepest(prompt, same, wanted, None).is_some_and(|blocks| blocks > hit.blocks);
        (if farther { BreakReason::LookBack } else { BreakReason::NoEntry }, none, none, rest)
    }

    /// An entry that lives lies deeper than the hit: it is too old in rank, not in time.
    fn lives(&mut self, request: &Request<'_>, same: usize, hit: Hit) -> bool {
        let wanted = Wanted { now: request.at, dead: false };
        self.store.deepest(request.prompt, same, wanted, None).is_some_and(|blocks| blocks > hit.blocks)
    }

    fn remember(&mut self, request: &Request<'_>, common: usize, cached: Tokens) {
        let prompt = request.prompt;
        let mut links = self.previous.take().map(|previous| previous.links).unwrap_or_default();
        links.truncate(common);
        links.extend_from_slice(&prompt.links()[common..]);
        self.previous = Some(Previous { links, settings: prompt.settings(), cached, answer: request.answer.to_vec() });
    }
}

#[cfg(test)]
mod tests;
