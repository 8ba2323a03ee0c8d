//! The protocols: what is sent, and what an answer means. No input or output in here.

mod chat;
mod messages;
mod responses;
pub(super) mod tools;
mod usage;

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::config::{Api, LlmConfig};
use super::failure::CallError;
use super::sse::Event;
use super::{Called, LlmError, LlmRequest, LlmResponse};
use crate::transcript::Usage;

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The answer, or the model's own word that there is none: such calls are paid for, too.
    pub outcome: Result<LlmResponse, LlmError>,
    /// Usage, where it was told.
    pub usage: Option<Usage>,
    /// The model that the provider says has answered.
    pub model: Option<String>,
}

impl Reply {
    /// An answer of this text and these calls; one with neither cannot be used.
    pub(super) fn new(
        text: String,
        calls: Vec<Called>,
        truncated: bool,
        usage: Option<Usage>,
        model: Option<String>,
    ) -> Self {
        if text.trim().is_empty() && calls.is_empty() {
            let why = if truncated { "it is empty: the output limit was used up before it" } else { "it is empty" };
            return Self::unusable(why, usage, model);
        }
        Self { outcome: Ok(LlmResponse { text: text.into(), calls, truncated, usage }), usage, model }
    }

    fn unusable(why: &str, usage: Option<Usage>, model: Option<String>) -> Self {
        Self { outcome: Err(LlmError::Unusable(why.to_owned())), usage, model }
    }
}

/// Puts a streamed answer together.
pub(super) trait Fold: Send {
    /// Takes one event; true when the answer is whole.
    fn push(&mut self, event: &Value) -> Result<bool, CallError>;

    /// Whether the mark that ends a stream ends a whole answer.
    fn is_ended(&self) -> bool {
        false
    }

    /// The answer. Only asked once it is whole.
    fn reply(self: Box<Self>) -> Result<Reply, CallError>;
}

impl Api {
    /// Where requests go, below the base address; empty for a program.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
            Self::ResponsesCompact => "/responses/compact",
            Self::Messages | Self::MessagesCompact => "/messages",
            Self::Exec => "",
        }
    }

    /// Headers, the key's included.
    pub(super) fn headers(self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        let is_anthropic = matches!(self, Self::Messages | Self::MessagesCompact);
        match key {
            Some(key) if is_anthropic => headers.push(("x-api-key", key.to_owned())),
            Some(key) => headers.push(("authorization", format!("Bearer {key}"))),
            None => {}
        }
        if is_anthropic {
            headers.push(("anthropic-version", "2023-06-01".to_owned()));
        }
        if self == Self::MessagesCompact {
            headers.push(("anthropic-beta", messages::BETA.to_owned()));
        }
        headers
    }

    /// Whether the protocol can stream.
    pub(super) fn streams(self) -> bool {
        !matches!(self, Self::ResponsesCompact | Self::Exec)
    }

    /// The body of a request.
    pub(super) fn body(self, config: &LlmConfig, request: &LlmRequest, stream: bool) -> Value {
        let mut body = match self {
            Self::Chat => chat::body(config, request, stream),
            Self::Responses => responses::body(config, request, stream),
            Self::ResponsesCompact => responses::compact_body(config, request),
            Self::Messages | Self::MessagesCompact => messages::body(config, request, stream),
            Self::Exec => exec_body(config, request),
        };
        if let (Some(fields), true) = (body.as_object_mut(), self != Self::ResponsesCompact) {
            if let Some(temperature) = config.temperature {
                fields.insert("temperature".to_owned(), temperature.into());
            }
            fields.extend(config.extra.clone());
        }
        body
    }

    /// The answer in a whole body.
    pub(super) fn reply(self, config: &LlmConfig, body: &Value) -> Result<Reply, CallError> {
        if let Some(error) = super::failure::fault(body) {
            return Err(error);
        }
        match self {
            Self::Chat => chat::reply(config, body),
            Self::Responses => responses::reply(config, body),
            Self::ResponsesCompact => responses::compact_reply(config, body),
            Self::Messages | Self::MessagesCompact => messages::reply(config, body),
            Self::Exec => exec_reply(config, body),
        }
    }

    /// What puts a streamed answer together; `None` where nothing is streamed.
    pub(super) fn fold(self, config: &LlmConfig) -> Option<Box<dyn Fold>> {
        match self {
            Self::Chat => Some(Box::new(chat::Stream::new(config))),
            Self::Responses => Some(Box::new(responses::Stream::new(config))),
            Self::Messages | Self::MessagesCompact => Some(Box::new(messages::Stream::new(config))),
            Self::ResponsesCompact | Self::Exec => None,
        }
    }
}

/// The data of an event as JSON; `None` for the mark that ends a stream of chat completions.
pub(super) fn data(event: &Event) -> Result<Option<Value>, CallError> {
    if event.data.trim() == "[DONE]" {
        return Ok(None);
    }
    serde_json::from_str(&event.data).map(Some).map_err(|error| malformed(&error))
}

/// An answer that is no JSON: a proxy's page, or a broken one. It may come whole the next time.
pub(super) fn malformed(error: &serde_json::Error) -> CallError {
    CallError::again(format!("the answer is not JSON: {error}"))
}

/// An answer of another shape than the protocol has.
fn shape(what: &str) -> CallError {
    CallError::again(format!("the answer has no {what}"))
}

/// The limit of an answer.
pub(super) fn limit(config: &LlmConfig, request: &LlmRequest) -> u64 {
    request.max_output.map_or(config.max_output_tokens, |limit| limit.0)
}

fn text(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
}

fn exec_body(config: &LlmConfig, request: &LlmRequest) -> Value {
    let mut body = json!({
        "model": config.model,
        "system": request.system.as_deref(),
        "prompt": &*request.prompt,
        "max_output_tokens": limit(config, request),
        "seed": request.seed,
    });
    if !request.tools.is_empty() {
        body["tools"] = tools::exec(&request.tools);
    }
    body
}

/// `{"text": …, "calls": [{"name": …, "arguments": {…}}], "truncated": false, "usage": {"input_tokens": …, "output_tokens": …}}`, or `{"error": {"message": …}}`.
fn exec_reply(config: &LlmConfig, body: &Value) -> Result<Reply, CallError> {
    let called = |call: &Value| {
        let name = call.get("name").and_then(Value::as_str)?.into();
        Some(Called { name, arguments: tools::arguments(call.get("arguments")) })
    };
    let calls: Vec<Called> =
        body.get("calls").and_then(Value::as_array).into_iter().flatten().filter_map(called).collect();
    let said = text(body.get("text")).or_else(|| (!calls.is_empty()).then(String::new));
    let said = said.ok_or_else(|| shape("`text`"))?;
    let truncated = body.get("truncated").and_then(Value::as_bool).unwrap_or(false);
    let usage = body.get("usage").and_then(|usage| usage::anthropic(config, usage));
    Ok(Reply::new(said, calls, truncated, usage, text(body.get("model"))))
}
