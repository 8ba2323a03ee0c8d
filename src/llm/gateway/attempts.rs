//! One call with its attempts, under limits and budget.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::{Gateway, Halt, Line, lock};
use crate::llm::api::{Reply, limit};
use crate::llm::failure::CallError;
use crate::llm::limits::{Pace, backoff};
use crate::llm::{LlmRequest, LlmResponse};
use crate::transcript::Usage;

/// How often a waiting call looks whether the run was stopped.
const LOOK: Duration = Duration::from_millis(100);
/// Bytes per token of a cautious estimate. Code has some 3.3 bytes per `o200k_base` token, English prose more.
const BYTES_PER_TOKEN: u64 = 3;

/// When the next call may begin.
#[derive(Debug)]
pub(super) struct Turns {
    requests: Option<Pace>,
    tokens: Option<Pace>,
    /// A provider asked to be left alone until then.
    quiet_until: Option<Instant>,
}

impl Turns {
    pub(super) fn new(requests: Option<Pace>, tokens: Option<Pace>) -> Self {
        Self { requests, tokens, quiet_until: None }
    }

    fn take(&mut self, tokens: u64) -> Instant {
        let now = Instant::now();
        let by_requests = self.requests.as_mut().map_or(now, |pace| pace.take(1, now));
        let by_tokens = self.tokens.as_mut().map_or(now, |pace| pace.take(tokens, now));
        by_requests.max(by_tokens).max(self.quiet_until.unwrap_or(now))
    }
}

impl Gateway {
    /// The model's reply. Its worst case is set aside before, and what it took is booked after.
    pub(super) async fn ask(&self, line: &Line, request: &LlmRequest) -> Result<Reply, Halt> {
        let schemas = request.tools.iter().flat_map(|tool| [&tool.name, &tool.description, &tool.parameters]);
        let texts = [&*request.prompt, request.system.as_deref().unwrap_or_default()].into_iter();
        let input: u64 = texts.chain(schemas.map(|text| &**text)).map(estimate).sum();
        let output = limit(&self.config, request);
        let reserved = self.ledger.reserve(input, output).map_err(|error| Halt(error.to_string()))?;
        let result = self.attempts(line, request, input + output).await;
        let told = result.as_ref().ok().and_then(|reply| reply.usage);
        let estimated =
            result.as_ref().ok().and_then(|reply| reply.outcome.as_ref().ok()).map(|response: &LlmResponse| {
                let calls = response.calls.iter().map(|call| estimate(&call.name) + estimate(&call.arguments));
                Usage { input, output: estimate(&response.text) + calls.sum::<u64>(), ..Usage::default() }
            });
        let used = told.as_ref().map(|usage| (usage, true)).or(estimated.as_ref().map(|usage| (usage, false)));
        self.ledger.settle(reserved, used);
        if let (Some(usage), Some(pace)) = (told, &mut lock(&line.turns).tokens) {
            pace.settle(input + output, usage.prompt().0 + usage.output);
        }
        result
    }

    async fn attempts(&self, line: &Line, request: &LlmRequest, tokens: u64) -> Result<Reply, Halt> {
        let limits = &self.config.limits;
        let mut attempt = 1;
        loop {
            let slot = line.slots.acquire().await.map_err(|error| Halt(error.to_string()))?;
            let turn = lock(&line.turns).take(tokens);
            self.wait(turn).await?;
            let (why, after) = match line.client.call(request).await {
                Ok(reply) => return Ok(reply),
                Err(CallError::Answer(error)) => return Ok(Reply { outcome: Err(error), usage: None, model: None }),
                Err(CallError::Never(why)) => return Err(Halt(format!("{}: {why}", self.name))),
                Err(CallError::Again { why, after }) => (why, after),
            };
            drop(slot);
            if attempt >= limits.attempts {
                return Err(Halt(format!("{}: {why}, {attempt} times in a row", self.name)));
            }
            if let Some(asked) = after {
                if asked.as_secs_f64() > limits.longest_wait_s {
                    let asked = asked.as_secs();
                    return Err(Halt(format!("{}: {why}; it asks to wait {asked} s", self.name)));
                }
                // Everybody is told, not only the one that happened to ask.
                let turns = &mut lock(&line.turns);
                turns.quiet_until = turns.quiet_until.max(Some(Instant::now() + asked));
            }
            self.retries.fetch_add(1, Ordering::Relaxed);
            self.wait(Instant::now() + backoff(attempt, after, chance())).await?;
            attempt += 1;
        }
    }

    /// Waits, but not longer than until the run is stopped.
    async fn wait(&self, until: Instant) -> Result<(), Halt> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Halt("stopped".to_owned()));
            }
            let now = Instant::now();
            if now >= until {
                return Ok(());
            }
            sleep_until(until.min(now + LOOK)).await;
        }
    }
}

fn estimate(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES_PER_TOKEN)
}

/// A number from 0 to 1 that differs from call to call. It spreads retries, and decides no result.
fn chance() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    #[expect(clippy::cast_precision_loss, reason = "32 bits are exact")]
    let share = (random >> 32) as f64 / f64::from(u32::MAX);
    share
}
