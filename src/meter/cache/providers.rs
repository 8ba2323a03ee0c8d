//! The caches that a session meets when it changes the model: one simulator a provider, with the rules of the model.

use super::feed::Reasoning;
use super::outcome::{Break, BreakReason, Outcome};
use super::placement::Placement;
use super::rules::{Life, Rules};
use super::simulator::{Request, Simulator};
use crate::transcript::{Tokens, Usage};

/// How requests to a model are cached.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCache {
    /// The model, as replies name it.
    pub model: Box<str>,
    /// Name of the provider's cache.
    pub provider: &'static str,
    /// The rules, with what is known of the model.
    pub rules: Rules,
    /// Where the agent puts breakpoints.
    pub placement: Placement,
    /// What becomes of reasoning.
    pub reasoning: Reasoning,
}

/// The caches that the requests of a session, or of a file of bodies, meet.
#[derive(Clone, Debug, Default)]
pub struct Providers {
    caches: Vec<(&'static str, Simulator)>,
    /// The provider of the request before, and what it left cached there.
    last: Option<(&'static str, Tokens)>,
}

impl Providers {
    /// The cache of this model's provider, with the model's rules.
    pub(super) fn of(&mut self, model: &ModelCache) -> &mut Simulator {
        let at = self.caches.iter().position(|(name, _)| *name == model.provider).unwrap_or_else(|| {
            self.caches.push((model.provider, Simulator::new(model.rules)));
            self.caches.len() - 1
        });
        let cache = &mut self.caches[at].1;
        cache.set_minimum(model.rules.minimum);
        cache
    }

    /// Sends a request. What another provider had cached is lost to this one.
    pub fn send(&mut self, model: &ModelCache, request: &Request<'_>) -> Outcome {
        let mut outcome = self.of(model).send(request);
        if let Some((_, cached)) = self.last.filter(|(provider, _)| *provider != model.provider) {
            let lost = cached.saturating_sub(outcome.split.read);
            outcome.missed = (lost > Tokens(0)).then(|| Break::of_content(BreakReason::ModelSwitch, lost));
        }
        self.last = Some((model.provider, outcome.cached));
        outcome
    }
}

/// The lifetimes for which an agent writes, as recorded usage tells them request by request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lives {
    /// Of the head, and of the messages; `None`: nothing was written yet.
    seen: Option<(Life, Life)>,
}

impl Lives {
    /// Takes note of what a request wrote. Writes of both lifetimes mean a head for the long one: longer lifetimes come first.
    pub(super) fn note(&mut self, usage: &Usage, usual: Life) {
        let long = usage.cache_write_1h.unwrap_or(0);
        let short = usage.cache_write.saturating_sub(long);
        let mixed = matches!(self.seen, Some((Life::Long, Life::Short)));
        self.seen = match (long > 0, short > 0) {
            (true, true) => Some((Life::Long, Life::Short)),
            (true, false) if !mixed => Some((Life::Long, Life::Long)),
            (false, true) if !mixed => Some((usual, usual)),
            // Nothing, or one part of a prompt of which the other was read.
            _ => self.seen,
        };
    }

    /// The policy with these lifetimes.
    pub(super) fn of(self, placement: Placement) -> Placement {
        self.seen.map_or(placement, |lives| placement.living(lives))
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::{Block, Layer, Prompt, Settings, Sort};
    use super::super::preset::preset;
    use super::super::rules::Millis;
    use super::*;

    fn model(name: &str, cache: &str, minimum: u64) -> ModelCache {
        let preset = preset(cache).unwrap();
        let rules = Rules { minimum: Tokens(minimum), ..preset.rules };
        let (placement, reasoning) = (Placement::PI, Reasoning::Kept);
        ModelCache { model: name.into(), provider: preset.name, rules, placement, reasoning }
    }

    fn prompt(model: &ModelCache, blocks: usize) -> Prompt {
        let digest = super::super::Digest::of(&[&model.model]);
        let mut prompt = Prompt::new(Settings { model: digest, ..Settings::default() });
        for index in 0..blocks {
            let (layer, sort) = if index == 0 { (Layer::System, Sort::System) } else { (Layer::Messages, Sort::User) };
            prompt.push(Block::new(layer, sort, &index.to_string(), Tokens(1_000)));
        }
        prompt
    }

    /// Reads and reasons of requests to these models; each prompt has a block more.
    fn sent(requests: &[(&ModelCache, i64)]) -> Vec<(u64, Option<BreakReason>)> {
        let mut caches = Providers::default();
        let send = |((model, second), blocks): (&(&ModelCache, i64), usize)| {
            let prompt = prompt(model, blocks);
            let marks = model.placement.place(&prompt);
            let outcome = caches.send(model, &Request::new(Millis(second * 1_000), &prompt, &marks));
            (outcome.split.read.0, outcome.missed.map(|missed| missed.reason))
        };
        requests.iter().zip(2..).map(send).collect()
    }

    #[test]
    fn a_switch_and_back_within_the_lifetime_reads_what_was_left() {
        let (one, other) = (model("claude-a", "anthropic-5m", 1_024), model("claude-b", "anthropic-5m", 1_024));
        let switch = Some(BreakReason::ModelSwitch);
        // Two models of one provider: 2,000, then nothing of 2,000, then the first model's 2,000 of 3,000 that are cached.
        assert_eq!(sent(&[(&one, 0), (&other, 10), (&one, 20)]), [(0, None), (0, switch), (2_000, switch)]);
        // Five minutes and a second later it is gone.
        assert_eq!(sent(&[(&one, 0), (&other, 10), (&one, 301)])[2].0, 0);
        // Another provider has a cache of its own, with its own steps: 15 of 128 tokens are 1,920.
        let gpt = model("gpt-5", "openai-legacy", 1_024);
        let reads = sent(&[(&gpt, 0), (&one, 10), (&gpt, 20), (&one, 30)]);
        assert_eq!(reads, [(0, None), (0, switch), (1_920, switch), (3_000, switch)]);
    }

    #[test]
    fn the_minimum_is_that_of_the_model() {
        let (small, large) = (model("claude-a", "anthropic-5m", 1_024), model("claude-b", "anthropic-5m", 4_096));
        // Prompts of 2,000 to 6,000 tokens; the larger model stores none below 4,096.
        let reads = sent(&[(&large, 0), (&large, 1), (&small, 2), (&small, 3), (&large, 4)]);
        assert_eq!(reads.iter().map(|one| one.0).collect::<Vec<_>>(), [0, 0, 0, 4_000, 0]);
    }

    #[test]
    fn recorded_writes_tell_the_lifetimes() {
        let mut lives = Lives::default();
        let mut note = |write, long| {
            let usage = Usage { cache_write: write, cache_write_1h: Some(long), ..Usage::default() };
            lives.note(&usage, Life::Short);
            lives.seen
        };
        // A first request that reads everything says nothing.
        assert_eq!(note(0, 0), None);
        assert_eq!(note(50, 50), Some((Life::Long, Life::Long)));
        assert_eq!(note(50, 0), Some((Life::Short, Life::Short)));
        assert_eq!(note(50, 20), Some((Life::Long, Life::Short)));
        // The messages alone: the head is still what it was.
        assert_eq!(note(50, 0), Some((Life::Long, Life::Short)));
    }
}
