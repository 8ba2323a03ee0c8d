//! How a call fails, and what a provider's refusal means.

use std::time::Duration;

use serde_json::Value;

use super::LlmError;

/// One attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It may work a little later.
    #[error("{why}")]
    Again {
        /// Why, in the provider's words.
        why: String,
        /// How long the provider asks to wait.
        after: Option<Duration>,
    },
    /// The model's own answer is that it cannot: the same request would end the same way.
    #[error(transparent)]
    Answer(#[from] LlmError),
    /// Every further call would fail too: a wrong key, an unknown model, a bad parameter.
    #[error("{0}")]
    Never(String),
}

impl CallError {
    /// A failure that may pass.
    pub(super) fn again(why: impl Into<String>) -> Self {
        Self::Again { why: why.into(), after: None }
    }
}

/// Words of providers for a prompt that does not fit, in lower case: `OpenAI` (code and text), Anthropic (two), `vLLM`,
/// llama.cpp, `LiteLLM`, Gemini, Mistral, `xAI`, Groq, Bedrock, `OpenRouter`, Together, Ollama.
const OVERFLOW: [&str; 20] = [
    "context_length_exceeded",
    "exceeds the context window",
    "prompt is too long",
    "exceed context limit",
    "maximum context length",
    "exceed_context_size",
    "exceeds the available context size",
    "contextwindowexceeded",
    "exceeds the maximum number of tokens",
    "too large for model with",
    "maximum prompt length is",
    "reduce the length of the messages",
    "input is too long",
    "exceeds the model's context",
    "exceeded model token limit",
    "request_too_large",
    "context window exceed",
    "input length exceeds",
    "exceeds context length",
    "exceeded max context length",
];

/// Words for a limit on rates, which some providers mix with words about length.
const RATES: [&str; 3] = ["tokens per minute", "rate_limit", "rate limit"];

/// Longest error text that is kept, in bytes.
const LONGEST: usize = 600;

/// What an answer with an error status means.
pub(super) fn refusal(status: u16, after: Option<Duration>, body: &str) -> CallError {
    let told = serde_json::from_str::<Value>(body).ok();
    let why = format!("status {status}: {}", told.as_ref().and_then(message).unwrap_or_else(|| short(body)));
    let words = body.to_lowercase();
    let says = |words_of: &[&str]| words_of.iter().any(|of| words.contains(of));
    // A size limit of a gateway has a status of its own and often no words.
    let too_large = status == 413 || (matches!(status, 400 | 404 | 422 | 500) && says(&OVERFLOW));
    if too_large && !says(&RATES) {
        return CallError::Answer(LlmError::Overflow(why));
    }
    match status {
        429 if says(&["insufficient_quota", "credit balance", "billing"]) => CallError::Never(why),
        408 | 409 | 413 | 425 | 429 | 500..=599 => CallError::Again { why, after },
        _ => CallError::Never(why),
    }
}

/// An error that a stream or a body with a good status carries.
pub(super) fn told(error: &Value) -> CallError {
    let kind = ["type", "code"].iter().filter_map(|name| error.get(name)?.as_str()).collect::<Vec<_>>().join(" ");
    let status = match kind.as_str() {
        kind if kind.contains("invalid_request") || kind.contains("context") => 400,
        kind if kind.contains("authentication") || kind.contains("permission") => 401,
        kind if kind.contains("rate_limit") => 429,
        _ => 500,
    };
    refusal(status, None, &Value::Object([("error".to_owned(), error.clone())].into_iter().collect()).to_string())
}

/// The message of `{"error": {"message": …}}`, `{"error": "…"}`, `{"message": …}` or `{"detail": …}`.
fn message(body: &Value) -> Option<String> {
    let error = body.get("error").unwrap_or(body);
    let text = error.as_str().or_else(|| error.get("message")?.as_str()).or_else(|| error.get("detail")?.as_str())?;
    let kind = ["type", "code"].iter().find_map(|name| error.get(name)?.as_str());
    Some(short(&kind.map_or_else(|| text.to_owned(), |kind| format!("{text} ({kind})"))))
}

pub(super) fn short(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return "without a word".to_owned();
    }
    cut(text, LONGEST)
}

/// The text, or its first bytes and a mark.
pub(super) fn cut(text: &str, bytes: usize) -> String {
    let end = text.floor_char_boundary(bytes);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}

/// `Retry-After` in seconds, or `retry-after-ms`. A date is not read: no provider of models sends one.
pub(super) fn retry_after(seconds: Option<&str>, millis: Option<&str>) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| (0.0..1e9).contains(number));
    let exact = millis.and_then(number).map(|ms| Duration::from_secs_f64(ms / 1_000.0));
    exact.or_else(|| seconds.and_then(number).map(Duration::from_secs_f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_overflow(status: u16, body: &str) -> bool {
        matches!(refusal(status, None, body), CallError::Answer(LlmError::Overflow(_)))
    }

    #[test]
    fn a_prompt_too_long_is_known_in_every_providers_words() {
        let bodies = [
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
            r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":null}}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"}}"#,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","code":400}"#,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#,
            r#"{"error":{"message":"litellm.ContextWindowExceededError: too long","type":null,"code":"400"}}"#,
            r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            r#"{"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}"#,
            r#"{"error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}"#,
            r#"{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error"}}"#,
            r#"{"message":"Input is too long for requested model."}"#,
        ];
        for body in bodies {
            assert!(is_overflow(400, body), "{body}");
        }
        assert!(is_overflow(413, r#"{"type":"error","error":{"type":"request_too_large","message":"too large"}}"#));
    }

    #[test]
    fn a_limit_on_rates_is_no_overflow() {
        let groq = r#"{"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000","type":"tokens","code":"rate_limit_exceeded"}}"#;
        assert!(matches!(refusal(413, None, groq), CallError::Again { .. }));
        let wait = Some(Duration::from_secs(7));
        assert_eq!(
            refusal(429, wait, r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#),
            CallError::Again { why: "status 429: slow down (rate_limit_error)".to_owned(), after: wait }
        );
        let quota = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
        assert!(matches!(refusal(429, None, quota), CallError::Never(_)));
    }

    #[test]
    fn what_passes_and_what_does_not() {
        for status in [408, 500, 502, 503, 504, 529] {
            assert!(matches!(refusal(status, None, ""), CallError::Again { .. }), "{status}");
        }
        for status in [400, 401, 403, 404, 422] {
            assert!(matches!(refusal(status, None, "{}"), CallError::Never(_)), "{status}");
        }
        let overloaded = serde_json::json!({"type": "overloaded_error", "message": "Overloaded"});
        assert!(matches!(told(&overloaded), CallError::Again { .. }));
        let long = serde_json::json!({"type": "invalid_request_error", "message": "prompt is too long: 3 > 2"});
        assert!(matches!(told(&long), CallError::Answer(LlmError::Overflow(_))));
    }

    #[test]
    fn waiting_times_are_seconds_or_milliseconds() {
        assert_eq!(retry_after(Some("20"), None), Some(Duration::from_secs(20)));
        assert_eq!(retry_after(Some("20"), Some("1500")), Some(Duration::from_millis(1_500)));
        assert_eq!(retry_after(Some("Wed, 21 Oct 2026 07:28:00 GMT"), None), None);
        assert_eq!(retry_after(Some("-1"), None), None);
    }
}
