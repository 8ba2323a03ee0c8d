//! How a call fails, and what a provider's refusal means.

use std::time::Duration;

use serde_json::Value;

use super::{LlmError, words};

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

    /// The same with texts that `clean` has seen whole, and cut afterwards: a key that is cut in two would not be found.
    pub(super) fn cleaned(self, clean: impl Fn(&str) -> String) -> Self {
        let clean = |text: &str| cut(&clean(text), LONGEST);
        match self {
            Self::Again { why, after } => Self::Again { why: clean(&why), after },
            Self::Never(why) => Self::Never(clean(&why)),
            Self::Answer(LlmError::Overflow(why)) => LlmError::Overflow(clean(&why)).into(),
            Self::Answer(LlmError::Unusable(why)) => LlmError::Unusable(clean(&why)).into(),
            Self::Answer(LlmError::Failed(why)) => LlmError::Failed(clean(&why)).into(),
        }
    }
}

/// Longest error text that is kept, in bytes.
const LONGEST: usize = 600;

/// What an answer with an error status means. Its text may quote a key and be long: [`CallError::cleaned`] is for both.
pub(super) fn refusal(status: u16, after: Option<Duration>, body: &str) -> CallError {
    let told = serde_json::from_str::<Value>(body).ok();
    let what = told.as_ref().and_then(message).unwrap_or_else(|| page(body));
    classified(status, after, &format!("status {status}: {what}"), body)
}

/// The kind of an error follows from its status, and where providers share none, from the words of its whole text.
fn classified(status: u16, after: Option<Duration>, why: &str, text: &str) -> CallError {
    let told = words::told(text);
    let why = why.to_owned();
    // A size limit of a gateway has a status of its own and often no words.
    let too_large = status == 413 && !words::names_rates(text);
    if too_large || (matches!(status, 400 | 404 | 413 | 422 | 500) && told.overflow) {
        return CallError::Answer(LlmError::Overflow(why));
    }
    if matches!(status, 400 | 403 | 422 | 451) && told.filter {
        return CallError::Answer(LlmError::Unusable(format!("the provider's filter stopped it: {why}")));
    }
    match status {
        429 if told.quota => CallError::Never(why),
        408 | 409 | 413 | 425 | 429 | 500..=599 => CallError::Again { why, after },
        _ => CallError::Never(why),
    }
}

/// The error that a body or an event with a good status carries, if it does.
pub(super) fn fault(body: &Value) -> Option<CallError> {
    let is_there = |error: &&Value| !error.is_null() && !error.as_object().is_some_and(serde_json::Map::is_empty);
    let says = |name: &str| body.get(name).and_then(Value::as_str) == Some("error");
    let error = body.get("error").filter(is_there);
    error.or_else(|| (says("object") || says("type")).then_some(body)).map(told)
}

/// An error that a stream or a body with a good status carries.
pub(super) fn told(error: &Value) -> CallError {
    let of = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_lowercase);
    let kind = ["type", "code", "status"].into_iter().filter_map(of).collect::<Vec<_>>().join(" ");
    let number = |name: &str| {
        let value = error.get(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok()).and_then(|number| u16::try_from(number).ok())
    };
    let given = ["code", "status", "status_code"].into_iter().find_map(number).filter(|code| (400..600).contains(code));
    let status = given.unwrap_or_else(|| status_of(&kind));
    let text = error.to_string();
    let body = Value::Object([("error".to_owned(), error.clone())].into_iter().collect());
    classified(status, None, &message(&body).unwrap_or_else(|| short(&text)), &text)
}

/// The status that goes with the name of an error; a server's own fault where it tells nothing.
fn status_of(kind: &str) -> u16 {
    let says = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    match () {
        () if says(&["rate_limit", "resource_exhausted", "too_many_requests", "insufficient_quota"]) => 429,
        () if says(&["authentication", "permission", "api_key", "unauthorized"]) => 401,
        () if says(&["billing"]) => 402,
        () if says(&[
            "invalid_request",
            "context",
            "invalid_prompt",
            "content_filter",
            "badrequest",
            "invalid_argument",
        ]) =>
        {
            400
        }
        () => 500,
    }
}

/// The message of `{"error": {"message": …}}`, `{"error": "…"}`, `{"message": …}` or `{"detail": …}`, and what a router quotes
/// of the provider behind it.
fn message(body: &Value) -> Option<String> {
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let field = |name: &str| error.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let text = error.as_str().or_else(|| field("message")).or_else(|| field("detail"))?;
    let quoted = error.get("metadata").and_then(|data| data.get("raw")?.as_str()).map(|raw| format!(": {raw}"));
    let kind = ["type", "code"].into_iter().find_map(field).map(|kind| format!(" ({kind})"));
    Some(short(&format!("{text}{}{}", kind.unwrap_or_default(), quoted.unwrap_or_default())))
}

/// A text that is no JSON: of a page its words, without markup.
pub(super) fn page(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return short(text);
    }
    let titled = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    let words = titled.map_or_else(|| without_tags(text), |(title, _)| title.to_owned());
    format!("a page, \"{}\"", words.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn without_tags(text: &str) -> String {
    text.split('<').map(|part| part.split_once('>').map_or(part, |(_, words)| words)).collect::<Vec<_>>().join(" ")
}

pub(super) fn short(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return "without a word".to_owned();
    }
    text.to_owned()
}

/// The text, or its first bytes and a mark.
pub(super) fn cut(text: &str, bytes: usize) -> String {
    let end = text.floor_char_boundary(bytes);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
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
}
