//! The columns of a replay that are about its cache.

use super::{maybe, word};
use crate::results::{CompactionCache, RequestCache};

/// The columns of a request of a replay that are about its cache; empty where nothing was simulated.
pub(super) fn request_fields(cache: Option<&RequestCache>) -> [String; 6] {
    [
        maybe(cache.map(|cache| cache.read_tokens)),
        maybe(cache.map(|cache| cache.write_tokens)),
        maybe(cache.map(|cache| cache.plain_tokens)),
        word(cache.and_then(|cache| cache.break_reason.as_deref()).unwrap_or_default()),
        maybe(cache.and_then(|cache| cache.cost_usd)),
        maybe(cache.and_then(|cache| cache.model_first_token_ms)),
    ]
}

/// The columns of a compaction that are about its cache.
pub(super) fn compaction_fields(cache: Option<&CompactionCache>) -> [String; 19] {
    let tokens = |part: fn(&CompactionCache) -> u64| maybe(cache.map(part));
    [
        tokens(|cache| cache.cached_before_tokens),
        tokens(|cache| cache.reusable_tokens),
        tokens(|cache| cache.invalidated_tokens),
        tokens(|cache| cache.rewritten_tokens),
        tokens(|cache| cache.lost_content_tokens),
        tokens(|cache| cache.lost_lifetime_tokens),
        tokens(|cache| cache.lost_granularity_tokens),
        tokens(|cache| cache.lost_placement_tokens),
        maybe(cache.map(|cache| cache.idle_ms)),
        maybe(cache.and_then(|cache| cache.one_time_tokens)),
        maybe(cache.and_then(|cache| cache.one_time_riding_tokens)),
        maybe(cache.and_then(|cache| cache.one_time_usd)),
        maybe(cache.and_then(|cache| cache.saving_tokens)),
        maybe(cache.and_then(|cache| cache.break_even_requests)),
        maybe(cache.and_then(|cache| cache.break_even_riding_requests)),
        maybe(cache.and_then(|cache| cache.warmup_requests)),
        maybe(cache.and_then(|cache| cache.regrowth_requests)),
        maybe(cache.and_then(|cache| cache.summary_usd)),
        maybe(cache.and_then(|cache| cache.summary_riding_usd)),
    ]
}
