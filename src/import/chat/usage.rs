//! Usage in the manner of OpenAI: the prompt figure includes what came from the cache.

use super::super::chain::Chain;
use super::super::value::Object;
use crate::import::FindingKind;
use crate::transcript::{Cost, Usage};

/// Reads `{prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details: {cached_tokens}, …}` and what
/// gateways add to it: `LiteLLM` has `cache_read_input_tokens` and `cache_creation_input_tokens`, both part of its
/// `prompt_tokens`; DeepSeek has `prompt_cache_hit_tokens`; the Responses API says `input_tokens` and `output_tokens`.
/// `cost` is the dollars of the call, where they are known.
pub(in crate::import) fn usage(
    object: &Object<'_>,
    cost: Option<f64>,
    chain: &mut Chain,
    line: usize,
) -> Option<Usage> {
    let mut count = |fields: &Object<'_>, name: &str| chain.count(fields, name, line);
    let prompt = count(object, "prompt_tokens").or_else(|| count(object, "input_tokens"));
    let output = count(object, "completion_tokens").or_else(|| count(object, "output_tokens"));
    if prompt.is_none() && output.is_none() {
        return None;
    }
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
    let total = count(object, "total_tokens").filter(|&total| total != 0);
    let (prompt, output) = (prompt.unwrap_or_default(), output.unwrap_or_default());
    Some(Usage {
        input: exclusive(prompt, cache_read + cache_write, chain, line),
        output,
        cache_read,
        cache_write,
        cache_write_1h: None,
        reasoning,
        total,
        cost: cost.map(|total| Cost { total, ..Cost::default() }),
    })
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
