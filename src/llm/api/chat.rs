//! Chat completions.

use serde_json::{Value, json};

use super::{CallError, Called, Fold, LlmConfig, LlmRequest, Reply, limit, shape, text, tools, usage};

pub(super) fn body(config: &LlmConfig, request: &LlmRequest, stream: bool) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({"role": "system", "content": &**system}));
    }
    messages.push(json!({"role": "user", "content": &*request.prompt}));
    let mut body = json!({"model": config.model, "messages": messages});
    body[limit_field(config)] = limit(config, request).into();
    if stream {
        body["stream"] = true.into();
        // Without it a stream tells no usage.
        body["stream_options"] = json!({"include_usage": true});
    }
    if config.send_seed {
        body["seed"] = request.seed.into();
    }
    if !request.tools.is_empty() {
        body["tools"] = tools::chat(&request.tools);
    }
    body
}

/// `OpenAI`'s own models refuse the old name, most other servers know no other.
fn limit_field(config: &LlmConfig) -> &str {
    config.max_tokens_field.as_deref().unwrap_or(if config.is_home() { "max_completion_tokens" } else { "max_tokens" })
}

pub(super) fn reply(config: &LlmConfig, body: &Value) -> Result<Reply, CallError> {
    let choice = body.get("choices").and_then(|choices| choices.get(0)).ok_or_else(|| shape("`choices`"))?;
    let message = choice.get("message").ok_or_else(|| shape("`message`"))?;
    let mut said = Said { model: text(body.get("model")), ..Said::default() };
    said.text = content(message.get("content"));
    for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        said.call(None, call.get("function"));
    }
    said.call(None, message.get("function_call"));
    said.refusal = text(message.get("refusal")).unwrap_or_default();
    said.finish = text(choice.get("finish_reason"));
    said.usage = counted(body).cloned();
    Ok(said.reply(config))
}

/// A text, or a list of parts of which some are text.
fn content(content: Option<&Value>) -> String {
    let part = |part: &Value| text(part.get("text")).unwrap_or_default();
    match content {
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        other => text(other).unwrap_or_default(),
    }
}

/// Usage, where servers put it: at the top, or of a stream in the choice (Moonshot) or in a field of their own (Groq).
fn counted(event: &Value) -> Option<&Value> {
    let in_choice = || event.get("choices")?.get(0)?.get("usage");
    let places = [event.get("usage"), in_choice(), event.get("x_groq").and_then(|own| own.get("usage"))];
    places.into_iter().flatten().find(|usage| !usage.is_null())
}

#[derive(Debug, Default)]
struct Said {
    text: String,
    calls: tools::Calls,
    refusal: String,
    finish: Option<String>,
    usage: Option<Value>,
    model: Option<String>,
}

impl Said {
    /// A call, or a piece of one: name and arguments.
    fn call(&mut self, number: Option<u64>, function: Option<&Value>) {
        let Some(function) = function.filter(|function| function.is_object()) else { return };
        let name = function.get("name").and_then(Value::as_str);
        self.calls.piece(number, name, &tools::arguments(function.get("arguments")));
    }

    fn reply(self, config: &LlmConfig) -> Reply {
        let usage = self.usage.as_ref().and_then(|usage| usage::openai(config, usage));
        match self.finish.as_deref() {
            Some("content_filter") => Reply::unusable("the provider's filter stopped it", usage, self.model),
            _ if !self.refusal.is_empty() => {
                let why = format!("the model refuses: {}", self.refusal);
                Reply::unusable(&why, usage, self.model)
            }
            finish => {
                let calls: Vec<Called> = self.calls.finish();
                Reply::new(self.text, calls, finish == Some("length"), usage, self.model)
            }
        }
    }
}

/// A streamed answer: pieces, then the reason of the end, then usage, then the mark.
#[derive(Debug)]
pub(super) struct Stream {
    config: LlmConfig,
    said: Said,
}

impl Stream {
    pub(super) fn new(config: &LlmConfig) -> Self {
        Self { config: config.clone(), said: Said::default() }
    }
}

impl Fold for Stream {
    /// A reason to end makes it whole: some servers leave out the mark `[DONE]`, which never gets here.
    fn push(&mut self, event: &Value) -> Result<bool, CallError> {
        if let Some(error) = crate::llm::failure::fault(event) {
            return Err(error);
        }
        let said = &mut self.said;
        said.model = said.model.take().or_else(|| text(event.get("model")));
        if let Some(usage) = counted(event) {
            said.usage = Some(usage.clone());
        }
        if let Some(choice) = event.get("choices").and_then(|choices| choices.get(0)) {
            let piece = |name: &str| choice.get("delta")?.get(name);
            said.text.push_str(&content(piece("content")));
            said.refusal.push_str(&text(piece("refusal")).unwrap_or_default());
            for call in piece("tool_calls").and_then(Value::as_array).into_iter().flatten() {
                said.call(call.get("index").and_then(Value::as_u64), call.get("function"));
            }
            said.call(None, piece("function_call"));
            // Some servers say an empty reason until there is one.
            let finish = text(choice.get("finish_reason")).filter(|reason| !reason.is_empty());
            said.finish = finish.or(said.finish.take());
        }
        Ok(said.finish.is_some())
    }

    /// Some servers give no reason to end, but the mark.
    fn is_ended(&self) -> bool {
        !self.said.text.is_empty() || !self.said.refusal.is_empty() || self.said.calls.are_there()
    }

    fn reply(self: Box<Self>) -> Result<Reply, CallError> {
        Ok(self.said.reply(&self.config))
    }
}
