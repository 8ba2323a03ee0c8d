//! Usage under the convention of its protocol.

use serde_json::Value;

use super::LlmConfig;
use crate::transcript::Usage;

fn number(value: &Value, path: &[&str]) -> Option<u64> {
    path.iter().try_fold(value, |value, name| value.get(name))?.as_u64()
}

/// Prompt counts that include the cache, unless the configuration says otherwise, become counts that do not.
fn split(prompt: u64, read: u64, write: u64, includes: bool) -> u64 {
    if includes { prompt.saturating_sub(read + write) } else { prompt }
}

/// `OpenAI`'s two shapes: `prompt_tokens` of chat completions, `input_tokens` of Responses. Cached tokens are part of the
/// prompt, reasoning is part of the output (`OpenAI` API reference, `usage`). `None` when nothing was counted.
pub(super) fn openai(config: &LlmConfig, usage: &Value) -> Option<Usage> {
    let either = |chat: &[&str], responses: &[&str]| number(usage, chat).or_else(|| number(usage, responses));
    let prompt = either(&["prompt_tokens"], &["input_tokens"])?;
    let output = either(&["completion_tokens"], &["output_tokens"])?;
    let read = either(&["prompt_tokens_details", "cached_tokens"], &["input_tokens_details", "cached_tokens"]);
    // DeepSeek's own name, and Moonshot's.
    let read = read.or_else(|| either(&["prompt_cache_hit_tokens"], &["cached_tokens"]));
    let write =
        either(&["prompt_tokens_details", "cache_write_tokens"], &["input_tokens_details", "cache_write_tokens"]);
    let reasoning =
        either(&["completion_tokens_details", "reasoning_tokens"], &["output_tokens_details", "reasoning_tokens"]);
    if prompt == 0 && output == 0 {
        return None;
    }
    let (read, write) = (read.unwrap_or(0), write.unwrap_or(0));
    let input = split(prompt, read, write, config.prompt_includes_cache.unwrap_or(true));
    let total = number(usage, &["total_tokens"]).filter(|total| *total > 0);
    Some(Usage { input, output, cache_read: read, cache_write: write, reasoning, total, ..Usage::default() })
}

/// Anthropic's: `input_tokens` is what was neither read from nor written to the cache. A compaction by the server stands in
/// `iterations` alone, and the top level holds the last step; with iterations, their sum is what was paid for.
pub(super) fn anthropic(config: &LlmConfig, usage: &Value) -> Option<Usage> {
    let steps = usage.get("iterations").and_then(Value::as_array).filter(|steps| !steps.is_empty());
    let one = |usage: &Value| step(config, usage);
    let Some(steps) = steps else { return one(usage) };
    steps.iter().filter_map(one).reduce(|sum, step| Usage {
        input: sum.input + step.input,
        output: sum.output + step.output,
        cache_read: sum.cache_read + step.cache_read,
        cache_write: sum.cache_write + step.cache_write,
        cache_write_1h: sum.cache_write_1h.zip(step.cache_write_1h).map(|(a, b)| a + b),
        ..Usage::default()
    })
}

fn step(config: &LlmConfig, usage: &Value) -> Option<Usage> {
    let (prompt, output) = (number(usage, &["input_tokens"])?, number(usage, &["output_tokens"])?);
    let cache_read = number(usage, &["cache_read_input_tokens"]).unwrap_or(0);
    let cache_write = number(usage, &["cache_creation_input_tokens"]).unwrap_or(0);
    if prompt + output + cache_read + cache_write == 0 {
        return None;
    }
    let input = split(prompt, cache_read, cache_write, config.prompt_includes_cache.unwrap_or(false));
    let cache_write_1h = number(usage, &["cache_creation", "ephemeral_1h_input_tokens"]);
    Some(Usage { input, output, cache_read, cache_write, cache_write_1h, ..Usage::default() })
}
