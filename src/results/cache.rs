//! Records of a cache simulation beside recorded usage. Fields with a unit end in it; what is not known is `None`.

use serde::{Deserialize, Serialize};

/// One request of a session, recorded and simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CacheRequestRecord {
    /// The session.
    pub session: String,
    /// The simulated cache.
    pub provider: String,
    /// Number of the request on the path, from 1.
    pub request: u64,
    /// Line of the reply in its file.
    pub line: u64,
    /// Start of the request, milliseconds since 1970, or since the first one where the file has no times.
    pub start_ms: i64,
    /// The file says when it started.
    pub start_known: bool,
    /// The model.
    pub model: String,
    /// A compaction came before it.
    pub after_compaction: bool,
    /// Something was inferred from it, or the file records no cache use at all, so it is not compared.
    pub given: bool,
    /// Where its breakpoints are from: `recorded` in the file, or the `policy` of its agent.
    pub breakpoints: String,
    /// Size of the prompt: recorded, or by reference count where nothing is recorded.
    pub prompt_tokens: u64,
    /// Recorded cache read.
    pub recorded_read_tokens: Option<u64>,
    /// Recorded cache write, short lifetime.
    pub recorded_write_tokens: Option<u64>,
    /// Recorded cache write, long lifetime.
    pub recorded_write_long_tokens: Option<u64>,
    /// Recorded plain input.
    pub recorded_plain_tokens: Option<u64>,
    /// Simulated cache read.
    pub simulated_read_tokens: u64,
    /// Simulated cache write, short lifetime.
    pub simulated_write_tokens: u64,
    /// Simulated cache write, long lifetime.
    pub simulated_write_long_tokens: u64,
    /// Simulated plain input.
    pub simulated_plain_tokens: u64,
    /// Simulated minus recorded read, as a share of the recorded read, or of the prompt where nothing was read.
    pub read_error_ratio: Option<f64>,
    /// Why the simulated prefix broke.
    pub simulated_break: Option<String>,
    /// Tokens it lost.
    pub simulated_lost_tokens: Option<u64>,
    /// The part of them whose content differs.
    pub lost_content_tokens: Option<u64>,
    /// The part that ended its life.
    pub lost_lifetime_tokens: Option<u64>,
    /// The part that lies in no whole step.
    pub lost_granularity_tokens: Option<u64>,
    /// The part where no entry ends, or none within reach.
    pub lost_placement_tokens: Option<u64>,
    /// Why the recorded prefix broke.
    pub recorded_break: Option<String>,
    /// How that is known: `known` from the file, `inferred` from the recorded usage, `unexplained`.
    pub recorded_break_basis: Option<String>,
    /// Tokens that it lost.
    pub recorded_lost_tokens: Option<u64>,
    /// The row of the price book behind the dollars.
    pub price_row: Option<String>,
    /// What the recorded usage costs by that row, output included.
    pub recorded_usd: Option<f64>,
    /// What the simulated usage costs, with the recorded output.
    pub simulated_usd: Option<f64>,
    /// What it would cost without a cache.
    pub uncached_usd: Option<f64>,
    /// The dollars that the file itself records.
    pub file_usd: Option<f64>,
    /// The row of the price book behind the times, which are a model's and no measurement.
    pub latency_row: Option<String>,
    /// Milliseconds to the first token by that row, for the recorded usage.
    pub recorded_model_first_token_ms: Option<f64>,
    /// The same for the simulated usage.
    pub simulated_model_first_token_ms: Option<f64>,
    /// The same without a cache.
    pub uncached_model_first_token_ms: Option<f64>,
}

/// A session as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CacheSessionRecord {
    /// The session.
    pub session: String,
    /// The simulated cache: that of the first model, where the models have several.
    pub provider: String,
    /// Why that one: it was `chosen`, is that of the `model`, or the default of the `protocol` where nobody knows the model's;
    /// `unknown`: nothing says.
    pub provider_basis: String,
    /// Where its rules come from, and when that was read.
    pub source: String,
    /// What of its rules is not published; `None`: all of it is.
    pub best_effort: Option<String>,
    /// Requests.
    pub requests: u64,
    /// Requests that were compared: with recorded usage, and nothing inferred from them.
    pub compared: u64,
    /// Why none was.
    pub not_compared: Option<String>,
    /// Requests whose time the file does not have.
    pub untimed: u64,
    /// Requests whose breakpoints the file holds.
    pub marked: u64,
    /// The head, where the file lacks it, as inferred from the first recorded request.
    pub inferred_head_tokens: Option<u64>,
    /// What stood between the head and the first recorded message, inferred as well.
    pub inferred_opening_tokens: Option<u64>,
    /// The first request read from the cache: the head is taken to be kept warm by other sessions.
    pub shared_head: bool,
    /// Sum of the recorded prompts.
    pub prompt_tokens: u64,
    /// Sum of the recorded reads that were compared.
    pub recorded_read_tokens: u64,
    /// Sum of the simulated reads of the same requests.
    pub simulated_read_tokens: u64,
    /// Median of the absolute errors of the requests.
    pub median_error_ratio: Option<f64>,
    /// Simulated total / recorded total − 1.
    pub total_error_ratio: Option<f64>,
    /// The same without the requests whose break the file does not hold.
    pub total_error_without_hidden_ratio: Option<f64>,
    /// Breaks of the recording.
    pub breaks: u64,
    /// Those that the simulation has as well.
    pub breaks_known: u64,
    /// Those that the recorded usage explains.
    pub breaks_inferred: u64,
    /// The rest.
    pub breaks_unexplained: u64,
    /// Simulated breaks of which the recording shows nothing.
    pub breaks_false: u64,
    /// Recorded reads / recorded prompts.
    pub hit_ratio: Option<f64>,
    /// Recorded writes / largest prompt: 1 is ideal where writes are counted.
    pub rewrite_factor: Option<f64>,
    /// Rows of the price book, separated by spaces.
    pub price_rows: String,
    /// What the recorded usage costs; `None`: some request has no price.
    pub recorded_usd: Option<f64>,
    /// What the simulated usage costs.
    pub simulated_usd: Option<f64>,
    /// What the requests would cost without a cache.
    pub uncached_usd: Option<f64>,
    /// The dollars that the file itself records.
    pub file_usd: Option<f64>,
    /// Why there are no dollars.
    pub void: Option<String>,
    /// Rows of the price book behind the times, separated by spaces. The times are a model's and no measurement.
    pub latency_rows: String,
    /// Milliseconds to the first token for the recorded usage, mean over requests with usage; `None` without a row for each.
    pub recorded_model_first_token_ms: Option<f64>,
    /// The same for the simulated usage.
    pub simulated_model_first_token_ms: Option<f64>,
    /// The same without a cache.
    pub uncached_model_first_token_ms: Option<f64>,
}

