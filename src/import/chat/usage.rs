//! Usage in the manner of OpenAI: the prompt figure includes what came from the cache.

use super::super::chain::Chain;
use super::super::value::Object;
use crate::import::FindingKind;
use crate::transcript::{Cost, Usage};

/// Reads `{prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details: {cached_tokens}, …}` and what
/// gateways add to it: `LiteLLM` has `cache_read_input_tokens` and `cache_creation_input_tokens`, both part of its
/// `prompt_tokens`; DeepSeek has `prompt_cache_hit_tokens`; the Responses API says `input_tokens` and `output_tokens`,
/// and Anthropic too, whose figure excludes the cache. `cost` is the dollars of the call, where they are known. Without
/// a figure of the prompt there is no usage.
pub(in crate::import) fn usage(
    object: &Object<'_>,
    cost: Option<f64>,
    chain: &mut Chain,
    line: usize,
) -> Option<Usage> {
    let mut count = |fields: &Object<'_>, name: &str| chain.count(fields, name, line);
    let prompt = count(object, "prompt_tokens").or_else(|| count(object, "input_tokens"));
    let output = count(object, "completion_tokens").or_else(|| count(object, "output_tokens"));
    let either = |old, new| if object.has(old) { object.object(old) } else { object.object(new) };
    let details = either("prompt_tokens_details", "input_tokens_details");
    // The same number under several names: the largest, because a gateway leaves those it does not fill at zero.
    let cached =
        [(&details, "cached_tokens"), (object, "cache_read_input_tokens"), (object, "prompt_cache_hit_tokens")];
    let written = [
        (&details, "cache_creation_tokens"),
        (&details, "cache_write_tokens"),
        (object, "cache_creation_input_tokens"),
    ];
    let [cache_read, cache_write] = [cached, written]
        .map(|names| names.into_iter().filter_map(|(fields, name)| count(fields, name)).max().unwrap_or_default());
    let reasoning = count(&either("completion_tokens_details", "output_tokens_details"), "reasoning_tokens");
    let total = count(object, "total_tokens");
    let prompt = known_prompt(prompt, output, chain, line)?;
    let output = output.unwrap_or_default();
    let cached = cache_read + cache_write;
    let excludes = total.map_or_else(|| is_anthropic(object), |total| total == prompt + cached + output) && cached > 0;
    Some(Usage {
        input: if excludes { prompt } else { exclusive(prompt, cached, chain, line) },
        output,
        cache_read,
        cache_write,
        cache_write_1h: None,
        reasoning,
        total: whole(total, cached + output),
        cost: cost.map(|total| Cost { total, ..Cost::default() }),
    })
}

/// Whether a usage has the names of Anthropic's own API, in which the prompt figure leaves out the cached part.
fn is_anthropic(object: &Object<'_>) -> bool {
    let cache = ["cache_read_input_tokens", "cache_creation_input_tokens"].iter().any(|name| object.has(name));
    cache && !object.has("prompt_tokens") && !object.has("input_tokens_details")
}

/// The total of a usage, unless it is less than the `parts` that it holds: then it was made without them.
pub(in crate::import) fn whole(total: Option<u64>, parts: u64) -> Option<u64> {
    total.filter(|&total| total != 0 && total >= parts)
}

/// The figure of the prompt. Where only the `output` is known, that is reported: a prompt of zero would be a measure of a
/// context that nobody measured.
pub(in crate::import) fn known_prompt(
    prompt: Option<u64>,
    output: Option<u64>,
    chain: &mut Chain,
    line: usize,
) -> Option<u64> {
    if let (None, Some(output)) = (prompt, output) {
        let message = format!("a usage of {output} tokens of output without a count of the prompt; left out");
        chain.fault(line, FindingKind::BadField, message);
    }
    prompt
}

/// The part of an inclusive prompt figure that no cache had a share in. A figure smaller than the cached part cannot
/// include it.
pub(in crate::import) fn exclusive(prompt: u64, cached: u64, chain: &mut Chain, line: usize) -> u64 {
    prompt.checked_sub(cached).unwrap_or_else(|| {
        let message = format!("{cached} cached tokens in a prompt of {prompt}: read as if the prompt excluded them");
        chain.fault(line, FindingKind::BadField, message);
        prompt
    })
}
