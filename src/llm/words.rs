//! Words of providers, in lower case: what of an error text tells what kind of error it is. None of them has a code for it
//! that others share.

/// A prompt that does not fit: `OpenAI` (codes and texts), Anthropic (two), Bedrock, Gemini, Mistral, Cohere, `xAI`, Groq, Cerebras,
/// Moonshot, Zhipu, `MiniMax`, Qwen, GitHub's Copilot and Models, Cloudflare; `vLLM`, `SGLang`, TGI, llama.cpp, LM Studio, Ollama; `LiteLLM`,
/// `OpenRouter`.
const OVERFLOW: [&str; 38] = [
    "context_length_exceeded",
    "string_above_max_length",
    "exceeds the context window",
    "exceed context window",
    "prompt is too long",
    "exceed context limit",
    "maximum context length",
    "maximum model length",
    "exceed_context_size",
    "exceeds the available context size",
    "contextwindowexceeded",
    "exceeds the maximum number of tokens",
    "too large for model with",
    "maximum prompt length is",
    "reduce the length of the messages",
    "input is too long",
    "input tokens exceeded",
    "exceeds the model's context",
    "exceeds the maximum allowed length",
    "longer than the model's context length",
    "exceeded model token limit",
    "request_too_large",
    "context window exceed",
    "context window limit",
    "context overflow",
    "context the overflows",
    "input length exceeds",
    "exceeds context length",
    "exceeded max context length",
    "prompt exceeds max length",
    "range of input length should be",
    "too many tokens: ",
    "total number of tokens in the prompt",
    "`inputs` tokens + `max_new_tokens` must be",
    "`inputs` must have less than",
    "tokens_limit_reached",
    "model_max_prompt_tokens_exceeded",
    "expected maxlength",
];

/// A limit on rates, which some providers mix with words about length.
const RATES: [&str; 5] = ["tokens per minute", "tokens per day", "rate_limit", "rate limit", "ratelimit"];

/// A filter of the provider's, before the model or behind it: `OpenAI` and Azure, Anthropic, Gemini, DeepSeek, Qwen, `OpenRouter`.
const FILTER: [&str; 11] = [
    "content_filter",
    "content management policy",
    "content filtering policy",
    "responsibleaipolicyviolation",
    "invalid_prompt",
    "prohibited_content",
    "content exists risk",
    "data_inspection_failed",
    "datainspectionfailed",
    "moderation_blocked",
    "requires moderation",
];

/// No money is left. Texts about rates name plans and billing pages as well, so that only these count.
const QUOTA: [&str; 2] = ["insufficient_quota", "credit balance is too low"];

/// Tools are not taken: Ollama, llama.cpp, `vLLM`, `OpenRouter`, Gemini, Together, Bedrock.
const TOOLS: [&str; 7] = [
    "does not support tool",
    "tools param requires",
    "tool choice requires",
    "support tool use",
    "does not support function calling",
    "function calling is not enabled",
    "tool use is not supported",
];

/// Whether an error says that the model, or its server, takes no tools.
pub(super) fn refuses_tools(text: &str) -> bool {
    let words = text.to_lowercase();
    TOOLS.iter().any(|word| words.contains(word))
}

/// What an error text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) overflow: bool,
    pub(super) filter: bool,
    pub(super) quota: bool,
}

/// Reads an error text.
pub(super) fn told(text: &str) -> Told {
    let words = text.to_lowercase();
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
    Told { overflow: says(&OVERFLOW) && !says(&RATES), filter: says(&FILTER), quota: says(&QUOTA) }
}

/// Whether it names a limit on rates.
pub(super) fn names_rates(text: &str) -> bool {
    let words = text.to_lowercase();
    RATES.iter().any(|word| words.contains(word))
}