/// How the simulated cache bills a request of a replay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestCache {
    /// Read from the cache.
    pub read_tokens: u64,
    /// Written to it.
    pub write_tokens: u64,
    /// Neither.
    pub plain_tokens: u64,
    /// Why less was read than the request before had left.
    pub break_reason: Option<String>,
    /// Prompt and reply; `None` without a price.
    pub cost_usd: Option<f64>,
    /// Milliseconds to the first token by the latency row of the price book: a model, no measurement. `None` without a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_first_token_ms: Option<f64>,
}

/// What a compaction of a replay did to the simulated cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactionCache {
    /// What the cache could serve of the request before.
    pub cached_before_tokens: u64,
    /// What the next request reads.
    pub reusable_tokens: u64,
    /// What it no longer reads.
    pub invalidated_tokens: u64,
    /// What of it is not read.
    pub rewritten_tokens: u64,
    /// The invalidated part whose content differs.
    pub lost_content_tokens: u64,
    /// The part that ended its life.
    pub lost_lifetime_tokens: u64,
    /// The part that lies in no whole step.
    pub lost_granularity_tokens: u64,
    /// The part where no entry ends, or none within reach.
    pub lost_placement_tokens: u64,
    /// Milliseconds between the requests before and after it.
    pub idle_ms: i64,
    /// What it costs once, in tokens of plain input: summary calls, and writing what would have been read.
    pub one_time_tokens: Option<f64>,
    /// The same for a summary call that rides on the old prefix.
    pub one_time_riding_tokens: Option<f64>,
    /// The first of them in dollars, by the price of plain input.
    #[serde(default)]
    pub one_time_usd: Option<f64>,
    /// What every later request saves while the cache stays warm, in tokens of plain input.
    pub saving_tokens: Option<f64>,
    /// Requests until it has paid for itself; `None`: never, or there is no price.
    pub break_even_requests: Option<f64>,
    /// The same for a summary call that rides on the old prefix.
    pub break_even_riding_requests: Option<f64>,
    /// Requests until the cached share is back to 95 % of that of the request before; `None`: not before the end.
    pub warmup_requests: Option<f64>,
    /// Requests until the prompt is as large as before; `None`: never.
    pub regrowth_requests: Option<f64>,
    /// Its summary calls, as they were made; `None` without a price.
    pub summary_usd: Option<f64>,
    /// The same if they read the old prompt from the cache.
    pub summary_riding_usd: Option<f64>,
}

/// The bill of a session at one threshold.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CacheSweepRecord {
    /// The session.
    pub session: String,
    /// The strategy whose trigger has this threshold.
    pub strategy: String,
    /// The simulated cache.
    pub provider: String,
    /// The row of the price book.
    pub price_row: String,
    /// Tokens of messages at which it compacts; `None`: never.
    pub threshold_tokens: Option<u64>,
    /// Head, inferred where the file lacks it; it comes on top.
    pub head_tokens: u64,
    /// The head was inferred.
    pub head_inferred: bool,
    /// Compactions.
    pub compactions: u64,
    /// Cached tokens that they made useless.
    pub invalidated_tokens: u64,
    /// Tokens that the requests after them do not read.
    pub rewritten_tokens: u64,
    /// All prompts together.
    pub prompt_tokens: u64,
    /// The bill.
    pub cost_usd: f64,
    /// The part of it for summary calls.
    pub summary_usd: f64,
    /// The bill if the summary calls read the old prompt from the cache.
    pub riding_usd: f64,
    /// What a compaction costs once, in tokens of plain input, mean; `None`: there is none.
    pub one_time_tokens: Option<f64>,
    /// The same if its summary call read the old prompt from the cache.
    pub one_time_riding_tokens: Option<f64>,
    /// What every later request saves, mean.
    pub saving_tokens: Option<f64>,
    /// Milliseconds to the first token, mean over requests, by the latency row of the price book: a model, no measurement.
    pub model_first_token_ms: Option<f64>,
    /// That row.
    pub latency_row: Option<String>,
    /// It is the cheapest of the session's.
    pub optimum: bool,
}
