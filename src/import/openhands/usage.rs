//! Usage of the replies.

use std::collections::BTreeMap;

use crate::import::FindingKind;
use crate::import::chain::Chain;
use crate::import::chat::usage::{exclusive, known_prompt};
use crate::import::value::{Object, Value};
use crate::transcript::Usage;

/// Counts as `OpenHands` keeps them: `prompt` includes the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    prompt: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    reasoning: u64,
}

impl Counts {
    /// `None` without a count of the prompt.
    fn of(fields: &Object<'_>, chain: &mut Chain, line: usize) -> Option<Self> {
        let [prompt, output] = ["prompt_tokens", "completion_tokens"].map(|name| chain.count(fields, name, line));
        let prompt = known_prompt(prompt, output, chain, line)?;
        let mut count = |name: &str| chain.count(fields, name, line).unwrap_or_default();
        Some(Self {
            prompt,
            output: output.unwrap_or_default(),
            cache_read: count("cache_read_tokens"),
            cache_write: count("cache_write_tokens"),
            reasoning: count("reasoning_tokens"),
        })
    }

    /// What came on top of `before`; everything, where the counting began anew.
    fn since(self, before: Self) -> Self {
        if self.prompt < before.prompt || self.output < before.output {
            return self;
        }
        Self {
            prompt: self.prompt - before.prompt,
            output: self.output - before.output,
            cache_read: self.cache_read.saturating_sub(before.cache_read),
            cache_write: self.cache_write.saturating_sub(before.cache_write),
            reasoning: self.reasoning.saturating_sub(before.reasoning),
        }
    }

    fn usage(self, chain: &mut Chain, line: usize) -> Usage {
        Usage {
            input: exclusive(self.prompt, self.cache_read + self.cache_write, chain, line),
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            reasoning: (self.reasoning > 0).then_some(self.reasoning),
            ..Usage::default()
        }
    }
}

/// Usage that waits for its reply.
#[derive(Debug, Default)]
pub(super) struct Usages {
    /// The model, as far as is known by now.
    pub(super) model: Box<str>,
    /// By response id: those of the metrics that no reply has taken yet.
    responses: BTreeMap<Box<str>, Counts>,
    /// The last running sum, over all uses but the condenser's.
    sum: Counts,
    /// A call of which the reply has not been seen yet, and the line that told of it.
    pending: Option<(Counts, usize)>,
}

impl Usages {
    /// Takes `metrics.token_usages`.
    pub(super) fn responses(&mut self, metrics: &Object<'_>, chain: &mut Chain, line: usize) {
        for usage in metrics.items("token_usages") {
            let fields = usage.object();
            if let Some(id) = fields.boxed("response_id").filter(|id| !id.is_empty()) {
                let counts = Counts::of(&fields, chain, line);
                self.responses.extend(counts.map(|counts| (id, counts)));
            }
        }
    }

    /// The usage of a response, from the metrics.
    pub(super) fn take_response(&mut self, id: &str, chain: &mut Chain, line: usize) -> Option<Usage> {
        Some(self.responses.remove(id)?.usage(chain, line))
    }

    /// The usage that waits, for the reply that is read now.
    pub(super) fn take_pending(&mut self, chain: &mut Chain, line: usize) -> Option<Usage> {
        let (counts, _) = self.pending.take()?;
        Some(counts.usage(chain, line))
    }

    /// Takes a running sum: the value of a `stats` event.
    pub(super) fn stats(&mut self, value: Value<'_>, chain: &mut Chain, line: usize) {
        let mut sum = Counts::default();
        for (name, metrics) in value.object().object("usage_to_metrics").0 {
            // The condenser and the judge of an answer make calls of their own, which no reply records.
            if name.contains("condenser") || name.contains("critic") {
                continue;
            }
            let fields = metrics.object();
            let counts = fields.object("accumulated_token_usage");
            let part = match Counts::of(&counts, chain, line) {
                Some(part) => part,
                None if counts.get("prompt_tokens").is_none() => continue,
                // With one part unknown the sum is: what comes on top of it is told by the next one.
                None => return,
            };
            sum.prompt += part.prompt;
            sum.output += part.output;
            sum.cache_read += part.cache_read;
            sum.cache_write += part.cache_write;
            sum.reasoning += part.reasoning;
            if let Some(model) = fields.boxed("model_name").filter(|_| part.prompt > 0) {
                self.model = model;
            }
        }
        let call = sum.since(self.sum);
        self.sum = sum;
        if call == Counts::default() {
            return;
        }
        let late = last_without_usage(chain).is_some() && self.pending.is_none();
        if late {
            let usage = call.usage(chain, line);
            if let Some(reply) = last_without_usage(chain) {
                *reply = Some(usage);
            }
            return;
        }
        self.unclaimed(chain);
        self.pending = Some((call, line));
    }

    /// Reports usage that no reply took.
    pub(super) fn unclaimed(&mut self, chain: &mut Chain) {
        if let Some((counts, line)) = self.pending.take() {
            let fault = format!("a call of {} prompt tokens, whose reply is not among the events", counts.prompt);
            chain.fault(line, FindingKind::MissingTarget, fault);
        }
    }

    /// Reports usage of the metrics that no reply took.
    pub(super) fn unclaimed_responses(&mut self, chain: &mut Chain, line: usize) {
        for (id, counts) in std::mem::take(&mut self.responses) {
            let prompt = counts.prompt;
            let fault = format!("usage of response `{id}` ({prompt} prompt tokens), which is not in the history");
            chain.fault(line, FindingKind::MissingTarget, fault);
        }
    }
}

/// The usage of the last reply, if it has none.
fn last_without_usage(chain: &mut Chain) -> Option<&mut Option<Usage>> {
    use crate::transcript::{EntryKind, Message};
    let replies = chain.transcript.entries.iter_mut().rev();
    let last = replies.into_iter().find_map(|entry| match &mut entry.kind {
        EntryKind::Message(Message::Assistant(_, reply)) => Some(&mut reply.usage),
        _ => None,
    })?;
    last.is_none().then_some(last)
}
